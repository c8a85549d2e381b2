// Lane t of a window reads the element that the index list names for it.
fn window_index(place: u32, lane: u32) -> u32 {
    return indexes[place * params.lanes + lane];
}
