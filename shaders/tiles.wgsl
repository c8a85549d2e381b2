// The tile that a workgroup transposes, of EDGE x EDGE elements but for the last ones of a row or column of tiles.
struct Tile {
    // Index of its first element where it is read, and of the mirror image of that where it is written.
    read_at: u32,
    write_at: u32,
    height: u32,
    width: u32,
}

fn tile_of(workgroup: vec3<u32>) -> Tile {
    let n = params.argument;
    let tiles = (n + EDGE - 1u) / EDGE;
    let row_of_tiles = params.first_window + workgroup.y;
    let matrix = params.base + row_of_tiles / tiles * params.pitch;
    let top = row_of_tiles % tiles * EDGE;
    let left = workgroup.x * EDGE;
    return Tile(
        matrix + top * n + left,
        matrix + left * n + top,
        min(EDGE, n - top),
        min(EDGE, n - left),
    );
}
