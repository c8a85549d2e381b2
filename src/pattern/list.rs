//! `list:I,I,...`: explicit element indexes.

use super::pitch::GRANULE_BYTES;

/// Element index of a lane: the entry of that number; lanes beyond the list have none.
pub fn lane_index(list: &[u64], lane: u64) -> Option<u64> {
    list.get(usize::try_from(lane).ok()?).copied()
}

/// Packed pitch in bytes of windows with gaps: one past their highest byte, rounded up so that each has its own granules.
pub(super) fn pitch_bytes(extent_bytes: u64) -> u64 {
    extent_bytes
        .checked_next_multiple_of(GRANULE_BYTES)
        .unwrap_or(u64::MAX)
}
