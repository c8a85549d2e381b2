//! `stride:D`: lane t reads element D * t; the classic experiment of this field.

/// Element index of a lane: `stride * lane`, a descending stride shifted so that the lowest index is 0.
///
/// Beyond 64 bits it stays at `u64::MAX`, which no window accepts.
pub fn lane_index(stride: i64, lane: u64, lanes: u64) -> u64 {
    let steps = if stride < 0 { lanes - 1 - lane } else { lane };
    steps.saturating_mul(stride.unsigned_abs())
}

/// Packed pitch in units of the stride: windows of stride 0 still lie side by side.
pub(super) fn pitch(stride: i64, lanes: u64) -> u64 {
    stride.unsigned_abs().max(1).saturating_mul(lanes)
}
