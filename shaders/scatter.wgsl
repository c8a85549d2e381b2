// Lane t of a window writes the element that a second index list names for it.
fn scatter_index_of(cursor: Cursor, lane: u32) -> u32 {
    let index = scatter_indexes[cursor.place * params.lanes + lane];
    return select(cursor.scatter_base + index, IDLE, index == IDLE);
}
