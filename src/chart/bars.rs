//! From rows to a chart of bars, as plain numbers: one bar a pattern, with its interval and what is predicted for it.
//!
//! A row without a figure never becomes a bar; [`Bars::notes`] names it instead.

use crate::model::Ceiling;
use crate::record::{Row, Status};
use crate::units::{BYTES_PER_GB, BytesPerSecond, significant};

use super::series::useful_gb_per_s;

/// One pattern's figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// The pattern.
    pub label: String,
    /// What the bar shows, in the axis's unit.
    pub value: f64,
    /// The two ends of the 95 % interval in the same unit, where there is one.
    pub interval: Option<(f64, f64)>,
    /// How the case ended.
    pub status: Status,
    /// The lower and the upper prediction in the same unit; equal where they agree.
    pub predicted: Option<(f64, f64)>,
    /// The same case's figure as another tool would count it, in the same unit.
    pub counted: Option<f64>,
    /// The figure as it is printed beside the bar.
    pub figure: String,
    /// A short remark beside it.
    pub remark: String,
}

/// Bars that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// What they have in common; empty where nothing is to be said.
    pub heading: String,
    /// The bars from top to bottom.
    pub bars: Vec<Bar>,
}

/// Everything that a chart of bars shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// The groups from top to bottom.
    pub groups: Vec<Group>,
    /// What is not drawn, and why, and what else is to be said of these rows.
    pub notes: Vec<String>,
}

impl Bars {
    /// Every bar from top to bottom.
    pub fn bars(&self) -> impl Iterator<Item = &Bar> {
        self.groups.iter().flat_map(|group| &group.bars)
    }

    /// Every number that is measured or predicted: bars, ends of intervals and predictions.
    pub fn values(&self) -> Vec<f64> {
        let of = |bar: &Bar| {
            let ends = [bar.interval, bar.predicted].into_iter().flatten();
            let mut values: Vec<f64> = ends.flat_map(|(low, high)| [low, high]).collect();
            values.push(bar.value);
            values
        };
        self.bars().flat_map(of).collect()
    }
}

impl Bar {
    /// The bar of `row` at `value`, with its spec for a label and its useful bandwidth for a figure.
    pub(super) fn of(row: &Row, value: f64, interval: Option<(f64, f64)>) -> Self {
        Self {
            label: row.spec.clone(),
            value,
            interval,
            status: row.status,
            predicted: None,
            counted: None,
            figure: useful_gb_per_s(row).map(significant).unwrap_or_default(),
            remark: String::new(),
        }
    }
}

/// The bar of the useful bandwidth of `row`, before the efficiencies at 64 bytes times B; `None` without a figure.
pub(super) fn bandwidth_bar(row: &Row, remark: String) -> Option<Bar> {
    let interval = row.useful_low_gb_per_s.zip(row.useful_high_gb_per_s);
    let interval = interval.filter(|(low, high)| low.is_finite() && high.is_finite());
    Some(Bar {
        predicted: predicted_gb_per_s(row),
        remark,
        ..Bar::of(row, useful_gb_per_s(row)?, interval)
    })
}

/// B times the efficiency at 64 bytes, with nothing and with everything shared; `None` where either is not known.
fn predicted_gb_per_s(row: &Row) -> Option<(f64, f64)> {
    let fetch = row
        .fetch_plateau_gb_per_s
        .filter(|b| b.is_finite() && *b > 0.0)?;
    let ceiling = Ceiling::of_fetch(BytesPerSecond(fetch * BYTES_PER_GB));
    let useful = |efficiency| ceiling.useful(efficiency, 1.0).gb_per_s();
    let (low, high) = (
        row.efficiency_unshared_64b
            .min(row.efficiency_compulsory_64b),
        row.efficiency_compulsory_64b,
    );
    (low > 0.0).then(|| (useful(low), useful(high)))
}

/// What is to be said of the predictions: B, or that there is none.
pub(super) fn note_of_predictions(rows: &[&Row]) -> String {
    let fetch = rows.iter().find_map(|row| row.fetch_plateau_gb_per_s);
    match fetch {
        Some(gb_per_s) => format!(
            "B = {} GB/s, the fetch plateau of the suite stride at 64 B.",
            significant(gb_per_s)
        ),
        None => "No prediction: the run has no suite stride, whose fetch plateau is B.".to_owned(),
    }
}

/// The words for a range of efficiencies: `efficiency 6 to 100 %`.
pub(super) fn efficiency_words(row: &Row) -> String {
    let percent = |efficiency: f64| format!("{:.0}", 100.0 * efficiency);
    let (low, high) = (
        percent(
            row.efficiency_unshared_64b
                .min(row.efficiency_compulsory_64b),
        ),
        percent(row.efficiency_compulsory_64b),
    );
    if low == high {
        format!("efficiency {high} %")
    } else {
        format!("efficiency {low} to {high} %")
    }
}

impl Group {
    /// One group without a heading; none where there are no bars.
    pub(super) fn of_all(bars: Vec<Bar>) -> Vec<Self> {
        let group = (!bars.is_empty()).then_some(Self {
            heading: String::new(),
            bars,
        });
        group.into_iter().collect()
    }
}

/// A deviation with its sign and one decimal; what rounds to zero has none.
pub(super) fn signed(value: f64) -> String {
    let number = format!("{:.1}", value.abs());
    match value {
        _ if number == "0.0" => number,
        v if v < 0.0 => format!("\u{2212}{number}"),
        _ => format!("+{number}"),
    }
}
