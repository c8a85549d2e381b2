//! Made-up rows of stores and copies, by a memory that follows a policy.

use coalescope::fit::{Policy, store_efficiency};
use coalescope::record::{Row, TRANSACTION_BYTES};

use crate::rows::row;

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
