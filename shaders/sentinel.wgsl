// Around a store that is to be proven: writes a sentinel everywhere, and afterwards counts the words that still hold it.
//
// `word` stands before. A sentinel differs from whatever the same word may be given by a store or by a copy to the same
// place, because those have another addend.

struct Zone {
    // Number of the buffer's first word in the whole footprint.
    first_word: u32,
    // First word of the zone in the buffer, and one past its last.
    begin: u32,
    end: u32,
    invocations: u32,
    // 1 where copies are proven, 0 where stores are.
    copies: u32,
}

@group(0) @binding(0) var<storage, read_write> data: array<u32>;
@group(0) @binding(1) var<uniform> zone: Zone;
@group(0) @binding(2) var<storage, read_write> found: array<atomic<u32>, 64>;

fn sentinel(i: u32) -> u32 {
    let n = zone.first_word + i;
    if (zone.copies == 1u) {
        return word(n);
    }
    return n * 0x9e3779b1u;
}

@compute @workgroup_size(64)
fn plant(@builtin(global_invocation_id) id: vec3<u32>) {
    for (var i = zone.begin + id.x; i < zone.end; i += zone.invocations) {
        data[i] = sentinel(i);
    }
}

@compute @workgroup_size(64)
fn count(@builtin(global_invocation_id) id: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    var words = 0u;
    for (var i = zone.begin + id.x; i < zone.end; i += zone.invocations) {
        words += select(0u, 1u, data[i] == sentinel(i));
    }
    atomicAdd(&found[invocation], words);
}
