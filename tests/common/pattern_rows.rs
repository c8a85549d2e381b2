//! Made-up rows of the suites that compare patterns by name.

use coalescope::record::{Row, Status};

use crate::rows::row;

/// An order of lanes: it touches what forward touches, but for the broadcast.
pub(crate) fn order(spec: &str, useful_gb_per_s: Option<f64>) -> Row {
    let broadcast = spec.starts_with("broadcast");
    let efficiency = if broadcast { [0.125; 3] } else { [1.0; 3] };
    let mut row = row("order", spec, efficiency, useful_gb_per_s);
    let pattern = spec.split([':', ',']).next().unwrap_or_default();
    row.pattern = pattern.to_owned();
    row.stride_elements = (pattern == "stride").then_some(1);
    if broadcast {
        row.reuse = 8.0;
        row.requested_gb_per_s = useful_gb_per_s.map(|useful| useful * 8.0);
    }
    row
}

/// Most orders within noise of forward, one of them not.
pub(crate) fn order_suite() -> Vec<Row> {
    let mut rows: Vec<Row> = [
        ("stride:1", 4.93),
        ("reversed", 4.88),
        ("permuted", 4.97),
        ("permuted:2", 4.31),
        ("permuted:3", 5.02),
        ("interleaved:2", 4.95),
        ("interleaved:4", 4.71),
        ("interleaved:8", 4.9),
        ("broadcast", 0.62),
    ]
    .map(|(spec, useful)| order(spec, Some(useful)))
    .into();
    rows[6].status = Status::Noisy;
    rows[6].useful_low_gb_per_s = Some(4.2);
    rows[6].useful_high_gb_per_s = Some(5.2);
    rows
}
