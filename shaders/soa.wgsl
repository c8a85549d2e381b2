// Lane t reads element t of its window: the field of a struct, kept as an array of its own.
fn lane_index(lane: u32) -> u32 {
    return lane;
}
