//! `row:N`, `column:N` and `transpose:N`: a row-major matrix N elements wide, walked along a row, down a column, or both.

/// Element index of a lane along a row: `lane`.
///
/// Rows follow one another, so lanes beyond the width go on in the next row.
pub fn row_lane_index(lane: u64) -> u64 {
    lane
}

/// Element index of a lane down a column: `width * lane`, one row a lane.
pub fn column_lane_index(width: u64, lane: u64) -> u64 {
    width.saturating_mul(lane)
}

/// Packed pitch of column windows in elements: window k covers rows k * lanes and on of the first column.
///
/// At the matrix's last row a kernel moves on to the next column. The pitch describes the windows of one column only:
/// how many rows a matrix has is no part of a spec, and what neighbouring columns share is not counted.
pub(super) fn column_pitch(width: u64, lanes: u64) -> u64 {
    width.saturating_mul(lanes)
}
