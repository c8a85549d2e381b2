//! `offset:O`: consecutive elements whose first lies O elements off the window's base; textbook misalignment.

/// Element index of a lane: `offset + lane`.
pub fn lane_index(offset: u64, lane: u64) -> u64 {
    offset.saturating_add(lane)
}
