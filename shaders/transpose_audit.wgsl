// Counts the words of transposed matrices that hold what was read at their place's mirror image.

@compute @workgroup_size(WORKGROUP_SIZE)
fn measure(
    @builtin(local_invocation_index) invocation: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
) {
    let n = params.argument;
    let tile = tile_of(workgroup);
    var words = 0u;
    for (var row = invocation / params.lanes; row < tile.height; row += params.abreast) {
        for (var column = invocation % params.lanes; column < tile.width; column += params.lanes) {
            words += matching(data[tile.write_at + column * n + row], copied(tile.read_at + row * n + column));
        }
    }
    atomicAdd(&sums[(workgroup.x * WORKGROUP_SIZE + invocation) & 1023u], words);
}
