//! `coalescope compare`: runs held against the first of them, case by case, without any adapter.

mod names;
mod record;
mod table;
mod warnings;

use std::path::{Path, PathBuf};

use anyhow::bail;

use super::charts;
use super::exit::{Outcome, Usage};
use super::format::{Format, print_csv, print_json};
use super::runs::{self, Run};
use crate::chart;
use crate::fit::{Margin, Matched, compare, fetch_bandwidth_gb_per_s};
use record::Record;

/// Hold runs against the first of them, case by case, without any adapter.
///
/// Prints the ratio of useful bandwidths with its interval, and whether the run is faster or slower, the same, or that it cannot be
/// told.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Folders of runs, such as results/my-gpu/2026-01-31T12-00-00Z; the first is the base
    #[arg(required = true, num_args = 2.., value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Ratios so near to 1 are the same: runs of one machine differ by more than their intervals say
    #[arg(long, value_name = "PERCENT", default_value = "5", value_parser = margin)]
    margin: Margin,
    /// Folder for the charts that lay the runs over each other, made if missing
    #[arg(long, value_name = "DIR", default_value = "compare")]
    out: PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// A run with what it is called.
struct Named {
    folder: PathBuf,
    name: String,
    run: Run,
    /// B, the fetch bandwidth that its shares are of.
    fetch_gb_per_s: Option<f64>,
}

fn margin(text: &str) -> Result<Margin, String> {
    let percent = text.parse().ok();
    percent
        .and_then(Margin::from_percent)
        .ok_or_else(|| "expected percent of 1, at least 0 and below 100, such as 5".to_owned())
}

pub(super) fn run(args: &Args) -> anyhow::Result<Outcome> {
    refuse_run_as_out(args)?;
    let (runs, mut outcome) = read(&args.runs);
    let [base, others @ ..] = runs.as_slice() else {
        bail!("no run can be read");
    };
    if base.folder != args.runs[0] {
        bail!(
            "the base, '{}', cannot be read: there is nothing to hold the others against",
            args.runs[0].display()
        );
    }
    if others.is_empty() {
        bail!("no run can be read but the base");
    }
    let matched: Vec<(&Named, Matched)> = others
        .iter()
        .map(|other| {
            let matched = compare(&base.run.rows, &other.run.rows, args.margin);
            (other, matched)
        })
        .collect();
    runs.iter().for_each(warnings::tell_of_fetch);
    for (other, matched) in &matched {
        warnings::tell_of(base, other, matched);
    }
    match args.format {
        Format::Table => table::print(base, &matched)?,
        Format::Csv => print_csv(&records(base, &matched))?,
        Format::Json => print_json(&records(base, &matched))?,
    }
    if draw(&args.out, &runs)? > 0 {
        outcome = Outcome::CaseFailed;
    }
    Ok(outcome)
}

/// The folder of a run holds what was measured then, and nothing that depends on other runs.
fn refuse_run_as_out(args: &Args) -> Result<(), Usage> {
    let Some(out) = resolved(&args.out) else {
        return Ok(());
    };
    let holds_out = |run: &&PathBuf| run.canonicalize().is_ok_and(|run| out.starts_with(run));
    match args.runs.iter().find(holds_out) {
        Some(run) => Err(Usage(format!(
            "--out '{}' is the folder of a run or lies in it: '{}', which stays as it was written; name another",
            args.out.display(),
            run.display()
        ))),
        None => Ok(()),
    }
}

/// The nearest folder on the way to `path` that exists, without links: what is made, is made in it.
fn resolved(path: &Path) -> Option<PathBuf> {
    let path = std::path::absolute(path).ok()?;
    path.ancestors()
        .find_map(|folder| folder.canonicalize().ok())
}

/// Draws the charts that lay `runs` over each other and says so on stderr; returns how many could not be drawn.
fn draw(out: &Path, runs: &[Named]) -> anyhow::Result<usize> {
    let overlaid: Vec<chart::Run> = runs
        .iter()
        .map(|of| chart::Run {
            name: of.name.clone(),
            card: charts::card(&of.run.rows, &of.run.facts),
            rows: &of.run.rows,
        })
        .collect();
    let drawn = charts::draw_overlays(out, &overlaid)?;
    for file in &drawn.files {
        tell!("chart: {}", file.display());
    }
    for fault in &drawn.faults {
        tell!("error: {fault}");
    }
    Ok(drawn.faults.len())
}

/// Every run that can be read, and what is wrong with each of the others on stderr.
fn read(folders: &[PathBuf]) -> (Vec<Named>, Outcome) {
    let mut outcome = Outcome::Done;
    let mut read = Vec::new();
    for folder in folders {
        match runs::read(folder) {
            Ok(run) => read.push((folder, run)),
            Err(error) => {
                tell!("error: {error:#}");
                outcome = Outcome::CaseFailed;
            }
        }
    }
    let names = names::told_apart(read.iter().map(|(_, run)| run));
    let named = names.into_iter().zip(read);
    let runs = named.map(|(name, (folder, run))| Named {
        folder: folder.clone(),
        name,
        fetch_gb_per_s: fetch_bandwidth_gb_per_s(&run.rows),
        run,
    });
    (runs.collect(), outcome)
}

fn records(base: &Named, matched: &[(&Named, Matched)]) -> Vec<Record> {
    let of_run = |(run, matched): &(&Named, Matched)| -> Vec<Record> {
        let comparisons = matched.comparisons.iter();
        comparisons
            .map(|comparison| Record::of(base, run, comparison))
            .collect()
    };
    matched.iter().flat_map(of_run).collect()
}
