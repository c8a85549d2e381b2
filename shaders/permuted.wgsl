// Lane t reads element p(t) of its window, p a permutation that the host has drawn. It is looked up before the loops.
fn lane_index(lane: u32) -> u32 {
    return indexes[lane];
}
