//! One case on its way through a campaign: what was planned, what was sampled, how it stands.

use serde::{Deserialize, Serialize};

use super::clock::{ClockFault, TimingMethod};
use crate::executor::{Case, CaseId};
use crate::pattern::Spec;
use crate::stats::{MedianInterval, median_interval};

/// How a case ended; the `status` column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// Measured, with no guard raised.
    Ok,
    /// Not run, for a documented reason.
    #[default]
    Skipped,
    /// It could not be measured or its checksum was wrong; there are no figures.
    Failed,
    /// Time does not scale with the loads, so they may not have happened as written.
    LoadsSuspect,
    /// Too few bytes were fetched between two visits of a granule: a cache may have answered.
    CacheResident,
    /// A dispatch is too short against an empty one.
    LaunchBound,
    /// Above what the memory can deliver.
    OverPeak,
    /// The interval is still wide.
    Noisy,
}

/// Why sampling of a case ended; the `stop_reason` column.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum StopReason {
    /// Sampling goes on (only in a run that is not complete).
    Pending,
    /// The interval's half-width is within the target.
    Converged,
    /// The time budget ended.
    Budget,
    /// The cap on samples was reached.
    SampleCap,
    /// The user or a fault ended the run.
    Interrupted,
    /// The case was never sampled.
    #[default]
    NotSampled,
}

/// Why a case has no figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// [`Status::Skipped`] or [`Status::Failed`].
    pub status: Status,
    /// The reason, for a person.
    pub reason: String,
}

/// One timed sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleRecord {
    /// Round in which it was taken.
    pub round: u32,
    /// Its place among all samples of the campaign, reference included.
    pub order: u64,
    /// First slice that was visited, and with which phase.
    pub first_slice: u32,
    /// Phase of the first visit.
    pub first_phase: u32,
    /// Dispatches in it.
    pub dispatches: u32,
    /// Distinct bytes that it loaded.
    pub bytes_used: u64,
    /// Device time, or why there is none.
    pub device_ns: Result<f64, ClockFault>,
    /// Host time.
    pub host_ns: u64,
}

impl SampleRecord {
    /// Nanoseconds by the clock of `method`; `None` where that clock failed.
    pub fn ns(&self, method: TimingMethod) -> Option<f64> {
        match method {
            TimingMethod::PassTimestamps => self.device_ns.ok(),
            TimingMethod::HostClock => (self.host_ns > 0).then_some(self.host_ns as f64),
        }
    }

    /// Useful bytes per nanosecond, that is GB/s.
    pub fn gb_per_s(&self, method: TimingMethod) -> Option<f64> {
        self.ns(method).map(|ns| self.bytes_used as f64 / ns)
    }
}

/// A case, from plan to result.
#[derive(Clone, Debug)]
pub struct CaseState {
    /// Suites that ask for it; it is measured once for all of them.
    pub suites: Vec<String>,
    /// What is accessed.
    pub spec: Spec,
    /// Its geometry on this adapter, where it has one.
    pub case: Option<Case>,
    /// Its number with the executor, once it is prepared.
    pub id: Option<CaseId>,
    /// Why it has no figures, if so.
    pub failure: Option<Failure>,
    /// Whether the kernel's addresses and a first checksum were right.
    pub verified: bool,
    /// Dispatches in each sample.
    pub dispatches: u32,
    /// All samples, in the order they were taken.
    pub samples: Vec<SampleRecord>,
    /// Why sampling ended.
    pub stop: StopReason,
}

impl CaseState {
    /// A case before anything has been done.
    pub fn new(suite: &str, spec: Spec) -> Self {
        Self {
            suites: vec![suite.to_owned()],
            spec,
            case: None,
            id: None,
            failure: None,
            verified: false,
            dispatches: 1,
            samples: Vec::new(),
            stop: StopReason::Pending,
        }
    }

    /// Whether it is still to be sampled.
    pub fn is_open(&self) -> bool {
        self.failure.is_none() && self.stop == StopReason::Pending
    }

    /// Ends the case without figures.
    pub fn fail(&mut self, status: Status, reason: String) {
        self.failure = Some(Failure { status, reason });
        self.stop = StopReason::NotSampled;
    }

    /// Samples whose clock cannot be used with `method`.
    pub fn dropped(&self, method: TimingMethod) -> usize {
        self.samples
            .iter()
            .filter(|sample| sample.ns(method).is_none())
            .count()
    }

    /// Median over the samples of the ratio of useful bandwidth to the reference's at that time.
    pub fn ratio(&self, reference: &Drift) -> Option<MedianInterval> {
        let ratios: Vec<f64> = self
            .samples
            .iter()
            .filter_map(|sample| {
                Some(sample.gb_per_s(reference.method)? / reference.gb_per_s_at(sample.order)?)
            })
            .collect();
        median_interval(&ratios)
    }
}

/// How the reference fared over the campaign: what every sample is divided by.
#[derive(Clone, Debug, PartialEq)]
pub struct Drift {
    /// The clock that all figures are taken from.
    pub method: TimingMethod,
    /// Order and useful bandwidth in GB/s of each sample of the reference.
    points: Vec<(u64, f64)>,
}

impl Drift {
    /// Reads the drift off the reference's samples.
    pub fn new(reference: &CaseState, method: TimingMethod) -> Self {
        let points = reference
            .samples
            .iter()
            .filter_map(|sample| Some((sample.order, sample.gb_per_s(method)?)))
            .collect();
        Self { method, points }
    }

    /// The reference's bandwidth in GB/s around sample `order`: the mean of its neighbours before and after.
    pub fn gb_per_s_at(&self, order: u64) -> Option<f64> {
        let after = self.points.partition_point(|(at, _)| *at < order);
        let neighbours = &self.points[after.saturating_sub(1)..(after + 1).min(self.points.len())];
        (!neighbours.is_empty())
            .then(|| neighbours.iter().map(|(_, rate)| rate).sum::<f64>() / neighbours.len() as f64)
    }

    /// The reference's bandwidths in GB/s, in order.
    pub fn gb_per_s(&self) -> Vec<f64> {
        self.points.iter().map(|(_, rate)| *rate).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(order: u64, ns: f64) -> SampleRecord {
        SampleRecord {
            round: 0,
            order,
            first_slice: 0,
            first_phase: 0,
            dispatches: 1,
            bytes_used: 1000,
            device_ns: Ok(ns),
            host_ns: ns as u64,
        }
    }

    fn state(samples: Vec<SampleRecord>) -> CaseState {
        let spec = "stride:1".parse().expect("a valid spec");
        CaseState {
            samples,
            ..CaseState::new("test", spec)
        }
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
        let ratio = case
            .ratio(&Drift::new(&reference, TimingMethod::PassTimestamps))
            .expect("there are samples");
        assert!((ratio.median - 2.0).abs() < 1e-12, "{ratio:?}");
        assert!(ratio.relative_half_width().expect("enough samples") < 0.01);
    }

    #[test]
    fn a_sample_without_a_clock_is_dropped_not_zero() {
        let mut samples = vec![sample(1, 50.0), sample(2, 50.0)];
        samples[1].device_ns = Err(ClockFault::Zero);
        let case = state(samples);
        assert_eq!(case.dropped(TimingMethod::PassTimestamps), 1);
        assert_eq!(case.dropped(TimingMethod::HostClock), 0);
    }

    #[test]
    fn without_a_reference_there_is_no_ratio() {
        let nothing = Drift::new(&state(Vec::new()), TimingMethod::PassTimestamps);
        assert_eq!(state(vec![sample(1, 50.0)]).ratio(&nothing), None);
    }
}
