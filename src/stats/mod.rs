//! Order statistics of samples that are skewed to the right and not independent: medians, their intervals, plateaus.

mod interval;
mod steps;
mod stratified;

pub use interval::{MedianInterval, median_interval};
pub use steps::{Level, levels};
pub use stratified::{is_settled, stratified_median};

/// The median; the mean of the middle two where their number is even. `None` for no values.
///
/// Values must not be NaN.
pub fn median(values: &[f64]) -> Option<f64> {
    let sorted = sorted(values);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        n if n % 2 == 1 => Some(sorted[middle]),
        _ => Some(sorted[middle - 1].midpoint(sorted[middle])),
    }
}

/// A robust plateau: the median of the upper quarter of `values` (at least one). `None` for no values.
///
/// A maximum would follow the luckiest sample, a mean the cases that never reach the plateau.
pub fn plateau(values: &[f64]) -> Option<f64> {
    let sorted = sorted(values);
    let upper_quarter = sorted.len().div_ceil(4);
    median(&sorted[sorted.len() - upper_quarter..])
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_odd_and_even_numbers_of_values() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn a_plateau_ignores_one_lucky_value_and_the_slope() {
        let values = [
            1.0, 2.0, 5.0, 9.9, 10.0, 10.1, 10.0, 9.9, 10.0, 10.1, 10.0, 14.0,
        ];
        assert_eq!(plateau(&values), Some(10.1));
        assert_eq!(plateau(&[7.0]), Some(7.0));
        assert_eq!(plateau(&[]), None);
    }
}
