//! The order of samples: rounds that visit every open case once, shuffled, with the reference in between.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::executor::{Footprint, Visit};

/// One sample to take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Turn {
    /// The reference, from which drift is read.
    Reference,
    /// The case of this number.
    Case(usize),
}

/// Cases of one round in a shuffled order, with the reference first, last and after every `per_reference` cases.
pub(super) fn round(open: &[usize], per_reference: u32, seed: u64, round: u32) -> Vec<Turn> {
    let mut shuffled = open.to_vec();
    // A generator for each round, so that a resumed run takes up the same order.
    let mut generator = ChaCha8Rng::seed_from_u64(seed);
    generator.set_stream(u64::from(round));
    shuffled.shuffle(&mut generator);
    let mut turns = vec![Turn::Reference];
    for group in shuffled.chunks(per_reference.max(1) as usize) {
        turns.extend(group.iter().map(|&case| Turn::Case(case)));
        turns.push(Turn::Reference);
    }
    turns
}

/// Deals out slices so that every dispatch, whichever case it is of, takes the slice that was visited longest ago.
///
/// A case that followed another on the same slice would find it in the cache.
#[derive(Clone, Debug)]
pub(super) struct SliceDealer {
    slices: u32,
    dealt: u64,
}

impl SliceDealer {
    pub(super) fn new(footprint: &Footprint) -> Self {
        Self {
            slices: footprint.slices(),
            dealt: 0,
        }
    }

    /// The next `dispatches` visits of a case that has `phases` phases.
    pub(super) fn deal(&mut self, dispatches: u32, phases: u32) -> Vec<Visit> {
        let first = self.dealt;
        self.dealt += u64::from(dispatches);
        (first..self.dealt)
            .map(|turn| Visit {
                slice: (turn % u64::from(self.slices)) as u32,
                // A whole turn of the footprint with one phase, then the next.
                phase: (turn / u64::from(self.slices) % u64::from(phases.max(1))) as u32,
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_open_case_has_one_turn_between_references() {
        let open: Vec<usize> = (0..50).filter(|case| case % 3 != 0).collect();
        let turns = round(&open, 8, 1, 4);
        let cases: HashSet<usize> = turns
            .iter()
            .filter_map(|turn| match turn {
                Turn::Case(case) => Some(*case),
                Turn::Reference => None,
            })
            .collect();
        assert_eq!(cases.len(), open.len());
        assert_eq!(
            (turns[0], turns[turns.len() - 1]),
            (Turn::Reference, Turn::Reference)
        );
        let longest = turns
            .split(|turn| *turn == Turn::Reference)
            .map(<[Turn]>::len)
            .max();
        assert_eq!(longest, Some(8));
    }

    #[test]
    fn rounds_differ_and_repeat_by_seed() {
        let open: Vec<usize> = (0..20).collect();
        assert_eq!(round(&open, 8, 1, 0), round(&open, 8, 1, 0));
        assert_ne!(round(&open, 8, 1, 0), round(&open, 8, 1, 1));
        assert_ne!(round(&open, 8, 1, 0), round(&open, 8, 2, 0));
    }

    #[test]
    fn no_slice_returns_before_all_others_and_phases_turn() {
        let footprint = Footprint {
            buffers: 2,
            buffer_bytes: 256 << 10,
            slice_bytes: 64 << 10,
        };
        let mut dealer = SliceDealer::new(&footprint);
        let visits: Vec<Visit> = [3, 5, 8, 4]
            .into_iter()
            .flat_map(|n| dealer.deal(n, 2))
            .collect();
        for turn in visits.windows(8) {
            let slices: HashSet<u32> = turn.iter().map(|visit| visit.slice).collect();
            assert_eq!(slices.len(), 8);
        }
        assert_eq!(visits[0].phase, 0);
        assert_eq!(visits[8], Visit { slice: 0, phase: 1 });
    }
}
