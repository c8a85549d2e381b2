//! The keys of the grammar: each with its meaning in a line, and how its value is read and written.

use std::ops::RangeInclusive;
use std::str::FromStr;

use crate::pattern::{FAMILIES, LANES_MAX, Spec};
use crate::units::{Bytes, BytesPerSecond, Nanoseconds, Percent};

use super::clock::ClockKind;
use super::faults::Skipping;
use super::memory::StorePolicy;
use super::settings::Settings;

/// A key of `virtual[:key=value,...]`.
#[derive(Debug)]
pub struct Key {
    /// Its name.
    pub name: &'static str,
    /// A value that it takes.
    pub example: &'static str,
    /// What it sets.
    pub meaning: &'static str,
    /// Its value as typed; `None` where there is none.
    pub(super) get: fn(&Settings) -> Option<String>,
    /// Takes a value as typed; `None` where it is none.
    pub(super) set: fn(&mut Settings, &str) -> Option<()>,
}

/// Sizes of blocks: no hardware moves fewer bytes at once than a word or more than a page.
const BLOCK_BYTES: RangeInclusive<u64> = 4..=65_536;

/// Every key, in the order in which settings are printed.
pub static KEYS: [Key; 28] = [
    Key {
        name: "sector",
        example: "32B",
        meaning: "bytes that the cache hands to lanes at least; a power of two",
        get: |s| Some(s.memory.sector.to_string()),
        set: |s, text| block(&mut s.memory.sector, text),
    },
    Key {
        name: "granule",
        example: "64B",
        meaning: "bytes that memory hands to the cache at least; a power of two, no smaller than the sector",
        get: |s| Some(s.memory.granule.to_string()),
        set: |s, text| block(&mut s.memory.granule, text),
    },
    Key {
        name: "line",
        example: "128B",
        meaning: "bytes that the cache keeps room for, be they filled or not; a power of two, no smaller than the granule",
        get: |s| Some(s.memory.line.to_string()),
        set: |s, text| block(&mut s.memory.line, text),
    },
    Key {
        name: "bandwidth",
        example: "900GB/s",
        meaning: "fetch bandwidth of the memory",
        get: |s| Some(s.memory.bandwidth.spelled()),
        set: |s, text| rate(&mut s.memory.bandwidth, text),
    },
    Key {
        name: "issue",
        example: "600GB/s",
        meaning: "bandwidth at which 4-byte loads are issued; wider ones are issued as often",
        get: |s| Some(s.memory.issue.spelled()),
        set: |s, text| rate(&mut s.memory.issue, text),
    },
    Key {
        name: "l2",
        example: "6MiB",
        meaning: "capacity of the last-level cache",
        get: |s| Some(s.memory.l2.to_string()),
        set: |s, text| put(&mut s.memory.l2, text, |_| true),
    },
    Key {
        name: "l2-bandwidth",
        example: "2200GB/s",
        meaning: "bandwidth of the last-level cache",
        get: |s| Some(s.memory.l2_bandwidth.spelled()),
        set: |s, text| rate(&mut s.memory.l2_bandwidth, text),
    },
    Key {
        name: "stores",
        example: "fill",
        meaning: "what is fetched before a granule is written: write (nothing), fill (what is written in part), allocate (all)",
        get: |s| word_of(s.memory.stores, &STORE_POLICIES),
        set: |s, text| word(&mut s.memory.stores, text, &STORE_POLICIES),
    },
    Key {
        name: "lanes",
        example: "32",
        meaning: "lanes of a subgroup",
        get: |s| Some(s.lanes.to_string()),
        set: |s, text| put(&mut s.lanes, text, |lanes| (1..=LANES_MAX).contains(lanes)),
    },
    Key {
        name: "launch",
        example: "2us",
        meaning: "time of a dispatch that does nothing",
        get: |s| Some(s.launch.to_string()),
        set: |s, text| {
            put(&mut s.launch, text, |launch| {
                *launch <= Nanoseconds(1_000_000_000)
            })
        },
    },
    Key {
        name: "memory",
        example: "8GiB",
        meaning: "what can be allocated",
        get: |s| Some(s.capacity.to_string()),
        set: |s, text| put(&mut s.capacity, text, |_| true),
    },
    Key {
        name: "noise",
        example: "3%",
        meaning: "standard deviation of a submission's time",
        get: |s| Some(s.disturbance.noise.to_string()),
        set: |s, text| percent(&mut s.disturbance.noise, text, 0.0..=50.0),
    },
    Key {
        name: "drift",
        example: "20%",
        meaning: "the most that the device slows as time goes by",
        get: |s| Some(s.disturbance.drift.to_string()),
        set: |s, text| percent(&mut s.disturbance.drift, text, 0.0..=90.0),
    },
    Key {
        name: "outliers",
        example: "2%",
        meaning: "submissions that take several times as long",
        get: |s| Some(s.disturbance.outliers.to_string()),
        set: |s, text| percent(&mut s.disturbance.outliers, text, 0.0..=100.0),
    },
    Key {
        name: "seed",
        example: "1",
        meaning: "what chance begins with; the same seed gives the same samples",
        get: |s| Some(s.disturbance.seed.to_string()),
        set: |s, text| put(&mut s.disturbance.seed, text, |_| true),
    },
    Key {
        name: "knee",
        example: "4",
        meaning: "exponent of the norm that joins issue and fetch time, at least 1; sharp takes the larger of the two",
        get: |s| {
            Some(
                s.memory
                    .knee
                    .map_or(SHARP.to_owned(), |power| power.to_string()),
            )
        },
        set: |s, text| {
            let power = (text != SHARP).then(|| number(text, 1.0..=100.0));
            s.memory.knee = power.map_or(Some(None), |power| power.map(Some))?;
            Some(())
        },
    },
    Key {
        name: "pairs",
        example: "60%",
        meaning: "how much of a granule's partner in its aligned pair is fetched with it",
        get: |s| Some(s.memory.pairs.to_string()),
        set: |s, text| percent(&mut s.memory.pairs, text, 0.0..=100.0),
    },
    Key {
        name: "hits",
        example: "5%",
        meaning: "fetches that a cache answers although it should not; more, up to half, the further lanes are apart beyond a granule",
        get: |s| Some(s.memory.hits.to_string()),
        set: |s, text| percent(&mut s.memory.hits, text, 0.0..=99.0),
    },
    Key {
        name: "decline",
        example: "256B",
        meaning: "distance between lanes from which bandwidth falls",
        get: |s| s.memory.decline.from.map(|from| from.to_string()),
        set: |s, text| optional_size(&mut s.memory.decline.from, text),
    },
    Key {
        name: "decline-power",
        example: "0.5",
        meaning: "it falls with this power of the distance",
        get: |s| Some(s.memory.decline.power.to_string()),
        set: |s, text| {
            s.memory.decline.power = number(text, 0.0..=10.0)?;
            Some(())
        },
    },
    Key {
        name: "decline-floor",
        example: "25%",
        meaning: "the share of bandwidth that it falls to",
        get: |s| Some(s.memory.decline.floor.to_string()),
        set: |s, text| percent(&mut s.memory.decline.floor, text, 1.0..=100.0),
    },
    Key {
        name: "camping",
        example: "512B",
        meaning: "distances between lanes that are multiples of this meet at a few memory channels",
        get: |s| {
            s.memory
                .camping
                .multiple
                .map(|multiple| multiple.to_string())
        },
        set: |s, text| optional_size(&mut s.memory.camping.multiple, text),
    },
    Key {
        name: "camping-share",
        example: "50%",
        meaning: "the share of bandwidth that those reach",
        get: |s| Some(s.memory.camping.share.to_string()),
        set: |s, text| percent(&mut s.memory.camping.share, text, 1.0..=100.0),
    },
    Key {
        name: "clock",
        example: "none",
        meaning: "the device's timestamps: good, none, zero, backward, wrapped, or longer than the host's time",
        get: |s| word_of(s.clock, &ClockKind::WORDS),
        set: |s, text| word(&mut s.clock, text, &ClockKind::WORDS),
    },
    Key {
        name: "skip-loads",
        example: "stride",
        meaning: "dispatches leave accesses out: all, a share such as 1%, or those of a family or of a spec without keys",
        get: |s| s.faults.skip_loads.as_ref().map(ToString::to_string),
        set: |s, text| {
            s.faults.skip_loads = Some(skipping(text)?);
            Some(())
        },
    },
    Key {
        name: "refuse",
        example: "struct",
        meaning: "a family, or a spec without keys, whose kernels the driver refuses",
        get: |s| s.faults.refuse.clone(),
        set: |s, text| {
            s.faults.refuse = Some(pattern(text)?);
            Some(())
        },
    },
    Key {
        name: "lost",
        example: "100",
        meaning: "the sample, counted from 1, at which the device is lost for good",
        get: |s| s.faults.lost.map(|sample| sample.to_string()),
        set: |s, text| ordinal(&mut s.faults.lost, text),
    },
    Key {
        name: "hang",
        example: "100",
        meaning: "the sample, counted from 1, that does not end",
        get: |s| s.faults.hang.map(|sample| sample.to_string()),
        set: |s, text| ordinal(&mut s.faults.hang, text),
    },
];

/// The knee that is none.
const SHARP: &str = "sharp";

const STORE_POLICIES: [(StorePolicy, &str); 3] = [
    (StorePolicy::Write, "write"),
    (StorePolicy::Fill, "fill"),
    (StorePolicy::Allocate, "allocate"),
];

/// Puts the value that `text` names where it belongs, if it is one and `allowed`.
fn put<T: FromStr>(place: &mut T, text: &str, allowed: impl Fn(&T) -> bool) -> Option<()> {
    *place = text.parse().ok().filter(allowed)?;
    Some(())
}

fn block(place: &mut Bytes, text: &str) -> Option<()> {
    let allowed = |size: &Bytes| size.0.is_power_of_two() && BLOCK_BYTES.contains(&size.0);
    put(place, text, allowed)
}

fn optional_size(place: &mut Option<Bytes>, text: &str) -> Option<()> {
    let size: Bytes = text.parse().ok()?;
    *place = Some((size.0 > 0).then_some(size)?);
    Some(())
}

fn rate(place: &mut BytesPerSecond, text: &str) -> Option<()> {
    // A megabyte a second up to more than any memory has: times stay numbers that clocks can count.
    put(place, text, |rate| (1e6..=1e15).contains(&rate.0))
}

fn percent(place: &mut Percent, text: &str, allowed: RangeInclusive<f64>) -> Option<()> {
    put(place, text, |percent| allowed.contains(&percent.0))
}

fn ordinal(place: &mut Option<u64>, text: &str) -> Option<()> {
    let number: u64 = text.parse().ok()?;
    *place = Some((number > 0).then_some(number)?);
    Some(())
}

fn number(text: &str, allowed: RangeInclusive<f64>) -> Option<f64> {
    text.parse().ok().filter(|value| allowed.contains(value))
}

fn word<T: Copy>(place: &mut T, text: &str, words: &[(T, &str)]) -> Option<()> {
    let (value, _) = words.iter().find(|(_, word)| *word == text)?;
    *place = *value;
    Some(())
}

fn word_of<T: PartialEq>(value: T, words: &[(T, &str)]) -> Option<String> {
    let found = words.iter().find(|(meant, _)| *meant == value);
    found.map(|(_, word)| (*word).to_owned())
}

fn skipping(text: &str) -> Option<Skipping> {
    match text.parse::<Percent>() {
        Ok(share) => (share.0 <= 100.0).then_some(Skipping::Share(share)),
        Err(_) if text.is_empty() => Some(Skipping::All),
        Err(_) => pattern(text).map(Skipping::Of),
    }
}

/// The family, or the spec as cases print theirs: `stride:16B` means the case `stride:4`.
fn pattern(text: &str) -> Option<String> {
    if FAMILIES.contains(&text) {
        return Some(text.to_owned());
    }
    text.parse().ok().map(|spec: Spec| spec.to_string())
}
