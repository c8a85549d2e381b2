//! Made-up rows of the suites that compare patterns by name.

use coalescope::fit::{Policy, store_efficiency};
use coalescope::record::{Row, Status, TRANSACTION_BYTES};

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

/// A store or copy by every `stride`th lane's element of 4 bytes over the whole footprint; copies stride on the load side too.
pub(crate) fn store(op: &str, stride: u64, useful_gb_per_s: Option<f64>) -> Row {
    let spec = format!("stride:{stride},op={op}");
    let sides = if op == "copy" { 2 } else { 1 };
    let efficiency = TRANSACTION_BYTES.map(|t| (1.0 / stride as f64).max(4.0 / t as f64));
    let mut row = row("store", &spec, efficiency, useful_gb_per_s);
    let accesses = row.footprint_bytes / 4 / stride;
    let blocks = TRANSACTION_BYTES.map(|t| accesses.min(row.footprint_bytes / t));
    let partial = blocks.map(|n| Some(if stride == 1 { 0 } else { n }));
    row.pattern = "stride".to_owned();
    row.op = op.to_owned();
    row.strided_side = match (stride, op) {
        (1, _) => "",
        (_, "copy") => "both",
        _ => "store",
    }
    .to_owned();
    row.stride_elements = Some(stride as i64);
    row.bytes_stored = accesses * 4;
    row.bytes_loaded = accesses * 4 * (sides - 1);
    row.bytes_used = accesses * 4 * sides;
    row.bytes_requested = row.bytes_used;
    [
        row.transactions_store_32b,
        row.transactions_store_64b,
        row.transactions_store_128b,
    ] = blocks;
    [
        row.transactions_store_partial_32b,
        row.transactions_store_partial_64b,
        row.transactions_store_partial_128b,
    ] = partial;
    [
        row.transactions_compulsory_32b,
        row.transactions_compulsory_64b,
        row.transactions_compulsory_128b,
    ] = blocks.map(|n| n * sides);
    row.fetch_plateau_gb_per_s = Some(22.0);
    row
}

/// A sweep of a memory that follows `policy` in blocks of 64 bytes, moves `memory_gb_per_s` and takes stores no faster than
/// `issue_gb_per_s`, with a few per cent of spread.
pub(crate) fn store_sweep(
    op: &str,
    policy: Policy,
    memory_gb_per_s: f64,
    issue_gb_per_s: f64,
) -> Vec<Row> {
    let strides = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32];
    let of = |stride: u64| {
        let spread = 1.0 + 0.02 * (stride * 7 % 5) as f64 - 0.04;
        let efficiency = store_efficiency(&store(op, stride, None), policy, 1).unwrap();
        let useful = (memory_gb_per_s * efficiency).min(issue_gb_per_s) * spread;
        store(op, stride, Some(useful))
    };
    strides.map(of).into()
}
