// Square matrices are read along their rows and written down their columns, tile by tile.
//
// A workgroup takes a tile of EDGE x EDGE elements, so that a line that one row of the tile writes in part is soon
// written on by the next.

@compute @workgroup_size(WORKGROUP_SIZE)
fn measure(
    @builtin(local_invocation_index) invocation: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
) {
    let n = params.argument;
    let tile = tile_of(workgroup);
    let a = params.abreast;
    var elements = 0u;
    for (var row = invocation / params.lanes; row < tile.height; row += 4u * a) {
        for (var column = invocation % params.lanes; column < tile.width; column += params.lanes) {
            // Four independent loads in flight. Past the last row of a matrix the last is read again, and not written.
            let last = tile.height - 1u;
            let source = tile.read_at + column;
            let e0 = data[source + row * n];
            let e1 = data[source + min(row + a, last) * n];
            let e2 = data[source + min(row + 2u * a, last) * n];
            let e3 = data[source + min(row + 3u * a, last) * n];
            let place = tile.write_at + column * n + row;
            stored[place] = plus(e0);
            if (row + a < tile.height) { stored[place + a] = plus(e1); }
            if (row + 2u * a < tile.height) { stored[place + 2u * a] = plus(e2); }
            if (row + 3u * a < tile.height) { stored[place + 3u * a] = plus(e3); }
            elements += min((tile.height - row + a - 1u) / a, 4u);
        }
    }
    atomicAdd(&sums[(workgroup.x * WORKGROUP_SIZE + invocation) & 1023u], elements * WORDS);
}
