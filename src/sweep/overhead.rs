//! What is not memory: an empty dispatch, the arithmetic of addresses, WGSL's runtime checks.

use serde::{Deserialize, Serialize};

use super::case_state::CaseState;
use super::clock;
use super::prepare::sample_ns;
use crate::executor::{Executor, ExecutorError, KernelVariant, Visit};
use crate::stats::median;

/// Dispatches of one submission of the empty kernel, and how many such submissions.
const EMPTY_DISPATCHES: u32 = 64;
const EMPTY_SUBMISSIONS: u32 = 9;

/// Turns in which the variants are timed one after another.
const TURNS: u32 = 7;

/// Times of other kernels beside that of the reference's pattern, in percent of it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Overheads {
    /// Time with addresses computed but nothing loaded.
    pub index_arithmetic_percent: f64,
    /// Time that runtime checks add to the kernel without them.
    pub runtime_checks_percent: f64,
}

/// What one dispatch that does nothing costs, in nanoseconds; `None` where no clock tells.
pub(super) fn empty_dispatch_ns(executor: &mut dyn Executor) -> Result<Option<f64>, ExecutorError> {
    let mut times = Vec::new();
    for _ in 0..EMPTY_SUBMISSIONS {
        let submission = executor.empty(EMPTY_DISPATCHES)?;
        // Some devices write no stamps around a pass without work; the host's time is an upper bound.
        let ns = clock::submission_ns(&submission).unwrap_or(submission.host_ns as f64);
        times.push(ns / f64::from(EMPTY_DISPATCHES));
    }
    Ok(median(&times).filter(|ns| *ns > 0.0))
}

/// Times the variants of the kernel of `state` in turns.
pub(super) fn overheads(
    state: &CaseState,
    executor: &mut dyn Executor,
) -> Result<Option<Overheads>, ExecutorError> {
    let (Some(timed), Some(case)) = (state.id, &state.case) else {
        return Ok(None);
    };
    let checked = executor.prepare(case, KernelVariant::Checked)?;
    let index_only = executor.prepare(case, KernelVariant::IndexOnly)?;
    let slices = executor.footprint().slices();
    let (mut checks, mut arithmetic) = (Vec::new(), Vec::new());
    // The first turn compiles.
    for turn in 0..=TURNS {
        let mut time = |id, place: u32| -> Result<f64, ExecutorError> {
            let visit = Visit::whole((turn * 3 + place) % slices, 0);
            Ok(sample_ns(&executor.sample(id, &[visit])?))
        };
        let (base, with_checks, without_loads) =
            (time(timed, 0)?, time(checked, 1)?, time(index_only, 2)?);
        if turn > 0 {
            checks.push(with_checks / base);
            arithmetic.push(without_loads / base);
        }
    }
    Ok(median(&checks)
        .zip(median(&arithmetic))
        .map(|(checks, arithmetic)| Overheads {
            index_arithmetic_percent: arithmetic * 100.0,
            runtime_checks_percent: (checks - 1.0) * 100.0,
        }))
}
