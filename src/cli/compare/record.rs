//! One comparison as CSV and JSON have it.

use serde::Serialize;

use super::Named;
use crate::findings::status::word;
use crate::fit::{Comparison, Doubt, is_guarded, share_of_fetch_percent};
use crate::record::Row;

/// The columns in their order, which never changes; new ones are added at the end. `None` is an empty cell.
///
/// Names that begin with `base_` are of the base, the same without are of the run; docs/FORMAT.md describes each.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct Record {
    suite: String,
    spec: String,
    op: String,
    layout: String,
    element_bytes: u32,
    base_run: String,
    run: String,
    base_adapter: String,
    adapter: String,
    base_driver: String,
    driver: String,
    base_started_utc: String,
    started_utc: String,
    base_lanes: u32,
    lanes: u32,
    base_footprint_bytes: u64,
    footprint_bytes: u64,
    base_status: String,
    status: String,
    base_useful_gb_per_s: Option<f64>,
    useful_gb_per_s: Option<f64>,
    pub(super) ratio: Option<f64>,
    ratio_low: Option<f64>,
    ratio_high: Option<f64>,
    pub(super) verdict: Option<&'static str>,
    pub(super) reason: String,
    base_fetch_gb_per_s: Option<f64>,
    fetch_gb_per_s: Option<f64>,
    pub(super) base_share_percent: Option<f64>,
    pub(super) share_percent: Option<f64>,
    pub(super) share_ratio: Option<f64>,
}

impl Record {
    /// `comparison` of a case of `run` with that of `base`.
    pub(super) fn of(base: &Named, run: &Named, comparison: &Comparison) -> Self {
        let Comparison {
            base: under, row, ..
        } = comparison;
        let (low, high) = comparison.ratio.and_then(|ratio| ratio.interval).unzip();
        let base_share = share_percent(base, under);
        let share = share_percent(run, row);
        Self {
            suite: row.suite.clone(),
            spec: row.spec.clone(),
            op: row.op.clone(),
            layout: row.layout.clone(),
            element_bytes: row.element_bytes,
            base_run: base.folder.display().to_string(),
            run: run.folder.display().to_string(),
            base_adapter: under.adapter.clone(),
            adapter: row.adapter.clone(),
            base_driver: under.driver.clone(),
            driver: row.driver.clone(),
            base_started_utc: base.run.facts.started_utc.clone(),
            started_utc: run.run.facts.started_utc.clone(),
            base_lanes: under.lanes,
            lanes: row.lanes,
            base_footprint_bytes: under.footprint_bytes,
            footprint_bytes: row.footprint_bytes,
            base_status: word(under.status),
            status: word(row.status),
            base_useful_gb_per_s: number(under.useful_gb_per_s),
            useful_gb_per_s: number(row.useful_gb_per_s),
            ratio: comparison.ratio.map(|ratio| ratio.value),
            ratio_low: low,
            ratio_high: high,
            verdict: comparison.verdict.map(|verdict| verdict.word()),
            reason: reason(comparison),
            base_fetch_gb_per_s: base.fetch_gb_per_s,
            fetch_gb_per_s: run.fetch_gb_per_s,
            base_share_percent: base_share,
            share_percent: share,
            share_ratio: base_share
                .zip(share)
                .map(|(base, share)| share / base)
                .filter(|ratio| ratio.is_finite()),
        }
    }
}

fn share_percent(of: &Named, row: &Row) -> Option<f64> {
    share_of_fetch_percent(row, of.fetch_gb_per_s?)
}

fn number(value: Option<f64>) -> Option<f64> {
    value.filter(|value| value.is_finite())
}

/// Why the verdict is ambiguous or missing, in words; empty where it is neither.
fn reason(comparison: &Comparison) -> String {
    let sides = [("base", comparison.base), ("run", comparison.row)];
    let named = |is_at_fault: fn(&Row) -> bool, fault: fn(&Row) -> String| {
        let faults = sides.iter().filter(|(_, row)| is_at_fault(row));
        let faults: Vec<String> = faults
            .map(|(side, row)| format!("{side} {}", fault(row)))
            .collect();
        faults.join(", ")
    };
    match comparison.doubt {
        None => String::new(),
        Some(Doubt::Wide) => "interval holds 1 and leaves the margin".to_owned(),
        Some(Doubt::Guarded) => named(is_guarded, |row| word(row.status)),
        Some(Doubt::NoInterval) => "too few samples for an interval".to_owned(),
        Some(Doubt::NoFigure) => {
            let missing = named(|row| row.useful_gb_per_s.is_none(), |row| word(row.status));
            match missing.is_empty() {
                true => "a figure that is not above zero".to_owned(),
                false => missing,
            }
        }
    }
}
