//! `broadcast`: every lane reads the window's first element; one transaction, and a reuse as large as the subgroup.

/// Element index of a lane: 0.
pub fn lane_index(_lane: u64) -> u64 {
    0
}
