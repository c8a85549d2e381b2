// Lane t reads element t of its window, along a row; what is beyond the row goes on in the next.
fn lane_index(lane: u32) -> u32 {
    return lane;
}
