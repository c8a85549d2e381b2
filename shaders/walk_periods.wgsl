// The windows of a period, and the period again and again: a list that is read over and over, the columns of a matrix.
struct Cursor {
    // Number of the window in its period.
    place: u32,
    // Index from which its period counts.
    base: u32,
    scatter_base: u32,
}

fn start(window: u32, lane: u32) -> Cursor {
    let from_zero = span(window);
    return Cursor(
        from_zero.place,
        params.base + from_zero.base,
        params.scatter_base + from_zero.scatter_base,
    );
}

// How far a cursor moves over so many windows. Divides, so the loop has it ready.
fn span(windows: u32) -> Cursor {
    let periods = windows / params.period;
    return Cursor(windows % params.period, periods * params.pitch, periods * params.scatter_pitch);
}

fn advance(cursor: Cursor, by: Cursor) -> Cursor {
    var next = Cursor(
        cursor.place + by.place,
        cursor.base + by.base,
        cursor.scatter_base + by.scatter_base,
    );
    if (next.place >= params.period) {
        next.place -= params.period;
        next.base += params.pitch;
        next.scatter_base += params.scatter_pitch;
    }
    return next;
}

fn index_of(cursor: Cursor, lane: u32) -> u32 {
    let index = window_index(cursor.place, lane);
    return select(cursor.base + index, IDLE, index == IDLE);
}
