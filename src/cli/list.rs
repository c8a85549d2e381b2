//! `coalescope list`: every suite with its question and its cases.

use serde::Serialize;

use super::exit::Outcome;
use super::format::{Format, print_csv, print_json, print_wrapped_table};
use crate::sweep::{GROUPS, suites};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// One suite, as CSV and JSON have it.
#[derive(Serialize)]
struct Line {
    suite: String,
    groups: String,
    cases: usize,
    question: String,
    specs: String,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let lines: Vec<Line> = suites()
        .into_iter()
        .map(|suite| {
            let groups = GROUPS
                .iter()
                .filter(|group| group.suites.contains(&suite.name));
            let mut specs: Vec<String> = suite
                .cases
                .iter()
                .map(|case| case.spec.to_string())
                .collect();
            // Working sets of one spec follow one another.
            specs.dedup();
            Line {
                suite: suite.name.to_owned(),
                groups: groups.map(|group| group.name).collect::<Vec<_>>().join(" "),
                cases: suite.cases.len(),
                question: suite.question.to_owned(),
                specs: specs.join(" "),
            }
        })
        .collect();
    match args.format {
        Format::Csv => print_csv(&lines)?,
        Format::Json => print_json(&lines)?,
        Format::Table => print_wrapped_table(
            &["suite", "groups", "cases", "question"],
            lines.iter().map(|line| {
                vec![
                    line.suite.clone(),
                    line.groups.clone(),
                    line.cases.to_string(),
                    line.question.clone(),
                ]
            }),
        )?,
    }
    Ok(Outcome::Done)
}
