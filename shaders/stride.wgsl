// Lane t reads element D*t of its window. A negative D descends, shifted so that the lowest index is 0.
fn lane_index(lane: u32) -> u32 {
    let stride = bitcast<i32>(params.argument);
    let lowest = min(stride, 0) * i32(params.lanes - 1u);
    return u32(stride * i32(lane) - lowest);
}
