//! One case on its way through a campaign: what was planned, what was sampled, how it stands.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::clock::{ClockFault, TimingMethod};
use super::self_test::SelfTest;
use super::suite::Planned;
use super::working_set;
use crate::executor::{Case, CaseId, Prediction, Steps, Visit};
use crate::pattern::Spec;
use crate::pattern::spatter::{Config, ConfigError};
use crate::units::readable;

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

/// What the checksums of a case have shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChecksumState {
    /// None has come back.
    Unknown,
    /// All were as expected.
    Exact,
    /// One was not.
    Wrong,
}

impl ChecksumState {
    /// The word of the `checksum` column; empty where nothing is known.
    pub fn word(self) -> &'static str {
        match self {
            Self::Unknown => "",
            Self::Exact => "exact",
            Self::Wrong => "wrong",
        }
    }
}

/// Why a case has no figures.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// [`Status::Skipped`] or [`Status::Failed`].
    pub status: Status,
    /// The reason, for a person.
    pub reason: String,
}

/// What one pass of a visit does to memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Traffic {
    /// Distinct bytes that it reads and writes.
    pub(super) bytes_used: u64,
    /// Bytes that it moves at least, by 64-byte lines.
    pub(super) bytes_fetched: u64,
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
    /// What it has in common with others that visited the same memory: its first slice, or 0 where it visited all.
    pub stratum: u32,
    /// Bytes fetched by anyone since the memory of its first dispatch was last visited, for a working set those of one
    /// pass; `None` on the first visit.
    pub bytes_fetched_since: Option<u64>,
    /// Distinct bytes that it loaded and stored, once for every pass over them.
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
    /// Bytes that are visited again and again, where the case is one of a working set.
    pub working_set_bytes: Option<u64>,
    /// The configuration of a Spatter file that it is, or what is wrong with that.
    pub config: Option<Result<Config, ConfigError>>,
    /// Its geometry on this adapter, where it has one.
    pub case: Option<Case>,
    /// What the model says of it: of the whole footprint, or of its working set, visited once.
    pub prediction: Option<Prediction>,
    /// Its number with the executor, once it is prepared.
    pub id: Option<CaseId>,
    /// Why it has no figures, if so.
    pub failure: Option<Failure>,
    /// What its checksums have shown so far.
    pub checksum: ChecksumState,
    /// Dispatches in each sample.
    pub dispatches: u32,
    /// Parts that a slice is divided into, so that a dispatch is no longer than a sample need be.
    pub parts: u32,
    /// Passes of a dispatch over its windows; more than 1 only for small working sets.
    pub repeats: u32,
    /// The step in which the device's clock moves, in nanoseconds, where its stamps showed one.
    pub clock_step_ns: Option<f64>,
    /// How often each slice was visited first.
    pub visits: Vec<u32>,
    /// What is known of its visits' traffic.
    pub(super) traffic: HashMap<Steps, Traffic>,
    /// What doubling its kernel's windows did to its time, where that could be told.
    pub self_test: Option<SelfTest>,
    /// All samples, in the order they were taken.
    pub samples: Vec<SampleRecord>,
    /// Why sampling ended.
    pub stop: StopReason,
}

impl CaseState {
    /// A case before anything has been done.
    pub fn new(suite: &str, planned: impl Into<Planned>) -> Self {
        let Planned {
            spec,
            working_set_bytes,
            config,
        } = planned.into();
        Self {
            suites: vec![suite.to_owned()],
            spec,
            working_set_bytes,
            config,
            case: None,
            prediction: None,
            id: None,
            failure: None,
            checksum: ChecksumState::Unknown,
            dispatches: 1,
            parts: 1,
            repeats: 1,
            clock_step_ns: None,
            visits: Vec::new(),
            traffic: HashMap::new(),
            self_test: None,
            samples: Vec::new(),
            stop: StopReason::Pending,
        }
    }

    /// What was planned.
    pub fn planned(&self) -> Planned {
        Planned {
            spec: self.spec.clone(),
            working_set_bytes: self.working_set_bytes,
            config: self.config.clone(),
        }
    }

    /// Whether it is the case that was `planned`.
    pub fn is(&self, planned: &Planned) -> bool {
        self.spec == planned.spec && self.working_set_bytes == planned.working_set_bytes
    }

    /// Its spec, and the working set where it has one: the name of the case in messages.
    pub fn label(&self) -> String {
        match self.working_set_bytes {
            None => self.spec.to_string(),
            Some(bytes) => format!("{} over {}", self.spec, readable(bytes)),
        }
    }

    /// Gives it its place in memory, and what the model says of it there.
    pub(super) fn place(&mut self, case: Case) {
        // A working set is one run of windows; elsewhere every slice is.
        let (steps, slices) = match self.working_set_bytes {
            None => (case.steps_per_slice, u64::from(case.footprint().slices())),
            Some(bytes) => {
                let visits = working_set::pass(&case, bytes);
                let steps = visits.iter().map(|&visit| case.steps(visit).count);
                (steps.sum(), 1)
            }
        };
        self.prediction = Some(Prediction::new(&case, steps, slices));
        self.case = Some(case);
    }

    /// Whether the model has counted it.
    pub(super) fn is_counted(&self) -> bool {
        let counted = |prediction: &Prediction| prediction.dispatch.is_some();
        self.prediction.as_ref().is_some_and(counted)
    }

    /// What one pass of `visit` uses and moves; counted once for each run of steps, since a long list takes its time.
    pub(super) fn traffic(&mut self, visit: Visit) -> Traffic {
        let Some(case) = &self.case else {
            return Traffic::default();
        };
        *self
            .traffic
            .entry(case.counted_alike(visit))
            .or_insert_with(|| Traffic {
                bytes_used: case.bytes_used(visit),
                bytes_fetched: case.bytes_fetched(visit),
            })
    }

    /// Whether it is still to be sampled.
    pub fn is_open(&self) -> bool {
        self.failure.is_none() && self.stop == StopReason::Pending
    }

    /// Whether it has samples and nothing has ended it.
    pub fn is_sampled(&self) -> bool {
        self.failure.is_none() && !self.samples.is_empty()
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
}
