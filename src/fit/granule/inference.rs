//! What a stride sweep says of the hardware, or that it does not say.

use std::fmt::Write as _;

use super::shape::FittedCurve;
use crate::units::significant;

/// What was inferred from one stride sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Inference {
    /// Bytes of an element of the sweep.
    pub element_bytes: u32,
    /// G, the bytes fetched per miss; `None` is undetermined.
    pub granule_bytes: Option<u64>,
    /// The smaller line inside the granule, where padded offsets show one; where no granule is named, the line at which the fall ends.
    pub line_bytes: Option<u64>,
    /// How far the granule is to be believed, from 0 to 1; where none is named, how far the likeliest would be.
    pub confidence: f64,
    /// B, in GB/s; at least that where `fetch_is_lower_bound`.
    pub fetch_gb_per_s: f64,
    /// Whether fetching never limited the sweep, so that memory may deliver more.
    pub fetch_is_lower_bound: bool,
    /// C for this element width, in GB/s; at least that where `issue_is_lower_bound`.
    pub issue_gb_per_s: f64,
    /// Whether issuing never limited the sweep, so that lanes may issue faster.
    pub issue_is_lower_bound: bool,
    /// The median distance of the fitted points from the curve, in percent of the curve.
    pub residual_percent: Option<f64>,
    /// The first stride from which on the curve falls below its floor (pages, address translation), in elements.
    pub decline_from_stride: Option<u64>,
    /// The curve that fits best, determined or not; `None` where there are too few points for one.
    pub curve: Option<FittedCurve>,
    /// Sentences that say why.
    pub reasons: Vec<String>,
}

impl Inference {
    /// The first stride at which fetching limits and not issuing, in elements; 1 where issuing never limits, `None` where it always
    /// does, and where no granule is named.
    pub fn fetch_bound_from_stride(&self) -> Option<u64> {
        let curve = self.curve.filter(|_| self.granule_bytes.is_some())?;
        if self.issue_is_lower_bound {
            return Some(1);
        }
        let floor = 2.0 * curve.shape.line_bytes / f64::from(curve.element_bytes);
        (1..=floor.ceil() as u64).find(|&stride| !curve.is_issue_bound(stride as f64))
    }

    /// The verdict in one sentence, without the confidence.
    pub fn verdict(&self) -> String {
        let Some(granule) = self.granule_bytes else {
            let why = self
                .reasons
                .first()
                .map_or("the data cannot tell", String::as_str);
            return format!("undetermined: {why}");
        };
        let mut text = match self.line_bytes {
            Some(line) => {
                format!("memory is fetched {granule} bytes at a time, in lines of {line} bytes")
            }
            None => format!("memory is fetched {granule} bytes at a time"),
        };
        let at_least = if self.fetch_is_lower_bound {
            "at least "
        } else {
            ""
        };
        // Writing to a String cannot fail.
        let _ = write!(
            text,
            ", at {at_least}{} GB/s",
            significant(self.fetch_gb_per_s)
        );
        match self.fetch_bound_from_stride() {
            Some(stride) if stride > 1 => {
                let _ = write!(text, "; below stride {stride} issue limits, not memory");
            }
            _ => text.push_str("; memory limits at every stride"),
        }
        if let Some(stride) = self.decline_from_stride {
            let _ = write!(text, "; from stride {stride} on it falls further");
        }
        text
    }
}
