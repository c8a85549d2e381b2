//! Virtual GPUs drawn by chance, and what has to be said of each.

use coalescope::virtual_gpu;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A line whose pair comes along less often than this may be called a line, more often than its opposite a pair.
const HARDLY_A_PAIR: f64 = 0.25;

/// A virtual GPU drawn by chance, and what has to be said of it.
pub(crate) struct Drawn {
    pub(crate) gpu: virtual_gpu::Settings,
    pub(crate) element_bytes: u32,
    /// How it departs from the model, in a word.
    pub(crate) departure: &'static str,
}

impl Drawn {
    /// Memory of one granule behind an issue ceiling.
    pub(crate) fn of_model(seed: u64) -> Self {
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
    pub(crate) fn off_model(seed: u64) -> Self {
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
    pub(crate) fn is_visible(&self) -> bool {
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

    pub(crate) fn accepts(&self, granule_bytes: u64) -> bool {
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
pub(crate) fn strides() -> Vec<u32> {
    (1..=32).chain([48, 64, 128, 256]).collect()
}
