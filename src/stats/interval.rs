//! The interval of a median by ranks: no assumption about the distribution (Hoefler and Belli, SC'15, rule 5).

use super::{median, sorted};

/// Share of intervals that may miss the true median on one side: 2.5 %.
const TAIL: f64 = 0.025;

/// A median with its 95 % confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MedianInterval {
    /// The median.
    pub median: f64,
    /// Lower and upper end; `None` where there are too few values (fewer than six) to claim 95 %.
    pub interval: Option<(f64, f64)>,
}

impl MedianInterval {
    /// Half the interval's width as a share of the median; `None` without an interval or with a median of 0.
    pub fn relative_half_width(&self) -> Option<f64> {
        let (low, high) = self.interval?;
        (self.median > 0.0).then(|| (high - low) / 2.0 / self.median)
    }
}

/// The median of `values` and its 95 % interval. `None` for no values; they must not be NaN.
pub fn median_interval(values: &[f64]) -> Option<MedianInterval> {
    let median = median(values)?;
    let sorted = sorted(values);
    let interval =
        lower_rank(sorted.len()).map(|rank| (sorted[rank - 1], sorted[sorted.len() - rank]));
    Some(MedianInterval { median, interval })
}

/// Largest rank k (from 1) for which the k-th smallest of `n` values lies above the true median in at most 2.5 % of cases.
///
/// The number of values below the median is binomial with p = 1/2.
fn lower_rank(n: usize) -> Option<usize> {
    // Beyond this the binomial's terms leave the range of f64, and the normal approximation is exact to a rank.
    const EXACT_UP_TO: usize = 900;
    if n > EXACT_UP_TO {
        let n = n as f64;
        return Some(((n - 1.96 * n.sqrt()) / 2.0).floor() as usize);
    }
    let mut term = 0.5_f64.powi(n as i32);
    let mut below = term;
    let mut rank = 0;
    while below <= TAIL {
        rank += 1;
        term *= (n - rank + 1) as f64 / rank as f64;
        below += term;
    }
    (rank > 0).then_some(rank)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fewer_than_six_values_claim_nothing() {
        for n in 1..6 {
            let values: Vec<f64> = (0..n).map(f64::from).collect();
            assert_eq!(
                median_interval(&values).and_then(|found| found.interval),
                None,
                "{n} values"
            );
        }
    }

    /// Ranks of the tables of the sign test.
    #[test]
    fn ranks_agree_with_published_tables() {
        for (n, rank) in [
            (6, 1),
            (8, 1),
            (9, 2),
            (12, 3),
            (20, 6),
            (25, 8),
            (50, 18),
            (100, 40),
        ] {
            assert_eq!(lower_rank(n), Some(rank), "{n} values");
        }
        assert_eq!(lower_rank(900).map(|rank| rank.abs_diff(421)), Some(0));
    }

    #[test]
    fn equal_values_have_an_interval_of_no_width() {
        let found = median_interval(&[5.0; 12]).expect("there are values");
        assert_eq!(found.interval, Some((5.0, 5.0)));
        assert_eq!(found.relative_half_width(), Some(0.0));
    }
}
