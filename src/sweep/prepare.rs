//! Everything that happens to a case before it is sampled: placing, compiling, verifying, warming up, calibrating.

use super::case_state::{CaseState, ChecksumState, Status};
use super::clock;
use super::settings::Settings;
use super::suite::Planned;
use super::working_set;
use crate::executor::{
    Case, CaseId, Checksum, Executor, ExecutorError, Footprint, KernelVariant, Plan, Sample, Visit,
};
use crate::pattern::spatter::ConfigError;
use crate::units::readable;

/// Lanes whose addresses are compared with the Rust twin before a kernel is timed.
const ECHOED_LANES: usize = 4096;

/// One of so many parts of a slice is stored to between sentinels; every sample looks at all that it stored.
const PARTS_OF_PROOF: u64 = 8;

/// Warm-up ends when a dispatch is no faster than the fastest before it by more than this share.
const WARM_WITHIN: f64 = 0.05;

/// Dispatches of a warm-up, and the time after which it ends with the fewest.
const WARM_DISPATCHES: std::ops::RangeInclusive<u32> = 3..=6;
const WARM_NS_MAX: f64 = 200e6;

/// A sample gets so many steps of the device's clock, so that a step more or less is no matter; but not longer than so
/// many times what the settings ask for.
const CLOCK_STEPS: f64 = 200.0;
const LONGER_MAX: f64 = 20.0;

/// Times that the number of dispatches is tried and raised.
const CALIBRATIONS: u32 = 6;

/// Why a case cannot be sampled.
#[derive(Debug, thiserror::Error)]
pub(super) enum Obstacle {
    /// It has no place in the memory.
    #[error("{0}")]
    NotPlaced(String),
    /// The configuration of a Spatter file is none.
    #[error("{0}")]
    Malformed(#[from] ConfigError),
    /// An address, a checksum or what was stored was wrong.
    #[error("{0}")]
    Wrong(String),
    /// The executor could not do what it was asked.
    #[error(transparent)]
    Executor(#[from] ExecutorError),
}

impl Obstacle {
    fn status(&self) -> Status {
        match self {
            Self::NotPlaced(_) | Self::Executor(ExecutorError::Unsupported(_)) => Status::Skipped,
            Self::Malformed(_) | Self::Wrong(_) | Self::Executor(_) => Status::Failed,
        }
    }
}

/// Compiles, verifies, warms up and calibrates a case, or ends it with the reason. The error is that the device is lost.
pub(super) fn prepare(
    state: &mut CaseState,
    executor: &mut dyn Executor,
    lanes: u32,
    settings: &Settings,
) -> Result<(), ExecutorError> {
    let Err(obstacle) = try_prepare(state, executor, lanes, settings) else {
        return Ok(());
    };
    state.fail(obstacle.status(), obstacle.to_string());
    match obstacle {
        Obstacle::Executor(lost @ ExecutorError::DeviceLost(_)) => Err(lost),
        _ => Ok(()),
    }
}

fn try_prepare(
    state: &mut CaseState,
    executor: &mut dyn Executor,
    lanes: u32,
    settings: &Settings,
) -> Result<(), Obstacle> {
    let case = place(&state.planned(), lanes, executor.footprint())?;
    state.place(case.clone());
    if !state.is_counted() {
        let reason =
            "its transactions are too irregular to count, so no figure of it could be explained";
        return Err(Obstacle::NotPlaced(reason.to_owned()));
    }
    let id = verified(&case, executor)?;
    let warm = warm_up(id, executor, &mut state.checksum)?;
    state.clock_step_ns = warm.clock_step_ns;
    let wanted_ns = wanted_ns(settings, warm.clock_step_ns);
    if let Some(bytes) = state.working_set_bytes {
        state.dispatches = working_set::pass(&case, bytes).len() as u32;
        if state.dispatches == 0 {
            let reason = format!("{} holds not even one window", readable(bytes));
            return Err(Obstacle::NotPlaced(reason));
        }
        let checksum = &mut state.checksum;
        state.repeats = working_set::calibrate(&case, id, bytes, executor, checksum, wanted_ns)?;
    } else {
        let most_parts = match case.is_divisible() {
            true => u64::from(settings.parts_cap).min(case.steps_per_slice),
            false => 1,
        };
        state.parts = ((warm.dispatch_ns / wanted_ns) as u32).clamp(1, most_parts as u32);
        state.dispatches = calibrate(
            id,
            executor,
            &mut state.checksum,
            warm.dispatch_ns,
            wanted_ns,
            settings.dispatch_cap,
        )?;
    }
    state.id = Some(id);
    state.checksum = ChecksumState::Exact;
    Ok(())
}

/// What a warm-up has shown.
struct Warm {
    /// The fastest dispatch's time in nanoseconds.
    dispatch_ns: f64,
    /// The step in which the device's clock moves.
    clock_step_ns: Option<f64>,
}

/// Visits slices until dispatches get no faster.
///
/// The first may compile, touch memory for the first time and find the clocks low. The fastest, not the last, sizes the
/// samples: whatever slows a dispatch would otherwise be taken for its length, and samples would come out too short.
fn warm_up(
    id: CaseId,
    executor: &mut dyn Executor,
    checksum: &mut ChecksumState,
) -> Result<Warm, Obstacle> {
    let (mut fastest, mut total) = (f64::INFINITY, 0.0);
    let mut samples = Vec::new();
    for number in 0..*WARM_DISPATCHES.end() {
        let sample = checked_sample(id, executor, checksum, number..number + 1)?;
        let ns = sample_ns(&sample);
        samples.push(sample);
        total += ns;
        let settled = ns >= fastest * (1.0 - WARM_WITHIN) || total > WARM_NS_MAX;
        fastest = fastest.min(ns);
        if settled && number + 1 >= *WARM_DISPATCHES.start() {
            break;
        }
    }
    Ok(Warm {
        dispatch_ns: fastest,
        clock_step_ns: clock::step_ns(&samples),
    })
}

/// How long a sample should take, in nanoseconds: as the settings have it, or longer where the clock's steps are coarse.
fn wanted_ns(settings: &Settings, clock_step_ns: Option<f64>) -> f64 {
    let usual_ns = settings.sample_ms * 1e6;
    let steps_ns = CLOCK_STEPS * clock_step_ns.unwrap_or(0.0);
    usual_ns.max(steps_ns.min(usual_ns * LONGER_MAX))
}

/// The number of dispatches that together take `wanted_ns`, or `most`.
///
/// One dispatch by itself may look much longer than it is, since a submission has a cost of its own and a clock its
/// steps. So the number is tried, and raised while it is too small.
fn calibrate(
    id: CaseId,
    executor: &mut dyn Executor,
    checksum: &mut ChecksumState,
    dispatch_ns: f64,
    wanted_ns: f64,
    most: u32,
) -> Result<u32, Obstacle> {
    let enough = |share: f64| (share.ceil() as u32).clamp(1, most.max(1));
    let mut dispatches = enough(wanted_ns / dispatch_ns);
    for _ in 0..CALIBRATIONS {
        if dispatches == 1 || dispatches >= most {
            break;
        }
        let ns = sample_ns(&checked_sample(id, executor, checksum, 0..dispatches)?);
        if ns >= wanted_ns {
            break;
        }
        dispatches = enough(f64::from(dispatches) * wanted_ns / ns);
    }
    Ok(dispatches)
}

/// A sample over whole slices, one a number, whose checksums are right.
fn checked_sample(
    id: CaseId,
    executor: &mut dyn Executor,
    checksum: &mut ChecksumState,
    numbers: std::ops::Range<u32>,
) -> Result<Sample, Obstacle> {
    let slices = executor.footprint().slices();
    let visits: Vec<Visit> = numbers
        .map(|number| Visit::whole(number % slices, 0))
        .collect();
    checked(id, executor, checksum, &visits)
}

/// A sample over `visits` whose checksums are right.
pub(super) fn checked(
    id: CaseId,
    executor: &mut dyn Executor,
    checksum: &mut ChecksumState,
    visits: &[Visit],
) -> Result<Sample, Obstacle> {
    let sample = executor.sample(id, visits)?;
    match wrong_checksum(&sample) {
        None => Ok(sample),
        Some(reason) => {
            *checksum = ChecksumState::Wrong;
            Err(Obstacle::Wrong(reason))
        }
    }
}

/// Time of a sample in nanoseconds: by the device where its clock is good, otherwise by the host. At least 1.
pub(super) fn sample_ns(sample: &Sample) -> f64 {
    clock::device_ns(sample)
        .unwrap_or(clock::host_ns(sample) as f64)
        .max(1.0)
}

/// The geometry of what was `planned`.
pub(super) fn place(
    planned: &Planned,
    lanes: u32,
    footprint: &Footprint,
) -> Result<Case, Obstacle> {
    let spec = planned.spec.clone();
    let placed = match &planned.config {
        None => Case::new(spec, lanes, footprint),
        Some(Ok(config)) => Case::of_config(spec, config, lanes, footprint),
        Some(Err(fault)) => return Err(fault.clone().into()),
    };
    placed.map_err(|reason| Obstacle::NotPlaced(reason.to_string()))
}

/// Compiles the kernel of `case` and compares what it does with what it is to do, before anything is timed.
///
/// What a transpose or a second list addresses is not echoed, so such a case runs over a whole slice with every check first.
pub(super) fn verified(case: &Case, executor: &mut dyn Executor) -> Result<CaseId, Obstacle> {
    let last = executor.footprint().slices() - 1;
    if let Plan::Transpose(_)
    | Plan::Walk {
        scatter: Some(_), ..
    } = case.plan
    {
        let checked = executor.prepare(case, KernelVariant::Checked)?;
        verify_stores(case, checked, Visit::whole(last, 0), executor)?;
    }
    let id = executor.prepare(case, KernelVariant::Timed)?;
    verify_addresses(case, id, executor)?;
    verify_stores(case, id, proven_part(case, 0), executor)?;
    Ok(id)
}

/// A part in the middle of a slice, so that there is memory to be left alone on either side.
pub(super) fn proven_part(case: &Case, slice: u32) -> Visit {
    let parts = case.steps_per_slice.clamp(1, PARTS_OF_PROOF) as u32;
    Visit {
        part: parts / 2,
        parts,
        ..Visit::whole(slice, 0)
    }
}

/// Compares the addresses that the kernel computes with those of the Rust twin, lane by lane.
fn verify_addresses(case: &Case, id: CaseId, executor: &mut dyn Executor) -> Result<(), Obstacle> {
    let Plan::Walk { walk, .. } = &case.plan else {
        return Ok(());
    };
    let lanes = case.lanes as usize;
    let echoed = executor.echo(id, ECHOED_LANES.max(lanes))?;
    let (_, base) = case.base(Visit::whole(0, 0));
    for (window, got) in (0..).zip(echoed.chunks(lanes)) {
        let expected = walk.addresses(case.lanes, window);
        for (lane, (got, expected)) in got.iter().zip(expected).enumerate() {
            let expected = expected.map(|address| base + address);
            if *got != expected {
                let name = |byte: Option<u64>| {
                    byte.map_or("nothing".to_owned(), |byte| format!("byte {byte}"))
                };
                return Err(Obstacle::Wrong(format!(
                    "lane {lane} of window {window} accesses {}, not {}",
                    name(*got),
                    name(expected)
                )));
            }
        }
    }
    Ok(())
}

/// Looks whether a visit stores what it is to, and nothing else; of a case that stores nothing there is nothing to see.
pub(super) fn verify_stores(
    case: &Case,
    id: CaseId,
    visit: Visit,
    executor: &mut dyn Executor,
) -> Result<(), Obstacle> {
    if !case.action.stores() {
        return Ok(());
    }
    let proof = executor.prove_stores(id, visit)?;
    if !proof.checksum.is_exact() {
        return Err(Obstacle::Wrong(mismatch(&proof.checksum)));
    }
    if !proof.is_exact() {
        return Err(Obstacle::Wrong(format!(
            "stores to slice {} leave {} words around them untouched, not {}",
            visit.slice, proof.untouched_got, proof.untouched_expected
        )));
    }
    Ok(())
}

/// Says which checksum of `sample` is wrong, if one is.
pub(super) fn wrong_checksum(sample: &Sample) -> Option<String> {
    let mut checksums = sample.checksums.iter();
    checksums
        .find(|checksum| !checksum.is_exact())
        .map(mismatch)
}

fn mismatch(wrong: &Checksum) -> String {
    let Visit {
        slice,
        phase,
        part,
        parts,
        ..
    } = wrong.visit;
    let part = match parts {
        1 => String::new(),
        _ => format!(", part {} of {parts}", part + 1),
    };
    format!(
        "checksum of slice {slice}, phase {phase}{part} is {:#010x}, not {:#010x}: not every access happened as written",
        wrong.got, wrong.expected
    )
}
