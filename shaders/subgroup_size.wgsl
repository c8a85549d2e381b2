// Asks the hardware how many lanes a subgroup has; run on a device of its own, as docs/METHODOLOGY.md explains.
@group(0) @binding(0) var<storage, read_write> smallest_and_largest: array<atomic<u32>, 2>;

@compute @workgroup_size(128)
fn subgroup_size(@builtin(subgroup_size) size: u32) {
    atomicMin(&smallest_and_largest[0], size);
    atomicMax(&smallest_and_largest[1], size);
}
