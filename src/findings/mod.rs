//! What a run found beyond its figures: small tables under the main one, and sentences that run.json keeps.
//!
//! Each suite that compares its cases has a file here, from rows to the lines of a table. What the numbers say is computed in
//! `fit`, so that charts say the same. The command line prints them and the report shows them.

pub mod granule;
mod matrix;
pub mod naming;
mod order;
pub mod status;
mod store;
mod structs;

use crate::fit::{Ratio, is_trusted};
use crate::record::{Inferred, Row};
use crate::units::significant;
use granule::MemoryOf;
use status::counts;

/// What one suite found.
#[derive(Debug, Default, PartialEq)]
pub struct Finding {
    /// What it answers.
    pub heading: &'static str,
    /// Heads of the columns.
    pub header: Vec<&'static str>,
    /// Cells under `header`; none where nothing can be compared, of which `remarks` say why.
    pub lines: Vec<Vec<String>>,
    /// Sentences below the table.
    pub remarks: Vec<String>,
    /// Sentences for run.json.
    pub notes: Vec<String>,
}

/// What the suites among `rows` found, beginning with the `verdicts` on their stride sweeps; none of those that were not run.
pub fn findings(rows: &[Row], verdicts: &[Inferred]) -> Vec<Finding> {
    let of_suite =
        |suite: &str| -> Vec<&Row> { rows.iter().filter(|row| row.suite == suite).collect() };
    [
        granule::finding(verdicts, MemoryOf::rows(rows)),
        order::finding(&of_suite("order")),
        structs::finding(&of_suite("struct")),
        matrix::finding(&of_suite("matrix")),
        store::finding(&of_suite("store")),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// The sentences that run.json keeps.
pub fn notes(findings: &[Finding]) -> impl Iterator<Item = String> {
    findings.iter().flat_map(|finding| finding.notes.clone())
}

/// `left out: 2 cache-resident, 1 failed`, of the rows that no comparison may rest on; `None` where there are none.
fn left_out(rows: &[&Row]) -> Option<String> {
    let untrusted = rows.iter().copied().filter(|row| !is_trusted(row.status));
    let counted = counts(untrusted);
    (!counted.is_empty()).then(|| format!("left out: {counted}"))
}

/// Stands where there is nothing to print.
pub const ABSENT: &str = "-";

/// `value` as `text` prints it, and a dash where there is none.
pub fn cell(value: Option<f64>, text: impl Fn(f64) -> String) -> String {
    value
        .filter(|value| value.is_finite())
        .map_or_else(|| ABSENT.to_owned(), text)
}

/// `value` as whole percent, without a negative zero.
fn percent(value: f64) -> String {
    format!("{:.0} %", value.round() + 0.0)
}

/// `0.25 (0.24 to 0.27)`, without brackets where there is no interval.
pub fn ratio(ratio: Option<Ratio>) -> String {
    let Some(ratio) = ratio else {
        return ABSENT.to_owned();
    };
    let middle = significant(ratio.value);
    match ratio.interval {
        Some((low, high)) => format!("{middle} ({} to {})", significant(low), significant(high)),
        None => middle,
    }
}

/// `0.25`, or `0.25 to 0.31` where `values` differ as they are printed; `None` where there are none.
fn span(values: impl Iterator<Item = f64> + Clone) -> Option<String> {
    let low = significant(values.clone().reduce(f64::min)?);
    let high = significant(values.reduce(f64::max)?);
    Some(if low == high {
        low
    } else {
        format!("{low} to {high}")
    })
}

/// Made-up rows of the suites that have findings.
#[cfg(test)]
mod made_up {
    use crate::record::{Row, Status};

    /// A row of 4-byte elements whose interval is a tenth to either side of its figure.
    pub(super) fn row(pattern: &str, spec: &str, useful_gb_per_s: f64) -> Row {
        Row {
            pattern: pattern.to_owned(),
            spec: spec.to_owned(),
            status: Status::Ok,
            op: "load".to_owned(),
            layout: "packed".to_owned(),
            element_bytes: 4,
            reuse: 1.0,
            useful_gb_per_s: Some(useful_gb_per_s),
            useful_low_gb_per_s: Some(useful_gb_per_s * 0.9),
            useful_high_gb_per_s: Some(useful_gb_per_s * 1.1),
            ..Row::default()
        }
    }

    /// As the tests call a `finding`.
    pub(super) fn borrowed(rows: &[Row]) -> Vec<&Row> {
        rows.iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::made_up::row;
    use super::*;
    use crate::record::Status;

    #[test]
    fn only_suites_that_were_run_have_findings() {
        assert_eq!(findings(&[], &[]), []);
        let mut rows = [
            row("stride", "stride:1", 5.0),
            row("reversed", "reversed", 4.0),
        ];
        rows.iter_mut()
            .for_each(|row| "order".clone_into(&mut row.suite));
        rows[0].stride_elements = Some(1);
        let found = findings(&rows, &[]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].lines.len(), 1);
        rows.iter_mut()
            .for_each(|row| "custom".clone_into(&mut row.suite));
        assert_eq!(findings(&rows, &[]), []);
    }

    #[test]
    fn what_no_comparison_rests_on_is_counted_by_its_status() {
        let mut rows: Vec<Row> = (0..4).map(|_| row("soa", "soa", 5.0)).collect();
        let borrowed: Vec<&Row> = rows.iter().collect();
        assert_eq!(left_out(&borrowed), None);
        rows[0].status = Status::Failed;
        rows[1].status = Status::CacheResident;
        rows[2].status = Status::Noisy;
        let borrowed: Vec<&Row> = rows.iter().collect();
        assert_eq!(
            left_out(&borrowed).as_deref(),
            Some("left out: 1 cache-resident, 1 failed")
        );
    }

    #[test]
    fn no_figure_is_printed_that_is_none() {
        assert_eq!(cell(Some(f64::NAN), significant), "-");
        assert_eq!(cell(Some(f64::INFINITY), significant), "-");
        assert_eq!(percent(-0.3), "0 %");
        assert_eq!(
            span([0.251, 0.249].into_iter()).as_deref(),
            Some("0.249 to 0.251")
        );
        assert_eq!(span([0.25, 0.2501].into_iter()).as_deref(), Some("0.250"));
        assert_eq!(span(std::iter::empty()), None);
    }
}
