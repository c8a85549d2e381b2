//! From sweeps of a run or of anybody's table to the verdict that files hold.

use super::granule::{Inference, Point, StrideCurve};
use crate::record::{Inferred, Row, SweepTable};

/// The element widths, in bytes, of which `rows` hold a stride sweep, the first swept first.
pub fn swept_element_bytes(rows: &[&Row]) -> Vec<u32> {
    let mut widths = Vec::new();
    for row in rows {
        if !widths.contains(&row.element_bytes) {
            widths.push(row.element_bytes);
        }
    }
    widths.retain(|&width| StrideCurve::of_rows(rows, width).is_some());
    widths
}

/// The sweep that anybody's table holds.
pub fn table_curve(table: &SweepTable, element_bytes: u32) -> StrideCurve {
    let points = table.rows.iter().map(|row| Point {
        stride_elements: row.stride_elements,
        useful_gb_per_s: row.useful_gb_per_s,
        half_width: row
            .interval_gb_per_s
            .map(|(low, high)| (high - low) / 2.0 / row.useful_gb_per_s),
    });
    StrideCurve::new(element_bytes, points)
}

/// What files hold of the `inference` that `curve` gave.
pub fn inferred(curve: &StrideCurve, inference: &Inference) -> Inferred {
    Inferred {
        granule_bytes: inference.granule_bytes,
        line_bytes: inference.line_bytes,
        confidence: inference.confidence,
        fetch_gb_per_s: inference.fetch_gb_per_s,
        issue_gb_per_s: inference.issue_gb_per_s,
        residual_percent: inference.residual_percent,
        decline_from_stride: inference.decline_from_stride,
        verdict: inference.verdict(),
        reasons: inference.reasons.clone(),
        element_bytes: inference.element_bytes,
        strides: curve.points().len(),
        fetch_is_lower_bound: inference.fetch_is_lower_bound,
        issue_is_lower_bound: inference.issue_is_lower_bound,
        fetch_bound_from_stride: inference.fetch_bound_from_stride(),
    }
}
