// Lane t reads element (W-1)-t of its window: consecutive, backwards.
fn lane_index(lane: u32) -> u32 {
    return params.lanes - 1u - lane;
}
