//! Comparisons as tables for people: the cases, then a summary of each suite.

use std::io;

use super::Named;
use super::record::Record;
use crate::cli::format::{print_line, print_table};
use crate::findings::naming::case_name;
use crate::findings::{ABSENT, cell, ratio};
use crate::fit::{Comparison, Matched, Tally, tallies};
use crate::units::significant;

/// Prints each of `runs` under a line that names it and the base.
pub(super) fn print(base: &Named, runs: &[(&Named, Matched)]) -> io::Result<()> {
    for (number, (run, matched)) in runs.iter().enumerate() {
        if number > 0 {
            print_line("")?;
        }
        print_line(&format!(" base: {}", title(base)))?;
        print_line(&format!(" run:  {}", title(run)))?;
        if matched.comparisons.is_empty() {
            print_line(" no case in common")?;
            continue;
        }
        print_line("")?;
        cases(base, run, matched)?;
        print_line("")?;
        summary(matched)?;
    }
    Ok(())
}

/// `A770, Monday (results/a770/monday): 32 lanes, fetch bandwidth 500 GB/s`.
fn title(of: &Named) -> String {
    let fetch = of.fetch_gb_per_s.map_or_else(
        || "fetch bandwidth unknown".to_owned(),
        |gb_per_s| format!("fetch bandwidth {} GB/s", significant(gb_per_s)),
    );
    let lanes = of.run.rows[0].lanes;
    format!(
        "{} ({}): {lanes} lanes, {fetch}",
        of.name,
        of.folder.display()
    )
}

fn cases(base: &Named, run: &Named, matched: &Matched) -> io::Result<()> {
    print_table(
        &[
            "suite",
            "pattern",
            "base\nGB/s",
            "run\nGB/s",
            "ratio",
            "verdict",
            "base\nshare",
            "run\nshare",
            "ratio of\nshares",
            "reason",
        ],
        matched.comparisons.iter().map(|comparison| {
            let record = Record::of(base, run, comparison);
            line(comparison, record)
        }),
    )
}

fn line(comparison: &Comparison, record: Record) -> Vec<String> {
    let percent = |share: f64| format!("{} %", significant(share));
    vec![
        comparison.base.suite.clone(),
        case_name(comparison.base),
        cell(comparison.base.useful_gb_per_s, significant),
        cell(comparison.row.useful_gb_per_s, significant),
        ratio(comparison.ratio),
        record.verdict.unwrap_or(ABSENT).to_owned(),
        cell(record.base_share_percent, percent),
        cell(record.share_percent, percent),
        cell(record.share_ratio, significant),
        record.reason,
    ]
}

fn summary(matched: &Matched) -> io::Result<()> {
    print_table(
        &[
            "suite",
            "faster",
            "slower",
            "same",
            "ambiguous",
            "without ratio",
            "median ratio",
        ],
        tallies(&matched.comparisons).iter().map(tally),
    )
}

fn tally(of: &Tally) -> Vec<String> {
    let counts = [
        of.faster,
        of.slower,
        of.same,
        of.ambiguous,
        of.without_ratio,
    ];
    let mut cells = vec![of.suite.to_owned()];
    cells.extend(counts.map(|count| count.to_string()));
    cells.push(cell(of.median_ratio, significant));
    cells
}
