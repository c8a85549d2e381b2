// Square matrices are transposed through a tile in workgroup memory, so that they are both read and written along rows.

var<workgroup> staged: array<Element, EDGE * TILE_PITCH>;

@compute @workgroup_size(WORKGROUP_SIZE)
fn measure(
    @builtin(local_invocation_index) invocation: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
) {
    let n = params.argument;
    let tile = tile_of(workgroup);
    let a = params.abreast;
    let first_row = invocation / params.lanes;
    let first_column = invocation % params.lanes;
    for (var row = first_row; row < tile.height; row += 4u * a) {
        for (var column = first_column; column < tile.width; column += params.lanes) {
            // Four independent loads in flight. Past the last row of a matrix the last is read again, and staged again.
            let last = tile.height - 1u;
            let rows = min(vec4<u32>(row, row + a, row + 2u * a, row + 3u * a), vec4<u32>(last));
            let source = tile.read_at + column;
            let e0 = data[source + rows.x * n];
            let e1 = data[source + rows.y * n];
            let e2 = data[source + rows.z * n];
            let e3 = data[source + rows.w * n];
            staged[rows.x * TILE_PITCH + column] = plus(e0);
            staged[rows.y * TILE_PITCH + column] = plus(e1);
            staged[rows.z * TILE_PITCH + column] = plus(e2);
            staged[rows.w * TILE_PITCH + column] = plus(e3);
        }
    }
    workgroupBarrier();
    var elements = 0u;
    for (var row = first_row; row < tile.width; row += a) {
        for (var column = first_column; column < tile.height; column += params.lanes) {
            stored[tile.write_at + row * n + column] = staged[column * TILE_PITCH + row];
            elements += 1u;
        }
    }
    atomicAdd(&sums[(workgroup.x * WORKGROUP_SIZE + invocation) & 1023u], elements * WORDS);
}
