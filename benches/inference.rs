//! What `fit` makes of 20,000 virtual GPUs drawn by chance: whole campaigns of the stride sweep, from samples to verdict.
//!
//! Half of them follow the model that is fitted: memory of one granule behind an issue ceiling, measured through noise, drift and
//! outliers. The other half does not: soft knees, lines fetched with a part of their pairs, declines, partial cache hits, channels
//! camped on. Prints right, undetermined and wrong by noise, by departure and by confidence, and draws them; exits with 1 where a
//! threshold is missed.
//!
//! `cargo bench --bench inference -- --gpus N` draws N of each half instead of 10,000, `-- --wrong` shows each wrong verdict.

#[path = "../tests/common/card.rs"]
mod card;
#[path = "common/drawn.rs"]
mod drawn;
#[path = "common/judge.rs"]
mod judge;
#[path = "common/tally.rs"]
mod tally;

use std::error::Error;
use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::thread;
use std::time::Instant;

use coalescope::chart::{self, VerdictBlock};

use drawn::Drawn;
use judge::{Outcome, judge};
use tally::{Judged, Table, print_calibration};

/// Virtual GPUs of each half.
const GPUS: u64 = 10_000;

/// Of those whose knee is visible, so many have to be right.
const RIGHT_MIN_PERCENT: f64 = 99.0;

/// Of all that follow the model, and of all that do not, so many may be wrong.
const WRONG_MAX_PERCENT: f64 = 0.1;
const WRONG_OFF_MODEL_MAX_PERCENT: f64 = 1.0;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let asked = arguments.iter().position(|argument| argument == "--gpus");
    let gpus = match asked.and_then(|at| arguments.get(at + 1)) {
        Some(number) => number.parse()?,
        None => GPUS,
    };
    let began = Instant::now();
    let modelled = judge_all(gpus, Drawn::of_model);
    let departed = judge_all(gpus, Drawn::off_model);
    let on = Table::of(&modelled, |drawn| {
        let percent = drawn.gpu.disturbance.noise.0.floor();
        format!("{percent:.0} to {:.0} %", percent + 1.0)
    });
    let off = Table::of(&departed, |drawn| drawn.departure.to_owned());
    println!("virtual GPUs that follow the fitted model");
    on.print("noise");
    println!("\nvirtual GPUs that do not");
    off.print("departure");
    println!("\nverdicts on those that follow it");
    print_calibration(&modelled);
    println!("\nverdicts on those that do not");
    print_calibration(&departed);
    if arguments.iter().any(|argument| argument == "--wrong") {
        print_wrong(modelled.iter().chain(&departed));
    }
    let blocks = [
        on.block("Follow the fitted model, by noise"),
        off.block("Depart from it in one way"),
    ];
    draw(&blocks, on.all.all() + off.all.all())?;
    println!(
        "\n{} virtual GPUs in {:.0} s",
        modelled.len() + departed.len(),
        began.elapsed().as_secs_f64()
    );
    let all_passed = check(&on, &off);
    std::process::exit(i32::from(!all_passed));
}

/// Measures and judges so many, on all cores.
fn judge_all(gpus: u64, draw: impl Fn(u64) -> Drawn + Sync) -> Vec<Judged> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get) as u64;
    let judge_share = |first: u64| -> Vec<Judged> {
        let mine = (first..gpus).step_by(cores as usize);
        mine.map(|seed| {
            let drawn = draw(seed);
            let verdict = judge(&drawn);
            (drawn, verdict)
        })
        .collect()
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..cores)
            .map(|first| scope.spawn(move || judge_share(first)))
            .collect();
        let done = workers
            .into_iter()
            .map(|worker| worker.join().expect("a worker that ends"));
        done.flatten().collect()
    })
}

fn print_wrong<'a>(judged: impl Iterator<Item = &'a Judged>) {
    for (drawn, verdict) in judged.filter(|(_, verdict)| verdict.outcome == Outcome::Wrong) {
        println!(
            "{} with {} B elements: {}",
            drawn.gpu, drawn.element_bytes, verdict.text
        );
    }
}

fn draw(blocks: &[VerdictBlock], gpus: usize) -> Result<(), Box<dyn Error>> {
    let caption = format!(
        "{gpus} virtual GPUs drawn by chance, a whole stride sweep each, from samples to verdict (cargo bench --bench inference)."
    );
    let chart = chart::verdicts(blocks, &caption)?;
    let path = Path::new(env!("CARGO_TARGET_TMPDIR"));
    fs::write(path.join("inference.svg"), &chart.svg)?;
    fs::write(path.join("inference.png"), chart.png()?)?;
    println!("\nchart: {}", path.join("inference.png").display());
    Ok(())
}

/// Prints how the thresholds were met; whether all were.
fn check(on: &Table, off: &Table) -> bool {
    // Where no knee is visible nothing is shown.
    let right = on.all.right_of_visible_percent().unwrap_or(0.0);
    let wrong = on.all.percent(on.all.wrong);
    let wrong_off_model = off.all.percent(off.all.wrong);
    let checks = [
        (
            right >= RIGHT_MIN_PERCENT,
            format!(
                "right {right:.2} % of {} with a visible knee (>= {RIGHT_MIN_PERCENT:.1} %)",
                on.all.visible
            ),
        ),
        (
            wrong <= WRONG_MAX_PERCENT,
            format!(
                "wrong {wrong:.2} % of all {} that follow the model (<= {WRONG_MAX_PERCENT:.1} %)",
                on.all.all()
            ),
        ),
        (
            wrong_off_model <= WRONG_OFF_MODEL_MAX_PERCENT,
            format!(
                "wrong {wrong_off_model:.2} % of all {} that do not (<= {WRONG_OFF_MODEL_MAX_PERCENT:.1} %)",
                off.all.all()
            ),
        ),
    ];
    for (passed, words) in &checks {
        println!("{}: {words}", if *passed { "passed" } else { "MISSED" });
    }
    checks.iter().all(|(passed, _)| *passed)
}
