//! The padded layout: windows far enough apart that none shares a granule with its neighbour.

use crate::model::gcd;

/// The largest granule that padded windows do not share, in bytes.
pub(super) const GRANULE_BYTES: u64 = 512;

/// The padded pitch in bytes of a window of `extent_bytes` that is shifted by `shift_bytes`.
///
/// Room for a shift of one granule is always left, so that all offsets of a sweep up to there, the baseline included,
/// have one pitch. An odd number of granules keeps windows from meeting in the same sets and channels; with `multiple_of_bytes`
/// (the size of a struct, or 1) the pitch is also a multiple of that, and then odd where the size allows it.
/// Beyond 64 bits it stays at `u64::MAX`.
pub(super) fn padded_bytes(extent_bytes: u64, shift_bytes: u64, multiple_of_bytes: u64) -> u64 {
    let pitch = || {
        let room = shift_bytes
            .max(GRANULE_BYTES)
            .checked_next_multiple_of(GRANULE_BYTES)?;
        let needed = extent_bytes
            .checked_next_multiple_of(GRANULE_BYTES)?
            .checked_add(room)?;
        let unit = (GRANULE_BYTES / gcd(GRANULE_BYTES, multiple_of_bytes))
            .checked_mul(multiple_of_bytes)?;
        unit.checked_mul(needed.div_ceil(unit) | 1)
    };
    pitch().unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padded_pitches_are_odd_granules_and_ignore_small_shifts() {
        for (extent, shift, multiple, pitch) in [
            (128, 0, 1, 1536),
            (128, 128, 1, 1536),
            (128, 512, 1, 1536),
            (512, 512, 1, 1536),
            (513, 0, 1, 1536),
            (1025, 0, 1, 2560),
            (128, 513, 1, 1536),
            (128, 1025, 1, 2560),
            (384, 0, 12, 1536),
            (768, 0, 24, 1536),
            (32 * 20, 0, 20, 2560),
        ] {
            assert_eq!(
                padded_bytes(extent, shift, multiple),
                pitch,
                "extent {extent}, shift {shift}, multiple of {multiple}"
            );
        }
    }
}
