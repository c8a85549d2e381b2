//! The guard against loads that a compiler fused or removed: twice the windows must take twice the time.

use super::case_state::CaseState;
use super::prepare::sample_ns;
use crate::executor::{Action, Executor, ExecutorError, Visit};
use crate::pattern::{Pattern, Spec};
use crate::stats::{MedianInterval, median_interval};

/// Half of a slice may take from this to one minus this of the time of all of it.
const HALF_WITHIN: f64 = 0.05;

/// Pairs timed at first, and in all where the first do not agree: a shared machine disturbs some.
const PAIRS: usize = 3;
const PAIRS_MAX: usize = 31;

/// Where dispatches are slow, so much time is enough, in nanoseconds, once there are pairs enough for an interval.
const NS_MAX: f64 = 2e9;
const PAIRS_OF_INTERVAL: usize = 6;

/// A dispatch of fewer steps of the device's clock is too short to tell its half.
const STEPS_MIN: f64 = 50.0;

/// What the doubling of a kernel's windows did to its time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SelfTest {
    /// Time of half of the windows over that of all, the empty dispatch taken off both; the median over pairs.
    pub half_over_whole: f64,
    /// Whether that is surely not a half: its whole 95 % interval lies outside what passes.
    pub fails: bool,
}

impl SelfTest {
    fn new(ratios: &[f64]) -> Option<Self> {
        let MedianInterval { median, interval } = median_interval(ratios)?;
        let fails =
            interval.is_some_and(|(low, high)| high < 0.5 - HALF_WITHIN || low > 0.5 + HALF_WITHIN);
        Some(Self {
            half_over_whole: median,
            fails,
        })
    }

    fn is_a_half(self) -> bool {
        (self.half_over_whole - 0.5).abs() <= HALF_WITHIN
    }
}

/// Times half a slice against the whole slice, in turns; `None` where a dispatch is too short to tell.
///
/// Both are one dispatch, so that what a dispatch costs by itself (`empty_ns`) can be taken off, here and nowhere else.
pub(super) fn self_test(
    state: &CaseState,
    executor: &mut dyn Executor,
    empty_ns: f64,
) -> Result<Option<SelfTest>, ExecutorError> {
    let (Some(id), Some(case)) = (state.id, &state.case) else {
        return Ok(None);
    };
    // Half of a shuffled buffer's accesses touch nearly all of its blocks, so what a cache holds of it is no half.
    if case.is_shuffled() {
        return Ok(None);
    }
    let slices = executor.footprint().slices();
    let (mut ratios, mut spent_ns) = (Vec::new(), 0.0);
    for number in 0..PAIRS_MAX as u32 {
        // Slices differ in speed, and half of one would lie in a cache after the other half: so far apart, in both orders.
        let half = Visit {
            parts: 2,
            ..Visit::whole(number % slices, 0)
        };
        let whole = Visit::whole((number + slices / 2) % slices, 0);
        let share = case.steps(half).count as f64 / case.steps(whole).count as f64;
        if share == 0.0 {
            return Ok(None);
        }
        let half_ns = sample_ns(&executor.sample(id, &[half])?) - empty_ns;
        let whole_ns = sample_ns(&executor.sample(id, &[whole])?) - empty_ns;
        let least_ns = (super::LAUNCH_BOUND_EMPTIES * empty_ns)
            .max(STEPS_MIN * state.clock_step_ns.unwrap_or(0.0));
        if whole_ns < least_ns || whole_ns <= 0.0 {
            return Ok(None);
        }
        // Of an odd number of steps half is less than a half.
        ratios.push(half_ns / whole_ns * 0.5 / share);
        if ratios.len() >= PAIRS && SelfTest::new(&ratios).is_some_and(SelfTest::is_a_half) {
            break;
        }
        spent_ns += half_ns + whole_ns;
        if ratios.len() >= PAIRS_OF_INTERVAL && spent_ns > NS_MAX {
            break;
        }
    }
    Ok(SelfTest::new(&ratios))
}

/// What two cases share that run the same kernel: all but the numbers that a kernel takes as parameters.
pub(super) fn kernel_of(state: &CaseState) -> (String, Option<Action>, Spec) {
    let spec = &state.spec;
    let pattern = match &spec.pattern {
        Pattern::Struct(_) | Pattern::WholeStruct { .. } => spec.pattern.clone(),
        Pattern::Transpose { tile, .. } => Pattern::Transpose {
            width: 1,
            tile: *tile,
        },
        _ => Pattern::Soa,
    };
    let plain = Spec {
        element: spec.element,
        ..Spec::new(pattern)
    };
    let action = state.case.as_ref().map(|case| case.action);
    (spec.family().to_owned(), action, plain)
}
