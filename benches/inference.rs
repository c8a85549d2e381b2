//! What `fit` makes of 20,000 virtual GPUs drawn by chance: whole campaigns of the stride sweep, from samples to verdict.
//!
//! Half of them follow the model that is fitted: memory of one granule behind an issue ceiling, measured through noise, drift and
//! outliers. The other half does not: soft knees, lines fetched with a part of their pairs, declines, partial cache hits, channels
//! camped on. Prints right, undetermined and wrong by noise and by departure; exits with 1 where a threshold is missed.
//!
//! `cargo bench --bench inference -- --gpus N` draws N of each half instead of 10,000, `-- --wrong` shows each wrong verdict.

#[path = "../tests/common/card.rs"]
mod card;

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::error::Error;
use std::num::NonZero;
use std::thread;
use std::time::Instant;

use coalescope::executor::{Executor, Footprint};
use coalescope::fit::infer_rows;
use coalescope::pattern::Spec;
use coalescope::record::{Row, RunCard, rows};
use coalescope::sweep::{Campaign, CaseState, Observer, Planned, SampleRecord, Settings};
use coalescope::units::Bytes;
use coalescope::virtual_gpu::{self, VirtualGpu};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// Virtual GPUs of each half.
const GPUS: u64 = 10_000;

/// Of those whose knee is visible, so many have to be right.
const RIGHT_MIN: f64 = 0.99;

/// Of all that follow the model, and of all that do not, so many may be wrong.
const WRONG_MAX: f64 = 0.001;
const WRONG_OFF_MODEL_MAX: f64 = 0.01;

/// A line whose pair comes along less often than this may be called a line, more often than its opposite a pair.
const HARDLY_A_PAIR: f64 = 0.25;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().collect();
    let asked = arguments.iter().position(|argument| argument == "--gpus");
    let gpus = match asked.and_then(|at| arguments.get(at + 1)) {
        Some(number) => number.parse()?,
        None => GPUS,
    };
    let shows_wrong = arguments.iter().any(|argument| argument == "--wrong");
    let began = Instant::now();
    let modelled = judge_all(gpus, |seed| Drawn::of_model(seed));
    let departed = judge_all(gpus, |seed| Drawn::off_model(seed));
    println!("virtual GPUs that follow the fitted model");
    let on = print_table("noise", &modelled, |drawn| {
        let percent = drawn.gpu.disturbance.noise.0;
        format!("{:.0} to {:.0} %", percent.floor(), percent.floor() + 1.0)
    });
    println!("\nvirtual GPUs that do not");
    let off = print_table("departure", &departed, |drawn| drawn.departure.to_owned());
    if shows_wrong {
        let all = modelled.iter().chain(&departed);
        for (drawn, verdict) in all.filter(|(_, verdict)| verdict.outcome == Outcome::Wrong) {
            println!(
                "{} with {} B elements: {}",
                drawn.gpu, drawn.element_bytes, verdict.text
            );
        }
    }
    let checks = [
        (
            on.right_of_visible() >= RIGHT_MIN,
            "right",
            on.right_of_visible(),
            ">=",
            RIGHT_MIN,
        ),
        (
            on.wrong_of_all() <= WRONG_MAX,
            "wrong",
            on.wrong_of_all(),
            "<=",
            WRONG_MAX,
        ),
        (
            off.wrong_of_all() <= WRONG_OFF_MODEL_MAX,
            "wrong",
            off.wrong_of_all(),
            "<=",
            WRONG_OFF_MODEL_MAX,
        ),
    ];
    println!(
        "\n{} virtual GPUs in {:.0} s",
        modelled.len() + departed.len(),
        began.elapsed().as_secs_f64()
    );
    let about = [
        format!("of {} with a visible knee", on.visible),
        format!("of all {} that follow the model", on.all()),
        format!("of all {} that do not", off.all()),
    ];
    for ((passed, word, share, sign, bound), about) in checks.iter().zip(about) {
        println!(
            "{}: {word} {:.2} % {about} ({sign} {:.1} %)",
            if *passed { "passed" } else { "MISSED" },
            share * 100.0,
            bound * 100.0
        );
    }
    std::process::exit(i32::from(!checks.iter().all(|check| check.0)));
}

/// A virtual GPU drawn by chance, and what has to be said of it.
struct Drawn {
    gpu: virtual_gpu::Settings,
    element_bytes: u32,
    /// How it departs from the model, in a word.
    departure: &'static str,
}

impl Drawn {
    /// Memory of one granule behind an issue ceiling.
    fn of_model(seed: u64) -> Self {
        Self::new(&mut ChaCha8Rng::seed_from_u64(seed), seed)
    }

    fn new(chance: &mut ChaCha8Rng, seed: u64) -> Self {
        let element_bytes = [4_u32, 8, 16][chance.random_range(0..3)];
        let granule = [32_u64, 64, 128, 256][chance.random_range(0..4)];
        let lanes = [8, 16, 32, 64][chance.random_range(0..4)];
        let bandwidth_gb = log_uniform(chance, 20.0, 1000.0);
        let issue_gb = bandwidth_gb * log_uniform(chance, 0.15, 3.0);
        // The setting is that of 4-byte elements, and wider ones are issued as often.
        let issue_of_words = issue_gb * 4.0 / f64::from(element_bytes);
        let text = format!(
            "virtual:sector=32B,granule={granule}B,line=256B,lanes={lanes},bandwidth={bandwidth_gb}GB/s,issue={issue_of_words}GB/s,\
             l2=64KiB,l2-bandwidth=100000GB/s,launch=10ns,noise={}%,drift={}%,outliers=2%,seed={seed}",
            chance.random_range(0.0..5.0),
            chance.random_range(0.0..30.0),
        );
        Self {
            gpu: text
                .parse()
                .unwrap_or_else(|error| panic!("{text}: {error}")),
            element_bytes,
            departure: "none",
        }
    }

    /// The same with one departure.
    fn off_model(seed: u64) -> Self {
        let mut chance = ChaCha8Rng::seed_from_u64(seed ^ 0xdead);
        let mut drawn = Self::new(&mut chance, seed);
        let chance = &mut chance;
        let (departure, keys) = match chance.random_range(0..5) {
            0 => (
                "soft knee",
                format!("knee={}", chance.random_range(1.5..8.0)),
            ),
            1 => (
                "pairs of lines",
                format!("pairs={}%", chance.random_range(0.0..100.0)),
            ),
            2 => (
                "decline",
                format!(
                    "decline={}B,decline-power={},decline-floor={}%",
                    log_uniform(chance, 16.0, 2048.0) as u64,
                    chance.random_range(0.1..0.7),
                    chance.random_range(30.0..90.0)
                ),
            ),
            3 => (
                "cache hits",
                format!("hits={}%", chance.random_range(2.0..40.0)),
            ),
            _ => (
                "camping",
                format!(
                    "camping={}B,camping-share={}%",
                    16_u64 << chance.random_range(0..6),
                    chance.random_range(50.0..95.0)
                ),
            ),
        };
        drawn.gpu = format!("{},{keys}", drawn.gpu)
            .parse()
            .unwrap_or_else(|error| panic!("{keys}: {error}"));
        drawn.departure = departure;
        drawn
    }

    /// Whether the sweep shows the knee: two strides on the slope, three in the floor.
    fn is_visible(&self) -> bool {
        let memory = &self.gpu.memory;
        let element_bytes = f64::from(self.element_bytes);
        let issue = memory.issue.0 * element_bytes / 4.0;
        let knee = memory.granule.0 as f64 / element_bytes;
        let strides = strides().into_iter().map(f64::from);
        let (below, floor): (Vec<f64>, Vec<f64>) = strides.partition(|stride| *stride < knee);
        let falls = below
            .iter()
            .filter(|stride| memory.bandwidth.0 / **stride < 0.8 * issue);
        falls.count() >= 2 && floor.len() >= 3
    }

    fn accepts(&self, granule_bytes: u64) -> bool {
        let memory = &self.gpu.memory;
        let (line, share) = (memory.granule.0, memory.pairs.share());
        granule_bytes == line && share < 1.0 - HARDLY_A_PAIR
            || granule_bytes == 2 * line && share > HARDLY_A_PAIR
    }
}

fn log_uniform(chance: &mut ChaCha8Rng, least: f64, most: f64) -> f64 {
    chance.random_range(least.ln()..most.ln()).exp()
}

/// The strides that the suite sweeps.
fn strides() -> Vec<u32> {
    (1..=32).chain([48, 64, 128, 256]).collect()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Outcome {
    Right,
    Undetermined,
    Wrong,
}

struct Verdict {
    outcome: Outcome,
    confidence: f64,
    text: String,
}

/// Measures and judges so many, on all cores.
fn judge_all(gpus: u64, draw: impl Fn(u64) -> Drawn + Sync) -> Vec<(Drawn, Verdict)> {
    let cores = thread::available_parallelism().map_or(1, NonZero::get) as u64;
    let judge_share = |first: u64| -> Vec<(Drawn, Verdict)> {
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

/// Runs the stride sweep on the virtual GPU as `run` does, and fits its rows.
fn judge(drawn: &Drawn) -> Verdict {
    let rows = measured(drawn);
    let rows: Vec<&Row> = rows.iter().collect();
    let found = infer_rows(&rows, drawn.element_bytes);
    let granule = found.as_ref().and_then(|found| found.granule_bytes);
    Verdict {
        outcome: match granule {
            None => Outcome::Undetermined,
            Some(granule) if drawn.accepts(granule) => Outcome::Right,
            Some(_) => Outcome::Wrong,
        },
        confidence: found.as_ref().map_or(0.0, |found| found.confidence),
        text: found.map_or_else(
            || "no sweep".to_owned(),
            |found| {
                format!(
                    "{} ({:.2}; {})",
                    found.verdict(),
                    found.confidence,
                    found.reasons.join("; ")
                )
            },
        ),
    }
}

fn measured(drawn: &Drawn) -> Vec<Row> {
    const MIB: u64 = 1 << 20;
    let footprint = Footprint::cut(Bytes(64 * MIB), 32 * MIB, 8 * MIB).expect("a footprint");
    let mut gpu = VirtualGpu::open(drawn.gpu.clone(), footprint, false).expect("memory");
    let spec = |stride: u32| -> Planned {
        let spec: Spec = format!("stride:{stride},element={}B", drawn.element_bytes)
            .parse()
            .expect("a spec");
        spec.into()
    };
    let planned = strides().into_iter().map(spec).collect();
    let settings = Settings {
        seed: drawn.gpu.disturbance.seed,
        // Slices of 8 MiB are small, so that their checksums cost little; samples are as short.
        sample_ms: 0.1,
        dispatch_cap: 16,
        sample_cap: 24,
        ..Settings::default()
    };
    let mut campaign = Campaign::new(settings, drawn.gpu.lanes, [("stride", planned)]);
    let Ok(_) = campaign.run(&mut gpu, &mut Nobody);
    let card = RunCard {
        suites: vec!["stride".to_owned()],
        adapter: gpu.adapter().clone(),
        lanes: drawn.gpu.lanes,
        footprint,
        empty_dispatch_ns: campaign.empty_dispatch_ns,
        last_level_cache_bytes: Some(drawn.gpu.memory.l2.0),
        ..card::blank()
    };
    rows(&campaign, &card)
}

/// Looks on.
struct Nobody;

impl Observer for Nobody {
    type Error = Infallible;

    fn prepared(&mut self, _: &Campaign, _: usize) -> Result<(), Infallible> {
        Ok(())
    }

    fn sampled(&mut self, _: &CaseState, _: &SampleRecord, _: bool) -> Result<(), Infallible> {
        Ok(())
    }

    fn round_ended(&mut self, _: &Campaign, _: u32) -> Result<(), Infallible> {
        Ok(())
    }

    fn stop_requested(&self) -> bool {
        false
    }
}

/// How many verdicts were what.
#[derive(Clone, Copy, Default)]
struct Tally {
    right: usize,
    undetermined: usize,
    wrong: usize,
    visible: usize,
    visible_right: usize,
}

impl Tally {
    fn add(&mut self, drawn: &Drawn, verdict: &Verdict) {
        let visible = usize::from(drawn.is_visible());
        self.visible += visible;
        match verdict.outcome {
            Outcome::Right => {
                self.right += 1;
                self.visible_right += visible;
            }
            Outcome::Undetermined => self.undetermined += 1,
            Outcome::Wrong => self.wrong += 1,
        }
    }

    fn all(&self) -> usize {
        self.right + self.undetermined + self.wrong
    }

    fn right_of_visible(&self) -> f64 {
        self.visible_right as f64 / self.visible.max(1) as f64
    }

    fn wrong_of_all(&self) -> f64 {
        self.wrong as f64 / self.all().max(1) as f64
    }

    fn print(&self, name: &str) {
        println!(
            "{name:<16} {:>7} {:>7} {:>13} {:>7} {:>9} {:>17.2} %",
            self.all(),
            self.right,
            self.undetermined,
            self.wrong,
            self.visible,
            self.right_of_visible() * 100.0
        );
    }
}

/// Prints a line for each group and one for all, which it returns.
fn print_table(
    heading: &str,
    judged: &[(Drawn, Verdict)],
    group: impl Fn(&Drawn) -> String,
) -> Tally {
    let mut groups: BTreeMap<String, Tally> = BTreeMap::new();
    let mut all = Tally::default();
    for (drawn, verdict) in judged {
        groups.entry(group(drawn)).or_default().add(drawn, verdict);
        all.add(drawn, verdict);
    }
    println!(
        "{heading:<16} {:>7} {:>7} {:>13} {:>7} {:>9} {:>19}",
        "GPUs", "right", "undetermined", "wrong", "visible", "right of visible"
    );
    for (name, tally) in &groups {
        tally.print(name);
    }
    all.print("all");
    all
}
