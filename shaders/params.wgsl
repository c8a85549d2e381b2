// What the host tells a kernel, and where checksums go.

struct Params {
    // Index of the unit from which the indexes of a slice count.
    base: u32,
    // Units from one window to the next; from one period of windows to the next where a walk has periods.
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
    // Number in the slice of the first window (of a transpose, row of tiles) that is visited.
    first_window: u32,
    // Windows of a period.
    period: u32,
    // As base and pitch, of the list that is stored through where that is another than the one that is loaded through.
    scatter_base: u32,
    scatter_pitch: u32,
    // Number in the whole footprint of the first word of the buffer that is bound.
    first_word: u32,
    // Added to what is stored; another one for every sample, so that nothing old is taken for new.
    addend: u32,
}

@group(1) @binding(0) var<uniform> params: Params;
// Partial checksums. Neighbouring invocations add to neighbouring words, so that the additions coalesce too.
@group(1) @binding(1) var<storage, read_write> sums: array<atomic<u32>, 1024>;
// Indexes of the lanes of each window of a period; IDLE for a lane that does nothing.
@group(2) @binding(0) var<storage, read> indexes: array<u32>;
@group(2) @binding(1) var<storage, read> scatter_indexes: array<u32>;

const IDLE = 0xffffffffu;

override WORKGROUP_SIZE: u32;
