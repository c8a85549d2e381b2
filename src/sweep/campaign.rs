//! Measures cases: verifies each kernel, then samples all of them in interleaved rounds until it is enough.

use std::collections::HashMap;

use super::case_state::{CaseState, ChecksumState, SampleRecord, Status, StopReason};
use super::clock::{self, TimingMethod};
use super::estimate::Drift;
use super::overhead::{Overheads, empty_dispatch_ns, overheads};
use super::prepare::{prepare, wrong_checksum};
use super::schedule::{Dealt, Shape, SliceDealer, Turn, round};
use super::self_test::{SelfTest, kernel_of, self_test};
use super::settings::Settings;
use super::suite::Planned;
use super::working_set;
use crate::executor::{Case, CaseId, Executor, ExecutorError, Sample, Visit};
use crate::pattern::Spec;

/// The case that drift is read from: 32 bytes apart, so that memory and not issue limits it on most devices.
const REFERENCE: &str = "stride:8";

/// A case is not done with fewer samples than this: the rule looks after every round, and luck makes narrow intervals.
/// It gives each of eight strata of slices three.
const SAMPLES_MIN: usize = 24;

/// How a campaign ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Every case is done, or the budget is.
    Complete,
    /// It was asked to stop.
    Interrupted,
    /// The device was lost.
    DeviceLost,
}

/// Who watches a campaign: writes files, shows progress, and may end it.
pub trait Observer {
    /// What can go wrong with watching.
    type Error;

    /// Case `index` is verified and sampled once; or it failed.
    fn prepared(&mut self, campaign: &Campaign, index: usize) -> Result<(), Self::Error>;

    /// The last sample of `state` was just taken; `is_reference` where it was the reference's.
    fn sampled(
        &mut self,
        state: &CaseState,
        sample: &SampleRecord,
        is_reference: bool,
    ) -> Result<(), Self::Error>;

    /// A round of this number has ended.
    fn round_ended(&mut self, campaign: &Campaign, round: u32) -> Result<(), Self::Error>;

    /// Whether the campaign should end after the sample in flight.
    fn stop_requested(&self) -> bool;
}

/// What ends a campaign at once: a lost device, or an observer that cannot go on.
enum Halt<E> {
    DeviceLost(ExecutorError),
    Observer(E),
}

/// Cases to measure, and how far it has got.
#[derive(Clone, Debug)]
pub struct Campaign {
    /// Governs it.
    pub settings: Settings,
    /// All cases, in the order of the suites.
    pub cases: Vec<CaseState>,
    /// What every sample is divided by.
    pub reference: CaseState,
    /// What a dispatch costs that does nothing, in nanoseconds, once it is known.
    pub empty_dispatch_ns: Option<f64>,
    /// What addresses and runtime checks cost, once it is known.
    pub overheads: Option<Overheads>,
    /// Time within submissions of the sampling phase, in nanoseconds.
    pub busy_ns: u64,
    /// Time of the sampling phase, in nanoseconds.
    pub sampling_ns: u64,
    lanes: u32,
    order: u64,
}

impl Campaign {
    /// A campaign over the cases of each suite, a case that several ask for only once.
    pub fn new<'a>(
        settings: Settings,
        lanes: u32,
        suites: impl IntoIterator<Item = (&'a str, Vec<Planned>)>,
    ) -> Self {
        let mut cases: Vec<CaseState> = Vec::new();
        for (suite, planned) in suites {
            for planned in planned {
                match cases.iter_mut().find(|case| case.is(&planned)) {
                    Some(known) if known.suites.iter().any(|name| name == suite) => {}
                    Some(known) => known.suites.push(suite.to_owned()),
                    None => cases.push(CaseState::new(suite, planned)),
                }
            }
        }
        Self {
            settings,
            cases,
            reference: CaseState::new("reference", reference_spec()),
            empty_dispatch_ns: None,
            overheads: None,
            busy_ns: 0,
            sampling_ns: 0,
            lanes,
            order: 0,
        }
    }

    /// Measures every case on `executor` until all are done, the budget ends or `observer` asks to stop.
    pub fn run<O: Observer>(
        &mut self,
        executor: &mut dyn Executor,
        observer: &mut O,
    ) -> Result<Ending, O::Error> {
        match self.measure(executor, observer) {
            Ok(ending) => Ok(ending),
            Err(Halt::DeviceLost(error)) => Ok(self.lose(&error)),
            Err(Halt::Observer(error)) => Err(error),
        }
    }

    fn measure<O: Observer>(
        &mut self,
        executor: &mut dyn Executor,
        observer: &mut O,
    ) -> Result<Ending, Halt<O::Error>> {
        let mut dealer = SliceDealer::new(executor.footprint());
        prepare(&mut self.reference, executor, self.lanes, &self.settings)
            .map_err(Halt::DeviceLost)?;
        self.empty_dispatch_ns = unless_lost(empty_dispatch_ns(executor))?;
        if let Some(ending) = self.first_round(executor, &mut dealer, observer)? {
            return Ok(ending);
        }
        self.self_tests(executor)?;
        self.overheads = unless_lost(overheads(&self.reference, executor))?;
        self.sample(executor, &mut dealer, observer)
    }

    /// Verifies each case and samples it once at once, so that a first figure of every case is known early.
    ///
    /// Compiling, verifying and warming up take no part of the budget.
    fn first_round<O: Observer>(
        &mut self,
        executor: &mut dyn Executor,
        dealer: &mut SliceDealer,
        observer: &mut O,
    ) -> Result<Option<Ending>, Halt<O::Error>> {
        for index in 0..self.cases.len() {
            if observer.stop_requested() {
                return Ok(Some(self.interrupt()));
            }
            prepare(&mut self.cases[index], executor, self.lanes, &self.settings)
                .map_err(Halt::DeviceLost)?;
            let reference_is_due =
                (index as u32).is_multiple_of(self.settings.cases_per_reference.max(1));
            let turns = [Turn::Reference, Turn::Case(index)];
            for turn in &turns[usize::from(!reference_is_due)..] {
                self.turn(*turn, 0, executor, dealer, observer)?;
            }
            observer.prepared(self, index).map_err(Halt::Observer)?;
        }
        Ok(None)
    }

    /// Tests each kernel once, on the first case of it that can tell, for all cases that run it.
    fn self_tests<E>(&mut self, executor: &mut dyn Executor) -> Result<(), Halt<E>> {
        let empty_ns = self.empty_dispatch_ns.unwrap_or(0.0);
        let mut known: HashMap<_, SelfTest> = HashMap::new();
        for case in self.cases.iter().filter(|case| case.is_open()) {
            let kernel = kernel_of(case);
            if known.contains_key(&kernel) {
                continue;
            }
            let mut test = unless_lost(self_test(case, executor, empty_ns))?;
            // Whatever disturbed the machine may have failed it: only what fails again some time later surely does.
            if test.is_some_and(|test| test.fails) {
                test = unless_lost(self_test(case, executor, empty_ns))?;
            }
            if let Some(test) = test {
                known.insert(kernel, test);
            }
        }
        for case in &mut self.cases {
            case.self_test = known.get(&kernel_of(case)).copied();
        }
        Ok(())
    }

    /// The clock that the run's figures are taken from; `None` before the first sample.
    pub fn method(&self) -> Option<TimingMethod> {
        let all = || {
            self.cases
                .iter()
                .chain([&self.reference])
                .flat_map(|case| &case.samples)
        };
        let faulty = all().filter(|sample| sample.device_ns.is_err()).count();
        let samples = all().count();
        (samples > 0).then(|| clock::method(faulty, samples))
    }

    /// The drift of the run, by the clock that its figures are taken from.
    pub fn drift(&self) -> Drift {
        let method = self.method().unwrap_or(TimingMethod::PassTimestamps);
        Drift::new(&self.reference, method)
    }

    /// Interleaved rounds over all open cases.
    fn sample<O: Observer>(
        &mut self,
        executor: &mut dyn Executor,
        dealer: &mut SliceDealer,
        observer: &mut O,
    ) -> Result<Ending, Halt<O::Error>> {
        self.busy_ns = 0;
        let started_ns = executor.now_ns();
        let budget_ns = (self.settings.budget_s * 1e9) as u64;
        self.close_converged();
        for number in 1.. {
            let open: Vec<usize> = (0..self.cases.len())
                .filter(|&index| self.cases[index].is_open())
                .collect();
            if open.is_empty() || self.reference.failure.is_some() {
                break;
            }
            for turn in round(
                &open,
                self.settings.cases_per_reference,
                self.settings.seed,
                number,
            ) {
                self.sampling_ns = executor.now_ns() - started_ns;
                if observer.stop_requested() {
                    return Ok(self.interrupt());
                }
                if self.sampling_ns >= budget_ns {
                    self.close(StopReason::Budget);
                    return Ok(Ending::Complete);
                }
                self.turn(turn, number, executor, dealer, observer)?;
            }
            self.close_converged();
            self.sampling_ns = executor.now_ns() - started_ns;
            observer.round_ended(self, number).map_err(Halt::Observer)?;
        }
        // Only a reference that failed leaves any open.
        self.close(StopReason::Interrupted);
        Ok(Ending::Complete)
    }

    /// One sample of one case; what goes wrong with it ends the case, unless the device is lost.
    fn turn<O: Observer>(
        &mut self,
        turn: Turn,
        round: u32,
        executor: &mut dyn Executor,
        dealer: &mut SliceDealer,
        observer: &mut O,
    ) -> Result<(), Halt<O::Error>> {
        let state = match turn {
            Turn::Reference => &mut self.reference,
            Turn::Case(index) => &mut self.cases[index],
        };
        let (Some(id), true) = (state.id, state.failure.is_none()) else {
            return Ok(());
        };
        let shape = shape(state);
        let dealt = match (state.working_set_bytes, &state.case) {
            (Some(bytes), Some(case)) => working_set::deal(dealer, case, bytes, state.repeats),
            _ => dealer.deal(&shape, &mut state.visits),
        };
        let (sample, untimed_ns) = match take(executor, id, &dealt) {
            Ok(taken) => taken,
            Err(lost @ ExecutorError::DeviceLost(_)) => return Err(Halt::DeviceLost(lost)),
            Err(error) => {
                state.fail(Status::Failed, error.to_string());
                return Ok(());
            }
        };
        if let Some(reason) = wrong_checksum(&sample) {
            state.checksum = ChecksumState::Wrong;
            state.fail(Status::Failed, reason);
            return Ok(());
        }
        let record = record(&sample, &dealt, state, dealer.slices(), round, self.order);
        self.order += 1;
        self.busy_ns += record.host_ns + untimed_ns;
        state.samples.push(record);
        observer
            .sampled(state, &record, turn == Turn::Reference)
            .map_err(Halt::Observer)
    }

    /// Closes the cases whose interval is narrow enough or that have enough samples, and opens others again.
    ///
    /// Later rounds may show that earlier moments were disturbed, and so widen an interval that was narrow.
    fn close_converged(&mut self) {
        let enough = |case: &CaseState| case.samples.len() >= SAMPLES_MIN;
        // Reading figures off the samples takes longer than anything else here, and is in vain while they are too few.
        let drift = self.cases.iter().any(enough).then(|| self.drift());
        let Settings {
            target_half_width,
            sample_cap,
            ..
        } = self.settings;
        for case in self.cases.iter_mut().filter(|case| case.is_sampled()) {
            let drift = drift.as_ref().filter(|_| enough(case));
            let converged = drift
                .and_then(|drift| drift.estimate(case))
                .is_some_and(|estimate| {
                    let half_width = estimate.ratio.relative_half_width();
                    estimate.is_settled
                        && half_width.is_some_and(|width| width <= target_half_width)
                });
            case.stop = if converged {
                StopReason::Converged
            } else if case.samples.len() >= sample_cap as usize {
                StopReason::SampleCap
            } else {
                StopReason::Pending
            };
        }
    }

    /// Closes every case that is still open; one without a sample was not sampled, whatever ended the rest.
    fn close(&mut self, reason: StopReason) {
        for case in self.cases.iter_mut().filter(|case| case.is_open()) {
            case.stop = if case.samples.is_empty() {
                StopReason::NotSampled
            } else {
                reason
            };
        }
    }

    fn interrupt(&mut self) -> Ending {
        self.close(StopReason::Interrupted);
        Ending::Interrupted
    }

    /// What was sampled keeps its figures, that of the case in flight too; the rest failed.
    fn lose(&mut self, error: &ExecutorError) -> Ending {
        for case in self
            .cases
            .iter_mut()
            .chain([&mut self.reference])
            .filter(|case| case.is_open() && case.samples.is_empty())
        {
            case.fail(Status::Failed, error.to_string());
        }
        self.close(StopReason::Interrupted);
        Ending::DeviceLost
    }
}

/// What cannot be told about overheads stays unknown; only a lost device is an error.
fn unless_lost<T, E>(told: Result<Option<T>, ExecutorError>) -> Result<Option<T>, Halt<E>> {
    match told {
        Err(lost @ ExecutorError::DeviceLost(_)) => Err(Halt::DeviceLost(lost)),
        told => Ok(told.unwrap_or(None)),
    }
}

fn reference_spec() -> Spec {
    // A constant of the grammar; a test parses it.
    REFERENCE
        .parse()
        .unwrap_or_else(|_| unreachable!("'{REFERENCE}' is a valid spec"))
}

/// A sample with the checksums of the untimed visits before it, and how long those took on the host's clock.
fn take(
    executor: &mut dyn Executor,
    id: CaseId,
    dealt: &Dealt,
) -> Result<(Sample, u64), ExecutorError> {
    if dealt.before.is_empty() {
        return Ok((executor.sample(id, &dealt.visits)?, 0));
    }
    let untimed = executor.sample(id, &dealt.before)?;
    let mut sample = executor.sample(id, &dealt.visits)?;
    let untimed_ns = clock::host_ns(&untimed);
    sample.checksums.extend(untimed.checksums);
    Ok((sample, untimed_ns))
}

fn record(
    sample: &Sample,
    dealt: &Dealt,
    state: &mut CaseState,
    slices: u32,
    round: u32,
    order: u64,
) -> SampleRecord {
    let visits = &dealt.visits;
    let visits_all = visits.len() as u32 >= slices;
    SampleRecord {
        round,
        order,
        first_slice: visits[0].slice,
        first_phase: visits[0].phase,
        dispatches: state.dispatches,
        stratum: if visits_all {
            0
        } else {
            stratum(visits[0].slice, slices, visits.len() as u32)
        },
        bytes_fetched_since: dealt.bytes_fetched_since,
        bytes_used: visits
            .iter()
            .map(|&visit| state.traffic(visit).bytes_used * u64::from(visit.repeats))
            .sum(),
        device_ns: clock::device_ns(sample),
        host_ns: clock::host_ns(sample),
    }
}

/// Neighbouring slices, most likely placed alike, share one of at most eight strata: more would leave few samples each.
///
/// A stratum has at least as many slices as a sample visits. Samples of two slices out of four may begin at every second one for
/// ever, and strata of single slices would wait for samples that never come.
fn stratum(slice: u32, slices: u32, dispatches: u32) -> u32 {
    const STRATA_MAX: u32 = 8;
    let strata = (slices / dispatches.max(1)).clamp(1, STRATA_MAX);
    slice * strata / slices
}

/// What the dealer needs to know of a case.
fn shape(state: &mut CaseState) -> Shape {
    let visit = Visit {
        parts: state.parts,
        ..Visit::whole(0, 0)
    };
    Shape {
        dispatches: state.dispatches,
        phases: state.case.as_ref().map_or(1, |case| case.phases),
        parts: state.parts,
        fetched_bytes: state.traffic(visit).bytes_fetched,
        spanned_slices: state.case.as_ref().and_then(Case::spanned_slices),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn samples_that_begin_at_every_other_slice_leave_no_stratum_out() {
        for (slices, dispatches) in [(4, 2), (8, 2), (8, 4), (16, 3), (64, 5), (4, 1)] {
            let strata = |starts: &mut dyn Iterator<Item = u32>| -> BTreeSet<u32> {
                starts
                    .map(|slice| stratum(slice, slices, dispatches))
                    .collect()
            };
            let begun = strata(&mut (0..slices).step_by(dispatches as usize));
            assert_eq!(begun, strata(&mut (0..slices)), "{slices} {dispatches}");
        }
    }
}
