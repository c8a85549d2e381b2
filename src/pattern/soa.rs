//! `soa`: the field of [`structure`](super::structure) as an array of its own, so that lanes read consecutive elements.

/// Element index of a lane: `lane`.
pub fn lane_index(lane: u64) -> u64 {
    lane
}
