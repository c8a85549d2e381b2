//! The guard against loads that a compiler fused or removed: twice the windows must take twice the time.

use super::case_state::CaseState;
use super::prepare::sample_ns;
use crate::executor::{Action, Case, Executor, ExecutorError, Visit, Walk};
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
    /// Time of half of the windows over that of all, what a sliver takes off both; the median over pairs.
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

/// A sliver of a slice, for what a dispatch costs whatever it visits: at most one of so many parts.
const SLIVERS: u64 = 64;

/// If less than this share of the time of a slice is more than a sliver takes, time hardly depends on what is visited.
const SCALING_MIN: f64 = 0.25;

/// Times half a slice against the whole slice, in turns; `None` where a dispatch is too short to tell.
///
/// Starting a dispatch costs time too, on a software driver as much as reading some megabytes. A sliver of a slice takes
/// hardly more than that, so it is taken off both, here and nowhere else.
pub(super) fn self_test(
    state: &CaseState,
    executor: &mut dyn Executor,
    empty_ns: f64,
) -> Result<Option<SelfTest>, ExecutorError> {
    let (Some(id), Some(case)) = (state.id, &state.case) else {
        return Ok(None);
    };
    let slivers = case.steps_per_slice.min(SLIVERS) as u32;
    // Half of the accesses must be half of the work: half of a shuffled buffer's touch nearly all of its blocks, and half
    // of what overlaps, or of the columns of a matrix, is not used again by the other half.
    if case.is_shuffled() || !case.is_divisible() || slivers < 2 {
        return Ok(None);
    }
    let least_ns = (super::LAUNCH_BOUND_EMPTIES * empty_ns)
        .max(STEPS_MIN * state.clock_step_ns.unwrap_or(0.0));
    let slices = executor.footprint().slices();
    let (mut ratios, mut spent_ns) = (Vec::new(), 0.0);
    for number in 0..PAIRS_MAX as u32 {
        // Slices differ in speed, and half of one would lie in a cache after the other half: so far apart, in both orders.
        let at = |slice: u32, parts: u32| Visit {
            parts,
            ..Visit::whole(slice % slices, 0)
        };
        let visits = [
            at(number + slices / 4, slivers),
            at(number, 2),
            at(number + slices / 2, 1),
        ];
        let mut times_ns = [0.0; 3];
        for (ns, visit) in times_ns.iter_mut().zip(visits) {
            *ns = sample_ns(&executor.sample(id, &[visit])?);
        }
        if times_ns[2] < least_ns {
            return Ok(None);
        }
        let [sliver, half, whole] = visits.map(|visit| case.steps(visit).count as f64);
        ratios.push(half_over_whole(times_ns, [sliver / whole, half / whole]));
        if ratios.len() >= PAIRS && SelfTest::new(&ratios).is_some_and(SelfTest::is_a_half) {
            break;
        }
        spent_ns += times_ns.iter().sum::<f64>();
        if ratios.len() >= PAIRS_OF_INTERVAL && spent_ns > NS_MAX {
            break;
        }
    }
    Ok(SelfTest::new(&ratios))
}

/// Time of half of the windows over that of all, without what a dispatch costs by itself: 0.5 where time is proportional to
/// the windows, whatever share of them the two short dispatches really visit.
fn half_over_whole(
    [sliver_ns, half_ns, whole_ns]: [f64; 3],
    [sliver_share, half_share]: [f64; 2],
) -> f64 {
    let scaling_ns = whole_ns - sliver_ns;
    // A sliver of few steps is no sliver; and if it takes as long as all, there is nothing to tell apart.
    if sliver_share > half_share / 4.0 || scaling_ns < SCALING_MIN * whole_ns {
        return half_ns / whole_ns * 0.5 / half_share;
    }
    (half_ns - sliver_ns) / scaling_ns * (1.0 - sliver_share) / (half_share - sliver_share) * 0.5
}

/// What two cases share that run the same kernel: all but the numbers that a kernel takes as parameters.
pub(super) fn kernel_of(state: &CaseState) -> (String, Option<Action>, bool, Spec) {
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
        // A padded column is walked otherwise than a packed one.
        layout: spec.layout,
        ..Spec::new(pattern)
    };
    let action = state.case.as_ref().map(|case| case.action);
    let walk = state.case.as_ref().and_then(Case::walk);
    let skips = walk.is_some_and(Walk::has_idle_lanes);
    (spec.family().to_owned(), action, skips, plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_dispatch_costs_by_itself_does_not_count() {
        let ns = |cost: f64, share: f64| cost + 1e6 * share;
        for cost in [0.0, 1e4, 3e5] {
            let shares = [1.0 / 64.0, 0.5];
            let times = [ns(cost, shares[0]), ns(cost, shares[1]), ns(cost, 1.0)];
            assert!(
                (half_over_whole(times, shares) - 0.5).abs() < 1e-9,
                "{cost}"
            );
        }
        // A third of three steps for a half, and for a sliver.
        let third = 1.0 / 3.0;
        let times = [ns(0.0, third), ns(0.0, third), ns(0.0, 1.0)];
        assert!((half_over_whole(times, [third, third]) - 0.5).abs() < 1e-9);
    }

    #[test]
    fn time_that_does_not_depend_on_the_windows_is_no_half() {
        assert_eq!(half_over_whole([9e5, 1e6, 1e6], [1.0 / 64.0, 0.5]), 1.0);
        let saturating = half_over_whole([1e5, 9e5, 1e6], [1.0 / 64.0, 0.5]);
        assert!(saturating > 0.85, "{saturating}");
    }
}
