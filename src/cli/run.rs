//! `coalescope run`: measures suites, writes the run's folder and prints its table.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;

use super::exit::{Outcome, Usage};
use super::format::{Format, print_csv, print_findings, print_json, print_table};
use super::progress::Progress;
use super::watcher::Watcher;
use super::{card, charts, spatter_file, target};
use crate::findings::granule::{self, MemoryOf};
use crate::findings::naming::case_name;
use crate::findings::status::{counts, word};
use crate::findings::{self, Finding};
use crate::pattern::{Pattern, Spec, SpecError};
use crate::record::{Folder, Row, RunCard, RunFacts, Status, rows, working_set_notes};
use crate::sweep::{
    AxisOverride, Campaign, Ending, GROUPS, Planned, STRIDE, Settings, Suite, by_names, custom,
};
use crate::units::{BytesPerSecond, significant};

/// A reference that moved by more than this says that the level of a run is not the machine's.
const BUSY_DRIFT_PERCENT: f64 = 50.0;

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
    /// Measure this pattern (repeatable), instead of or beside suites; @FILE and @FILE#3 are all configurations of a
    /// file of Spatter's, or the one of that number
    #[arg(long, value_name = "SPEC")]
    pattern: Vec<String>,
    /// Values in place of those that suites sweep (repeatable), such as stride=1,2,4, stride=-8:8, offset=0:64:4B or
    /// stride[pow2]=0:10; axes are stride, offset, struct, matrix, element and working-set
    #[arg(long, value_name = "AXIS=VALUES", value_parser = axis)]
    axis: Vec<AxisOverride>,
    /// Seconds of sampling; compiling, verifying and warming up come on top, on two cores without a GPU half a minute for
    /// quick and a minute for full [default: 40, or 300 for full]
    #[arg(long, value_name = "SECONDS")]
    budget: Option<f64>,
    /// Half-width of the 95 % interval at which a case is done, in percent of its figure [default: 2]
    #[arg(long = "target", value_name = "PERCENT")]
    target_percent: Option<f64>,
    /// Most samples of one case [default: 400]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    samples: Option<u32>,
    /// Orders the rounds [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
    /// What the memory can deliver at most, such as 900GB/s; figures above it are marked over-peak
    #[arg(long, value_name = "RATE")]
    peak: Option<BytesPerSecond>,
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
    let stores = suites
        .iter()
        .flat_map(|suite| &suite.cases)
        .any(Planned::stores);
    let mut target = args
        .flags
        .target
        .choose(target::measured_footprint, stores)?;
    let started = jiff::Timestamp::now();
    // Before any work on the device: a folder that cannot be written is known now.
    let time = started.strftime("%Y-%m-%dT%H-%M-%SZ").to_string();
    let folder = Folder::create(&args.flags.out, &target.adapter().name, &time)?;
    folder.write_rows(&[])?;
    let stop = watch_for_interrupts()?;

    tell!("writing to {}", folder.path().display());
    let mut opened = target.open()?;
    target.warn_of_caches();
    let mut campaign = Campaign::new(
        settings,
        target.lanes,
        suites.iter().map(|suite| {
            (
                suite.name,
                suite.within(opened.executor.footprint().total_bytes()),
            )
        }),
    );
    let card = card::begin(
        &target,
        &opened,
        &campaign,
        &suites,
        &started.strftime("%Y-%m-%d %H:%M:%S UTC").to_string(),
        args.flags.peak,
    );
    folder.write_card(&card)?;

    let progress = Progress::new(campaign.cases.len(), campaign.settings.budget_s);
    let mut watcher = Watcher::new(folder, card, progress, stop);
    let ending = campaign.run(&mut *opened.executor, &mut watcher)?;
    let (folder, mut card) = watcher.finish();
    card::finish(&mut card, &campaign, ending);
    let rows = rows(&campaign, &card);
    card.notes.extend(working_set_notes(
        &rows,
        card.last_level_cache_bytes.is_some(),
    ));
    let verdicts = granule::inferred_of_run(&rows.iter().collect::<Vec<_>>());
    let findings = findings::findings(&rows, &verdicts);
    card.notes.extend(findings::notes(&findings));
    card.fit = (!verdicts.is_empty()).then_some(verdicts);
    folder.write_rows(&rows)?;
    draw(&folder, &rows, &card)?;
    folder.write_card(&card)?;
    print(&rows, &findings, args.flags.format)?;
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
        refuse_what_is_no_axis(&self.flags.axis)?;
        let mut suites =
            by_names(names, &self.flags.axis).map_err(|error| Usage(error.to_string()))?;
        if !self.flags.pattern.is_empty() {
            let mut cases = Vec::new();
            for text in &self.flags.pattern {
                cases.extend(planned(text)?);
            }
            suites.push(custom(cases));
        }
        Ok(suites)
    }

    fn settings(&self) -> anyhow::Result<Settings> {
        let usual = Settings::default();
        let of_group = GROUPS
            .iter()
            .filter(|group| self.suites.iter().any(|name| name == group.name))
            .map(|group| group.budget_s)
            .max_by(f64::total_cmp);
        let budget_s = self.flags.budget.or(of_group).unwrap_or(usual.budget_s);
        if !(budget_s.is_finite() && budget_s >= 0.0) {
            return Err(Usage(format!("--budget {budget_s} is no number of seconds")).into());
        }
        let target_half_width = self
            .flags
            .target_percent
            .map_or(usual.target_half_width, |percent| percent / 100.0);
        if !(target_half_width.is_finite() && target_half_width >= 0.0) {
            return Err(Usage("--target takes a number of percent, such as 1".to_owned()).into());
        }
        Ok(Settings {
            budget_s,
            target_half_width,
            sample_cap: self.flags.samples.unwrap_or(usual.sample_cap),
            seed: self.flags.seed.unwrap_or(usual.seed),
            ..usual
        })
    }
}

/// The case of a pattern; of a file of Spatter's, one for each of its configurations that are meant.
fn planned(text: &str) -> Result<Vec<Planned>, Usage> {
    let spec: Spec = text
        .parse()
        .map_err(|error: SpecError| Usage(error.to_string()))?;
    match &spec.pattern {
        Pattern::File { path, config } => {
            let planned = spatter_file::planned(&spec, path, *config)
                .map_err(|error| Usage(format!("'{text}': {error:#}")))?;
            let fault = |planned: &Planned| planned.config.clone()?.err();
            let faults: Vec<_> = planned.iter().filter_map(fault).collect();
            // Nothing of it could be measured.
            if faults.len() == planned.len() {
                let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
                return Err(Usage(format!("'{text}': {}", faults.join("; "))));
            }
            Ok(planned)
        }
        _ => Ok(vec![spec.into()]),
    }
}

/// Refuses a name that no suite at all knows; whether the chosen ones sweep it is theirs to say.
fn refuse_what_is_no_axis(overrides: &[AxisOverride]) -> anyhow::Result<()> {
    let every_suite = by_names(&["full"], &[])?;
    let mut axes: Vec<&str> = Vec::new();
    for &axis in every_suite.iter().flat_map(|suite| suite.axes) {
        if !axes.contains(&axis) {
            axes.push(axis);
        }
    }
    for AxisOverride { name, .. } in overrides {
        if !axes.contains(&name.as_str()) {
            let text = format!("'{name}' is no axis; choose from {}", axes.join(", "));
            return Err(Usage(text).into());
        }
    }
    Ok(())
}

/// As clap takes the fault of a value.
fn axis(text: &str) -> Result<AxisOverride, SpecError> {
    text.parse()
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

/// Draws every chart; one that cannot be drawn is a warning, since the figures are safe.
fn draw(folder: &Folder, rows: &[Row], card: &RunCard) -> anyhow::Result<()> {
    let facts = RunFacts {
        started_utc: card.started_utc.clone(),
        last_level_cache_bytes: card.last_level_cache_bytes,
    };
    for fault in charts::draw(folder.path(), rows, &facts)?.faults {
        tell!("warning: {fault}");
    }
    Ok(())
}

/// Prints the rows; programs that read them compare for themselves.
fn print(rows: &[Row], findings: &[Finding], format: Format) -> anyhow::Result<()> {
    match format {
        Format::Csv => print_csv(rows),
        Format::Json => print_json(rows),
        Format::Table => {
            print_table(
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
            )?;
            Ok(print_findings(findings)?)
        }
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
        case_name(row),
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
    match row.status {
        Status::Skipped | Status::Failed => format!("{}: {}", word(row.status), row.reason),
        status => word(status),
    }
}

/// The last lines on stderr: how the run went and where its files are.
fn summarise(card: &RunCard, rows: &[Row], folder: &Folder) {
    let converged = rows
        .iter()
        .filter(|row| row.stop_reason == crate::record::StopReason::Converged)
        .count();
    tell!(
        "{} {}: {}; {converged} reached ±{:.0} %",
        rows.len(),
        if rows.len() == 1 { "row" } else { "rows" },
        if rows.is_empty() {
            "none".to_owned()
        } else {
            counts(rows.iter())
        },
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
            "the reference ({}) moved by {drift:.0} % during the run; ratios between cases are corrected for it",
            card.reference_spec
        );
        if drift > BUSY_DRIFT_PERCENT {
            tell!(
                "the machine was busy: compare cases within this run, not its GB/s with those of another"
            );
        }
    }
    if let Some((overheads, empty_ns)) = card.overheads.zip(card.empty_dispatch_ns) {
        tell!(
            "computing addresses takes {:.0} % of the reference's time, runtime checks would add {}, an empty dispatch takes {:.0} us",
            overheads.index_arithmetic_percent,
            added(overheads.runtime_checks_percent),
            empty_ns / 1e3,
        );
    }
    for note in &card.notes {
        tell!("note: {note}");
    }
    for verdict in card.fit.iter().flatten() {
        tell!("{}", granule::sentence(verdict, MemoryOf::rows(rows)));
    }
    if card.fit.is_none() && rows.iter().any(|row| row.suite == STRIDE) {
        tell!(
            "no verdict on the memory: fewer than two strides have a figure that every guard lets pass"
        );
    }
    tell!("results in {}", folder.path().display());
}

/// A share of time in percent; below zero it is noise.
fn added(percent: f64) -> String {
    match percent.round() {
        percent if percent > 0.0 => format!("{percent:.0} %"),
        _ => "nothing measurable".to_owned(),
    }
}

fn outcome(rows: &[Row], ending: Ending) -> Outcome {
    match ending {
        Ending::Interrupted => return Outcome::Interrupted,
        Ending::DeviceLost => return Outcome::CaseFailed,
        Ending::Complete => {}
    }
    let failed = rows.iter().any(|row| row.status == Status::Failed);
    if failed {
        Outcome::CaseFailed
    } else {
        Outcome::Done
    }
}
