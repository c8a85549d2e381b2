// Lane t reads the element N*t below the head of its window: one row a lane.
fn lane_index(lane: u32) -> u32 {
    return params.argument * lane;
}

// Windows of a column follow one another downwards.
fn window_index(place: u32, lane: u32) -> u32 {
    return params.argument * params.lanes * place + lane_index(lane);
}
