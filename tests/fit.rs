//! What is inferred from made-up rows whose truth is known, and that nothing is where they cannot tell.

#[path = "common/rows.rs"]
#[allow(dead_code, reason = "the sweeps are for the charts")]
mod rows;
#[path = "common/store_rows.rs"]
mod store_rows;

use coalescope::fit::{Policy, StorePolicy, store_policy};
use coalescope::record::{Row, Status};
use store_rows::store_sweep;

const NO_LIMIT: f64 = f64::INFINITY;

fn fitted(rows: &[Row]) -> StorePolicy {
    store_policy(&rows.iter().collect::<Vec<_>>())
}

fn without_plateau(mut rows: Vec<Row>) -> Vec<Row> {
    rows.iter_mut()
        .for_each(|row| row.fetch_plateau_gb_per_s = None);
    rows
}

#[test]
fn the_policy_that_a_memory_follows_is_named_with_its_block() {
    for policy in Policy::ALL {
        for memory_gb_per_s in [22.0, 19.5, 25.0] {
            let found = fitted(&store_sweep("store", policy, memory_gb_per_s, NO_LIMIT));
            assert_eq!(
                (found.policy, found.transaction_bytes, found.at_gb_per_s),
                (Some(policy), 64, Some(22.0)),
                "{memory_gb_per_s}: {found:#?}"
            );
        }
    }
}

#[test]
fn full_coverage_is_needed_to_tell_a_fill_from_an_allocation() {
    let mut rows = store_sweep("store", Policy::AllocateAlways, 22.0, NO_LIMIT);
    assert_eq!(fitted(&rows).policy, Some(Policy::AllocateAlways));
    rows.remove(0);
    let found = fitted(&rows);
    assert_eq!(found.policy, None);
    assert!(
        found.reason.contains("predict the same for every row"),
        "{}",
        found.reason
    );
    // Nothing but the least traffic explains a bandwidth this high.
    let mut rows = store_sweep("store", Policy::WriteTouched, 22.0, NO_LIMIT);
    rows.remove(0);
    assert_eq!(fitted(&rows).policy, Some(Policy::WriteTouched));
}

#[test]
fn rows_that_issue_limits_tell_nothing() {
    let rows = store_sweep("store", Policy::FillPartial, 22.0, 5.0);
    let found = fitted(&rows);
    // Stride 1 is all that covers its blocks, and no faster than stride 2.
    assert_eq!((found.policy, found.rows), (None, 8), "{found:#?}");
    let rows = store_sweep("store", Policy::WriteTouched, 22.0, 5.0);
    assert_eq!(fitted(&rows).policy, Some(Policy::WriteTouched));
}

#[test]
fn the_shape_alone_tells_a_fill_and_nothing_else() {
    let fill = without_plateau(store_sweep("store", Policy::FillPartial, 12.0, NO_LIMIT));
    let found = fitted(&fill);
    assert_eq!(
        (found.policy, found.at_gb_per_s),
        (Some(Policy::FillPartial), None)
    );
    let moved = found.candidate(Policy::FillPartial).unwrap().moved_gb_per_s;
    assert!((moved.unwrap() / 12.0 - 1.0).abs() < 0.05, "{moved:?}");
    for policy in [Policy::WriteTouched, Policy::AllocateAlways] {
        let found = fitted(&without_plateau(store_sweep(
            "store", policy, 12.0, NO_LIMIT,
        )));
        assert_eq!(found.policy, None, "{found:#?}");
    }
}

#[test]
fn a_memory_that_stores_slowly_is_told_by_its_shape_or_not_at_all() {
    let slow = |policy| fitted(&store_sweep("store", policy, 22.0 * 0.6, NO_LIMIT));
    let fill = slow(Policy::FillPartial);
    assert_eq!(
        (fill.policy, fill.at_gb_per_s),
        (Some(Policy::FillPartial), None)
    );
    let allocated = slow(Policy::AllocateAlways);
    assert_eq!(allocated.policy, None, "{allocated:#?}");
}

#[test]
fn what_cannot_be_compared_is_left_out() {
    let mut rows = store_sweep("store", Policy::WriteTouched, 22.0, NO_LIMIT);
    rows[2].status = Status::CacheResident;
    rows[3].layout = "padded".to_owned();
    rows[4].op = "copy".to_owned();
    rows[5].transactions_store_partial_64b = None;
    rows[6].useful_gb_per_s = None;
    assert_eq!(fitted(&rows).rows, 5);
    let found = fitted(&rows[..1]);
    assert_eq!((found.policy, found.rows), (None, 1));
    assert_eq!(fitted(&[]).policy, None);
}
