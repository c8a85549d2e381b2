//! What the measured memory holds, and the exact checksum of any run of loads: the Rust twin of `shaders/contents.wgsl`.
//!
//! Word `i` of the footprint holds `q(i) + h(i >> 10)` modulo 2^32. The quadratic `q` gives every arithmetic sequence a
//! closed form; the hash `h` of the 4 KiB block makes shifts and wraps by powers of two visible, to which `q` is blind.

const QUADRATIC: u32 = 0x9e37_79b1;
const LINEAR: u32 = 0x7f4a_7c15;
const SEED: u32 = 0x5bd1_e995;

/// What a store writes into word i of the footprint is i times this, plus a number of the dispatch.
pub const STORED_FACTOR: u32 = QUADRATIC;

/// Words that share one hash.
const BLOCK_WORDS: u64 = 1024;

/// Largest footprint whose words a u32 can number: 16 GiB.
pub const MAX_FOOTPRINT_BYTES: u64 = 1 << 34;

/// The value of word `i` of the footprint.
pub fn word(i: u32) -> u32 {
    i.wrapping_mul(i.wrapping_mul(QUADRATIC).wrapping_add(LINEAR))
        .wrapping_add(hash(i / BLOCK_WORDS as u32))
}

/// Sum modulo 2^32 of words `first`, `first + step`, … (`count` of them), without visiting each.
///
/// Indexes are words of the footprint and must stay below 2^32.
pub fn sum_of_words(first: u64, step: u64, count: u64) -> u32 {
    if count == 0 {
        return 0;
    }
    if step == 0 {
        return word(first as u32).wrapping_mul(count as u32);
    }
    sum_of_quadratic(first, step, count).wrapping_add(sum_of_hashes(first, step, count))
}

/// The finalizer of MurmurHash3 (Appleby, public domain): every input bit flips every output bit half the time.
fn hash(block: u32) -> u32 {
    let mut h = block ^ SEED;
    h = (h ^ (h >> 16)).wrapping_mul(0x85eb_ca6b);
    h = (h ^ (h >> 13)).wrapping_mul(0xc2b2_ae35);
    h ^ (h >> 16)
}

/// Sum of `q(first + step*j)` for `j < count`: with n = count, sum j = n(n-1)/2 and sum j^2 = n(n-1)(2n-1)/6.
fn sum_of_quadratic(first: u64, step: u64, count: u64) -> u32 {
    let n = u128::from(count);
    // Below 2^97: exact before it is cut to 32 bits.
    let sum_j = (n * (n - 1) / 2) as u32;
    let sum_jj = (n * (n - 1) * (2 * n - 1) / 6) as u32;
    let (a, s, n) = (first as u32, step as u32, count as u32);
    let sum_i = a.wrapping_mul(n).wrapping_add(s.wrapping_mul(sum_j));
    let sum_ii = a
        .wrapping_mul(a)
        .wrapping_mul(n)
        .wrapping_add(a.wrapping_mul(s).wrapping_mul(sum_j).wrapping_mul(2))
        .wrapping_add(s.wrapping_mul(s).wrapping_mul(sum_jj));
    sum_ii
        .wrapping_mul(QUADRATIC)
        .wrapping_add(sum_i.wrapping_mul(LINEAR))
}

/// Sum of `h` over the sequence, a block at a time where a block holds several of its members.
fn sum_of_hashes(first: u64, step: u64, count: u64) -> u32 {
    let mut sum = 0_u32;
    let mut done = 0_u64;
    while done < count {
        let block = (first + step * done) / BLOCK_WORDS;
        let next = ((block + 1) * BLOCK_WORDS - first)
            .div_ceil(step)
            .min(count);
        sum = sum.wrapping_add(hash(block as u32).wrapping_mul((next - done) as u32));
        done = next;
    }
    sum
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn closed_form_equals_the_sum_of_each_word(
            first in 0_u64..(1 << 31),
            step in prop_oneof![0_u64..40, Just(1024), 1000_u64..5000],
            count in 0_u64..3000,
        ) {
            let each = (0..count).fold(0_u32, |sum, j| sum.wrapping_add(word((first + step * j) as u32)));
            prop_assert_eq!(sum_of_words(first, step, count), each);
        }
    }

    /// The faults a quadratic alone would miss: a base shifted, or an index wrapped, by a power of two.
    #[test]
    fn shifts_and_wraps_by_powers_of_two_change_the_sum() {
        let words_of_slice = 1_u64 << 23;
        for step in [1_u64, 2, 8, 32, 256] {
            let count = words_of_slice / step;
            for shift in 10..32 {
                let first = 3 << 23;
                let right = sum_of_words(first, step, count);
                assert_ne!(
                    right,
                    sum_of_words(first ^ (1 << shift), step, count),
                    "base shifted by 2^{shift} words"
                );
            }
            for bits in 10..23 {
                let wrapped = sum_of_words(0, step, (1_u64 << bits) / step);
                let times = count / ((1_u64 << bits) / step).max(1);
                if (1_u64 << bits) >= step {
                    assert_ne!(
                        sum_of_words(0, step, count),
                        wrapped.wrapping_mul(times as u32),
                        "index wrapped at 2^{bits} words"
                    );
                }
            }
        }
    }

    #[test]
    fn no_word_of_a_gibibyte_is_zero_often_enough_to_hide_a_lost_load() {
        let zeros = (0..1_u32 << 20)
            .filter(|i| word(i.wrapping_mul(257)) == 0)
            .count();
        assert_eq!(zeros, 0);
    }
}
