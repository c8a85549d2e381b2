// Lanes are dealt to K runs of consecutive elements in turn: lane t reads element t/K of run t%K.
fn lane_index(lane: u32) -> u32 {
    let runs = params.argument;
    let run = lane % runs;
    // Runs before the remainder are one element longer.
    return run * (params.lanes / runs) + min(run, params.lanes % runs) + lane / runs;
}
