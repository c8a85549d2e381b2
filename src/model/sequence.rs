//! An index list that is longer or shorter than a subgroup, read again and again: how it falls into subgroups.

use std::ops::Range;

use super::count::{CountError, counts_of_runs};
use super::dispatch::{gcd, unshared};
use super::run::{self, Run, Sorted};
use super::{Counts, DispatchCounts, Window, count_dispatch};

/// Entries of a period that are counted at most: some seconds. The longest list of a pattern has as many at 128 lanes,
/// more than any subgroup has.
const PERIOD_ENTRIES_MAX: u64 = 1 << 27;

/// Where a subgroup ends in a list that is read repeatedly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    /// Every reading begins with a new subgroup; the last subgroup of a reading may have fewer lanes.
    EachReading,
    /// Lane after lane, on into the next reading, as Spatter's kernels do: thread t reads entry t % len, time t / len.
    AcrossReadings,
}

/// A list of addresses, its repetitions and the subgroups that read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequence {
    /// The addresses of one reading, and the distance to the next.
    pub list: Window,
    /// How often the list is read.
    pub repeats: u64,
    /// Lanes of a subgroup, at least 1.
    pub lanes: u64,
    /// How readings fall into subgroups.
    pub cut: Cut,
}

/// One subgroup, and how often it comes again at its window's pitch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Addresses relative to the base of the first reading.
    pub window: Window,
    /// Number of windows.
    pub repeats: u64,
}

/// After how much of a sequence subgroups and readings begin together again.
struct Period {
    readings: u64,
    entries: u64,
    /// Whole periods in the sequence.
    full: u64,
    /// Entries after the last whole period.
    left_over: u64,
}

/// The counts of a sequence: of the subgroups of its first period, and of all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SequenceCounts {
    /// The sums over the different subgroups, each in its first place.
    pub subgroups: Counts,
    /// Number of these subgroups: load instructions until the sequence falls into subgroups as at its beginning.
    pub load_instructions: u64,
    /// The fewest transactions of one of them.
    pub transactions_min: u64,
    /// The most transactions of one of them.
    pub transactions_max: u64,
    /// All readings.
    pub dispatch: DispatchCounts,
}

impl Sequence {
    /// The different subgroups of one period, each with the number of times it comes with all its lanes.
    ///
    /// Made one by one, for the list may be long. [`Sequence::remainder`] is not among them.
    pub fn groups(&self) -> impl Iterator<Item = Group> + '_ {
        let (lanes, period) = (self.lanes.max(1), self.period());
        (0..period.entries.div_ceil(lanes)).map(move |group| {
            let (first, end) = (group * lanes, period.entries.min((group + 1) * lanes));
            let again = u64::from(end <= period.left_over);
            self.group(first..end, period.readings, period.full + again)
        })
    }

    /// The last subgroup of all, where it has fewer lanes than the subgroup in the same place of the other periods.
    pub fn remainder(&self) -> Option<Group> {
        let period = self.period();
        let begun = period.left_over % self.lanes.max(1);
        let end = period
            .full
            .saturating_mul(period.entries)
            .saturating_add(period.left_over);
        (begun > 0).then(|| self.group(end - begun..end, period.readings, 1))
    }

    /// Readings after which subgroups and readings begin together again, or all of them where those are fewer.
    pub fn period_readings(&self) -> u64 {
        self.period().readings
    }

    fn period(&self) -> Period {
        let (length, lanes) = (self.list.lanes(), self.lanes.max(1));
        let readings = match self.cut {
            Cut::EachReading => 1,
            Cut::AcrossReadings => lanes / gcd(length, lanes).max(1),
        };
        let readings = readings.min(self.repeats.max(1));
        let full = self.repeats / readings;
        Period {
            readings,
            entries: if full > 0 {
                readings.saturating_mul(length)
            } else {
                0
            },
            full,
            left_over: (self.repeats - full * readings).saturating_mul(length),
        }
    }

    /// The subgroup of these entries, coming again after `readings` readings.
    fn group(&self, entries: Range<u64>, readings: u64, repeats: u64) -> Group {
        let mut addresses = Vec::with_capacity((entries.end - entries.start) as usize);
        let (mut reading, mut place) = (
            entries.start / self.list.lanes(),
            (entries.start % self.list.lanes()) as usize,
        );
        while addresses.len() < addresses.capacity() {
            let wanted = addresses.capacity() - addresses.len();
            let end = self.list.addresses.len().min(place + wanted);
            let moved = self.list.pitch_bytes.saturating_mul(reading);
            let part = &self.list.addresses[place..end];
            addresses.extend(part.iter().map(|address| address.saturating_add(moved)));
            (reading, place) = (reading + 1, 0);
        }
        Group {
            window: Window {
                addresses,
                element_bytes: self.list.element_bytes,
                pitch_bytes: self.list.pitch_bytes.saturating_mul(readings),
            },
            repeats,
        }
    }
}

/// Counts the transactions of a sequence, without visiting its readings.
///
/// # Errors
/// As [`count_dispatch`], or if it takes too many readings until subgroups and readings begin together again.
pub fn count_sequence(
    sequence: &Sequence,
    transaction_bytes: u64,
) -> Result<SequenceCounts, CountError> {
    let period = sequence.period();
    if period.entries > PERIOD_ENTRIES_MAX {
        return Err(CountError::TooIrregular {
            lanes: sequence.list.lanes(),
            phases: period.readings,
        });
    }
    let whole = count_dispatch(&sequence.list, sequence.repeats, transaction_bytes)?;
    let mut counts = SequenceCounts {
        subgroups: Counts {
            transactions: 0,
            bytes_requested: 0,
            bytes_used: 0,
            bytes_fetched: 0,
        },
        load_instructions: 0,
        transactions_min: u64::MAX,
        transactions_max: 0,
        dispatch: DispatchCounts {
            windows: 0,
            unshared: 0,
            ..whole
        },
    };
    for group in sequence.groups() {
        let sorted = Sorted::new(&group.window);
        let runs = sorted.merge(transaction_bytes);
        let own = counts_of_runs(&group.window, &runs, &sorted.merge(1), transaction_bytes);
        counts.add_subgroup(own)?;
        counts.add_repeats(&group, &runs, transaction_bytes)?;
    }
    if let Some(group) = sequence.remainder() {
        let runs = run::merge(&group.window, transaction_bytes);
        counts.add_repeats(&group, &runs, transaction_bytes)?;
    }
    if counts.load_instructions == 0 {
        counts.transactions_min = 0;
    }
    Ok(counts)
}

impl SequenceCounts {
    fn add_subgroup(&mut self, own: Counts) -> Result<(), CountError> {
        let sums = &mut self.subgroups;
        add(&mut sums.transactions, own.transactions, "transactions")?;
        add(
            &mut sums.bytes_requested,
            own.bytes_requested,
            "requested bytes",
        )?;
        add(&mut sums.bytes_used, own.bytes_used, "used bytes")?;
        add(&mut sums.bytes_fetched, own.bytes_fetched, "fetched bytes")?;
        self.load_instructions += 1;
        self.transactions_min = self.transactions_min.min(own.transactions);
        self.transactions_max = self.transactions_max.max(own.transactions);
        Ok(())
    }

    fn add_repeats(
        &mut self,
        group: &Group,
        runs: &[Run],
        transaction_bytes: u64,
    ) -> Result<(), CountError> {
        add(&mut self.dispatch.windows, group.repeats, "windows")?;
        let pitch_bytes = group.window.pitch_bytes;
        let all = unshared(runs, pitch_bytes, group.repeats, transaction_bytes)?;
        add(&mut self.dispatch.unshared, all, "transactions")
    }
}

fn add(sum: &mut u64, part: u64, what: &'static str) -> Result<(), CountError> {
    *sum = sum.checked_add(part).ok_or(CountError::TooLarge { what })?;
    Ok(())
}
