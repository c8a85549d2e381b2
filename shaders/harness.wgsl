// What every kernel shares that walks windows: which ones an invocation visits, several accesses in flight, the checksum.
//
// Before this file stand the pattern, the cursor that walks it (`walk_windows.wgsl` or `walk_periods.wgsl`) and,
// generated, `access`: it loads or stores at a cursor, and returns the words that it read folded into one. It is told
// window and lane too, so that an echo kernel can record addresses out of this very loop.

@compute @workgroup_size(WORKGROUP_SIZE)
fn measure(
    @builtin(local_invocation_index) invocation: u32,
    @builtin(workgroup_id) workgroup: vec3<u32>,
) {
    let first = params.first_window + workgroup.x * params.windows_per_workgroup;
    let end = min(first + params.windows_per_workgroup, params.first_window + params.windows);
    let lane = invocation % params.lanes;
    let column = invocation / params.lanes;
    let w = params.abreast;
    // Four runs of consecutive windows side by side, two windows of each at a time: eight independent accesses in flight,
    // and four streams for hardware that prefetches. Unrolled by hand because no compiler is promised to.
    let run = (end - first) / (8u * w) * 2u * w;
    let to_next_run = span(run);
    let step = span(w);
    let two_steps = span(2u * w);

    var sum = 0u;
    var window = first + column;
    var a = start(window, lane);
    var b = advance(a, to_next_run);
    var c = advance(b, to_next_run);
    var d = advance(c, to_next_run);
    while (window < first + run) {
        let a0 = access(window, lane, a);
        let b0 = access(window + run, lane, b);
        let c0 = access(window + 2u * run, lane, c);
        let d0 = access(window + 3u * run, lane, d);
        let a1 = access(window + w, lane, advance(a, step));
        let b1 = access(window + w + run, lane, advance(b, step));
        let c1 = access(window + w + 2u * run, lane, advance(c, step));
        let d1 = access(window + w + 3u * run, lane, advance(d, step));
        sum += ((a0 + b0) + (c0 + d0)) + ((a1 + b1) + (c1 + d1));
        window += 2u * w;
        a = advance(a, two_steps);
        b = advance(b, two_steps);
        c = advance(c, two_steps);
        d = advance(d, two_steps);
    }
    // What eight accesses of every lane do not divide.
    window = first + 4u * run + column;
    a = start(window, lane);
    while (window < end) {
        sum += access(window, lane, a);
        window += w;
        a = advance(a, step);
    }
    atomicAdd(&sums[(workgroup.x * WORKGROUP_SIZE + invocation) & 1023u], sum);
}
