//! What memory does when a block is written, as far as the rows can tell.

use super::{Finding, left_out};
use crate::fit::{StorePolicy, store_policy};
use crate::record::Row;
use crate::units::significant;

/// What `rows`, those of the suite, say; `None` where nothing was stored.
pub(super) fn finding(rows: &[&Row]) -> Option<Finding> {
    let width = swept_width(rows)?;
    let stores: Vec<&Row> = rows
        .iter()
        .copied()
        .filter(|row| row.op == "store" && row.element_bytes == width)
        .collect();
    let verdict = verdict(&store_policy(&stores), width);
    let remarks = std::iter::once(verdict.clone()).chain(left_out(&stores));
    Some(Finding {
        heading: "What does memory move when a block is written?",
        remarks: remarks.collect(),
        notes: vec![verdict],
        ..Finding::default()
    })
}

/// The width of element that most stores have: wider ones have an issue ceiling of their own.
fn swept_width(rows: &[&Row]) -> Option<u32> {
    let widths = || {
        let stores = rows.iter().filter(|row| row.op == "store");
        stores.map(|row| row.element_bytes)
    };
    widths().max_by_key(|width| {
        let same = widths().filter(|other| other == width).count();
        (same, std::cmp::Reverse(*width))
    })
}

fn verdict(found: &StorePolicy, element_bytes: u32) -> String {
    let mut sentence = match found.policy {
        Some(policy) => format!(
            "stores of {element_bytes} B: {policy}, in blocks of {} B ({})",
            found.transaction_bytes, found.reason
        ),
        None => format!(
            "stores of {element_bytes} B: undetermined: {}",
            found.reason
        ),
    };
    if let Some(ceiling) = found.issue_gb_per_s {
        sentence.push_str(&format!(
            "; rows near the issue ceiling of {} GB/s are not compared",
            significant(ceiling)
        ));
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::super::made_up::{borrowed, row};
    use super::*;
    use crate::record::Status;

    const BLOCKS: u64 = 1 << 20;

    /// A store of every `stride`th element by a memory that moves `fetch` GB/s and reads no block before it writes it.
    fn store(stride: u64, fetch: f64) -> Row {
        let efficiency = 1.0 / stride as f64;
        let blocks = |bytes: u64| (BLOCKS * 64 / bytes).min(BLOCKS * 16 / stride);
        let partial = |bytes| Some(if stride == 1 { 0 } else { blocks(bytes) });
        Row {
            op: "store".to_owned(),
            stride_elements: Some(stride as i64),
            bytes_used: BLOCKS * 64 / stride,
            bytes_stored: BLOCKS * 64 / stride,
            transactions_store_32b: blocks(32),
            transactions_store_64b: blocks(64),
            transactions_store_128b: blocks(128),
            transactions_compulsory_32b: blocks(32),
            transactions_compulsory_64b: blocks(64),
            transactions_compulsory_128b: blocks(128),
            transactions_store_partial_32b: partial(32),
            transactions_store_partial_64b: partial(64),
            transactions_store_partial_128b: partial(128),
            fetch_plateau_gb_per_s: Some(22.0),
            ..row(
                "stride",
                &format!("stride:{stride},op=store"),
                fetch * efficiency,
            )
        }
    }

    #[test]
    fn the_policy_is_named_with_its_block_and_its_residual() {
        let mut rows: Vec<Row> = [1, 2, 3, 4, 6, 8].map(|d| store(d, 22.0)).into();
        let wide = Row {
            element_bytes: 16,
            ..store(1, 60.0)
        };
        rows.push(wide);
        let found = finding(&borrowed(&rows)).expect("a finding");
        assert_eq!(
            found.notes,
            [
                "stores of 4 B: write only what was touched, in blocks of 32 B (0 % off at the median of 6 rows, by B = 22.0 GB/s, \
                 the plateau of loads)"
            ]
        );
        assert_eq!(found.remarks, found.notes);
    }

    #[test]
    fn why_it_is_undetermined_is_said() {
        let mut rows: Vec<Row> = [1, 2, 3, 4].map(|d| store(d, 22.0)).into();
        rows[0].status = Status::CacheResident;
        rows[1].status = Status::Skipped;
        let found = finding(&borrowed(&rows)).expect("a finding");
        assert_eq!(
            found.remarks,
            [
                "stores of 4 B: undetermined: 2 rows can be compared, and fewer than 3 tell nothing",
                "left out: 1 cache-resident, 1 skipped"
            ]
        );
        assert_eq!(finding(&[&row("stride", "stride:1", 5.0)]), None);
    }
}
