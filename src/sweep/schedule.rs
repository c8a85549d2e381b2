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

/// Pieces of a slice whose last visits are told apart, so that a part can be dealt that others left alone.
const CELLS: u32 = 64;

/// Deals out slices so that nobody finds in a cache what another has just read.
///
/// Every dispatch, whichever case it is of, takes one of the slices that were visited longest ago: of that quarter of
/// all slices, the one that its own case has visited least, so that each case comes to see all of them equally.
#[derive(Clone, Debug)]
pub(super) struct SliceDealer {
    /// For each slice, dispatches dealt before its last visit: the order in which slices become old.
    last_turn: Vec<u64>,
    /// For each cell of each slice, bytes fetched by anyone before its last visit; `None` if it was never visited.
    fetched_before: Vec<[Option<u64>; CELLS as usize]>,
    buffers: u32,
    turn: u64,
    fetched: u64,
}

/// Visits of one sample, and what was fetched since the memory of the first of them was last seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Dealt {
    /// Visits made directly before, and not timed.
    pub(super) before: Vec<Visit>,
    pub(super) visits: Vec<Visit>,
    pub(super) bytes_fetched_since: Option<u64>,
}

/// What the dealer needs to know of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Dispatches of a sample.
    pub(super) dispatches: u32,
    /// Phases that the case has.
    pub(super) phases: u32,
    /// Parts that a slice is divided into.
    pub(super) parts: u32,
    /// Bytes that one dispatch fetches at least.
    pub(super) fetched_bytes: u64,
    /// Slices of the buffer, from its first, that a dispatch accesses whichever it visits; `None` where it stays in its own.
    pub(super) spanned_slices: Option<u32>,
}

impl SliceDealer {
    pub(super) fn new(footprint: &Footprint) -> Self {
        let slices = footprint.slices() as usize;
        Self {
            last_turn: vec![0; slices],
            fetched_before: vec![[None; CELLS as usize]; slices],
            buffers: footprint.buffers,
            turn: 0,
            fetched: 0,
        }
    }

    /// How many slices there are.
    pub(super) fn slices(&self) -> u32 {
        self.last_turn.len() as u32
    }

    /// The visits of the next sample of a case.
    ///
    /// `seen` counts the case's own visits of each slice, and is kept up to date here.
    pub(super) fn deal(&mut self, case: &Shape, seen: &mut Vec<u32>) -> Dealt {
        seen.resize(self.last_turn.len(), 0);
        let mut dealt = Dealt {
            before: Vec::new(),
            visits: Vec::new(),
            bytes_fetched_since: None,
        };
        for number in 0..case.dispatches {
            let slice = self.next_slice(seen);
            let part = self.oldest_part(slice, case.parts.max(1));
            if number == 0 {
                dealt.bytes_fetched_since = self.fetched_since(slice, part, case.parts.max(1));
            }
            dealt.visits.push(Visit {
                slice: slice as u32,
                phase: seen[slice] % case.phases.max(1),
                part,
                parts: case.parts.max(1),
                ..Visit::whole(slice as u32, 0)
            });
            seen[slice] += 1;
            self.touch(slice, cells(part, case.parts.max(1)), case.fetched_bytes);
            for other in self.spanned(slice, case.spanned_slices) {
                self.touch(other, 0..CELLS as usize, 0);
            }
        }
        dealt
    }

    /// Learns of a visit that it did not deal: the first `share` of slice `slice`, which fetched `fetched_bytes`.
    pub(super) fn learn(&mut self, slice: u32, share: f64, fetched_bytes: u64) {
        let until = (share * f64::from(CELLS)).ceil() as usize;
        self.touch(slice as usize, 0..until.min(CELLS as usize), fetched_bytes);
    }

    /// The slices that a dispatch accesses beside `slice`: of its buffer, which is every so-manieth of all.
    fn spanned(&self, slice: usize, spanned_slices: Option<u32>) -> Vec<usize> {
        let buffers = self.buffers as usize;
        (0..spanned_slices.unwrap_or(0) as usize)
            .map(|place| place * buffers + slice % buffers)
            .filter(|&other| other < self.last_turn.len())
            .collect()
    }

    fn touch(&mut self, slice: usize, cells: std::ops::Range<usize>, fetched_bytes: u64) {
        self.turn += 1;
        self.fetched += fetched_bytes;
        self.last_turn[slice] = self.turn;
        self.fetched_before[slice][cells].fill(Some(self.fetched));
    }

    fn next_slice(&self, seen: &[u32]) -> usize {
        let mut oldest: Vec<usize> = (0..self.last_turn.len()).collect();
        oldest.sort_by_key(|&slice| (self.last_turn[slice], slice));
        oldest.truncate(self.last_turn.len().div_ceil(4));
        oldest
            .into_iter()
            .min_by_key(|&slice| seen[slice])
            .unwrap_or(0)
    }

    /// The part of `slice` that was left alone for most fetched bytes.
    fn oldest_part(&self, slice: usize, parts: u32) -> u32 {
        let age = |part: &u32| self.fetched_since(slice, *part, parts).unwrap_or(u64::MAX);
        (0..parts).rev().max_by_key(age).unwrap_or(0)
    }

    /// Bytes fetched since anything of a part was last visited; `None` if nothing of it was.
    fn fetched_since(&self, slice: usize, part: u32, parts: u32) -> Option<u64> {
        let newest = self.fetched_before[slice][cells(part, parts)]
            .iter()
            .flatten()
            .max();
        newest.map(|before| self.fetched - before)
    }
}

/// The cells of a part; parts share none, so that one does not make its neighbour young.
fn cells(part: u32, parts: u32) -> std::ops::Range<usize> {
    (part * CELLS / parts) as usize..((part + 1) * CELLS / parts) as usize
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

    fn shape(dispatches: u32, phases: u32, parts: u32) -> Shape {
        Shape {
            dispatches,
            phases,
            parts,
            fetched_bytes: 100,
            spanned_slices: None,
        }
    }

    #[test]
    fn what_lies_all_over_a_buffer_makes_its_slices_young() {
        let mut dealer = sixteen_slices();
        let mut seen = vec![3; 16];
        // Slice 5 lies in buffer 1, with 1, 9 and 13.
        seen[5] = 0;
        seen[9] = 9;
        dealer.last_turn = (1..=16).rev().collect();
        dealer.last_turn[5] = 0;
        dealer.turn = 16;
        let shuffled = Shape {
            spanned_slices: Some(3),
            ..shape(1, 1, 1)
        };
        assert_eq!(dealer.deal(&shuffled, &mut seen).visits[0].slice, 5);
        for slice in [1, 5, 9] {
            assert!(dealer.last_turn[slice] > 16, "slice {slice}");
            assert_eq!(dealer.fetched_since(slice, 0, 1), Some(0));
        }
        assert_eq!(dealer.fetched_since(13, 0, 1), None);
    }

    fn sixteen_slices() -> SliceDealer {
        SliceDealer::new(&Footprint {
            buffers: 4,
            buffer_bytes: 256 << 10,
            slice_bytes: 64 << 10,
        })
    }

    #[test]
    fn a_slice_rests_while_most_others_are_visited() {
        let mut dealer = sixteen_slices();
        let mut seen = vec![Vec::new(); 7];
        let visits: Vec<u32> = (0..200)
            .flat_map(|turn| {
                dealer
                    .deal(
                        &shape(1 + turn % 3, 1, 1),
                        &mut seen[(turn * 5 % 7) as usize],
                    )
                    .visits
            })
            .map(|visit| visit.slice)
            .collect();
        for (turn, slice) in visits.iter().enumerate() {
            let last = visits[..turn].iter().rposition(|earlier| earlier == slice);
            assert!(
                last.is_none_or(|last| turn - last >= 12),
                "slice {slice} at turn {turn} after {last:?}"
            );
        }
    }

    #[test]
    fn every_case_sees_all_slices_about_equally() {
        let mut dealer = sixteen_slices();
        let mut seen = vec![Vec::new(); 9];
        for round in 0..64 {
            for case in 0..9 {
                dealer.deal(&shape(1, 1, 1), &mut seen[(case * 2 + round) % 9]);
            }
        }
        for counts in seen {
            assert!(
                counts.iter().all(|&count| (2..=6).contains(&count)),
                "{counts:?}"
            );
        }
    }

    #[test]
    fn what_was_fetched_between_two_visits_is_counted() {
        let mut dealer = sixteen_slices();
        let mut seen = Vec::new();
        assert_eq!(
            dealer.deal(&shape(1, 1, 1), &mut seen).bytes_fetched_since,
            None
        );
        dealer.deal(&shape(15, 1, 1), &mut seen);
        assert_eq!(
            dealer.deal(&shape(1, 1, 1), &mut seen).bytes_fetched_since,
            Some(1500)
        );
    }

    #[test]
    fn memory_that_others_visited_is_left_alone() {
        let mut dealer = sixteen_slices();
        for slice in 0..4 {
            dealer.learn(slice, 1.0, 1000);
        }
        dealer.learn(4, 0.25, 250);
        let mut seen = Vec::new();
        let visits = dealer.deal(&shape(11, 1, 1), &mut seen).visits;
        assert!(visits.iter().all(|visit| visit.slice > 4), "{visits:?}");
        let next = dealer.deal(&shape(1, 1, 1), &mut seen);
        assert_eq!(next.visits[0].slice, 0);
        assert_eq!(next.bytes_fetched_since, Some(3 * 1000 + 250 + 11 * 100));
        // Of the slice that was visited in part, the rest was not.
        assert_eq!(dealer.fetched_since(4, 0, 4), Some(12 * 100));
        assert_eq!(dealer.fetched_since(4, 1, 4), None);
    }

    #[test]
    fn phases_take_turns_and_parts_are_dealt_by_age() {
        let mut dealer = SliceDealer::new(&Footprint {
            buffers: 1,
            buffer_bytes: 64 << 10,
            slice_bytes: 64 << 10,
        });
        let mut seen = Vec::new();
        let turns: Vec<(u32, u32)> = (0..6)
            .flat_map(|_| dealer.deal(&shape(1, 2, 3), &mut seen).visits)
            .map(|visit| (visit.phase, visit.part))
            .collect();
        assert_eq!(turns, [(0, 0), (1, 1), (0, 2), (1, 0), (0, 1), (1, 2)]);
        // Another case that reads all of the slice makes every part young again.
        dealer.deal(&shape(1, 1, 1), &mut Vec::new());
        assert_eq!(
            dealer.deal(&shape(1, 1, 3), &mut seen).bytes_fetched_since,
            Some(0)
        );
    }
}
