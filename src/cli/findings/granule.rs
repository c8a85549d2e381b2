//! What memory fetches at once: the verdict on each stride sweep, its figures and its reasons.

use super::{ABSENT, Finding, cell, left_out};
use crate::fit::{StrideCurve, infer_rows, inferred, swept_element_bytes};
use crate::record::{Inferred, Row};
use crate::units::significant;

/// What the stride sweeps of a run say, one for each element width.
pub(in crate::cli) fn inferred_of_run(rows: &[&Row]) -> Vec<Inferred> {
    let widths = swept_element_bytes(rows).into_iter();
    widths
        .filter_map(|width| inferred_of_width(rows, width))
        .collect()
}

/// What the stride sweep of one element width in `rows` says, with what guards left out of it among the reasons.
pub(in crate::cli) fn inferred_of_width(rows: &[&Row], element_bytes: u32) -> Option<Inferred> {
    let curve = StrideCurve::of_rows(rows, element_bytes)?;
    let mut verdict = inferred(&curve, &infer_rows(rows, element_bytes)?);
    let swept: Vec<&Row> = rows
        .iter()
        .copied()
        .filter(|row| row.suite == "stride" && row.element_bytes == element_bytes)
        .collect();
    verdict.reasons.extend(left_out(&swept));
    Some(verdict)
}

/// The verdicts as a table, each with its sentence and its reasons below; `None` where there are none.
pub(in crate::cli) fn finding(verdicts: &[Inferred], is_software: bool) -> Option<Finding> {
    let several = verdicts.len() > 1;
    let remarks = verdicts.iter().flat_map(|verdict| {
        let of = match several {
            true => format!("elements of {} B: ", verdict.element_bytes),
            false => String::new(),
        };
        let reasons = verdict.reasons.iter();
        // An undetermined one says its first reason itself.
        let others = reasons.filter(|reason| !verdict.verdict.ends_with(reason.as_str()));
        let told = std::iter::once(&verdict.verdict).chain(others);
        told.map(move |sentence| format!("{of}{sentence}"))
    });
    (!verdicts.is_empty()).then(|| Finding {
        heading: match is_software {
            true => "What does this processor's memory fetch at once? From the stride sweep:",
            false => "What does memory fetch at once? From the stride sweep:",
        },
        header: vec![
            "element",
            "granule",
            "line",
            "confidence",
            "B, fetch",
            "C, issue",
            "residual",
            "declines from",
        ],
        lines: verdicts.iter().map(line).collect(),
        remarks: remarks.collect(),
        notes: Vec::new(),
    })
}

/// The sentence of a verdict for a reader who sees nothing else, such as `this processor's memory, by elements of 4 B: ...`.
pub(in crate::cli) fn sentence(verdict: &Inferred, is_software: bool) -> String {
    let whose = if is_software {
        "this processor's memory"
    } else {
        "verdict"
    };
    format!(
        "{whose}, by elements of {} B: {} (confidence {:.2})",
        verdict.element_bytes, verdict.verdict, verdict.confidence
    )
}

fn line(verdict: &Inferred) -> Vec<String> {
    let bytes = |bytes: Option<u64>, absent: &str| {
        bytes.map_or_else(|| absent.to_owned(), |bytes| format!("{bytes} B"))
    };
    let rate = |gb_per_s: f64, is_lower_bound: bool| {
        let at_least = if is_lower_bound { "at least " } else { "" };
        format!("{at_least}{} GB/s", significant(gb_per_s))
    };
    let decline = verdict.decline_from_stride;
    vec![
        format!("{} B", verdict.element_bytes),
        bytes(verdict.granule_bytes, "undetermined"),
        bytes(verdict.line_bytes, ABSENT),
        format!("{:.2}", verdict.confidence),
        rate(verdict.fetch_gb_per_s, verdict.fetch_is_lower_bound),
        rate(verdict.issue_gb_per_s, verdict.issue_is_lower_bound),
        cell(verdict.residual_percent, |residual| {
            format!("{} %", significant(residual))
        }),
        decline.map_or_else(|| ABSENT.to_owned(), |stride| format!("stride {stride}")),
    ]
}
