//! `permuted[:SEED]`: consecutive elements in an order drawn once for all windows; only the set of addresses counts.

use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

/// Element indexes of all lanes: a permutation of `0..lanes`, the same for a seed on every machine.
pub fn lane_indices(seed: u64, lanes: u64) -> Vec<u64> {
    let mut indices: Vec<u64> = (0..lanes).collect();
    indices.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
    indices
}
