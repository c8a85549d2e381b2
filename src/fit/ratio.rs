//! One row's bandwidth over another's.

use crate::record::Row;

/// A ratio of two useful bandwidths.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// The ratio of the two figures.
    pub value: f64,
    /// From the lowest to the highest ratio of two values inside the rows' 95 % intervals, where both have one: wider than the
    /// ratio's own interval, never narrower.
    pub interval: Option<(f64, f64)>,
}

impl Ratio {
    /// `row` over `base`, whatever their status; `None` where either has no figure above zero.
    pub fn of(row: &Row, base: &Row) -> Option<Self> {
        let (over, under) = (figure(row)?, figure(base)?);
        let interval = ends(row).zip(ends(base));
        Some(Self {
            value: over / under,
            interval: interval
                .map(|((low, high), (base_low, base_high))| (low / base_high, high / base_low)),
        })
    }

    /// Whether the interval holds 1, so that nothing tells the two apart; `None` without one.
    pub fn may_be_one(&self) -> Option<bool> {
        self.interval.map(|(low, high)| low <= 1.0 && 1.0 <= high)
    }
}

fn figure(row: &Row) -> Option<f64> {
    row.useful_gb_per_s
        .filter(|figure| figure.is_finite() && *figure > 0.0)
}

/// The ends of a row's interval, both finite and above zero.
fn ends(row: &Row) -> Option<(f64, f64)> {
    row.useful_low_gb_per_s
        .zip(row.useful_high_gb_per_s)
        .filter(|(low, high)| *low > 0.0 && high.is_finite() && low <= high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Status;

    fn row(useful: f64, half_width: f64) -> Row {
        Row {
            status: Status::Ok,
            useful_gb_per_s: Some(useful),
            useful_low_gb_per_s: Some(useful - half_width),
            useful_high_gb_per_s: Some(useful + half_width),
            ..Row::default()
        }
    }

    #[test]
    fn the_interval_holds_every_ratio_of_two_values_in_the_rows_own() {
        let ratio = Ratio::of(&row(6.0, 2.0), &row(4.0, 1.0)).expect("two figures");
        assert_eq!((ratio.value, ratio.interval), (1.5, Some((0.8, 8.0 / 3.0))));
        assert_eq!(ratio.may_be_one(), Some(true));
        let clear = Ratio::of(&row(6.0, 0.1), &row(4.0, 0.1)).expect("two figures");
        assert_eq!(clear.may_be_one(), Some(false));
    }

    #[test]
    fn nothing_is_divided_by_zero() {
        assert_eq!(Ratio::of(&row(4.0, 1.0), &row(0.0, 0.0)), None);
        assert_eq!(Ratio::of(&Row::default(), &row(4.0, 1.0)), None);
        let reaches_zero = Ratio::of(&row(6.0, 1.0), &row(4.0, 4.0)).expect("two figures");
        assert_eq!(
            (reaches_zero.interval, reaches_zero.may_be_one()),
            (None, None)
        );
    }
}
