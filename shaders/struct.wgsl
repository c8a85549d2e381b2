// Lane t reads one field of the t-th struct of its window; `data` is an array of that struct.
fn lane_index(lane: u32) -> u32 {
    return lane;
}
