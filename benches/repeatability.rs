//! How well a run repeats: the stride suite several times on a quiet machine, and while something else reads memory.
//!
//! Prints for each case the spread of its ratio to the reference between runs: the span from the lowest to the highest
//! as a share of their median. Keeps the runs' folders. Exits with 1 if a threshold is missed.

#[path = "common/reader.rs"]
mod reader;
#[path = "common/run_rows.rs"]
mod run_rows;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use coalescope::record::Row;
use coalescope::stats::median;
use reader::Reader;
use run_rows::run_rows;

const RUNS: u32 = 5;

/// Sampling of one run at most, and the half-width of the interval at which a case is done before: with the usual 2 %,
/// chance alone would spread five runs by as much as is allowed.
const BUDGET_S: u32 = 35;
const TARGET_PERCENT: u32 = 1;

/// When the other reader comes, counted from a run's start, and how long it stays: a third of the sampling.
const DISTURBED_AFTER: Duration = Duration::from_secs(10);
const DISTURBED_FOR: Duration = Duration::from_secs(12);

/// Thresholds on the median and the largest spread over the cases, in percent.
const QUIET_MEDIAN_PERCENT: f64 = 2.0;
const QUIET_WORST_PERCENT: f64 = 8.0;
const DISTURBED_MEDIAN_PERCENT: f64 = 5.0;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    reader::read_if_reader();
    let started = Instant::now();
    let folder = folder()?;
    println!("runs are kept in {}", folder.display());
    let quiet = measure("quiet", &folder, None)?;
    let disturbed = measure("disturbed", &folder, Some(DISTURBED_AFTER))?;
    println!(
        "\nspread of the ratio between {RUNS} runs, percent of its median; and how far disturbed runs differ"
    );
    for (calm, busy) in quiet.iter().zip(&disturbed) {
        println!(
            "{:<12} quiet {:5.2}  disturbed {:5.2}  difference {:+6.2}",
            calm.spec,
            calm.spread_percent(),
            busy.spread_percent(),
            (busy.median() / calm.median() - 1.0) * 100.0
        );
    }
    let quiet: Vec<f64> = quiet.iter().map(Case::spread_percent).collect();
    let disturbed: Vec<f64> = disturbed.iter().map(Case::spread_percent).collect();
    let checks = [
        (
            "quiet, median over cases",
            middle(&quiet),
            QUIET_MEDIAN_PERCENT,
        ),
        (
            "quiet, worst case",
            quiet.iter().copied().fold(0.0, f64::max),
            QUIET_WORST_PERCENT,
        ),
        (
            "disturbed, median over cases",
            middle(&disturbed),
            DISTURBED_MEDIAN_PERCENT,
        ),
    ];
    println!("took {:.0} s", started.elapsed().as_secs_f64());
    for (what, percent, limit) in checks {
        let verdict = if percent <= limit { "met" } else { "missed" };
        println!("spread {what}: {percent:.2} % (at most {limit} %: {verdict})");
    }
    let met = checks.iter().all(|(_, percent, limit)| percent <= limit);
    Ok(if met {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// One case's ratio to the reference in every run.
struct Case {
    spec: String,
    ratios: Vec<f64>,
}

impl Case {
    fn median(&self) -> f64 {
        middle(&self.ratios)
    }

    fn spread_percent(&self) -> f64 {
        let lowest = self.ratios.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = self.ratios.iter().copied().fold(0.0, f64::max);
        (highest - lowest) / self.median() * 100.0
    }
}

fn middle(values: &[f64]) -> f64 {
    median(values).unwrap_or(f64::NAN)
}

fn folder() -> Result<PathBuf, Box<dyn Error>> {
    let seconds = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    Ok(target.join(format!("repeatability-{seconds}")))
}

/// Runs the stride suite [`RUNS`] times and gathers each case's ratios.
fn measure(
    name: &str,
    folder: &Path,
    disturbed_after: Option<Duration>,
) -> Result<Vec<Case>, Box<dyn Error>> {
    let mut cases: Vec<Case> = Vec::new();
    for number in 1..=RUNS {
        let out = folder.join(format!("{name}-{number}"));
        let rows = run(number, &out, disturbed_after)?;
        println!("{name} run {number}: {} cases", rows.len());
        for row in rows {
            let ratio = row
                .ratio_to_reference
                .ok_or_else(|| format!("{}: {}", row.spec, row.reason))?;
            match cases.iter_mut().find(|case| case.spec == row.spec) {
                Some(case) => case.ratios.push(ratio),
                None => cases.push(Case {
                    spec: row.spec,
                    ratios: vec![ratio],
                }),
            }
        }
    }
    Ok(cases)
}

/// One run as a process of its own, with the other reader beside it for a while.
fn run(
    seed: u32,
    out: &Path,
    disturbed_after: Option<Duration>,
) -> Result<Vec<Row>, Box<dyn Error>> {
    let mut run = Command::new(env!("CARGO_BIN_EXE_coalescope"))
        .args([
            "run",
            "stride",
            "--budget",
            &BUDGET_S.to_string(),
            "--target",
            &TARGET_PERCENT.to_string(),
            "--seed",
            &seed.to_string(),
            "--out",
        ])
        .arg(out)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    if let Some(after) = disturbed_after {
        thread::sleep(after);
        let reader = Reader::start()?;
        thread::sleep(DISTURBED_FOR);
        drop(reader);
    }
    let status = run.wait()?;
    if !status.success() {
        return Err(format!("a run ended with {status}").into());
    }
    run_rows(out)
}
