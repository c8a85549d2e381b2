//! `reversed`: consecutive elements in descending order; the order inside a subgroup is free.

/// Element index of a lane: `lanes - 1 - lane`.
pub fn lane_index(lane: u64, lanes: u64) -> u64 {
    lanes - 1 - lane
}
