//! Cases that visit a working set again and again: how much of it caches hold is the question, so they are to hit.

use super::case_state::ChecksumState;
use super::prepare::{Obstacle, checked, sample_ns};
use super::schedule::{Dealt, SliceDealer};
use crate::executor::{Case, CaseId, Executor, Visit};

/// Most rounds of a calibration, each over at least twice the passes of the one before.
const CALIBRATIONS_MAX: u32 = 24;

/// Repeats have none of these factors. Where a driver gives every thread an equal run of passes, threads in any number
/// made of these factors then walk the set at equal distances from each other; in step, one would fetch for all. An odd
/// number also multiplies a checksum without losing a bit of it.
const FACTORS_AVOIDED: [u32; 3] = [2, 3, 5];

/// The visits of one pass over the first `bytes` of the footprint: whole slices, then the windows that fit the rest.
pub(super) fn pass(case: &Case, bytes: u64) -> Vec<Visit> {
    let footprint = case.footprint();
    let whole = (bytes / footprint.slice_bytes).min(u64::from(footprint.slices())) as u32;
    let rest = bytes - u64::from(whole) * footprint.slice_bytes;
    let steps = rest / case.step_bytes().max(1);
    let last = (steps > 0 && whole < footprint.slices()).then(|| Visit {
        steps_max: u32::try_from(steps).unwrap_or(u32::MAX),
        ..Visit::whole(whole, 0)
    });
    (0..whole)
        .map(|slice| Visit::whole(slice, 0))
        .chain(last)
        .collect()
}

/// The visits of a sample: a set within one slice `repeats` times in one dispatch, a larger one once, slice by slice.
///
/// An untimed pass comes before, so that whatever of the set a cache can hold is in it, whoever ran last.
pub(super) fn deal(dealer: &mut SliceDealer, case: &Case, bytes: u64, repeats: u32) -> Dealt {
    let before = pass(case, bytes);
    let mut fetched = 0;
    for visit in &before {
        // Once, however often it is repeated: more surely passes through no cache.
        let of_visit = case.bytes_fetched(*visit);
        let share = case.steps(*visit).count as f64 / case.steps_per_slice as f64;
        dealer.learn(visit.slice, share, of_visit);
        fetched += of_visit;
    }
    let repeated = |visit: &Visit| Visit { repeats, ..*visit };
    Dealt {
        visits: before.iter().map(repeated).collect(),
        before,
        bytes_fetched_since: Some(fetched),
    }
}

/// How often a set that lies in one slice is visited by a dispatch that takes `wanted_ns`.
pub(super) fn calibrate(
    case: &Case,
    id: CaseId,
    bytes: u64,
    executor: &mut dyn Executor,
    checksum: &mut ChecksumState,
    wanted_ns: f64,
) -> Result<u32, Obstacle> {
    let [once] = pass(case, bytes)[..] else {
        return Ok(1);
    };
    // Passes are rows of the grid of workgroups.
    let most = executor.adapter().limits.workgroups_per_dimension;
    let mut repeats = 1;
    for _ in 0..CALIBRATIONS_MAX {
        let sample = checked(id, executor, checksum, &[once, Visit { repeats, ..once }])?;
        // Both visits: one pass more than `repeats`.
        let passes = sample_ns(&sample) / f64::from(repeats + 1);
        let enough = (wanted_ns / passes).ceil().min(f64::from(most)) as u32;
        if enough <= repeats.saturating_mul(2) {
            return Ok(coprime(enough.max(1), most));
        }
        // A short dispatch is mostly its own cost, so a guess from it may be far too low, but hardly too high.
        repeats = enough.min(repeats.saturating_mul(64));
    }
    Ok(coprime(repeats, most))
}

/// The next number from `repeats` on, at most `most`, without the [`FACTORS_AVOIDED`].
fn coprime(repeats: u32, most: u32) -> u32 {
    let is_coprime = |n: &u32| {
        FACTORS_AVOIDED
            .iter()
            .all(|factor| !n.is_multiple_of(*factor))
    };
    (repeats..=most)
        .find(is_coprime)
        .or_else(|| (1..repeats).rev().find(is_coprime))
        .unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor::Footprint;

    const KIB: u64 = 1 << 10;

    /// Two buffers of three slices of 832 KiB.
    fn case() -> Case {
        let footprint = Footprint {
            buffers: 2,
            buffer_bytes: 3 * 832 * KIB,
            slice_bytes: 832 * KIB,
        };
        Case::new("stride:16".parse().expect("a spec"), 8, &footprint).expect("it fits")
    }

    #[test]
    fn a_pass_covers_the_set_and_no_more() {
        let case = case();
        let slice = 832 * KIB;
        for (bytes, slices, windows) in [
            (256 * KIB, 1, 512),
            (slice, 1, 1664),
            (1024 * KIB, 2, 2048),
            (2 * slice, 2, 3328),
            (6 * slice, 6, 6 * 1664),
            // More than there is, and less than a window.
            (100 * slice, 6, 6 * 1664),
            (511, 0, 0),
        ] {
            let visits = pass(&case, bytes);
            assert_eq!(visits.len(), slices, "{bytes}");
            let covered: u64 = visits.iter().map(|&visit| case.steps(visit).count).sum();
            assert_eq!(covered, windows, "{bytes}");
            let places: Vec<u32> = visits.iter().map(|visit| visit.slice).collect();
            assert_eq!(places, (0..slices as u32).collect::<Vec<_>>());
        }
    }

    #[test]
    fn every_sample_has_an_untimed_pass_before_and_the_dealer_knows_its_slices() {
        let case = case();
        let mut dealer = SliceDealer::new(case.footprint());
        let dealt = deal(&mut dealer, &case, 1024 * KIB, 1);
        assert_eq!(dealt.before, dealt.visits);
        assert_eq!(dealt.bytes_fetched_since, Some(1024 * KIB));
        let small = deal(&mut dealer, &case, 256 * KIB, 7);
        assert_eq!(
            small.before,
            [Visit {
                repeats: 1,
                ..small.visits[0]
            }]
        );
        assert_eq!(small.visits[0].repeats, 7);
        assert_eq!(
            case.expected_checksum(small.visits[0]),
            case.expected_checksum(small.before[0]).wrapping_mul(7)
        );
        // Repeats count once.
        assert_eq!(small.bytes_fetched_since, Some(256 * KIB));
    }

    #[test]
    fn repeats_share_no_factor_with_the_number_of_threads() {
        let found = [1, 2, 6, 8, 9, 24, 25, 65_535].map(|repeats| coprime(repeats, 65_535));
        assert_eq!(found, [1, 7, 7, 11, 11, 29, 29, 65_533]);
        assert_eq!(coprime(1, 1), 1);
    }
}
