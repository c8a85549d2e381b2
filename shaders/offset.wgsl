// Lane t reads element O+t of its window: consecutive, but not aligned.
fn lane_index(lane: u32) -> u32 {
    return params.argument + lane;
}
