// What measured memory holds: word i of the footprint is q(i) + h(i >> 10).
//
// q is a quadratic, so the sum over any arithmetic sequence has a closed form; h is a hash of the 4 KiB block, without
// which a shift or wrap by a power of two could go unseen. Neither compresses. The Rust twin is executor/contents.rs.

// The finalizer of MurmurHash3: every input bit flips every output bit half the time.
fn hash(block: u32) -> u32 {
    var h = block ^ 0x5bd1e995u;
    h = (h ^ (h >> 16u)) * 0x85ebca6bu;
    h = (h ^ (h >> 13u)) * 0xc2b2ae35u;
    return h ^ (h >> 16u);
}

fn word(i: u32) -> u32 {
    return i * (i * 0x9e3779b1u + 0x7f4a7c15u) + hash(i >> 10u);
}
