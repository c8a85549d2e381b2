//! `coalescope run`: measures suites, writes the run's folder and prints its table.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;

use super::exit::{Outcome, Usage};
use super::format::{Format, print_csv, print_json, print_table};
use super::progress::Progress;
use super::watcher::Watcher;
use super::{host, target};
use crate::chart;
use crate::executor::Executor;
use crate::gpu::GpuExecutor;
use crate::pattern::Spec;
use crate::record::{Folder, Row, RunCard, RunState, SCHEMA_VERSION, Status, rows};
use crate::stats::median;
use crate::sweep::{Campaign, Ending, Settings, Suite, by_names, custom};
use crate::units::significant;

/// Exit status of a run that is interrupted a second time.
const INTERRUPTED: i32 = 130;

#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct Args {
    /// Suites or groups, as `coalescope list` names them [default: quick]
    #[arg(value_name = "SUITE")]
    suites: Vec<String>,
    #[command(flatten)]
    flags: Flags,
}

#[derive(Debug, Clone, Default, clap::Args)]
#[group(skip)]
pub(super) struct Flags {
    #[command(flatten)]
    target: target::Args,
    /// Measure this pattern (repeatable), instead of or beside suites
    #[arg(long, value_name = "SPEC")]
    pattern: Vec<String>,
    /// Seconds of sampling; compiling, verifying and warming up come on top
    #[arg(long, value_name = "SECONDS")]
    budget: Option<f64>,
    /// Most samples of one case
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    samples: Option<u32>,
    /// Orders the rounds
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// Folder for results, made if missing
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

impl From<Flags> for Args {
    fn from(flags: Flags) -> Self {
        Self {
            suites: Vec::new(),
            flags,
        }
    }
}

pub(super) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let suites = args.chosen_suites()?;
    let settings = args.settings()?;
    let target = args.flags.target.choose()?;
    let started = jiff::Timestamp::now();
    // Before any work on the device: a folder that cannot be written is known now.
    let time = started.strftime("%Y-%m-%dT%H-%M-%SZ").to_string();
    let folder = Folder::create(&args.flags.out, &target.adapter().name, &time)?;
    folder.write_rows(&[])?;
    let stop = watch_for_interrupts()?;

    tell!("writing to {}", folder.path().display());
    let mut executor = target.open()?;
    let mut campaign = Campaign::new(
        settings,
        target.lanes,
        suites.iter().map(|suite| (suite.name, suite.specs.clone())),
    );
    let mut card = card(
        &target,
        &executor,
        &campaign,
        &suites,
        &started.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
    );
    card.empty_dispatch_ns = empty_dispatch_ns(&mut executor);
    folder.write_card(&card)?;

    let progress = Progress::new(campaign.cases.len(), campaign.settings.budget_s);
    let mut watcher = Watcher::new(folder, card, progress, stop);
    let ending = campaign.run(&mut executor, &mut watcher)?;
    let (mut folder, mut card) = watcher.finish();
    finish(&mut card, &campaign, ending);
    let rows = rows(&campaign, &card);
    folder.write_rows(&rows)?;
    draw(&mut folder, &rows, &card)?;
    folder.write_card(&card)?;
    print(&rows, args.flags.format)?;
    summarise(&card, &rows, &folder);
    Ok(outcome(&rows, ending))
}

impl Args {
    fn chosen_suites(&self) -> anyhow::Result<Vec<Suite>> {
        let quick = ["quick".to_owned()];
        let names = match (self.suites.is_empty(), self.flags.pattern.is_empty()) {
            (true, true) => &quick[..],
            _ => &self.suites[..],
        };
        let mut suites = by_names(names).map_err(|error| Usage(error.to_string()))?;
        if !self.flags.pattern.is_empty() {
            let specs: Result<Vec<Spec>, _> =
                self.flags.pattern.iter().map(|text| text.parse()).collect();
            suites.push(custom(specs.map_err(
                |error: crate::pattern::SpecError| Usage(error.to_string()),
            )?));
        }
        Ok(suites)
    }

    fn settings(&self) -> anyhow::Result<Settings> {
        let usual = Settings::default();
        let budget_s = self.flags.budget.unwrap_or(usual.budget_s);
        if !(budget_s.is_finite() && budget_s >= 0.0) {
            return Err(Usage(format!("--budget {budget_s} is no number of seconds")).into());
        }
        Ok(Settings {
            budget_s,
            sample_cap: self.flags.samples.unwrap_or(usual.sample_cap),
            seed: self.flags.seed.unwrap_or(usual.seed),
            ..usual
        })
    }
}

/// Ctrl-C once lets the sample in flight end; twice ends at once.
fn watch_for_interrupts() -> anyhow::Result<Arc<AtomicBool>> {
    let stop = Arc::new(AtomicBool::new(false));
    let asked = Arc::clone(&stop);
    let handler = move || {
        if asked.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
    };
    ctrlc::set_handler(handler).context("cannot watch for Ctrl-C")?;
    Ok(stop)
}

fn card(
    target: &target::Target,
    executor: &GpuExecutor,
    campaign: &Campaign,
    suites: &[Suite],
    started: &str,
) -> RunCard {
    RunCard {
        schema_version: SCHEMA_VERSION,
        program_version: env!("CARGO_PKG_VERSION").to_owned(),
        debug_build: cfg!(debug_assertions),
        state: RunState::Incomplete,
        started_utc: started.to_owned(),
        command_line: std::env::args().collect(),
        suites: suites.iter().map(|suite| suite.name.to_owned()).collect(),
        adapter: executor.adapter().clone(),
        adapter_choice: target.choice.clone(),
        lanes: target.lanes,
        lanes_source: target.lanes_source.clone(),
        workgroup_size: executor.workgroup_size(),
        runtime_checks: target.runtime_checks,
        footprint: *executor.footprint(),
        footprint_bytes_asked: target.footprint_asked.0,
        settings: campaign.settings.clone(),
        host: host::describe(),
        timing_method: None,
        empty_dispatch_ns: None,
        sampling_s: 0.0,
        share_inside_dispatches_percent: None,
        reference_spec: campaign.reference.spec.to_string(),
        reference_gb_per_s: None,
        reference_drift_percent: None,
        notes: Vec::new(),
    }
}

/// What one dispatch costs that does nothing, in nanoseconds: the median over submissions of many.
fn empty_dispatch_ns(executor: &mut GpuExecutor) -> Option<f64> {
    const DISPATCHES: u32 = 64;
    let times: Vec<f64> = (0..9)
        .filter_map(|_| executor.empty(DISPATCHES).ok())
        .map(|submission| submission.host_ns as f64 / f64::from(DISPATCHES))
        .collect();
    median(&times)
}

/// Completes the card with what is known at the end.
fn finish(card: &mut RunCard, campaign: &Campaign, ending: Ending) {
    let drift = campaign.drift().gb_per_s();
    card.state = match ending {
        Ending::Complete => RunState::Complete,
        Ending::Interrupted => RunState::Stopped,
    };
    card.timing_method = Some(campaign.method());
    card.sampling_s = campaign.sampling_ns as f64 / 1e9;
    card.share_inside_dispatches_percent = (campaign.sampling_ns > 0)
        .then(|| campaign.busy_ns as f64 / campaign.sampling_ns as f64 * 100.0);
    card.reference_gb_per_s = median(&drift);
    card.reference_drift_percent = spread_percent(&drift);
    if let Some(failure) = &campaign.reference.failure {
        card.notes.push(format!(
            "the reference failed, so nothing could be measured: {}",
            failure.reason
        ));
    }
}

/// How far the reference moved over the run: the span of its middle nine tenths, as a share of its median.
fn spread_percent(rates: &[f64]) -> Option<f64> {
    let mut sorted = rates.to_vec();
    sorted.sort_by(f64::total_cmp);
    let cut = sorted.len() / 20;
    let (low, high) = (sorted.get(cut)?, sorted.get(sorted.len() - 1 - cut)?);
    median(&sorted).map(|middle| (high - low) / middle * 100.0)
}

/// Draws every chart; one that cannot be drawn is a note of the run, since the figures are safe.
fn draw(folder: &mut Folder, rows: &[Row], card: &RunCard) -> anyhow::Result<()> {
    let charts = match chart::charts(rows, &chart::Card::from_rows(rows, &card.started_utc)) {
        Ok(charts) => charts,
        Err(error) => {
            tell!("warning: no chart was drawn: {error}");
            return Ok(());
        }
    };
    for chart in charts {
        folder.write(&format!("{}.svg", chart.name), chart.svg.as_bytes())?;
        match chart.png() {
            Ok(png) => folder.write(&format!("{}.png", chart.name), &png)?,
            Err(error) => tell!("warning: {}.png was not drawn: {error}", chart.name),
        }
    }
    Ok(())
}

fn print(rows: &[Row], format: Format) -> anyhow::Result<()> {
    match format {
        Format::Csv => print_csv(rows),
        Format::Json => print_json(rows),
        Format::Table => Ok(print_table(
            &[
                "suite",
                "pattern",
                "useful GB/s",
                "±",
                "requested GB/s",
                "fetched GB/s (64 B)",
                "efficiency (64 B)",
                "samples",
                "status",
            ],
            rows.iter().map(line),
        )?),
    }
}

fn line(row: &Row) -> Vec<String> {
    let figure = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), significant);
    let half_width = match (
        row.useful_low_gb_per_s,
        row.useful_high_gb_per_s,
        row.useful_gb_per_s,
    ) {
        (Some(low), Some(high), Some(middle)) if middle > 0.0 => {
            format!("{:.1} %", (high - low) / 2.0 / middle * 100.0)
        }
        _ => "-".to_owned(),
    };
    vec![
        row.suite.clone(),
        row.spec.clone(),
        figure(row.useful_gb_per_s),
        half_width,
        figure(row.requested_gb_per_s),
        figure(row.fetched_gb_per_s_64b),
        // A case that could not be placed has no prediction.
        match row.windows {
            0 => "-".to_owned(),
            _ => format!("{:.1} %", row.efficiency_compulsory_64b * 100.0),
        },
        row.samples.to_string(),
        status_word(row),
    ]
}

fn status_word(row: &Row) -> String {
    // The serialised word is the one that the CSV has.
    let word = serde_json::to_value(row.status)
        .ok()
        .and_then(|word| word.as_str().map(str::to_owned));
    let word = word.unwrap_or_default();
    match row.status {
        Status::Skipped | Status::Failed => format!("{word}: {}", row.reason),
        _ => word,
    }
}

/// The last lines on stderr: how the run went and where its files are.
fn summarise(card: &RunCard, rows: &[Row], folder: &Folder) {
    let count = |status: Status| rows.iter().filter(|row| row.status == status).count();
    let converged = rows
        .iter()
        .filter(|row| row.stop_reason == crate::record::StopReason::Converged)
        .count();
    tell!(
        "{} rows: {} ok, {} noisy, {} skipped, {} failed; {converged} reached ±{:.0} %",
        rows.len(),
        count(Status::Ok),
        count(Status::Noisy),
        count(Status::Skipped),
        count(Status::Failed),
        card.settings.target_half_width * 100.0,
    );
    if let Some(share) = card.share_inside_dispatches_percent {
        tell!(
            "{share:.0} % of {:.1} s of sampling was inside dispatches",
            card.sampling_s
        );
    }
    if let Some(drift) = card.reference_drift_percent {
        tell!(
            "the reference ({}) moved by {drift:.0} % during the run; figures are corrected for it",
            card.reference_spec
        );
    }
    if card.debug_build {
        tell!("DEBUG BUILD: build with --release for figures that count");
    }
    for note in &card.notes {
        tell!("note: {note}");
    }
    tell!("results in {}", folder.path().display());
}

fn outcome(rows: &[Row], ending: Ending) -> Outcome {
    if ending == Ending::Interrupted {
        return Outcome::Interrupted;
    }
    let failed = rows
        .iter()
        .any(|row| matches!(row.status, Status::Failed | Status::LoadsSuspect));
    if failed {
        Outcome::CaseFailed
    } else {
        Outcome::Done
    }
}
