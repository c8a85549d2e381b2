//! What counting in closed form saves, and how its time grows: with the number of windows not at all, with the length
//! of a pattern in proportion.
//!
//! Every closed form stands beside a brute force that lists blocks, where both can run, and must equal it; a difference
//! ends the bench with 1. Then come the times over counts and lengths, and that of the whole command.

use std::collections::HashSet;
use std::error::Error;
use std::hint::black_box;
use std::io::Write as _;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

use coalescope::model::{
    CountError, Cut, Sequence, Window, count_affine, count_covered, count_dispatch, count_sequence,
};
use coalescope::pattern::Spec;
use coalescope::stats::median;

const LANES: u32 = 32;
const TRANSACTIONS_BYTES: [u64; 3] = [32, 64, 128];

/// Numbers of windows whose counting must take equally long.
const COUNTS: [u64; 4] = [1, 1 << 10, 1 << 20, 1 << 33];

/// Lengths of index lists whose counting must take equally long an entry; the last is odd, so that at 32 lanes every
/// entry of it begins a subgroup.
const LENGTHS: [u64; 5] = [16, 256, 4096, 65_536, 65_537];

/// Readings of a list while its length grows.
const READINGS: u64 = 1 << 20;

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let ratios = compare()?;
    let counts = grow_with_count()?;
    let lengths = grow_with_length()?;
    let predict_ms = whole_command_ms()?;
    let unequal = ratios.iter().filter(|ratio| ratio.is_none()).count();
    let known: Vec<f64> = ratios.iter().flatten().copied().collect();
    println!(
        "closed forms that differ from listing: {unequal} of {}",
        ratios.len()
    );
    println!(
        "brute_force_over_closed_form {:.0} (median)",
        median(&known).unwrap_or(f64::NAN)
    );
    println!("count_growth_worst {counts:.2} (2^33 windows over 2^10)");
    println!(
        "length_growth_worst {:.2} (time an entry, 65536 entries over 256)",
        lengths.ratio
    );
    println!(
        "ns_per_entry_worst {:.0} (65536 entries, three transaction sizes)",
        lengths.even_ns
    );
    println!(
        "ns_per_entry_odd_worst {:.0} (65537 entries)",
        lengths.odd_ns
    );
    println!("predict_ms {predict_ms:.1} (count 2^33, the whole process)");
    Ok(if unequal == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Time of a call in microseconds: the fastest of a quarter of a second or five calls, as neighbours only ever delay.
fn time_us<T>(mut call: impl FnMut() -> T) -> f64 {
    let (begin, mut calls, mut fastest_ns) = (Instant::now(), 0, u128::MAX);
    while calls < 5 || begin.elapsed().as_millis() < 250 {
        let call_begin = Instant::now();
        black_box(call());
        fastest_ns = fastest_ns.min(call_begin.elapsed().as_nanos());
        calls += 1;
    }
    fastest_ns as f64 / 1000.0
}

/// Both ways to every figure; returns how many times longer listing takes, or nothing where the figures differ.
fn compare() -> Result<Vec<Option<f64>>, Box<dyn Error>> {
    println!(
        "{:<44} {:>10} {:>12} {:>12} {:>9}",
        "count", "accesses", "closed us", "listed us", "ratio"
    );
    let mut ratios = Vec::new();
    let mut beside = |name: &str,
                      accesses: u64,
                      closed: &dyn Fn() -> Result<u64, CountError>,
                      listed: &dyn Fn() -> u64| {
        let equal = closed() == Ok(listed());
        let (closed_us, listed_us) = (time_us(closed), time_us(listed));
        let ratio = listed_us / closed_us;
        let verdict = if equal { "" } else { "  DIFFERS" };
        println!(
            "{name:<44} {accesses:>10} {closed_us:>12.2} {listed_us:>12.1} {ratio:>9.0}{verdict}"
        );
        ratios.push(equal.then_some(ratio));
    };
    for (text, windows) in [
        ("stride:3", 1 << 12),
        ("struct:20B+4B,layout=padded", 1 << 12),
        ("mixed", 1 << 12),
        ("list:0,7,7,8", 1 << 15),
    ] {
        let window = text.parse::<Spec>()?.window(LANES)?;
        let accesses = windows * window.lanes();
        let closed = || Ok(count_dispatch(&window, windows, 32)?.compulsory);
        beside(
            &format!("count_dispatch {text}"),
            accesses,
            &closed,
            &|| distinct(&window, windows, 32),
        );
        let closed = || count_covered(&window, windows, 32);
        beside(&format!("count_covered {text}"), accesses, &closed, &|| {
            covered(&window, windows, 32)
        });
    }
    let columns = Window {
        pitch_bytes: 4,
        .."column:1024".parse::<Spec>()?.window(LANES)?
    };
    let closed = || count_covered(&columns, 1000, 128);
    beside(
        "count_covered column:1024, every column",
        32_000,
        &closed,
        &|| covered(&columns, 1000, 128),
    );
    let window = |lanes| Window {
        addresses: (0..lanes).map(|lane| 5 + 12 * lane).collect(),
        element_bytes: 8,
        pitch_bytes: 0,
    };
    let closed = || count_affine(5, 12, 1 << 17, 8, 32);
    let progression = window(1 << 17);
    beside("count_affine 5 + 12 i", 1 << 17, &closed, &|| {
        distinct(&progression, 1, 32)
    });
    for (length, delta) in [(33, 1), (33, 33), (257, 17)] {
        let sequence = sequence(Shape::Scattered, length, delta, 1000);
        let closed = || Ok(count_sequence(&sequence, 32)?.dispatch.unshared);
        let name = format!("count_sequence {length} entries, delta {delta}");
        beside(&name, length * 1000, &closed, &|| subgroups(&sequence, 32));
    }
    Ok(ratios)
}

/// Every byte address of a list that is read `windows` times.
fn addresses(window: &Window, windows: u64) -> impl Iterator<Item = u64> {
    (0..windows).flat_map(move |k| {
        window
            .addresses
            .iter()
            .map(move |address| address + k * window.pitch_bytes)
    })
}

fn blocks(addresses: impl Iterator<Item = u64>, element_bytes: u64, size: u64) -> HashSet<u64> {
    addresses
        .flat_map(|address| address / size..=(address + element_bytes - 1) / size)
        .collect()
}

fn distinct(window: &Window, windows: u64, size: u64) -> u64 {
    blocks(addresses(window, windows), window.element_bytes, size).len() as u64
}

fn covered(window: &Window, windows: u64, size: u64) -> u64 {
    let mut bytes: Vec<u64> = blocks(addresses(window, windows), window.element_bytes, 1)
        .into_iter()
        .collect();
    bytes.sort_unstable();
    bytes
        .chunk_by(|a, b| a / size == b / size)
        .filter(|block| block.len() as u64 == size)
        .count() as u64
}

fn subgroups(sequence: &Sequence, size: u64) -> u64 {
    let all: Vec<u64> = addresses(&sequence.list, sequence.repeats).collect();
    let of_group = |group: &[u64]| {
        blocks(group.iter().copied(), sequence.list.element_bytes, size).len() as u64
    };
    all.chunks(sequence.lanes as usize).map(of_group).sum()
}

/// What an index list looks like.
#[derive(Clone, Copy)]
enum Shape {
    Consecutive,
    /// Every eighth element, in a scattered order.
    Scattered,
    /// Every entry four times.
    Duplicates,
}

/// A list of doubles as Spatter reads it, lane after lane.
fn sequence(shape: Shape, length: u64, delta: u64, repeats: u64) -> Sequence {
    let index = |entry: u64| match shape {
        Shape::Consecutive => entry,
        // Odd times entry, modulo a power of two: a permutation.
        Shape::Scattered => 8 * (entry * 40_503 % length.next_power_of_two()),
        Shape::Duplicates => entry / 4 * 17,
    };
    Sequence {
        list: Window {
            addresses: (0..length).map(|entry| 8 * index(entry)).collect(),
            element_bytes: 8,
            pitch_bytes: 8 * delta,
        },
        repeats,
        lanes: u64::from(LANES),
        cut: Cut::AcrossReadings,
    }
}

/// All that a prediction asks of a sequence, for every transaction size.
fn count_all(sequence: &Sequence) -> Result<u64, CountError> {
    let mut sum = 0;
    for size in TRANSACTIONS_BYTES {
        sum += count_sequence(sequence, size)?.dispatch.compulsory;
        sum += count_covered(&sequence.list, sequence.repeats, size)?;
    }
    Ok(sum)
}

/// Times over the number of windows; returns the largest ratio of the last to the second.
fn grow_with_count() -> Result<f64, Box<dyn Error>> {
    println!(
        "\n{:<44} {:>10} {:>10} {:>10} {:>10}",
        "us over windows", "1", "2^10", "2^20", "2^33"
    );
    let mut worst: f64 = 0.0;
    let mut row =
        |name: &str, count: &dyn Fn(u64) -> Result<u64, CountError>| -> Result<(), CountError> {
            let mut times = Vec::new();
            for windows in COUNTS {
                count(windows)?;
                times.push(time_us(|| count(windows)));
            }
            println!(
                "{name:<44} {:>10.2} {:>10.2} {:>10.2} {:>10.2}",
                times[0], times[1], times[2], times[3]
            );
            worst = worst.max(times[3] / times[1]);
            Ok(())
        };
    for text in [
        "stride:3",
        "mixed",
        "offset:3B",
        "struct:20B+4B,layout=padded",
        "list:0,7,7,8",
    ] {
        let window = text.parse::<Spec>()?.window(LANES)?;
        row(text, &|windows| {
            Ok(count_dispatch(&window, windows, 32)?.compulsory
                + count_covered(&window, windows, 32)?)
        })?;
    }
    for (name, length, delta) in SEQUENCES {
        row(name, &|repeats| {
            count_all(&sequence(Shape::Scattered, length, delta, repeats))
        })?;
    }
    Ok(worst)
}

/// Lists whose repetitions overlap, coincide, interleave, or lie at every alignment to a transaction.
const SEQUENCES: [(&str, u64, u64); 5] = [
    ("256 entries, delta 0", 256, 0),
    ("256 entries, delta 1", 256, 1),
    ("256 entries, delta 17", 256, 17),
    ("257 entries, delta 1", 257, 1),
    ("257 entries, delta 2057", 257, 2057),
];

/// The worst over all lists of how their counting grows.
#[derive(Default)]
struct LengthGrowth {
    /// Time an entry of the longest even list over that of 256 entries.
    ratio: f64,
    /// Nanoseconds an entry of the longest even list.
    even_ns: f64,
    /// Nanoseconds an entry of the odd list.
    odd_ns: f64,
}

/// Times over the length of a list.
fn grow_with_length() -> Result<LengthGrowth, Box<dyn Error>> {
    print!("\n{:<44}", "ns an entry over entries");
    for length in LENGTHS {
        print!(" {length:>8}");
    }
    println!();
    let shapes = [
        ("consecutive", Shape::Consecutive),
        ("scattered", Shape::Scattered),
        ("duplicates", Shape::Duplicates),
    ];
    let deltas = [
        ("0", Some(0)),
        ("1", Some(1)),
        ("15", Some(15)),
        ("17", Some(17)),
        ("4099", Some(4099)),
        ("8 x entries + 1", None),
    ];
    let mut worst = LengthGrowth::default();
    for (name, shape) in shapes {
        for (delta_name, delta) in deltas {
            print!("{:<44}", format!("{name}, delta {delta_name}"));
            let mut ns = Vec::new();
            for length in LENGTHS {
                let sequence = sequence(shape, length, delta.unwrap_or(8 * length + 1), READINGS);
                count_all(&sequence)?;
                ns.push(1000.0 * time_us(|| count_all(&sequence)) / length as f64);
                print!(" {:>8.0}", ns[ns.len() - 1]);
                std::io::stdout().flush()?;
            }
            println!();
            worst.ratio = worst.ratio.max(ns[3] / ns[1]);
            worst.even_ns = worst.even_ns.max(ns[3]);
            worst.odd_ns = worst.odd_ns.max(ns[4]);
        }
    }
    Ok(worst)
}

/// Median time of `coalescope predict @FILE` with 2^33 readings, from its start to its end.
fn whole_command_ms() -> Result<f64, Box<dyn Error>> {
    let count = COUNTS[3];
    let mut file = tempfile::NamedTempFile::new()?;
    write!(
        file,
        r#"[{{"pattern":"UNIFORM:256:3:NR","count":{count}}},{{"pattern":[0,7,7,8,100],"delta":17,"count":{count}}}]"#
    )?;
    let spec = format!("@{}", file.path().display());
    let mut times = Vec::new();
    for _ in 0..21 {
        let begin = Instant::now();
        let mut command = Command::new(env!("CARGO_BIN_EXE_coalescope"));
        let status = command
            .args(["predict", &spec])
            .stdout(Stdio::null())
            .status()?;
        if !status.success() {
            return Err(format!("coalescope predict {spec}: {status}").into());
        }
        times.push(begin.elapsed().as_secs_f64() * 1000.0);
    }
    println!();
    median(&times).ok_or_else(|| "no times".into())
}
