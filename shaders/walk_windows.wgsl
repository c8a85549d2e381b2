// One window after another at a constant pitch: a cursor is the index that a lane accesses.
alias Cursor = u32;

fn start(window: u32, lane: u32) -> Cursor {
    return params.base + window * params.pitch + lane_index(lane);
}

// How far a cursor moves over so many windows.
fn span(windows: u32) -> Cursor {
    return windows * params.pitch;
}

fn advance(cursor: Cursor, by: Cursor) -> Cursor {
    return cursor + by;
}

fn index_of(cursor: Cursor, lane: u32) -> u32 {
    return cursor;
}
