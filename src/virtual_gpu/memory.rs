//! What a visit costs: how much it asks of issue, of the cache and of the memory, and how long each takes.

use crate::executor::{Case, CaseCounts, Counted, Plan, Steps, Walk};
use crate::model::{CountError, Window};
use crate::pattern::Tile;
use crate::units::{Bytes, BytesPerSecond, Percent};

/// The issue ceiling is given for elements of so many bytes.
const CEILING_ELEMENT_BYTES: f64 = 4.0;

/// What is moved when a block is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StorePolicy {
    /// Every touched block is written once.
    Write,
    /// A block that is not wholly covered is fetched before.
    #[default]
    Fill,
    /// Every block is fetched before.
    Allocate,
}

/// Bandwidth falls with the distance between lanes, as where pages run out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Decline {
    /// Distance from which it falls; `None` where it does not.
    pub from: Option<Bytes>,
    /// It falls with this power of the distance.
    pub power: f64,
    /// The share of the bandwidth that is left at the largest distances.
    pub floor: Percent,
}

/// Lanes so far apart that all of them meet at a few memory channels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camping {
    /// Distances that are multiples of this camp; `None` where none do.
    pub multiple: Option<Bytes>,
    /// The share of the bandwidth that they reach.
    pub share: Percent,
}

/// The memory side of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Memory {
    /// What the cache hands to lanes at least.
    pub sector: Bytes,
    /// What memory hands to the cache at least.
    pub granule: Bytes,
    /// What the cache keeps room for, be it filled or not.
    pub line: Bytes,
    /// Fetch bandwidth of the memory.
    pub bandwidth: BytesPerSecond,
    /// Bandwidth at which loads of 4-byte elements can be issued; wider ones are issued as often.
    pub issue: BytesPerSecond,
    /// Capacity of the last-level cache.
    pub l2: Bytes,
    /// Bandwidth of the last-level cache.
    pub l2_bandwidth: BytesPerSecond,
    /// What stores cost beside writing.
    pub stores: StorePolicy,
    /// Exponent of the norm that joins issue and fetch time; `None` takes the larger of the two.
    pub knee: Option<f64>,
    /// How much of a granule's partner in its aligned pair is fetched with it.
    pub pairs: Percent,
    /// Fetches that a cache answers although it should not, where lanes leave no granule out.
    pub hits: Percent,
    /// The fall of bandwidth with distance.
    pub decline: Decline,
    /// Distances that camp on channels.
    pub camping: Camping,
}

/// What one pass over some steps of a case asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Demand {
    /// Loads and stores of single lanes.
    lane_accesses: f64,
    /// Bytes between lanes and cache.
    l2_bytes: f64,
    /// Bytes between cache and memory if the cache holds nothing.
    memory_bytes: f64,
    /// Bytes of index lists among those, which no earlier visit leaves behind.
    index_memory_bytes: f64,
    /// Bytes that the touched lines take in the cache.
    pub(super) held_bytes: u64,
    /// Share of the bandwidth that the distance between lanes leaves.
    bandwidth_share: f64,
}

impl Demand {
    /// Counts `steps` of `case`.
    pub(super) fn count(case: &Case, steps: Steps, memory: &Memory) -> Result<Self, CountError> {
        let granules = case.count(steps.count, memory.granule.0)?;
        let sectors = case.count(steps.count, memory.sector.0)?;
        let line_bytes = memory.line.0;
        let held_bytes = case.count(steps.count, line_bytes)?.compulsory * line_bytes;
        // What one step fetches, the next can use only where it is still there: a column longer than the cache is not.
        let of_one_step = case.count(1, line_bytes)?.compulsory * line_bytes;
        let reach_bytes = if case.is_shuffled() {
            case.span_bytes()
        } else {
            of_one_step
        };
        let blocks = match reach_bytes <= memory.l2.0 {
            true => memory.shared_granules(case, steps, &granules)?,
            false => memory.unshared_granules(case, &granules),
        };
        let spacing = Spacing::of(case);
        let (index_requested, index_distinct) = case.index_bytes(steps.count);
        let index_memory_bytes = match index_distinct <= memory.l2.0 {
            true => 0,
            false => index_requested,
        };
        Ok(Self {
            lane_accesses: granules.bytes_requested as f64 / f64::from(case.spec.element.bytes()),
            l2_bytes: (sectors.unshared * memory.sector.0 + index_requested) as f64,
            memory_bytes: blocks * memory.granule.0 as f64 * (1.0 - memory.hit_share(spacing)),
            index_memory_bytes: index_memory_bytes as f64,
            held_bytes,
            bandwidth_share: memory.bandwidth_share(spacing),
        })
    }

    /// Nanoseconds of the pass, where `resident` is the share of its memory that the cache holds.
    pub(super) fn ns(&self, memory: &Memory, resident: f64) -> f64 {
        let bytes = self.memory_bytes * (1.0 - resident) + self.index_memory_bytes;
        let memory_ns = bytes / (memory.bandwidth.gb_per_s() * self.bandwidth_share);
        let fetch_ns = memory_ns.max(self.l2_bytes / memory.l2_bandwidth.gb_per_s());
        let issue_ns = self.issue_ns(memory);
        match memory.knee {
            None => issue_ns.max(fetch_ns),
            // Scaled by the larger, so that no power leaves the numbers there are.
            Some(power) => {
                let larger = issue_ns.max(fetch_ns).max(f64::MIN_POSITIVE);
                let norm = (issue_ns / larger).powf(power) + (fetch_ns / larger).powf(power);
                larger * norm.powf(power.recip())
            }
        }
    }

    /// Nanoseconds that issuing takes by itself.
    pub(super) fn issue_ns(&self, memory: &Memory) -> f64 {
        self.lane_accesses * CEILING_ELEMENT_BYTES / memory.issue.gb_per_s()
    }
}

impl Memory {
    /// Granules moved where what steps have in common is fetched once: loads, stores and what stores fetch before.
    fn shared_granules(
        &self,
        case: &Case,
        steps: Steps,
        granules: &CaseCounts,
    ) -> Result<f64, CountError> {
        let touched = granules.compulsory as f64;
        let partners = match self.pairs.0 > 0.0 {
            true => {
                let pairs = case.count(steps.count, self.granule.0 * 2)?.compulsory as f64;
                // Two granules a pair, but for those that are touched themselves.
                self.pairs.share() * (2.0 * pairs - touched).max(0.0)
            }
            false => 0.0,
        };
        let filled = match self.stores {
            StorePolicy::Write => 0,
            StorePolicy::Fill => match granules.stored_partly {
                Some(partly) => partly,
                None if case.is_shuffled() => granules.stored,
                // A part of a transpose: its tiles write whole granules, but for some at edges.
                None => 0,
            },
            StorePolicy::Allocate => granules.stored,
        };
        Ok(touched + partners + filled as f64)
    }

    /// Granules moved where every window fetches for itself; what it stores fills no granule.
    fn unshared_granules(&self, case: &Case, granules: &CaseCounts) -> f64 {
        let sides = match case.action.reads() && case.action.stores() {
            true => 2.0,
            false => 1.0,
        };
        let filled = match (self.stores, case.action.stores()) {
            (StorePolicy::Write, _) | (_, false) => 0.0,
            (_, true) => granules.unshared as f64 / sides,
        };
        // Partners come in vain: they are gone before anybody asks for them.
        granules.unshared as f64 * (1.0 + self.pairs.share()) + filled
    }

    /// Share of the fetches that a cache answers: the further lanes are apart, the less is fetched before a granule comes back, and
    /// the more of it is still there.
    fn hit_share(&self, spacing: Spacing) -> f64 {
        const MOST: f64 = 0.5;
        let usual = self.hits.share();
        let sparser = match spacing {
            Spacing::Even { bytes } => (bytes as f64 / self.granule.0 as f64).max(1.0),
            // However far lanes are apart, all of them together leave no granule out.
            Spacing::Shuffled { .. } => 1.0,
        };
        (usual * sparser).min(MOST.max(usual))
    }

    fn bandwidth_share(&self, spacing: Spacing) -> f64 {
        let (Spacing::Even { bytes } | Spacing::Shuffled { bytes }) = spacing;
        let Decline { from, power, floor } = self.decline;
        let declined = from.map_or(1.0, |from| {
            let beyond = bytes as f64 / from.0 as f64;
            beyond.max(1.0).powf(-power).max(floor.share())
        });
        let Camping { multiple, share } = self.camping;
        let camps = match spacing {
            Spacing::Even { bytes } => {
                bytes > 0 && multiple.is_some_and(|multiple| bytes.is_multiple_of(multiple.0))
            }
            // Lanes at random places meet all channels alike.
            Spacing::Shuffled { .. } => false,
        };
        declined * if camps { share.share() } else { 1.0 }
    }
}

/// How far the address of one lane is from the next one's, in bytes.
#[derive(Clone, Copy)]
enum Spacing {
    /// So far on an average of one list; 0 where all lanes share an address.
    Even { bytes: u64 },
    /// So far on an average of many draws.
    Shuffled { bytes: u64 },
}

impl Spacing {
    fn of(case: &Case) -> Self {
        match &case.plan {
            Plan::Walk {
                walk: Walk { counted, .. },
                ..
            } => match counted {
                Counted::List { list, .. } => Self::Even {
                    bytes: mean_distance_bytes(list),
                },
                // So many places drawn at random cut what they are drawn from into one part more.
                Counted::Shuffled { .. } => Self::Shuffled {
                    bytes: case.span_bytes() / (u64::from(case.lanes) + 1),
                },
            },
            Plan::Transpose(transpose) => Self::Even {
                bytes: match transpose.tile {
                    // Its stores go down a column.
                    Tile::None => transpose.width * transpose.element_bytes,
                    Tile::Plain | Tile::Padded => transpose.element_bytes,
                },
            },
        }
    }
}

fn mean_distance_bytes(list: &Window) -> u64 {
    let mut addresses = list.addresses.clone();
    addresses.sort_unstable();
    addresses.dedup();
    match (addresses.first(), addresses.last(), addresses.len()) {
        (Some(first), Some(last), distinct) if distinct > 1 => {
            (last - first) / (distinct as u64 - 1)
        }
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor::{Footprint, Visit};
    use crate::virtual_gpu::Settings;

    const MIB: u64 = 1 << 20;

    fn case(spec: &str) -> Case {
        let footprint = Footprint {
            buffers: 1,
            buffer_bytes: 64 * MIB,
            slice_bytes: 64 * MIB,
        };
        Case::new(spec.parse().expect("a spec"), 32, &footprint).expect("it fits")
    }

    /// 100 GB/s fetched, 50 GB/s issued and 400 GB/s from the cache, but for what `keys` say.
    fn memory(keys: &str) -> Memory {
        const PLAIN: [&str; 4] = [
            "bandwidth=100GB/s",
            "issue=50GB/s",
            "l2-bandwidth=400GB/s",
            "l2=1MiB",
        ];
        let mut parts: Vec<&str> = keys.split(',').filter(|key| !key.is_empty()).collect();
        let is_typed = |plain: &str| {
            let name = plain.split_once('=').map(|(name, _)| name);
            let mut typed = keys.split(',').filter_map(|key| key.split_once('='));
            typed.any(|(key, _)| Some(key) == name)
        };
        parts.extend(PLAIN.into_iter().filter(|plain| !is_typed(plain)));
        let settings: Settings = format!("virtual:{}", parts.join(",")).parse().expect(keys);
        settings.memory
    }

    fn demand(case: &Case, memory: &Memory) -> Demand {
        Demand::count(case, case.steps(Visit::whole(0, 0)), memory).expect("counted")
    }

    /// Milliseconds of a pass over 64 MiB with an empty cache.
    fn ms(spec: &str, keys: &str) -> f64 {
        let memory = memory(keys);
        demand(&case(spec), &memory).ns(&memory, 0.0) / 1e6
    }

    fn assert_near(got: f64, expected: f64) {
        assert!((got / expected - 1.0).abs() < 1e-3, "{got}, not {expected}");
    }

    const SLICE_GB: f64 = 64.0 * 1.048_576e6 / 1e9;

    #[test]
    fn the_slowest_of_issue_cache_and_memory_decides() {
        // Stride 1 is issued at 50 GB/s and fetched at 100.
        assert_near(ms("stride:1", ""), SLICE_GB / 50.0 * 1e3);
        // Stride 4 issues a quarter in as many bytes.
        assert_near(ms("stride:4", ""), SLICE_GB / 100.0 * 1e3);
        // One granule of 64 B in 128 B, which is half of the bytes.
        assert_near(ms("stride:32", ""), SLICE_GB / 2.0 / 100.0 * 1e3);
        // Elements of 16 B are issued at four times as much.
        assert_near(ms("stride:1,element=16B", ""), SLICE_GB / 100.0 * 1e3);
        // A window of its own every 1536 B, shifted by 4 B: five sectors of 32 B, and three granules of 64 B.
        let windows_g = SLICE_GB / 1536.0;
        let shifted = |keys| ms("offset:1,layout=padded", keys);
        assert_near(
            shifted("l2-bandwidth=10GB/s"),
            windows_g * 160.0 / 10.0 * 1e3,
        );
        assert_near(shifted("issue=900GB/s"), windows_g * 192.0 / 100.0 * 1e3);
    }

    #[test]
    fn a_soft_knee_adds_where_both_are_near() {
        // Issue and fetch take equally long at stride 2: the square root of two squares.
        let sharp = ms("stride:2", "");
        assert_near(ms("stride:2", "knee=2"), sharp * 2_f64.sqrt());
        assert_near(
            ms("stride:64", "knee=2"),
            ms("stride:64", "").hypot(ms("stride:64", "") / 8.0),
        );
    }

    #[test]
    fn partners_of_a_pair_come_along_unless_they_are_fetched_anyway() {
        // Every granule is touched.
        assert_near(ms("stride:16", "pairs=50%"), ms("stride:16", ""));
        // Every second one is.
        assert_near(ms("stride:32", "pairs=50%"), ms("stride:32", "") * 1.5);
        // Every third one is, never both of a pair.
        assert_near(ms("stride:48", "pairs=100%"), ms("stride:48", "") * 2.0);
    }

    #[test]
    fn columns_and_shuffles_share_only_what_the_cache_holds() {
        // 1024 rows of 64 KiB: a column takes 128 KiB of lines, and 16 columns share a granule.
        let column = "column:16384";
        assert_near(
            ms(column, "issue=900GB/s,l2-bandwidth=4000GB/s"),
            SLICE_GB / 100.0 * 1e3,
        );
        let unshared = ms(column, "issue=900GB/s,l2-bandwidth=4000GB/s,l2=64KiB");
        assert_near(unshared, 16.0 * SLICE_GB / 100.0 * 1e3);
        let accesses = SLICE_GB / 4.0;
        let random = ms("random", "issue=900GB/s,l2-bandwidth=4000GB/s");
        // An index and nearly a granule an access.
        assert!(random > accesses * 67.9 / 100.0 * 1e3, "{random}");
    }

    #[test]
    fn stores_cost_what_the_policy_says() {
        let whole = SLICE_GB / 100.0 * 1e3;
        for (policy, dense, sparse) in [
            ("write", 1.0, 1.0),
            ("fill", 1.0, 2.0),
            ("allocate", 2.0, 2.0),
        ] {
            let keys = format!("issue=900GB/s,stores={policy}");
            assert_near(ms("stride:1,op=store", &keys), dense * whole);
            assert_near(ms("stride:16,op=store", &keys), sparse * whole);
        }
    }

    /// Otherwise the doubling of a kernel's windows would look as if loads were left out.
    #[test]
    fn half_of_a_transpose_takes_half_the_time() {
        let (case, memory) = (case("transpose:1024,tile=padded"), memory("issue=900GB/s"));
        let ns = |parts| {
            let visit = Visit {
                parts,
                ..Visit::whole(0, 0)
            };
            let demand = Demand::count(&case, case.steps(visit), &memory);
            demand.expect("counted").ns(&memory, 0.0)
        };
        assert_near(ns(1), 2.0 * SLICE_GB / 100.0 * 1e3 * 1e6);
        assert_near(ns(2), ns(1) / 2.0);
    }

    #[test]
    fn far_lanes_run_at_a_share_of_the_bandwidth() {
        let plain = |spec| ms(spec, "");
        let decline = "decline=1KiB,decline-power=0.5,decline-floor=30%";
        assert_near(ms("stride:256", decline), plain("stride:256"));
        assert_near(ms("stride:1024", decline), plain("stride:1024") * 2.0);
        assert_near(ms("stride:16384", decline), plain("stride:16384") / 0.3);
        let camping = "camping=1KiB,camping-share=25%";
        assert_near(ms("stride:512", camping), plain("stride:512") * 4.0);
        assert_near(ms("stride:500", camping), plain("stride:500"));
        assert_near(ms("stride:16", "hits=20%"), plain("stride:16") * 0.8);
    }

    /// The span of a shuffle is a multiple of every power of two, which says nothing of its lanes.
    #[test]
    fn shuffled_lanes_are_far_apart_but_neither_camp_nor_leave_granules_out() {
        let random = case("random");
        let demand = |keys| demand(&random, &memory(keys));
        let plain = demand("");
        assert_eq!(demand("camping=1KiB,camping-share=25%"), plain);
        assert_near(demand("hits=2%").memory_bytes, plain.memory_bytes * 0.98);
        // 64 MiB cut into 33 parts by 32 lanes.
        let declined = demand("decline=1MiB,decline-power=1,decline-floor=1%");
        assert_near(declined.bandwidth_share, 33.0 / 64.0);
    }

    #[test]
    fn what_the_cache_holds_is_not_fetched() {
        let memory = memory("");
        let demand = demand(&case("stride:16"), &memory);
        assert_eq!(demand.held_bytes, 64 * MIB);
        assert_near(demand.ns(&memory, 0.5) / 1e6, SLICE_GB / 200.0 * 1e3);
        // Then it is the cache's 32-byte sectors that take time.
        assert_near(demand.ns(&memory, 1.0) / 1e6, SLICE_GB / 2.0 / 400.0 * 1e3);
    }
}
