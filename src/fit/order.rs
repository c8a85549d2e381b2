//! How much the order of lanes inside a subgroup changes.

use crate::record::{Row, Status};

use super::{Ratio, is_trusted, touches_each_byte_once};

/// A pattern that touches what forward touches, in another order of lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OrderDeviation<'a> {
    /// The pattern's row.
    pub row: &'a Row,
    /// Its useful bandwidth over that of forward, of the same width, operation and layout; `None` where either has no figure.
    pub over_forward: Option<Ratio>,
    /// How far the ratio may be trusted: as forward's own figure where that is not, otherwise as the row's.
    pub status: Status,
}

/// Whether `row` is forward itself: consecutive lanes at consecutive elements.
pub fn is_forward(row: &Row) -> bool {
    row.pattern == "stride" && row.stride_elements == Some(1) && row.offset_bytes.is_none()
}

/// One for each of `rows` that forward is compared with, in their order. A broadcast has none: it touches other bytes.
pub fn order_deviations<'a>(rows: &[&'a Row]) -> Vec<OrderDeviation<'a>> {
    let others = rows.iter().copied().filter(|row| has_deviation(row));
    others
        .map(|row| {
            let forward = forward_of(rows, row);
            let doubtful = forward.map(|base| base.status);
            OrderDeviation {
                row,
                over_forward: forward.and_then(|base| Ratio::of(row, base)),
                status: doubtful
                    .filter(|status| !is_trusted(*status))
                    .unwrap_or(row.status),
            }
        })
        .collect()
}

/// Whether `row` is to be compared with forward. One that was never placed in memory is, and has no figure.
fn has_deviation(row: &Row) -> bool {
    !is_forward(row) && (touches_each_byte_once(row) || row.reuse == 0.0)
}

/// Forward of the same width, operation and layout as `row`.
pub fn forward_of<'a>(rows: &[&'a Row], row: &Row) -> Option<&'a Row> {
    rows.iter().copied().find(|base| {
        is_forward(base)
            && base.element_bytes == row.element_bytes
            && base.op == row.op
            && base.layout == row.layout
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(pattern: &str, useful: f64, reuse: f64) -> Row {
        Row {
            pattern: pattern.to_owned(),
            spec: pattern.to_owned(),
            status: Status::Ok,
            stride_elements: (pattern == "stride").then_some(1),
            element_bytes: 4,
            reuse,
            useful_gb_per_s: Some(useful),
            ..Row::default()
        }
    }

    #[test]
    fn every_order_is_held_against_forward_of_its_own_width() {
        let mut wide = row("reversed", 9.0, 1.0);
        wide.element_bytes = 16;
        let rows = [
            row("stride", 4.0, 1.0),
            row("reversed", 5.0, 1.0),
            row("broadcast", 0.5, 8.0),
            wide,
        ];
        let rows: Vec<&Row> = rows.iter().collect();
        let found: Vec<_> = order_deviations(&rows)
            .iter()
            .map(|of| (of.row.element_bytes, of.over_forward.map(|r| r.value)))
            .collect();
        assert_eq!(found, [(4, Some(1.25)), (16, None)]);
    }

    #[test]
    fn what_is_held_against_a_forward_that_is_not_trusted_is_no_better() {
        let mut forward = row("stride", 4.0, 1.0);
        forward.status = Status::CacheResident;
        let other = row("reversed", 5.0, 1.0);
        let found = order_deviations(&[&forward, &other])[0];
        assert_eq!(found.over_forward.map(|ratio| ratio.value), Some(1.25));
        assert_eq!(found.status, Status::CacheResident);
    }
}
