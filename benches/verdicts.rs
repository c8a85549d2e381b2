//! How well the verdict repeats: stride and offset suites ten times in a row on the adapter that `run` chooses.
//!
//! Prints for each run what is fetched at once and how far the strides from 1 to 32 lie off the fitted curve. Exits with 1 if fewer
//! than nine runs name the same granule, or if the median of those distances is more than allowed in some run.

#[path = "common/run_rows.rs"]
mod run_rows;

use std::collections::BTreeMap;
use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use coalescope::fit::{Inference, StrideCurve, infer_rows, swept_element_bytes};
use coalescope::record::Row;
use coalescope::stats::median;
use run_rows::run_rows;

const RUNS: usize = 10;

/// Runs that have to agree.
const AGREEING_MIN: usize = 9;

/// Seconds of sampling in each.
const BUDGET_S: u32 = 25;

/// Strides whose distance from the curve is looked at, and what it may be in the median.
const STRIDES_MAX: u64 = 32;
const RESIDUAL_MAX_PERCENT: f64 = 8.0;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR"))?;
    let mut named: BTreeMap<Option<u64>, usize> = BTreeMap::new();
    let mut worst: f64 = 0.0;
    for number in 1..=RUNS {
        let rows = run(number, &folder.path().join(number.to_string()))?;
        let rows: Vec<&Row> = rows.iter().collect();
        let width = *swept_element_bytes(&rows)
            .first()
            .ok_or("no stride sweep")?;
        let found = infer_rows(&rows, width).ok_or("no stride sweep")?;
        let residual = StrideCurve::of_rows(&rows, width)
            .and_then(|curve| residual_percent(&curve, &found))
            .ok_or("no fitted curve")?;
        println!(
            "run {number}: {} (confidence {:.2}); strides 1 to {STRIDES_MAX} lie {residual:.1} % off the curve",
            found.verdict(),
            found.confidence
        );
        *named.entry(found.granule_bytes).or_default() += 1;
        worst = worst.max(residual);
    }
    let of_granules = named
        .iter()
        .filter_map(|(granule, runs)| Some(((*granule)?, *runs)));
    let (granule, agreeing) = of_granules.max_by_key(|(_, runs)| *runs).unwrap_or((0, 0));
    println!("{agreeing} of {RUNS} runs name {granule} B (at least {AGREEING_MIN})");
    println!("median residual of the worst run: {worst:.1} % (at most {RESIDUAL_MAX_PERCENT} %)");
    let met = agreeing >= AGREEING_MIN && worst <= RESIDUAL_MAX_PERCENT;
    Ok(if met {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The median distance of the small strides from the fitted curve, in percent of it.
fn residual_percent(curve: &StrideCurve, found: &Inference) -> Option<f64> {
    let fitted = found.curve?;
    let distances: Vec<f64> = curve
        .points()
        .iter()
        .filter(|point| point.stride_elements <= STRIDES_MAX)
        .map(|point| {
            let expected = fitted.useful_gb_per_s(point.stride_elements as f64);
            (point.useful_gb_per_s / expected - 1.0).abs() * 100.0
        })
        .collect();
    median(&distances)
}

/// One run as a process of its own.
fn run(seed: usize, out: &Path) -> Result<Vec<Row>, Box<dyn Error>> {
    let status = Command::new(env!("CARGO_BIN_EXE_coalescope"))
        .args(["run", "stride", "offset"])
        .args([
            "--budget",
            &BUDGET_S.to_string(),
            "--seed",
            &seed.to_string(),
        ])
        .arg("--out")
        .arg(out)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()?;
    if !status.success() {
        return Err(format!("a run ended with {status}").into());
    }
    run_rows(out)
}
