//! Everything that happens to a case before it is sampled: placing, compiling, verifying, warming up, calibrating.

use super::case_state::{CaseState, ChecksumState, Status};
use super::clock;
use super::settings::Settings;
use super::working_set;
use crate::executor::{Case, CaseId, Executor, ExecutorError, KernelVariant, Sample, Visit};
use crate::model::count_dispatch;
use crate::units::Bytes;

/// Lanes whose addresses are compared with the Rust twin before a kernel is timed.
const ECHOED_LANES: usize = 4096;

/// Warm-up ends when a dispatch is no faster than the fastest before it by more than this share.
const WARM_WITHIN: f64 = 0.05;

/// Dispatches of a warm-up, and the time after which it ends with the fewest.
const WARM_DISPATCHES: std::ops::RangeInclusive<u32> = 3..=6;
const WARM_NS_MAX: f64 = 200e6;

/// Compiles, verifies, warms up and calibrates a case, or ends it with the reason.
pub(super) fn prepare(
    state: &mut CaseState,
    executor: &mut dyn Executor,
    lanes: u32,
    settings: &Settings,
) {
    if let Err((status, reason)) = try_prepare(state, executor, lanes, settings) {
        state.fail(status, reason);
    }
}

fn try_prepare(
    state: &mut CaseState,
    executor: &mut dyn Executor,
    lanes: u32,
    settings: &Settings,
) -> Result<(), (Status, String)> {
    let case = Case::new(state.spec.clone(), lanes, executor.footprint())
        .map_err(|reason| (Status::Skipped, reason.to_string()))?;
    let id = executor
        .prepare(&case, KernelVariant::Timed)
        .map_err(|error| match error {
            ExecutorError::Unsupported(reason) => (Status::Skipped, reason),
            other => (Status::Failed, other.to_string()),
        })?;
    let failed = |reason: String| (Status::Failed, reason);
    verify_addresses(&case, id, executor).map_err(failed)?;
    let dispatch_ns = warm_up(id, executor, &mut state.checksum).map_err(failed)?;
    let wanted_ns = settings.sample_ms * 1e6;
    if let Some(bytes) = state.working_set_bytes {
        state.dispatches = working_set::pass(&case, bytes).len() as u32;
        if state.dispatches == 0 {
            let reason = format!("{} holds not even one window", Bytes(bytes));
            return Err((Status::Skipped, reason));
        }
        state.repeats =
            working_set::calibrate(&case, id, bytes, executor, wanted_ns).map_err(failed)?;
    } else {
        state.dispatches =
            ((wanted_ns / dispatch_ns).ceil() as u32).clamp(1, settings.dispatch_cap);
        state.parts = ((dispatch_ns / wanted_ns) as u32).clamp(1, settings.parts_cap);
    }
    state.case = Some(case);
    state.id = Some(id);
    state.checksum = ChecksumState::Exact;
    Ok(())
}

/// Visits slices until dispatches get no faster; returns the fastest's time in nanoseconds.
///
/// The first may compile, touch memory for the first time and find the clocks low. The fastest, not the last, sizes the
/// samples: whatever slows a dispatch would otherwise be taken for its length, and samples would come out too short.
fn warm_up(
    id: CaseId,
    executor: &mut dyn Executor,
    checksum: &mut ChecksumState,
) -> Result<f64, String> {
    let slices = executor.footprint().slices();
    let (mut fastest, mut total) = (f64::INFINITY, 0.0);
    for number in 0..*WARM_DISPATCHES.end() {
        let sample = executor
            .sample(id, &[Visit::whole(number % slices, 0)])
            .map_err(|error| error.to_string())?;
        if let Some(reason) = wrong_checksum(&sample) {
            *checksum = ChecksumState::Wrong;
            return Err(reason);
        }
        let ns = sample_ns(&sample);
        total += ns;
        let settled = ns >= fastest * (1.0 - WARM_WITHIN) || total > WARM_NS_MAX;
        fastest = fastest.min(ns);
        if settled && number + 1 >= *WARM_DISPATCHES.start() {
            break;
        }
    }
    Ok(fastest)
}

/// Time of a sample in nanoseconds: by the device where its clock is good, otherwise by the host. At least 1.
pub(super) fn sample_ns(sample: &Sample) -> f64 {
    clock::device_ns(sample)
        .unwrap_or(clock::host_ns(sample) as f64)
        .max(1.0)
}

/// Compares the addresses that the kernel computes with those of the Rust twin, lane by lane.
pub(super) fn verify_addresses(
    case: &Case,
    id: CaseId,
    executor: &mut dyn Executor,
) -> Result<(), String> {
    let lanes = case.window.addresses.len();
    let echoed = executor
        .echo(id, ECHOED_LANES.max(lanes))
        .map_err(|error| error.to_string())?;
    let (_, base) = case.base(Visit::whole(0, 0));
    for (place, &got) in echoed.iter().enumerate() {
        let (window, lane) = (place / lanes, place % lanes);
        let expected = base + window as u64 * case.window.pitch_bytes + case.window.addresses[lane];
        if got != expected {
            return Err(format!(
                "lane {lane} of window {window} reads byte {got}, not byte {expected}"
            ));
        }
    }
    Ok(())
}

/// Says which checksum of `sample` is wrong, if one is.
pub(super) fn wrong_checksum(sample: &Sample) -> Option<String> {
    let wrong = sample
        .checksums
        .iter()
        .find(|checksum| !checksum.is_exact())?;
    let Visit { slice, phase, .. } = wrong.visit;
    Some(format!(
        "checksum of slice {slice}, phase {phase} is {:#010x}, not {:#010x}: not every load happened as written",
        wrong.got, wrong.expected
    ))
}

/// Bytes that one pass of `visit` fetches at least: by 64-byte lines, the shortest in use, which surely pass through the
/// caches.
pub(super) fn fetched_bytes(case: &Case, visit: Visit) -> u64 {
    const LINE_BYTES: u64 = 64;
    count_dispatch(&case.window, case.windows(visit), LINE_BYTES)
        .map_or(0, |counts| counts.compulsory * LINE_BYTES)
}

/// Distinct bytes that one pass of `visit` loads.
pub(super) fn bytes_used(case: &Case, visit: Visit) -> u64 {
    // Slices are far smaller than what the count refuses.
    count_dispatch(&case.window, case.windows(visit), case.window.element_bytes)
        .map_or(0, |counts| counts.bytes_used)
}
