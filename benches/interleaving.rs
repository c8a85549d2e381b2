//! The same stride sweep measured point after point and in interleaved rounds, while something else reads memory during
//! the middle third of each; a quiet interleaved sweep tells what is right.
//!
//! Prints how far both are from the quiet one, and draws all three on one chart.

#[path = "common/adapter.rs"]
mod adapter;
#[path = "common/reader.rs"]
mod reader;

use std::convert::Infallible;
use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use coalescope::chart;
use coalescope::executor::{Executor, Visit};
use coalescope::gpu::GpuExecutor;
use coalescope::record::{Row, Status};
use coalescope::stats::{median, median_interval};
use coalescope::sweep::{
    Campaign, CaseState, Observer, SampleRecord, Settings, TimingMethod, by_names,
};
use reader::Reader;

/// Sampling of each sweep.
const SWEEP: Duration = Duration::from_secs(24);

fn main() -> Result<(), Box<dyn Error>> {
    reader::read_if_reader();
    let (mut executor, lanes) = adapter::open()?;
    let quiet = interleaved(&mut executor, lanes, None);
    let in_order = in_order(&mut executor, &quiet)?;
    let rounds = interleaved(&mut executor, lanes, Some(SWEEP / 3));
    let quiet = figures(&quiet);
    let rounds = figures(&rounds);
    println!(
        "{:<12} {:>9} {:>9} {:>12}",
        "GB/s", "quiet", "in order", "interleaved"
    );
    for ((calm, ordered), round) in quiet.iter().zip(&in_order).zip(&rounds) {
        let [calm_gb, ordered_gb, round_gb] = [calm, ordered, round].map(useful);
        println!(
            "{:<12} {calm_gb:9.3} {ordered_gb:9.3} {round_gb:12.3}",
            calm.spec
        );
    }
    let path = Path::new(env!("CARGO_TARGET_TMPDIR"));
    // During the middle third of the disturbed sweeps another process reads memory on one core.
    let sweeps = [
        ("quiet, interleaved", &quiet),
        ("disturbed, point after point", &in_order),
        ("disturbed, interleaved", &rounds),
    ]
    .map(|(name, rows)| chart::Run {
        name: name.to_owned(),
        card: chart::Card::from_rows(rows, ""),
        rows,
    });
    // The second is the same as a share of the fetch bandwidth.
    if let Some(chart) = chart::overlays(&sweeps)?.first() {
        fs::write(path.join("interleaving.svg"), &chart.svg)?;
        fs::write(path.join("interleaving.png"), chart.png()?)?;
        println!("chart: {}", path.join("interleaving.png").display());
    }
    for (name, sweep) in [("in order", &in_order), ("interleaved", &rounds)] {
        let errors: Vec<f64> = quiet
            .iter()
            .zip(sweep)
            .map(|(calm, other)| (useful(other) / useful(calm) - 1.0).abs() * 100.0)
            .collect();
        let worst = errors.iter().copied().fold(0.0, f64::max);
        println!(
            "{name}: off by {:.1} % (median over cases), {worst:.1} % (worst)",
            median(&errors).unwrap_or(f64::NAN)
        );
    }
    Ok(())
}

fn useful(row: &Row) -> f64 {
    row.useful_gb_per_s.unwrap_or(f64::NAN)
}

/// Starts the reader after a third of a sweep and ends it after two.
struct Disturber {
    begin: Option<(Instant, Duration)>,
    reader: Option<Reader>,
}

impl Disturber {
    fn new(third: Option<Duration>) -> Self {
        Self {
            begin: third.map(|third| (Instant::now(), third)),
            reader: None,
        }
    }

    fn look_at_the_clock(&mut self) {
        let Some((begin, third)) = self.begin else {
            return;
        };
        let due = (third..third * 2).contains(&begin.elapsed());
        if due && self.reader.is_none() {
            self.reader = Reader::start().ok();
        } else if !due {
            self.reader = None;
        }
    }
}

/// Samples every open case in rounds; the disturber's clock starts with the first round that counts.
struct Watcher {
    third: Option<Duration>,
    disturber: Disturber,
}

impl Observer for Watcher {
    type Error = Infallible;

    fn prepared(&mut self, _: &Campaign, _: usize) -> Result<(), Infallible> {
        Ok(())
    }

    fn sampled(&mut self, _: &CaseState, sample: &SampleRecord, _: bool) -> Result<(), Infallible> {
        if sample.round > 0 && self.disturber.begin.is_none() {
            self.disturber = Disturber::new(self.third);
        }
        self.disturber.look_at_the_clock();
        Ok(())
    }

    fn round_ended(&mut self, _: &Campaign, _: u32) -> Result<(), Infallible> {
        Ok(())
    }

    fn stop_requested(&self) -> bool {
        false
    }
}

fn interleaved(executor: &mut GpuExecutor, lanes: u32, third: Option<Duration>) -> Campaign {
    let settings = Settings {
        budget_s: SWEEP.as_secs_f64(),
        // The whole of the time, so that all sweeps have as much.
        target_half_width: 0.0,
        ..Settings::default()
    };
    let suites = by_names(&["stride"], &[]).unwrap_or_default();
    let suites = suites.iter().map(|suite| (suite.name, suite.cases.clone()));
    let mut campaign = Campaign::new(settings, lanes, suites);
    let mut watcher = Watcher {
        third,
        disturber: Disturber::new(None),
    };
    let Ok(_) = campaign.run(executor, &mut watcher);
    campaign
}

/// Rows with just what the chart needs.
fn figures(campaign: &Campaign) -> Vec<Row> {
    let drift = campaign.drift();
    let reference = drift.reference_gb_per_s();
    let row = |case: &CaseState| {
        let ratio = drift.estimate(case)?.ratio;
        let interval = ratio.interval.zip(reference);
        Some(Row {
            useful_gb_per_s: reference.map(|reference| reference * ratio.median),
            useful_low_gb_per_s: interval.map(|((low, _), reference)| low * reference),
            useful_high_gb_per_s: interval.map(|((_, high), reference)| high * reference),
            ..blank(case)
        })
    };
    campaign.cases.iter().filter_map(row).collect()
}

fn blank(case: &CaseState) -> Row {
    Row {
        suite: "stride".to_owned(),
        spec: case.spec.to_string(),
        status: Status::Ok,
        layout: "packed".to_owned(),
        element_bytes: 4,
        stride_elements: case.spec.stride_elements(),
        ..Row::default()
    }
}

/// Samples each case to its end before the next, as most benchmarks do: no reference, the median of its own samples.
fn in_order(executor: &mut GpuExecutor, prepared: &Campaign) -> Result<Vec<Row>, Box<dyn Error>> {
    let slices = executor.footprint().slices();
    let mut disturber = Disturber::new(Some(SWEEP / 3));
    let mut rows = Vec::new();
    let share = SWEEP / prepared.cases.len() as u32;
    for case in &prepared.cases {
        let id = case.id.ok_or("a case was not prepared")?;
        let bytes = case.samples.first().map_or(0, |sample| sample.bytes_used);
        let begin = Instant::now();
        let mut rates = Vec::new();
        while begin.elapsed() < share {
            let number = rates.len() as u32;
            let visits: Vec<Visit> = (0..case.dispatches)
                .map(|dispatch| Visit {
                    parts: case.parts,
                    ..Visit::whole((number + dispatch) % slices, 0)
                })
                .collect();
            let sample = executor.sample(id, &visits)?;
            let ns: u64 = sample
                .submissions
                .iter()
                .map(|submission| submission.host_ns)
                .sum();
            rates.push(bytes as f64 / ns as f64);
            disturber.look_at_the_clock();
        }
        let found = median_interval(&rates).ok_or("no sample")?;
        rows.push(Row {
            useful_gb_per_s: Some(found.median),
            useful_low_gb_per_s: found.interval.map(|(low, _)| low),
            useful_high_gb_per_s: found.interval.map(|(_, high)| high),
            timing_method: Some(TimingMethod::HostClock),
            ..blank(case)
        });
    }
    Ok(rows)
}
