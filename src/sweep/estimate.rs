//! From samples to a figure: each sample's time against the reference's around it, slice by slice.

use super::case_state::{CaseState, SampleRecord};
use super::clock::TimingMethod;
use crate::stats::{MedianInterval, is_settled, median, plateau, stratified_median};

/// A moment is disturbed when the reference is slower than its plateau by this share, or by so many standard deviations of its noise
/// where those are more: something else used the memory. Dropping slow samples that are mere noise would leave the fast ones.
const DISTURBED_BY: f64 = 0.1;
const DISTURBED_DEVIATIONS: f64 = 4.0;

/// What is slower than its plateau by so much is disturbed, however noisy: no quiet device has such noise.
const DISTURBED_BY_MAX: f64 = 0.4;

/// Of a normal distribution, the standard deviation over the median size of the difference of two values.
const SIGMA_OVER_DIFFERENCE: f64 = 1.0484;

/// Samples of one slice from which that slice's own speed is read; of fewer, one outlier makes the median its own.
const SLICE_SAMPLES_MIN: usize = 3;

/// Samples of the reference around a sample that tell how fast memory was then.
const AROUND: usize = 5;

/// Samples of the reference on either side from which the level of a moment is read: about one of each slice together.
const NEIGHBOURS: usize = 4;

/// The reference over the campaign: what every sample is divided by.
#[derive(Clone, Debug, PartialEq)]
pub struct Drift {
    /// The clock that all figures are taken from.
    pub method: TimingMethod,
    /// Order and useful bandwidth in GB/s of each sample of the reference, the speed of its slice divided out.
    points: Vec<(u64, f64)>,
    /// What the reference reaches undisturbed, in GB/s.
    plateau: Option<f64>,
    /// The share of the plateau below which a moment is disturbed.
    disturbed_below: f64,
    /// What a step of the clock may be of a sample of the reference.
    clock_blur: f64,
}

/// What the samples of a case say.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Useful bandwidth over that of the reference.
    pub ratio: MedianInterval,
    /// Samples that the estimate rests on.
    pub used: usize,
    /// Samples left out because the moment was disturbed.
    pub disturbed: usize,
    /// Whether the correction for drift would put the figure above every sample of the case: then it is not applied.
    pub overshoots: bool,
    /// Whether each slice has enough samples that agree, so that outliers cannot be taken for its speed.
    pub is_settled: bool,
}

impl Drift {
    /// Reads the drift off the reference's samples.
    pub fn new(reference: &CaseState, method: TimingMethod) -> Self {
        let timed: Vec<(&SampleRecord, f64)> = reference
            .samples
            .iter()
            .filter_map(|sample| Some((sample, sample.gb_per_s(method)?)))
            .collect();
        let slices = timed.iter().map(|(sample, _)| sample.stratum).max();
        let speeds = slice_speeds(&timed, slices.map_or(0, |last| last + 1));
        let points: Vec<(u64, f64)> = timed
            .iter()
            .map(|(sample, rate)| (sample.order, rate / speeds[sample.stratum as usize]))
            .collect();
        let levelled: Vec<f64> = points.iter().map(|(_, rate)| *rate).collect();
        Self {
            method,
            points,
            plateau: plateau(&levelled),
            disturbed_below: 1.0
                - (noise(&levelled) * DISTURBED_DEVIATIONS).clamp(DISTURBED_BY, DISTURBED_BY_MAX),
            clock_blur: clock_blur(reference, method),
        }
    }

    /// The reference's bandwidth in GB/s around sample `order`: the median of its nearest samples.
    ///
    /// A median, because slow outliers are common: a mean of two would lie below what the reference usually reaches, and
    /// all ratios above what they are.
    fn gb_per_s_at(&self, order: u64) -> Option<f64> {
        let after = self.points.partition_point(|(at, _)| *at < order);
        let from = after.saturating_sub(AROUND);
        let until = (after + AROUND).min(self.points.len());
        let mut nearest = self.points[from..until].to_vec();
        nearest.sort_by_key(|(at, _)| at.abs_diff(order));
        nearest.truncate(AROUND);
        let rates: Vec<f64> = nearest.iter().map(|(_, rate)| *rate).collect();
        median(&rates)
    }

    /// The reference's bandwidths in GB/s, in order.
    pub fn gb_per_s(&self) -> Vec<f64> {
        self.points.iter().map(|(_, rate)| *rate).collect()
    }

    /// The reference's median bandwidth in GB/s over the moments that were not disturbed.
    pub fn reference_gb_per_s(&self) -> Option<f64> {
        let undisturbed: Vec<f64> = self
            .gb_per_s()
            .into_iter()
            .filter(|rate| !self.is_disturbed(*rate))
            .collect();
        median(&undisturbed)
    }

    fn is_disturbed(&self, reference_gb_per_s: f64) -> bool {
        self.plateau
            .is_some_and(|plateau| reference_gb_per_s < plateau * self.disturbed_below)
    }

    /// What the samples of `case` say; `None` where none has a clock and a reference.
    ///
    /// A footprint is swept slice by slice, and slices differ in speed by where the system placed them. So the time of a
    /// sweep is the mean over slices of each one's median time, every time taken relative to the reference around it.
    pub fn estimate(&self, case: &CaseState) -> Option<Estimate> {
        let timed: Vec<(&SampleRecord, f64, f64)> = case
            .samples
            .iter()
            .filter_map(|sample| {
                Some((
                    sample,
                    sample.gb_per_s(self.method)?,
                    self.gb_per_s_at(sample.order)?,
                ))
            })
            .collect();
        let of_undisturbed = |only: bool| -> Vec<(u32, f64)> {
            timed
                .iter()
                .filter(|(_, _, reference)| !only || !self.is_disturbed(*reference))
                .map(|(sample, rate, reference)| (sample.stratum, reference / rate))
                .collect()
        };
        let all = of_undisturbed(false);
        let undisturbed = of_undisturbed(true);
        // Better all samples with an interval than a few without one.
        let (times, time) = stratified_median(&undisturbed)
            .filter(|time| time.interval.is_some())
            .map(|time| (undisturbed, time))
            .or_else(|| Some((all.clone(), stratified_median(&all)?)))?;
        let blur = self.clock_blur + clock_blur(case, self.method);
        Some(Estimate {
            ratio: MedianInterval {
                median: 1.0 / time.median,
                // An interval that reaches 0 says nothing, and none is narrower than the clock can tell.
                interval: time
                    .interval
                    .filter(|(low, _)| *low > 0.0 && blur < 1.0)
                    .map(|(low, high)| ((1.0 - blur) / high, (1.0 + blur) / low)),
            },
            overshoots: false,
            is_settled: is_settled(&times),
            used: times.len(),
            disturbed: timed.len() - times.len(),
        })
    }
}

/// The speed of each slice over that of the whole footprint, 1 where it is not known.
///
/// Each sample is taken relative to its neighbours, so that drift is not taken for the speed of a slice. Slice and whole
/// are medians of times, as a case's estimate is, so that the reference's own ratio is 1: medians of rates differ from
/// those where the middle is the mean of two.
fn slice_speeds(timed: &[(&SampleRecord, f64)], slices: u32) -> Vec<f64> {
    let rates: Vec<f64> = timed.iter().map(|(_, rate)| *rate).collect();
    let times: Vec<(u32, f64)> = (0..rates.len())
        .map(|at| {
            let around = at.saturating_sub(NEIGHBOURS)..(at + NEIGHBOURS + 1).min(rates.len());
            let time = median(&rates[around]).map_or(1.0, |level| level / rates[at]);
            (timed[at].0.stratum, time)
        })
        .collect();
    let whole = stratified_median(&times).map_or(1.0, |time| time.median);
    (0..slices)
        .map(|slice| {
            let of_slice = times.iter().filter(|(stratum, _)| *stratum == slice);
            let of_slice: Vec<f64> = of_slice.map(|(_, time)| *time).collect();
            median(&of_slice)
                .filter(|_| of_slice.len() >= SLICE_SAMPLES_MIN)
                .map_or(1.0, |time| whole / time)
        })
        .collect()
}

/// The standard deviation of noise in `rates`, as a share of their median: from one to the next, since what else uses the memory stays
/// for a while.
fn noise(rates: &[f64]) -> f64 {
    let differences: Vec<f64> = rates
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).abs())
        .collect();
    let middle = median(rates).filter(|middle| *middle > 0.0);
    let difference = median(&differences).zip(middle);
    difference.map_or(0.0, |(difference, middle)| {
        difference / middle * SIGMA_OVER_DIFFERENCE
    })
}

/// What half a step of the device's clock is of a usual sample's time: how much of it may be the clock's doing.
fn clock_blur(case: &CaseState, method: TimingMethod) -> f64 {
    let step_ns = match method {
        TimingMethod::PassTimestamps => case.clock_step_ns.unwrap_or(0.0),
        TimingMethod::HostClock => 0.0,
    };
    let times: Vec<f64> = case
        .samples
        .iter()
        .filter_map(|sample| sample.ns(method))
        .collect();
    median(&times).map_or(0.0, |ns| step_ns / 2.0 / ns)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::clock::ClockFault;

    fn sample(order: u64, ns: f64) -> SampleRecord {
        SampleRecord {
            round: 0,
            order,
            first_slice: 0,
            first_phase: 0,
            dispatches: 1,
            stratum: 0,
            bytes_fetched_since: None,
            bytes_used: 1000,
            device_ns: Ok(ns),
            host_ns: ns as u64,
        }
    }

    fn state(samples: Vec<SampleRecord>) -> CaseState {
        let spec: crate::pattern::Spec = "stride:1".parse().expect("a valid spec");
        CaseState {
            samples,
            ..CaseState::new("test", spec)
        }
    }

    fn drift(reference: &CaseState) -> Drift {
        Drift::new(reference, TimingMethod::PassTimestamps)
    }

    /// Memory slows to a half midway; the ratio does not see it.
    #[test]
    fn drift_that_hits_both_alike_leaves_the_ratio() {
        let slow = |order: u64| if order < 20 { 1.0 } else { 2.0 };
        let reference = state(
            (0..40)
                .step_by(2)
                .map(|order| sample(order, 100.0 * slow(order)))
                .collect(),
        );
        let case = state(
            (1..40)
                .step_by(2)
                .map(|order| sample(order, 50.0 * slow(order)))
                .collect(),
        );
        let estimate = drift(&reference)
            .estimate(&case)
            .expect("there are samples");
        assert!((estimate.ratio.median - 2.0).abs() < 1e-12, "{estimate:?}");
        assert!(
            estimate
                .ratio
                .relative_half_width()
                .expect("enough samples")
                < 0.01
        );
    }

    /// The reference jumps by a fifth from sample to sample: that is noise, and dropping the slow half would leave the fast one.
    #[test]
    fn noise_is_no_disturbance() {
        let times = [
            100.0, 122.0, 104.0, 118.0, 96.0, 126.0, 110.0, 90.0, 114.0, 108.0,
        ];
        let reference = state(
            (0..40)
                .map(|order| sample(order, times[order as usize % 10]))
                .collect(),
        );
        let level = drift(&reference).reference_gb_per_s().expect("samples");
        // Of the times 108 and 110 are the middle ones, of 1000 bytes.
        assert!((8.9..9.4).contains(&level), "{level}");
    }

    /// While a neighbour reads memory, the case suffers three times as much as the reference.
    #[test]
    fn disturbed_moments_are_left_out_where_enough_others_are_there() {
        let disturbed = |order: u64| (10..20).contains(&order);
        let slow = |order: u64, by: f64| if disturbed(order) { by } else { 1.0 };
        let reference = state(
            (0..40)
                .step_by(2)
                .map(|order| sample(order, 100.0 * slow(order, 1.5)))
                .collect(),
        );
        let case = state(
            (1..40)
                .step_by(2)
                .map(|order| sample(order, 50.0 * slow(order, 4.5)))
                .collect(),
        );
        let estimate = drift(&reference)
            .estimate(&case)
            .expect("there are samples");
        assert!((estimate.ratio.median - 2.0).abs() < 0.01, "{estimate:?}");
        assert!(estimate.disturbed >= 4, "{estimate:?}");
    }

    #[test]
    fn a_case_seen_only_while_disturbed_keeps_its_samples() {
        let reference = state(
            (0..40)
                .map(|order| sample(order * 10, if order < 4 { 200.0 } else { 100.0 }))
                .collect(),
        );
        let case = state((1..8).map(|order| sample(order, 50.0)).collect());
        let estimate = drift(&reference)
            .estimate(&case)
            .expect("there are samples");
        assert_eq!((estimate.used, estimate.disturbed), (7, 0));
    }

    /// Of an even number of samples the middle is a mean of two, and that of rates is not that of times.
    #[test]
    fn a_single_slice_is_levelled_by_nothing() {
        for samples in 3..12 {
            let times = (0..samples).map(|order| sample(order, 100.0 + (order * order) as f64));
            let reference = state(times.collect());
            let rates = reference
                .samples
                .iter()
                .map(|sample| 1000.0 / sample.device_ns.expect("a time"));
            assert_eq!(
                drift(&reference).gb_per_s(),
                rates.collect::<Vec<_>>(),
                "{samples}"
            );
        }
    }

    #[test]
    fn slices_of_their_own_speed_widen_nothing() {
        let slices = |order: u64, ns: f64| SampleRecord {
            stratum: (order % 4) as u32,
            ..sample(order, ns * (1.0 + 0.1 * (order % 4) as f64))
        };
        let reference = state(
            (0..80)
                .step_by(2)
                .map(|order| sample(order, 100.0))
                .collect(),
        );
        let case = state(
            (1..80)
                .step_by(2)
                .map(|order| slices(order / 2, 50.0))
                .collect(),
        );
        let estimate = drift(&reference)
            .estimate(&case)
            .expect("there are samples");
        assert!(
            (estimate.ratio.median - 2.0 / 1.15).abs() < 1e-9,
            "{estimate:?}"
        );
        assert!(
            estimate
                .ratio
                .relative_half_width()
                .expect("enough samples")
                < 1e-9
        );
    }

    #[test]
    fn a_sample_without_a_clock_is_dropped_not_zero() {
        let mut samples = vec![sample(1, 50.0), sample(2, 50.0)];
        samples[1].device_ns = Err(ClockFault::Zero);
        let case = state(samples);
        assert_eq!(case.dropped(TimingMethod::PassTimestamps), 1);
        assert_eq!(case.dropped(TimingMethod::HostClock), 0);
        let reference = state(vec![sample(0, 100.0)]);
        assert_eq!(
            drift(&reference)
                .estimate(&case)
                .map(|estimate| estimate.used),
            Some(1)
        );
    }

    #[test]
    fn without_a_reference_there_is_no_figure() {
        let nothing = drift(&state(Vec::new()));
        assert_eq!(nothing.estimate(&state(vec![sample(1, 50.0)])), None);
        assert_eq!(nothing.reference_gb_per_s(), None);
    }
}
