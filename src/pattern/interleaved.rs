//! `interleaved:K`: consecutive elements, lanes dealt in turn over K runs of them; the set of addresses is that of `stride:1`.

/// Element index of a lane: run `lane % runs`, place `lane / runs` in it; the runs follow one another without a gap.
///
/// Of `runs` (at least 1) runs, the first `lanes % runs` are one element longer than the others. From as many runs as
/// lanes on, every lane has a run of its own and reads the element of its own number.
pub fn lane_index(runs: u64, lane: u64, lanes: u64) -> u64 {
    let run = lane % runs;
    let elements_before = run * (lanes / runs) + run.min(lanes % runs);
    elements_before + lane / runs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn order(runs: u64, lanes: u64) -> Vec<u64> {
        (0..lanes)
            .map(|lane| lane_index(runs, lane, lanes))
            .collect()
    }

    #[test]
    fn lanes_are_dealt_over_the_runs_in_turn() {
        assert_eq!(order(2, 8), [0, 4, 1, 5, 2, 6, 3, 7]);
        assert_eq!(order(3, 8), [0, 3, 6, 1, 4, 7, 2, 5]);
    }

    proptest! {
        #[test]
        fn every_element_is_read_once(runs in 1..200_u64, lanes in 1..200_u64) {
            let mut indices = order(runs, lanes);
            if runs == 1 || runs >= lanes {
                prop_assert!(indices.iter().copied().eq(0..lanes));
            }
            indices.sort_unstable();
            prop_assert!(indices.into_iter().eq(0..lanes));
        }
    }
}
