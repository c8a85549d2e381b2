//! `mixed`: half of the lanes read consecutive elements, the others scattered ones; the good half does not rescue the bad.

const SCATTERED_FIRST: u64 = 1000;
const SCATTERED_STRIDE: u64 = 64;

/// Element index of a lane: `lane` in the first half, `1000 + 64 * (lane - lanes / 2)` in the second.
pub fn lane_index(lane: u64, lanes: u64) -> u64 {
    let half = lanes / 2;
    if lane < half {
        lane
    } else {
        SCATTERED_FIRST + SCATTERED_STRIDE * (lane - half)
    }
}
