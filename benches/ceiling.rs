//! How near the kernels come to what the memory gives, and what their checksum costs; all of it interleaved in one run.
//!
//! On a software adapter the memory is the processor's, so a plain multithreaded read loop over as many bytes is the
//! ceiling. Prints the median of each, the ratio of the best stride to the loop, and the time that the checksum adds
//! at stride 1.

#[path = "common/adapter.rs"]
mod adapter;

use std::error::Error;
use std::hint::black_box;
use std::thread;
use std::time::Instant;

use adapter::SLICE_BYTES;
use coalescope::executor::{Case, CaseId, Executor, KernelVariant, Visit};
use coalescope::gpu::GpuExecutor;
use coalescope::gpu::source::{self, Access};
use coalescope::pattern::Spec;
use coalescope::stats::median;

const ROUNDS: u32 = 41;

/// Slices of one sample, of a stride and of the read loop alike.
const SLICES_A_SAMPLE: u32 = 2;

/// Where the harness ends its sum, and the same behind a comparison that is never true.
const CHECKSUM: &str = "    atomicAdd(&sums[";
const NO_CHECKSUM: &str = "    if (params.lanes == 0u) { atomicAdd(&sums[0], sum); }\n    if (params.lanes == 0u) { atomicAdd(&sums[";

fn main() -> Result<(), Box<dyn Error>> {
    let (mut executor, lanes) = adapter::open()?;
    if !executor.adapter().is_software() {
        println!("not a software adapter: the processor's read loop is no ceiling for it");
    }
    ceiling(&mut executor, lanes)?;
    Ok(())
}

/// One stride of the sweep, and its fetched bandwidth in every round.
struct Swept {
    spec: Spec,
    id: CaseId,
    fetched_bytes_a_slice: u64,
    gb_per_s: Vec<f64>,
}

fn ceiling(executor: &mut GpuExecutor, lanes: u32) -> Result<(), Box<dyn Error>> {
    let footprint = *executor.footprint();
    let memory: Vec<u64> = (0..footprint.total_bytes() / 8)
        .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
        .collect();
    let mut swept = Vec::new();
    for stride in (1..=20).chain([24, 28, 32, 48, 64]) {
        let spec: Spec = format!("stride:{stride}").parse()?;
        let case = Case::new(spec.clone(), lanes, &footprint)?;
        let fetched_bytes_a_slice = case.bytes_fetched(Visit::whole(0, 0));
        swept.push(Swept {
            spec,
            id: executor.prepare(&case, KernelVariant::Timed)?,
            fetched_bytes_a_slice,
            gb_per_s: Vec::new(),
        });
    }
    let stride_1 = Case::new("stride:1".parse()?, lanes, &footprint)?;
    let wgsl = source::compose(&stride_1, Access::Measured)?;
    assert!(
        wgsl.contains(CHECKSUM),
        "the harness ends its sum elsewhere"
    );
    let without = wgsl
        .replace(CHECKSUM, NO_CHECKSUM)
        .replace(", sum);\n}", ", sum); }\n}");
    let without = executor.prepare_source(&stride_1, &without)?;
    let with = swept[0].id;

    let mut turns = Turns {
        next: 0,
        slices: footprint.slices(),
    };
    let mut read_loop = Vec::new();
    let mut four_streams = Vec::new();
    let mut checksum_ratios = Vec::new();
    for round in 0..=ROUNDS {
        let read = read_gb_per_s(&memory, turns.take(), PLAIN);
        let streams = read_gb_per_s(&memory, turns.take(), AS_KERNELS);
        let mut rates = Vec::new();
        for case in &swept {
            let ns = sample_ns(executor, case.id, turns.take())?;
            rates.push((case.fetched_bytes_a_slice * u64::from(SLICES_A_SAMPLE)) as f64 / ns);
        }
        let read_again = read_gb_per_s(&memory, turns.take(), PLAIN);
        let streams_again = read_gb_per_s(&memory, turns.take(), AS_KERNELS);
        // Which of the two comes first changes, so that drift within a round favours neither.
        let order = if round % 2 == 0 {
            [with, without]
        } else {
            [without, with]
        };
        let first = sample_ns(executor, order[0], turns.take())?;
        let second = sample_ns(executor, order[1], turns.take())?;
        // The first round warms up.
        if round > 0 {
            checksum_ratios.push(if round % 2 == 0 {
                first / second
            } else {
                second / first
            });
            read_loop.push(read.midpoint(read_again));
            four_streams.push(streams.midpoint(streams_again));
            for (case, rate) in swept.iter_mut().zip(rates) {
                case.gb_per_s.push(rate);
            }
        }
    }
    report(&swept, &read_loop, &four_streams, &checksum_ratios);
    Ok(())
}

fn report(swept: &[Swept], read_loop: &[f64], four_streams: &[f64], checksum_ratios: &[f64]) {
    let ratio_to = |ceiling: &[f64], case: &Swept| {
        let pairs = case.gb_per_s.iter().zip(ceiling);
        let ratios: Vec<f64> = pairs.map(|(fetched, read)| fetched / read).collect();
        median(&ratios).unwrap_or(0.0)
    };
    let best = |ceiling: &[f64]| {
        swept
            .iter()
            .map(|case| ratio_to(ceiling, case))
            .fold(0.0, f64::max)
    };
    let middle = |values: &[f64]| median(values).unwrap_or(f64::NAN);
    for case in swept {
        println!(
            "{:<10} fetched {:6.2} GB/s, {:.3} of the plain read loop",
            case.spec.to_string(),
            middle(&case.gb_per_s),
            ratio_to(read_loop, case)
        );
    }
    println!(
        "plain read loop        {:6.2} GB/s (median of {} rounds)",
        middle(read_loop),
        read_loop.len()
    );
    println!("four streams a thread  {:6.2} GB/s", middle(four_streams));
    println!("ratio_to_four_streams {:.2}", best(four_streams));
    println!(
        "checksum_cost_percent {:.2}",
        (middle(checksum_ratios) - 1.0) * 100.0
    );
    println!("ratio {:.2}", best(read_loop));
}

/// Deals slices in turn to everything that reads, so that nobody finds what another has just read in a cache.
struct Turns {
    next: u32,
    slices: u32,
}

impl Turns {
    /// The first slice of the next sample.
    fn take(&mut self) -> u32 {
        let first = self.next;
        self.next = (self.next + SLICES_A_SAMPLE) % self.slices;
        first
    }
}

fn sample_ns(
    executor: &mut GpuExecutor,
    id: CaseId,
    first_slice: u32,
) -> Result<f64, Box<dyn Error>> {
    let slices = executor.footprint().slices();
    let visits: Vec<Visit> = (first_slice..first_slice + SLICES_A_SAMPLE)
        .map(|slice| Visit::whole(slice % slices, 0))
        .collect();
    let sample = executor.sample(id, &visits)?;
    Ok(sample
        .submissions
        .iter()
        .map(|submission| submission.host_ns as f64)
        .sum())
}

/// Streams that a thread of the plain read loop reads side by side: one, as anybody would write it.
const PLAIN: usize = 1;

/// As many as the kernels have, which suits some prefetchers better: a harder ceiling.
const AS_KERNELS: usize = 4;

/// Reads a sample's bytes of `memory` with every processor, in loops that compile to SIMD.
fn read_gb_per_s(memory: &[u64], first_slice: u32, streams: usize) -> f64 {
    let words = |slices: u32| slices as usize * SLICE_BYTES as usize / 8;
    let first = words(first_slice);
    let part = &memory[first..(first + words(SLICES_A_SAMPLE)).min(memory.len())];
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let begin = Instant::now();
    thread::scope(|scope| {
        for chunk in part.chunks(part.len().div_ceil(threads)) {
            scope.spawn(move || black_box(sum(chunk, streams)));
        }
    });
    size_of_val(part) as f64 / begin.elapsed().as_nanos() as f64
}

fn sum(words: &[u64], streams: usize) -> [u64; 16] {
    let mut sums = [0_u64; 16];
    let streams: Vec<&[u64]> = words.chunks(words.len().div_ceil(streams)).collect();
    let blocks = streams
        .iter()
        .map(|stream| stream.len() / 16)
        .min()
        .unwrap_or(0);
    for block in 0..blocks {
        for stream in &streams {
            for (sum, word) in sums.iter_mut().zip(&stream[block * 16..(block + 1) * 16]) {
                *sum = sum.wrapping_add(*word);
            }
        }
    }
    sums
}
