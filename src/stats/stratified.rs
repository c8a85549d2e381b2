//! The centre of values that come in strata with levels of their own, such as slices of memory that differ in speed.

use super::{MedianInterval, median, median_interval};

/// Two-sided 95 % of a normal distribution.
const NORMAL_95: f64 = 1.96;

/// Ratio of a normal distribution's standard deviation to the median of its absolute deviations.
const SIGMA_OF_MEDIAN_DEVIATION: f64 = 1.4826;

/// Fewest differences inside strata from which a spread is read.
const DIFFERENCES_MIN: usize = 6;

/// Fewest values of a stratum that counts.
const STRATUM_MIN: usize = 3;

/// A value lies by its stratum's median within so many standard deviations, or such a share of it.
const NEAR_SIGMAS: f64 = 5.0;
const NEAR_SHARE: f64 = 0.01;

/// The mean over strata of each stratum's median, with its 95 % interval; `values` are (stratum, value) in time order.
///
/// With one stratum it is the median with its interval by ranks. With several, only strata of three values or more
/// count, since a median of fewer follows every outlier. The spread is read from differences of successive values of the
/// same stratum, so that neither the strata's levels nor a few outliers widen it; what a median of few values costs in
/// precision, and that the spread is itself estimated, is allowed for. Where fewer than three quarters of the strata
/// count, it is the plain median without an interval. `None` for no values; they must not be NaN.
pub fn stratified_median(values: &[(u32, f64)]) -> Option<MedianInterval> {
    let strata = group(values);
    if let [only] = &strata[..] {
        return median_interval(only);
    }
    if strata.is_empty() {
        return None;
    }
    let solid: Vec<&[f64]> = strata
        .iter()
        .filter(|stratum| stratum.len() >= STRATUM_MIN)
        .map(Vec::as_slice)
        .collect();
    if solid.len() * 4 < strata.len() * 3 {
        let all: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
        return median(&all).map(|median| MedianInterval {
            median,
            interval: None,
        });
    }
    let levels: Vec<f64> = solid.iter().filter_map(|stratum| median(stratum)).collect();
    let centre = levels.iter().sum::<f64>() / levels.len() as f64;
    let half_width = half_width(&solid);
    Some(MedianInterval {
        median: centre,
        interval: half_width.map(|half_width| (centre - half_width, centre + half_width)),
    })
}

/// Whether no stratum's median may be an outlier's: each has three values or more, and most of them lie by its median.
///
/// Two slow values of three, or two of four, would move it, and the interval would not show them. One stratum is
/// always settled: its interval by ranks does show them.
pub fn is_settled(values: &[(u32, f64)]) -> bool {
    let strata = group(values);
    if strata.len() == 1 {
        return true;
    }
    let sigma = sigma(&strata).unwrap_or(0.0);
    !strata.is_empty()
        && strata.iter().all(|stratum| {
            let near = |middle: f64| {
                let within = (NEAR_SIGMAS * sigma).max(NEAR_SHARE * middle.abs());
                let near = stratum
                    .iter()
                    .filter(|value| (*value - middle).abs() <= within);
                near.count()
            };
            stratum.len() >= STRATUM_MIN
                && median(stratum).is_some_and(|middle| near(middle) * 2 > stratum.len())
        })
}

fn group(values: &[(u32, f64)]) -> Vec<Vec<f64>> {
    let mut strata = std::collections::BTreeMap::<u32, Vec<f64>>::new();
    for (stratum, value) in values {
        strata.entry(*stratum).or_default().push(*value);
    }
    strata.into_values().collect()
}

/// Differences of successive values of the same stratum.
fn differences<S: AsRef<[f64]>>(strata: &[S]) -> Vec<f64> {
    strata
        .iter()
        .flat_map(|stratum| {
            stratum
                .as_ref()
                .windows(2)
                .map(|pair| (pair[1] - pair[0]).abs())
        })
        .collect()
}

/// Standard deviation inside strata, outliers apart; `None` without differences.
fn sigma<S: AsRef<[f64]>>(strata: &[S]) -> Option<f64> {
    // A difference of two has twice the variance of one.
    median(&differences(strata))
        .map(|middle| middle * SIGMA_OF_MEDIAN_DEVIATION / std::f64::consts::SQRT_2)
}

fn half_width(strata: &[&[f64]]) -> Option<f64> {
    let differences = differences(strata);
    if differences.len() < DIFFERENCES_MIN {
        return None;
    }
    let sigma = sigma(strata)?;
    let variance: f64 = strata
        .iter()
        .map(|stratum| variance_of_median(stratum.len()))
        .sum();
    let standard_error = sigma * variance.sqrt() / strata.len() as f64;
    let of_estimated_sigma = 1.0 + 1.2 / (differences.len() as f64).sqrt();
    Some(NORMAL_95 * standard_error * of_estimated_sigma)
}

/// Variance of the median of `n` normal values of variance 1.
fn variance_of_median(n: usize) -> f64 {
    std::f64::consts::FRAC_PI_2 / n as f64
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// Sum of twelve uniform values: normal enough.
    fn normal(generator: &mut ChaCha8Rng) -> f64 {
        (0..12).map(|_| generator.random::<f64>()).sum::<f64>() - 6.0
    }

    #[test]
    fn one_stratum_is_the_plain_median() {
        let values: Vec<(u32, f64)> = (0..12).map(|i| (7, f64::from(i))).collect();
        let plain: Vec<f64> = values.iter().map(|(_, value)| *value).collect();
        assert_eq!(stratified_median(&values), median_interval(&plain));
    }

    #[test]
    fn levels_of_strata_widen_nothing() {
        let values: Vec<(u32, f64)> = (0..32).map(|i| (i % 8, f64::from(i % 8))).collect();
        let found = stratified_median(&values).expect("there are values");
        assert_eq!(found.median, 3.5);
        assert_eq!(found.interval, Some((3.5, 3.5)));
    }

    #[test]
    fn a_wild_value_in_a_thin_stratum_moves_nothing() {
        let wild = (0..33).map(|i| (i % 8, if i == 32 { 50.0 } else { 1.0 }));
        let found = stratified_median(&wild.collect::<Vec<_>>()).expect("there are values");
        assert_eq!(found.median, 1.0);
        let thin: Vec<(u32, f64)> = (0..30).map(|i| (i % 7, 1.0)).chain([(7, 50.0)]).collect();
        assert_eq!(
            stratified_median(&thin).map(|found| found.median),
            Some(1.0)
        );
    }

    #[test]
    fn too_few_repeats_claim_nothing() {
        for n in 1..24 {
            let values: Vec<(u32, f64)> = (0..n).map(|i| (i % 8, f64::from(i))).collect();
            let interval = stratified_median(&values).and_then(|found| found.interval);
            assert_eq!(interval.is_some(), n >= 22, "{n} values");
        }
    }

    #[test]
    fn strata_are_settled_by_three_values_of_which_most_agree() {
        let with = |last: &[f64]| {
            let rest = (0..7).flat_map(|stratum| [1.0, 1.01, 0.99].map(|value| (stratum, value)));
            rest.chain(last.iter().map(|&value| (7, value)))
                .collect::<Vec<_>>()
        };
        assert!(is_settled(&with(&[1.0, 1.01, 2.5])));
        assert!(is_settled(&with(&[3.0, 3.01, 2.99])));
        assert!(!is_settled(&with(&[1.0, 2.0])));
        assert!(!is_settled(&with(&[1.0, 1.8, 2.5])));
        assert!(!is_settled(&with(&[1.0, 1.0, 1.8, 2.5])));
        assert!(is_settled(&[(7, 1.0)]));
        assert!(!is_settled(&[]));
    }

    /// 2 % noise, strata 5 % apart, one value in twenty slowed by up to a half: the interval holds the truth.
    #[test]
    fn the_interval_covers_the_truth_nineteen_times_in_twenty() {
        for (strata, n, outliers, least) in [
            (8, 24, 0.0, 0.94),
            (8, 48, 0.0, 0.95),
            (8, 32, 0.05, 0.90),
            (1, 12, 0.0, 0.93),
        ] {
            let mut generator = ChaCha8Rng::seed_from_u64(3);
            let trials = 1000;
            let mut covered = 0;
            for _ in 0..trials {
                let levels: Vec<f64> = (0..strata)
                    .map(|_| 1.0 + 0.05 * normal(&mut generator))
                    .collect();
                let truth = levels.iter().sum::<f64>() / f64::from(strata);
                let values: Vec<(u32, f64)> = (0..n)
                    .map(|i| {
                        let slowed = if generator.random::<f64>() < outliers {
                            generator.random::<f64>() / 2.0
                        } else {
                            0.0
                        };
                        let level = levels[(i % strata) as usize];
                        (i % strata, level + 0.02 * normal(&mut generator) + slowed)
                    })
                    .collect();
                let found = stratified_median(&values).and_then(|found| found.interval);
                let (low, high) = found.expect("enough values");
                covered += u32::from((low..=high).contains(&truth));
            }
            let share = f64::from(covered) / f64::from(trials);
            assert!(share >= least, "{strata} strata, {n} values: {share}");
        }
    }
}
