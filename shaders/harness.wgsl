// What every load kernel shares: which windows an invocation visits, several loads in flight, and the checksum.
//
// Before this file stands the pattern (`lane_index`) and, generated, `load`: it reads `data` and folds the words it read
// into one. `load` is told window and lane too, so that an echo kernel can record addresses out of this very loop.

struct Params {
    // Index in `data` of what lane index 0 of the first window reads.
    base: u32,
    // Elements from one window to the next.
    pitch: u32,
    // Windows that one pass visits, each exactly once. Rows of workgroups (`workgroup_id.y`) are passes over the same
    // windows: a pass is mostly done before the next begins, so that a window comes back after all others were visited.
    windows: u32,
    // Consecutive windows that one workgroup visits.
    windows_per_workgroup: u32,
    // Lanes of a window.
    lanes: u32,
    // Windows side by side in one workgroup: WORKGROUP_SIZE / lanes.
    abreast: u32,
    // The pattern's own number, a two's complement where it may be negative.
    argument: u32,
}

@group(1) @binding(0) var<uniform> params: Params;
// Partial checksums. Neighbouring invocations add to neighbouring words, so that the additions coalesce too.
@group(1) @binding(1) var<storage, read_write> sums: array<atomic<u32>, 1024>;

override WORKGROUP_SIZE: u32;

@compute @workgroup_size(WORKGROUP_SIZE)
fn measure(
    @builtin(local_invocation_index) invocation: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
) {
    let first = workgroup.x * params.windows_per_workgroup;
    let end = min(first + params.windows_per_workgroup, params.windows);
    let lane = invocation % params.lanes;
    let column = invocation / params.lanes;
    let w = params.abreast;
    let step = w * params.pitch;
    // Four runs of consecutive windows side by side, two windows of each at a time: eight independent loads in flight,
    // and four streams for hardware that prefetches. Unrolled by hand because no compiler is promised to.
    let run = (end - first) / (8u * w) * 2u * w;
    let run_step = run * params.pitch;

    var sum = 0u;
    var window = first + column;
    var index = params.base + window * params.pitch + lane_index(lane);
    while (window < first + run) {
        let a = load(window, lane, index);
        let b = load(window + run, lane, index + run_step);
        let c = load(window + 2u * run, lane, index + 2u * run_step);
        let d = load(window + 3u * run, lane, index + 3u * run_step);
        let e = load(window + w, lane, index + step);
        let f = load(window + w + run, lane, index + step + run_step);
        let g = load(window + w + 2u * run, lane, index + step + 2u * run_step);
        let h = load(window + w + 3u * run, lane, index + step + 3u * run_step);
        sum += ((a + b) + (c + d)) + ((e + f) + (g + h));
        window += 2u * w;
        index += 2u * step;
    }
    // What eight loads of every lane do not divide.
    window = first + 4u * run + column;
    index = params.base + window * params.pitch + lane_index(lane);
    while (window < end) {
        sum += load(window, lane, index);
        window += w;
        index += step;
    }
    atomicAdd(&sums[(workgroup.x * WORKGROUP_SIZE + invocation) & 1023u], sum);
}
