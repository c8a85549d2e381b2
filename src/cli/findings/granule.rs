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

#[cfg(test)]
mod tests {
    use super::*;

    fn verdict() -> Inferred {
        Inferred {
            granule_bytes: Some(64),
            line_bytes: None,
            confidence: 0.97,
            fetch_gb_per_s: 400.0,
            issue_gb_per_s: 150.0,
            residual_percent: Some(1.0),
            decline_from_stride: Some(48),
            verdict: "memory is fetched 64 bytes at a time".to_owned(),
            reasons: vec!["9 strides lie past the knee".to_owned()],
            element_bytes: 4,
            strides: 36,
            fetch_is_lower_bound: false,
            issue_is_lower_bound: false,
            fetch_bound_from_stride: Some(3),
        }
    }

    fn undetermined() -> Inferred {
        Inferred {
            granule_bytes: None,
            confidence: 0.1,
            fetch_is_lower_bound: true,
            residual_percent: None,
            decline_from_stride: None,
            verdict: "undetermined: too few".to_owned(),
            reasons: vec!["too few".to_owned(), "left out: 1 failed".to_owned()],
            element_bytes: 16,
            ..verdict()
        }
    }

    #[test]
    fn a_verdict_comes_before_its_reasons_and_none_twice() {
        let found = finding(&[verdict()], false).expect("a finding");
        assert_eq!(
            found.lines,
            [[
                "4 B",
                "64 B",
                "-",
                "0.97",
                "400 GB/s",
                "150 GB/s",
                "1.00 %",
                "stride 48"
            ]]
        );
        assert_eq!(
            found.remarks,
            [
                "memory is fetched 64 bytes at a time",
                "9 strides lie past the knee"
            ]
        );
        let found = finding(&[undetermined()], false).expect("a finding");
        assert_eq!(
            found.lines[0][1..],
            [
                "undetermined",
                "-",
                "0.10",
                "at least 400 GB/s",
                "150 GB/s",
                "-",
                "-"
            ]
        );
        assert_eq!(
            found.remarks,
            ["undetermined: too few", "left out: 1 failed"]
        );
        assert_eq!(finding(&[], false), None);
    }

    #[test]
    fn of_several_widths_each_sentence_says_which() {
        let found = finding(&[verdict(), undetermined()], false).expect("a finding");
        assert_eq!(found.lines.len(), 2);
        assert_eq!(found.remarks[2], "elements of 16 B: undetermined: too few");
    }

    #[test]
    fn the_memory_of_a_software_adapter_is_the_processors() {
        let found = finding(&[verdict()], true).expect("a finding");
        assert!(found.heading.contains("this processor's memory"));
        assert_eq!(
            sentence(&verdict(), true),
            "this processor's memory, by elements of 4 B: memory is fetched 64 bytes at a time (confidence 0.97)"
        );
        assert!(sentence(&verdict(), false).starts_with("verdict, by elements of 4 B: "));
    }
}
