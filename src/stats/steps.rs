//! Where a falling sequence of levels steps down: bandwidths over growing working sets, as one cache after another ends.

use super::median;

/// A value below this share of a level has left it, and two levels within it are one.
const LEFT_BELOW: f64 = 0.9;

/// Neighbouring values that a sequence holds at about the same level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    /// Index of the first of them.
    pub first: usize,
    /// Index of the last that reaches nine tenths of the level.
    pub last: usize,
    /// Their median.
    pub value: f64,
}

/// The levels that `values` step down through, each more than a tenth below the one before; one where there is no step.
///
/// A step begins where two values in a row are more than a tenth below the level, so that one bad value makes none. It has
/// settled where a value is not left again by the next; what lies between belongs to no level. A fall that has not settled
/// by the last value is no step, as nothing tells its lower level. None for no values; they must not be NaN.
pub fn levels(values: &[f64]) -> Vec<Level> {
    let mut levels: Vec<Level> = Vec::new();
    let mut first = 0;
    while first < values.len() {
        let fall = fall(values, first);
        let end = fall.unwrap_or(values.len());
        levels.extend(level(values, first, end));
        merge_last(values, &mut levels);
        let Some(settled) = fall.and_then(|fall| settled(values, fall)) else {
            break;
        };
        first = settled;
    }
    levels
}

/// The first index from which two values in a row have left the level that began at `first`.
fn fall(values: &[f64], first: usize) -> Option<usize> {
    (first + 1..values.len().saturating_sub(1)).find(|&index| {
        let below = |value: f64| {
            median(&values[first..index]).is_some_and(|level| value < level * LEFT_BELOW)
        };
        below(values[index]) && below(values[index + 1])
    })
}

/// The first index from `fall` on whose value the next one does not leave.
fn settled(values: &[f64], fall: usize) -> Option<usize> {
    (fall..values.len() - 1).find(|&index| values[index + 1] >= values[index] * LEFT_BELOW)
}

fn level(values: &[f64], first: usize, end: usize) -> Option<Level> {
    let value = median(&values[first..end])?;
    let reached = |index: &usize| values[*index] >= value * LEFT_BELOW;
    Some(Level {
        first,
        last: (first..end).rev().find(reached)?,
        value,
    })
}

/// Takes the last level for a part of the one before, where it lies hardly below it after all.
fn merge_last(values: &[f64], levels: &mut Vec<Level>) {
    if let [.., before, last] = levels[..]
        && last.value >= before.value * LEFT_BELOW
    {
        levels.truncate(levels.len() - 2);
        levels.extend(level(values, before.first, last.last + 1));
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;

    use super::*;

    /// (last index, level) of each level.
    fn found(values: &[f64]) -> Vec<(usize, f64)> {
        let levels = levels(values);
        levels
            .iter()
            .map(|level| (level.last, level.value))
            .collect()
    }

    #[test]
    fn a_level_sequence_has_no_step() {
        assert_eq!(found(&[30.0, 31.0, 29.0, 30.0, 30.0]), [(4, 30.0)]);
        // Rising is no step either.
        assert_eq!(levels(&[10.0, 20.0, 30.0, 40.0]).len(), 1);
    }

    #[test]
    fn too_few_values_have_no_step() {
        assert_eq!(found(&[]), []);
        assert_eq!(found(&[5.0]), [(0, 5.0)]);
        assert_eq!(levels(&[60.0, 20.0]).len(), 1);
        // Nothing confirms the fall, so the level ends before it.
        assert_eq!(found(&[60.0, 60.0, 20.0]), [(1, 60.0)]);
        assert_eq!(found(&[60.0, 20.0, 20.0]), [(0, 60.0), (2, 20.0)]);
    }

    #[test]
    fn one_step_is_found_where_it_is() {
        assert_eq!(
            found(&[60.0, 62.0, 61.0, 30.0, 31.0, 30.0]),
            [(2, 61.0), (5, 30.0)]
        );
    }

    #[test]
    fn three_steps_with_slopes_between_are_three() {
        let values = [
            98.0, 100.0, 100.0, 80.0, 62.0, 61.0, 60.0, 40.0, 31.0, 31.0, 29.0, 24.0, 20.0, 20.0,
        ];
        let levels: Vec<f64> = levels(&values).iter().map(|level| level.value).collect();
        assert_eq!(levels, [100.0, 61.0, 31.0, 20.0]);
        assert_eq!(
            found(&values)
                .iter()
                .map(|(last, _)| *last)
                .collect::<Vec<_>>(),
            [2, 6, 10, 13]
        );
    }

    #[test]
    fn one_bad_value_or_two_make_no_step() {
        assert_eq!(levels(&[60.0, 60.0, 35.0, 60.0, 60.0, 60.0]).len(), 1);
        assert_eq!(
            levels(&[60.0, 60.0, 50.0, 50.0, 60.0, 60.0, 60.0, 60.0]).len(),
            1
        );
    }

    #[test]
    fn a_fall_that_does_not_settle_is_no_step() {
        assert_eq!(found(&[60.0, 60.0, 60.0, 45.0, 35.0, 25.0]), [(2, 60.0)]);
    }

    #[test]
    fn noise_neither_hides_steps_nor_makes_them() {
        let mut generator = ChaCha8Rng::seed_from_u64(7);
        for _ in 0..1000 {
            let mut noisy = |value: f64| value * (0.96 + 0.08 * generator.random::<f64>());
            let flat: Vec<f64> = (0..14).map(|_| noisy(30.0)).collect();
            assert_eq!(levels(&flat).len(), 1, "{flat:?}");
            let steps: Vec<f64> = [60.0; 4]
                .into_iter()
                .chain([31.0; 6])
                .chain([21.0; 4])
                .map(&mut noisy)
                .collect();
            let last: Vec<usize> = levels(&steps).iter().map(|level| level.last).collect();
            assert_eq!(last, [3, 9, 13], "{steps:?}");
        }
    }
}
