//! B and C as far as the rows of one suite show them.

use crate::record::{Row, Status};
use crate::stats::plateau;

/// Reuse this close to 1 is rounding.
const SAME_REUSE: f64 = 1e-6;

/// Whether a figure with this status may stand for the memory: measured, with no guard raised but a wide interval.
pub fn is_trusted(status: Status) -> bool {
    matches!(status, Status::Ok | Status::Noisy)
}

/// The useful bandwidth of a row in GB/s, where it is trusted and above zero.
pub fn trusted_gb_per_s(row: &Row) -> Option<f64> {
    row.useful_gb_per_s
        .filter(|figure| is_trusted(row.status) && figure.is_finite() && *figure > 0.0)
}

/// Whether no byte is asked for twice.
pub fn touches_each_byte_once(row: &Row) -> bool {
    (row.reuse - 1.0).abs() < SAME_REUSE
}

/// B, the bandwidth at which memory fetches transactions of one size, in GB/s: the plateau of the fetched bandwidths in the rows
/// that touch each byte once.
///
/// Only rows that are `ok` count, as in the column `fetch_plateau_gb_per_s`; where there is none, the noisy ones do.
pub fn fetch_plateau_gb_per_s(rows: &[&Row], transaction_index: usize) -> Option<f64> {
    let fetched = |wanted: fn(Status) -> bool| {
        let fetched: Vec<f64> = rows
            .iter()
            .filter(|row| wanted(row.status) && touches_each_byte_once(row))
            .filter_map(|row| row.fetched_gb_per_s()[transaction_index])
            .filter(|v| v.is_finite() && *v > 0.0)
            .collect();
        plateau(&fetched)
    };
    fetched(|status| status == Status::Ok).or_else(|| fetched(is_trusted))
}

/// The issue ceiling in GB/s, as far as a sweep shows it: the highest useful bandwidth in trusted rows that touch each byte once.
pub fn issue_ceiling_gb_per_s(rows: &[&Row]) -> Option<f64> {
    rows.iter()
        .filter(|row| touches_each_byte_once(row))
        .filter_map(|row| trusted_gb_per_s(row))
        .max_by(f64::total_cmp)
}
