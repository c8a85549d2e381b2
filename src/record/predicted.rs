//! The columns of the model: what a case costs by count, and of what shape it is.

use super::row::Row;
use crate::executor::{CaseCounts, Prediction, TRANSACTION_BYTES};

/// The model's figures: of one repetition, and of the whole footprint, or the working set, visited once.
pub(super) fn predict(row: &mut Row, prediction: &Prediction) {
    row.pitch_bytes = prediction.pitch_bytes;
    (row.index_bytes_requested, row.index_bytes_used) = prediction.index_bytes;
    row.strided_side = match prediction.strided_sides[..] {
        [] => String::new(),
        [side] => side.to_string(),
        [..] => "both".to_owned(),
    };
    if let Some(subgroup) = &prediction.subgroups {
        [
            row.transactions_subgroup_32b,
            row.transactions_subgroup_64b,
            row.transactions_subgroup_128b,
        ] = subgroup.map(|counts| counts.transactions);
        [
            row.efficiency_subgroup_32b,
            row.efficiency_subgroup_64b,
            row.efficiency_subgroup_128b,
        ] = subgroup.map(|counts| counts.efficiency());
    }
    if let Some(counts) = prediction.dispatch {
        dispatch(row, counts);
    }
}

fn dispatch(row: &mut Row, counts: [CaseCounts; 3]) {
    let [any, ..] = counts;
    row.windows = any.windows;
    row.bytes_requested = any.bytes_requested;
    row.bytes_loaded = any.bytes_loaded;
    row.bytes_stored = any.bytes_stored;
    row.bytes_used = any.bytes_used();
    row.reuse = any.bytes_requested as f64 / any.bytes_used().max(1) as f64;
    [
        row.transactions_unshared_32b,
        row.transactions_unshared_64b,
        row.transactions_unshared_128b,
    ] = counts.map(|counts| counts.unshared);
    [
        row.transactions_compulsory_32b,
        row.transactions_compulsory_64b,
        row.transactions_compulsory_128b,
    ] = counts.map(|counts| counts.compulsory);
    [
        row.transactions_store_32b,
        row.transactions_store_64b,
        row.transactions_store_128b,
    ] = counts.map(|counts| counts.stored);
    [
        row.transactions_store_partial_32b,
        row.transactions_store_partial_64b,
        row.transactions_store_partial_128b,
    ] = counts.map(|counts| counts.stored_partly);
    let sizes = [0, 1, 2];
    let efficiency = |transactions: [u64; 3]| {
        sizes.map(|i| {
            let fetched = (transactions[i].max(1) * TRANSACTION_BYTES[i]) as f64;
            // Rounding may lift the ratio of two large figures by a last digit.
            (any.bytes_used() as f64 / fetched).min(1.0)
        })
    };
    [
        row.efficiency_unshared_32b,
        row.efficiency_unshared_64b,
        row.efficiency_unshared_128b,
    ] = efficiency(counts.map(|counts| counts.unshared));
    [
        row.efficiency_compulsory_32b,
        row.efficiency_compulsory_64b,
        row.efficiency_compulsory_128b,
    ] = efficiency(counts.map(|counts| counts.compulsory));
}
