// Writes the contents that every checksum is computed from; `word` stands before.

struct Fill {
    // Number of the buffer's first word in the whole footprint.
    first_word: u32,
    words: u32,
    invocations: u32,
}

@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> fill_params: Fill;

@compute @workgroup_size(64)
fn fill(@builtin(global_invocation_id) id: vec3<u32>) {
    for (var i = id.x; i < fill_params.words; i += fill_params.invocations) {
        data[i] = word(fill_params.first_word + i);
    }
}
