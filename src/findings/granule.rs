//! What memory fetches at once: the verdict on each stride sweep, its figures and its reasons.

use std::collections::BTreeSet;

use super::{ABSENT, Finding, cell, left_out};
use crate::fit::{
    StrideCurve, infer_rows, inferred, is_trusted, swept_element_bytes, touches_each_byte_once,
};
use crate::record::{Inferred, Row};
use crate::sweep::STRIDE;
use crate::units::significant;

/// Whose memory a sweep is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemoryOf {
    /// A device's.
    Device,
    /// This processor's, through a software adapter.
    Processor,
    /// None: a virtual GPU's.
    Model,
}

impl MemoryOf {
    /// Whose memory `rows` of a run are of.
    pub fn rows(rows: &[Row]) -> Self {
        if rows.iter().any(|row| row.simulated) {
            Self::Model
        } else if rows.iter().any(|row| row.software) {
            Self::Processor
        } else {
            Self::Device
        }
    }
}

/// What the stride sweeps of a run say, one for each element width.
pub fn inferred_of_run(rows: &[&Row]) -> Vec<Inferred> {
    let widths = swept_element_bytes(rows).into_iter();
    widths
        .filter_map(|width| inferred_of_width(rows, width))
        .collect()
}

/// What the stride sweep of one element width in `rows` says, with what guards left out of it among the reasons.
pub fn inferred_of_width(rows: &[&Row], element_bytes: u32) -> Option<Inferred> {
    let curve = StrideCurve::of_rows(rows, element_bytes)?;
    let mut verdict = inferred(&curve, &infer_rows(rows, element_bytes)?);
    let swept: Vec<&Row> = rows
        .iter()
        .copied()
        .filter(|row| row.suite == STRIDE && row.element_bytes == element_bytes)
        .collect();
    verdict.reasons.extend(left_out(&swept));
    let usable = |row: &&Row| is_trusted(row.status) && touches_each_byte_once(row);
    let strides = swept
        .into_iter()
        .filter(usable)
        .filter_map(|row| u64::try_from(row.stride_elements?).ok());
    verdict.reasons.extend(thinned(&curve, strides));
    Some(verdict)
}

/// That `curve` holds fewer than the `strides` that were swept, where it does.
pub fn thinned(curve: &StrideCurve, strides: impl Iterator<Item = u64>) -> Option<String> {
    let swept = strides.collect::<BTreeSet<u64>>().len();
    let fitted = curve.points().len();
    (fitted < swept).then(|| {
        format!("{fitted} of {swept} strides are fitted: of large ones a few in each octave")
    })
}

/// The verdicts as a table, each with its sentence and its reasons below; `None` where there are none.
pub fn finding(verdicts: &[Inferred], of: MemoryOf) -> Option<Finding> {
    let several = verdicts.len() > 1;
    let remarks = verdicts.iter().flat_map(|verdict| {
        let width = match several {
            true => format!("elements of {} B: ", verdict.element_bytes),
            false => String::new(),
        };
        let reasons = verdict.reasons.iter();
        // An undetermined one says its first reason itself.
        let others = reasons.filter(|reason| !verdict.verdict.ends_with(reason.as_str()));
        let told = std::iter::once(&verdict.verdict).chain(others);
        told.map(move |sentence| format!("{width}{sentence}"))
    });
    (!verdicts.is_empty()).then(|| Finding {
        heading: match of {
            MemoryOf::Device => "What does memory fetch at once? From the stride sweep:",
            MemoryOf::Processor => {
                "What does this processor's memory fetch at once? From the stride sweep:"
            }
            MemoryOf::Model => {
                "Simulated: what does a model's memory fetch at once? From the stride sweep:"
            }
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
pub fn sentence(verdict: &Inferred, of: MemoryOf) -> String {
    let whose = match of {
        MemoryOf::Device => "verdict",
        MemoryOf::Processor => "this processor's memory",
        MemoryOf::Model => "simulated: a model's memory",
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
        let found = finding(&[verdict()], MemoryOf::Device).expect("a finding");
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
        let found = finding(&[undetermined()], MemoryOf::Device).expect("a finding");
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
        assert_eq!(finding(&[], MemoryOf::Device), None);
    }

    #[test]
    fn of_several_widths_each_sentence_says_which() {
        let found = finding(&[verdict(), undetermined()], MemoryOf::Device).expect("a finding");
        assert_eq!(found.lines.len(), 2);
        assert_eq!(found.remarks[2], "elements of 16 B: undetermined: too few");
    }

    #[test]
    fn the_memory_of_a_software_adapter_is_the_processors() {
        let found = finding(&[verdict()], MemoryOf::Processor).expect("a finding");
        assert!(found.heading.contains("this processor's memory"));
        assert_eq!(
            sentence(&verdict(), MemoryOf::Processor),
            "this processor's memory, by elements of 4 B: memory is fetched 64 bytes at a time (confidence 0.97)"
        );
        assert!(
            sentence(&verdict(), MemoryOf::Device).starts_with("verdict, by elements of 4 B: ")
        );
    }

    #[test]
    fn the_memory_of_a_virtual_gpu_is_a_models() {
        let found = finding(&[verdict()], MemoryOf::Model).expect("a finding");
        assert!(found.heading.starts_with("Simulated: "));
        assert!(
            sentence(&verdict(), MemoryOf::Model)
                .starts_with("simulated: a model's memory, by elements of 4 B: memory is fetched")
        );
    }

    #[test]
    fn rows_tell_whose_memory_they_are_of() {
        let row = |software, simulated| Row {
            software,
            simulated,
            ..Row::default()
        };
        assert_eq!(MemoryOf::rows(&[]), MemoryOf::Device);
        assert_eq!(MemoryOf::rows(&[row(false, false)]), MemoryOf::Device);
        assert_eq!(MemoryOf::rows(&[row(true, false)]), MemoryOf::Processor);
        assert_eq!(MemoryOf::rows(&[row(false, true)]), MemoryOf::Model);
    }
}
