//! Axes: where a value lies between the two ends, and which values are labelled.
//!
//! An axis never has zero width, and no zero reaches a logarithm: a value with no place on the axis has no position.

use crate::units::{readable, significant};

/// The part of the width that stride 0 takes at the left of a stride axis, its gap included.
const ZERO_SLOT: f64 = 0.075;
/// The part of the width left free at each end, so that no marker touches the frame.
const END_ROOM: f64 = 0.025;
/// A label needs this part of the axis for itself.
const TICK_ROOM: f64 = 0.045;
/// Axes of fewer distinct values label these values themselves.
const FEW_VALUES: usize = 6;

/// A labelled value.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// The value on the axis.
    pub value: f64,
    /// The value as it is printed.
    pub label: String,
}

/// An axis from the left or the bottom (0) to the right or the top (1).
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    logarithmic: bool,
    zero_slot: bool,
    low: f64,
    high: f64,
    ticks: Vec<Tick>,
}

impl Axis {
    /// Strides in elements on a log2 axis; stride 0, if it is among the `values`, in a slot of its own at the left.
    pub fn strides(values: &[f64]) -> Self {
        let zero_slot = values.contains(&0.0);
        let (low, high) = ends(values, |v| v > 0.0).unwrap_or((1.0, 1.0));
        // One stride alone stands in the middle of an octave to each side.
        let (low, high) = if low == high {
            (low / 2.0, high * 2.0)
        } else {
            (low, high)
        };
        let octaves = (low.log2().ceil() as i32).max(0)..=(high.log2().floor() as i32);
        let mut axis = Self {
            logarithmic: true,
            zero_slot,
            low,
            high,
            ticks: Vec::new(),
        };
        let candidates = few(values).unwrap_or_else(|| {
            let powers = octaves.map(|octave| 2_f64.powi(octave));
            values
                .iter()
                .copied()
                .filter(|v| *v == 0.0)
                .chain(powers)
                .collect()
        });
        axis.label(candidates);
        axis
    }

    /// Offsets or sizes in bytes on a linear axis.
    pub fn bytes(values: &[f64]) -> Self {
        let (low, high) = ends(values, |_| true).unwrap_or((0.0, 64.0));
        let (low, high) = if low == high {
            (low - 32.0, high + 32.0)
        } else {
            (low, high)
        };
        // Memory comes in powers of two, so a step does as well.
        let step = ((high - low) / 12.0).max(1.0).log2().ceil().exp2();
        let mut axis = Self {
            logarithmic: false,
            zero_slot: false,
            low,
            high,
            ticks: Vec::new(),
        };
        axis.label(few(values).unwrap_or_else(|| multiples(low, high, step)));
        axis
    }

    /// Sizes of memory in bytes on a log2 axis, labelled 256 KiB, 1 MiB and so on.
    pub fn sizes(values: &[f64]) -> Self {
        let (low, high) = ends(values, |v| v >= 1.0).unwrap_or((1024.0, 1024.0));
        let (low, high) = if low == high {
            (low / 2.0, high * 2.0)
        } else {
            (low, high)
        };
        let mut axis = Self {
            logarithmic: true,
            zero_slot: false,
            low,
            high,
            ticks: Vec::new(),
        };
        // A label is as wide as an octave and a half where there are many.
        let octaves = (low.log2().ceil() as i32)..=(high.log2().floor() as i32);
        let step = if octaves.clone().count() > 8 { 2 } else { 1 };
        let labelled = octaves.filter(|octave| octave % step == 0);
        axis.ticks = labelled
            .map(|octave| 2_f64.powi(octave))
            .map(|value| Tick {
                value,
                label: readable(value as u64),
            })
            .collect();
        axis
    }

    /// Bandwidths on a log10 axis that spans a decade or more, labelled 1, 2, 5, 10 and so on.
    pub fn bandwidths_log(values: &[f64]) -> Self {
        let (low, high) = ends(values, |v| v > 0.0).unwrap_or((1.0, 1.0));
        let (low, high) = (low / 1.25, high * 1.25);
        let widen = (10.0 * low / high).max(1.0).sqrt();
        Self::log_125(low / widen, high * widen)
    }

    /// Ratios to a prediction on a log axis with 1 in its middle and at least a factor 2 to each side.
    pub fn ratios(values: &[f64]) -> Self {
        let (low, high) = ends(values, |v| v > 0.0).unwrap_or((1.0, 1.0));
        let reach = (high.max(1.0 / low) * 1.1).clamp(2.2, 1e6);
        let mut axis = Self::log_125(1.0 / reach, reach);
        // A strip is low: it has room for the middle and a label to each side.
        let step = [2.0, 4.0, 10.0, 100.0, 1000.0]
            .into_iter()
            .rfind(|step| *step <= reach)
            .unwrap_or(2.0);
        axis.ticks.clear();
        axis.label(vec![1.0 / step, 1.0, step]);
        axis
    }

    /// Bandwidths on a linear axis from 0.
    pub fn bandwidths_linear(values: &[f64]) -> Self {
        let (_, high) = ends(values, |v| v > 0.0).unwrap_or((0.0, 1.0));
        let high = high * 1.1;
        let step = round_step(high / 6.0);
        let mut axis = Self {
            logarithmic: false,
            zero_slot: false,
            low: 0.0,
            high,
            ticks: Vec::new(),
        };
        axis.label(multiples(0.0, high, step));
        axis
    }

    /// Shares of a whole in percent, from none of it to all.
    pub fn shares_percent() -> Self {
        let mut axis = Self {
            logarithmic: false,
            zero_slot: false,
            low: 0.0,
            high: 100.0,
            ticks: Vec::new(),
        };
        axis.label(multiples(0.0, 100.0, 25.0));
        axis
    }

    /// Deviations in percent on a linear axis that shows zero and at least 5 % to each side.
    pub fn deviations_percent(values: &[f64]) -> Self {
        let (low, high) = ends(values, |_| true).unwrap_or((0.0, 0.0));
        let (low, high) = (low.min(0.0), high.max(0.0));
        let room = 0.06 * (high - low);
        Self::signed((low - room).min(-5.0), (high + room).max(5.0), 8.0, " %")
    }

    /// What a fit leaves, in percent, on an axis low enough for a strip and narrow enough to leave room for its words: at least 20 %
    /// to each side, and no signs of percent.
    pub fn residuals_percent(values: &[f64]) -> Self {
        let (low, high) = ends(values, |_| true).unwrap_or((0.0, 0.0));
        let (low, high) = (low.min(-20.0), high.max(20.0));
        let room = 0.1 * (high - low);
        Self::signed(low - room, high + room, 4.0, "")
    }

    /// A linear axis with about so many labels, each with its sign and `unit`.
    fn signed(low: f64, high: f64, labels: f64, unit: &str) -> Self {
        let step = round_step((high - low) / labels);
        let ticks = multiples(low, high, step).into_iter().map(|value| Tick {
            value,
            label: format!("{}{unit}", signed(value)),
        });
        Self {
            logarithmic: false,
            zero_slot: false,
            low,
            high,
            ticks: ticks.collect(),
        }
    }

    /// The values that are labelled, in rising order.
    pub fn ticks(&self) -> &[Tick] {
        &self.ticks
    }

    /// Where `value` lies along the axis, from 0 to 1; `None` where the axis has no place for it.
    pub fn position(&self, value: f64) -> Option<f64> {
        if self.is_apart(value) {
            return Some(ZERO_SLOT * 0.4);
        }
        let along = if self.logarithmic {
            if value <= 0.0 {
                return None;
            }
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        let start = if self.zero_slot { ZERO_SLOT } else { 0.0 };
        // Half a pixel of rounding is no reason to lose a point at an end.
        let inside = along.is_finite() && (-1e-9..=1.0 + 1e-9).contains(&along);
        inside.then_some(start + (1.0 - start) * along)
    }

    /// Whether `value` stands in the slot for stride 0, which no line enters.
    pub fn is_apart(&self, value: f64) -> bool {
        self.zero_slot && value == 0.0
    }

    /// The two ends of the gap between the slot for stride 0 and the rest.
    pub fn gap(&self) -> Option<(f64, f64)> {
        self.zero_slot.then_some((ZERO_SLOT * 0.86, ZERO_SLOT))
    }

    /// The same axis with some room before its first and after its last value.
    #[must_use]
    pub fn with_end_room(mut self) -> Self {
        let room = END_ROOM / (1.0 - 2.0 * END_ROOM);
        if self.logarithmic {
            let factor = (self.high / self.low).powf(room);
            self.low /= factor;
            self.high *= factor;
        } else {
            let width = (self.high - self.low) * room;
            self.low -= width;
            self.high += width;
        }
        self
    }

    fn log_125(low: f64, high: f64) -> Self {
        let mut axis = Self {
            logarithmic: true,
            zero_slot: false,
            low,
            high,
            ticks: Vec::new(),
        };
        let decades = (low.log10().floor() as i32)..=(high.log10().ceil() as i32);
        // Past four decades only the powers of ten keep apart.
        let digits: &[f64] = if high / low > 1e4 {
            &[1.0]
        } else {
            &[1.0, 2.0, 5.0]
        };
        let candidates = decades
            .flat_map(|decade| digits.iter().map(move |digit| digit * 10_f64.powi(decade)))
            .collect();
        axis.label(candidates);
        axis
    }

    /// Labels those `values` that have a place and keep clear of the label before.
    fn label(&mut self, mut values: Vec<f64>) {
        values.sort_by(f64::total_cmp);
        let mut free = f64::NEG_INFINITY;
        for value in values {
            let Some(position) = self.position(value).filter(|p| *p >= free) else {
                continue;
            };
            free = position + TICK_ROOM;
            self.ticks.push(Tick {
                value,
                label: plain_number(value),
            });
        }
    }
}

/// The smallest and the largest finite value among those wanted.
fn ends(values: &[f64], wanted: impl Fn(f64) -> bool) -> Option<(f64, f64)> {
    values
        .iter()
        .copied()
        .filter(|v| v.is_finite() && wanted(*v))
        .fold(None, |ends, v| match ends {
            None => Some((v, v)),
            Some((low, high)) => Some((v.min(low), v.max(high))),
        })
}

/// The distinct values, where they are few enough to label each.
fn few(values: &[f64]) -> Option<Vec<f64>> {
    let mut distinct = values.to_vec();
    distinct.sort_by(f64::total_cmp);
    distinct.dedup();
    (1..=FEW_VALUES)
        .contains(&distinct.len())
        .then_some(distinct)
}

/// The smallest of 1, 2, 5, 10, 20 and so on that is no less than `rough`.
fn round_step(rough: f64) -> f64 {
    let decade = 10_f64.powf(rough.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .into_iter()
        .map(|digit| digit * decade)
        .find(|step| *step >= rough)
        .unwrap_or(rough)
}

/// `+5`, `−10` or `0`.
fn signed(value: f64) -> String {
    let number = plain_number(value.abs());
    match value {
        v if v > 0.0 => format!("+{number}"),
        v if v < 0.0 => format!("\u{2212}{number}"),
        _ => "0".to_owned(),
    }
}

/// The multiples of `step` from `low` to `high`.
fn multiples(low: f64, high: f64, step: f64) -> Vec<f64> {
    let first = (low / step).ceil();
    let count = ((high / step).floor() - first).clamp(0.0, 100.0) as u32;
    (0..=count).map(|n| (first + f64::from(n)) * step).collect()
}

/// A tick's number without trailing zeros; an exponent only where the figure is out of all proportion for a bandwidth, since the
/// label would not fit beside the axis.
fn plain_number(value: f64) -> String {
    if value != 0.0 && !(1e-3..1e6).contains(&value.abs()) {
        return format!("{value:e}");
    }
    let text = if value.fract() == 0.0 {
        format!("{value:.0}")
    } else {
        significant(value)
    };
    if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(axis: &Axis) -> String {
        let labels: Vec<_> = axis.ticks().iter().map(|t| t.label.as_str()).collect();
        labels.join(" ")
    }

    #[test]
    fn strides_are_labelled_by_powers_of_two_and_zero_stands_apart() {
        let swept: Vec<f64> = (0..=32).chain([48, 64, 128, 256]).map(f64::from).collect();
        let axis = Axis::strides(&swept);
        assert_eq!(labels(&axis), "0 1 2 4 8 16 32 64 128 256");
        assert!(axis.is_apart(0.0) && axis.position(0.0) < axis.position(1.0));
        assert_eq!(axis.position(-1.0), None);
        assert_eq!(axis.position(256.0), Some(1.0));
    }

    #[test]
    fn no_axis_is_without_width() {
        for axis in [
            Axis::strides(&[3.0]),
            Axis::strides(&[0.0]),
            Axis::strides(&[]),
            Axis::sizes(&[]),
            Axis::sizes(&[65536.0]),
            Axis::sizes(&[0.0, 3e9]),
            Axis::bytes(&[0.0]),
            Axis::bytes(&[]),
            Axis::bandwidths_log(&[5.0, 5.0]),
            Axis::bandwidths_log(&[0.0, f64::NAN]),
            Axis::bandwidths_linear(&[0.0, 0.0]),
            Axis::bandwidths_linear(&[]),
            Axis::deviations_percent(&[]),
            Axis::residuals_percent(&[]),
            Axis::ratios(&[1.0]),
            Axis::ratios(&[]),
        ] {
            assert!(axis.low < axis.high && !axis.ticks().is_empty(), "{axis:?}");
        }
    }

    #[test]
    fn sizes_are_labelled_with_their_units() {
        let swept: Vec<f64> = (18..=31).map(|octave| 2_f64.powi(octave)).collect();
        assert_eq!(
            labels(&Axis::sizes(&swept)),
            "256 KiB 1 MiB 4 MiB 16 MiB 64 MiB 256 MiB 1 GiB"
        );
        assert_eq!(labels(&Axis::sizes(&swept[..3])), "256 KiB 512 KiB 1 MiB");
    }

    #[test]
    fn bandwidths_are_plain_numbers() {
        assert_eq!(labels(&Axis::bandwidths_log(&[0.17, 5.0])), "0.2 0.5 1 2 5");
        assert_eq!(labels(&Axis::bandwidths_log(&[5.0])), "2 5 10");
        assert_eq!(
            labels(&Axis::bandwidths_log(&[1e-9, 1e-9])),
            "5e-10 1e-9 2e-9"
        );
        assert_eq!(labels(&Axis::bandwidths_linear(&[4.8])), "0 1 2 3 4 5");
        assert_eq!(
            labels(&Axis::bandwidths_linear(&[1870.0])),
            "0 500 1000 1500 2000"
        );
    }

    #[test]
    fn deviations_have_signs_and_show_zero() {
        let axis = Axis::deviations_percent(&[0.4, -1.0]);
        assert_eq!(labels(&axis), "\u{2212}4 % \u{2212}2 % 0 % +2 % +4 %");
        assert_eq!(axis.position(0.0), Some(0.5));
        let fallen = Axis::deviations_percent(&[-97.0, f64::NAN]);
        assert_eq!(fallen.ticks()[0].label, "\u{2212}100 %");
        assert!(fallen.position(5.0).is_some());
        assert_eq!(labels(&Axis::residuals_percent(&[3.0])), "\u{2212}20 0 +20");
        assert_eq!(
            labels(&Axis::residuals_percent(&[-60.0, 100.0])),
            "\u{2212}50 0 +50 +100"
        );
    }

    #[test]
    fn zero_never_reaches_a_logarithm() {
        assert_eq!(Axis::bandwidths_log(&[0.0, 2.0]).position(0.0), None);
        assert_eq!(
            Axis::bandwidths_linear(&[0.0, 2.0]).position(0.0),
            Some(0.0)
        );
    }
}
