//! `random[:SEED]`: a permutation of the whole footprint, so that no two accesses share an element and few share a block.

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

const ROUNDS: usize = 4;

/// A seeded permutation of `0..elements` that is computed where it is asked for, so that it takes no memory.
///
/// A Feistel network permutes the smallest even power of two that holds all elements; whatever lands outside is sent
/// through again, which stays a permutation and takes fewer than four rounds on average.
#[derive(Clone, Debug)]
pub struct Shuffle {
    elements: u64,
    half_bits: u32,
    keys: [u64; ROUNDS],
}

impl Shuffle {
    /// A permutation of `elements` elements, at least 1 and at most 2^62; the same for a seed on every machine.
    pub fn new(seed: u64, elements: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let bits = u64::BITS - elements.saturating_sub(1).leading_zeros();
        Self {
            elements,
            half_bits: bits.div_ceil(2).max(1),
            keys: std::array::from_fn(|_| rng.next_u64()),
        }
    }

    /// Element index that access number `access` of the dispatch reads; both are below the number of elements.
    pub fn lane_index(&self, access: u64) -> u64 {
        debug_assert!(access < self.elements);
        let mut index = self.permute(access);
        while index >= self.elements {
            index = self.permute(index);
        }
        index
    }

    fn permute(&self, index: u64) -> u64 {
        let mask = (1 << self.half_bits) - 1;
        let (mut left, mut right) = (index >> self.half_bits, index & mask);
        for key in self.keys {
            (left, right) = (right, left ^ (mix(right ^ key) & mask));
        }
        left << self.half_bits | right
    }
}

/// The finalizer of splitmix64: every bit of the input changes half of the output's.
fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_is_read_once() {
        for elements in [1, 2, 3, 64, 1000, 4097] {
            let shuffle = Shuffle::new(7, elements);
            let mut seen: Vec<u64> = (0..elements).map(|i| shuffle.lane_index(i)).collect();
            seen.sort_unstable();
            assert!(seen.into_iter().eq(0..elements), "{elements} elements");
        }
    }

    #[test]
    fn seeds_differ() {
        let order = |seed| {
            let shuffle = Shuffle::new(seed, 1000);
            (0..1000).map(|i| shuffle.lane_index(i)).collect::<Vec<_>>()
        };
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
    }
}
