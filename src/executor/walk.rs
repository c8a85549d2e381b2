//! How a kernel walks memory: the windows of a period, and the period again and again.

use std::sync::Arc;

use super::contents::sum_of_words;
use super::visit::Steps;
use crate::model::{Cut, Sequence, Window};

/// The index of a lane that accesses nothing.
pub const IDLE: u32 = u32::MAX;

/// The most entries of an index list that is laid out, which are 128 MiB: more would take longer to make than to measure.
pub const INDEXES_MAX: u64 = 1 << 25;

/// What the lanes access on one side of a kernel, the loading or the storing one.
///
/// An index counts *units*, the elements of the WGSL array: words, vectors or structs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The unit that each lane of each window of a period accesses, window after window; [`IDLE`] for none.
    pub indexes: Arc<[u32]>,
    /// Units from one period to the next.
    pub pitch_units: u64,
    /// Bytes of a unit.
    pub unit_bytes: u64,
    /// First byte of the unit that is accessed.
    pub field_bytes: u64,
    /// Bytes that a lane accesses there.
    pub access_bytes: u64,
    /// The same accesses as the model counts them.
    pub counted: Counted,
}

/// What the model counts of a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Counted {
    /// A list of addresses that is read again and again.
    List {
        /// One reading, and the distance to the next.
        list: Window,
        /// Where a subgroup ends in it.
        cut: Cut,
        /// Readings in a period.
        readings: u64,
    },
    /// Every element of the region once, in an order drawn at random; a period is one window of it.
    Shuffled {
        /// Elements of the region.
        elements: u64,
    },
}

impl Walk {
    /// The walk of `window` at its own pitch; `unit_bytes` is the size of a struct around the element, or the element's.
    ///
    /// # Errors
    /// Why no array of WGSL has these addresses.
    pub(super) fn of_window(window: &Window, unit_bytes: u64) -> Result<Self, String> {
        let lanes = window.addresses.iter().map(|&address| Some(address));
        let counted = Counted::List {
            list: window.clone(),
            cut: Cut::EachReading,
            readings: 1,
        };
        let pitch_bytes = window.pitch_bytes;
        Self::new(
            lanes,
            unit_bytes,
            window.element_bytes,
            pitch_bytes,
            counted,
        )
    }

    /// The walk of the subgroups of one period of `sequence`, whose readings come again at the list's pitch.
    ///
    /// # Errors
    /// As [`Self::of_window`]; also if more than [`INDEXES_MAX`] entries had to be laid out.
    pub(super) fn of_sequence(sequence: &Sequence) -> Result<Self, String> {
        let (lanes, readings) = (sequence.lanes as usize, sequence.period_readings());
        let entries = sequence.list.lanes().saturating_mul(readings);
        if entries > INDEXES_MAX {
            return Err(format!(
                "its subgroups repeat after {entries} entries, and no more than {INDEXES_MAX} are laid out"
            ));
        }
        let once = Sequence {
            repeats: readings,
            ..sequence.clone()
        };
        let windows = once.groups().map(|group| group.window.addresses);
        let padded = windows.flat_map(|addresses| {
            let idle = lanes - addresses.len();
            let busy = addresses.into_iter().map(Some);
            busy.chain(std::iter::repeat_n(None, idle))
        });
        let Window {
            element_bytes,
            pitch_bytes,
            ..
        } = sequence.list;
        let counted = Counted::List {
            list: sequence.list.clone(),
            cut: sequence.cut,
            readings,
        };
        let pitch_bytes = pitch_bytes.saturating_mul(readings);
        Self::new(padded, element_bytes, element_bytes, pitch_bytes, counted)
    }

    /// A walk of byte addresses, `None` for a lane that accesses nothing.
    pub(super) fn new(
        addresses: impl Iterator<Item = Option<u64>>,
        unit_bytes: u64,
        access_bytes: u64,
        pitch_bytes: u64,
        counted: Counted,
    ) -> Result<Self, String> {
        // A lane of the first window always accesses something, and the first one does.
        let mut addresses = addresses.peekable();
        let first = addresses.peek().copied().flatten().unwrap_or(0);
        let field_bytes = first % unit_bytes;
        if field_bytes + access_bytes > unit_bytes {
            return Err(
                "it reads across the end of its struct, which no field of WGSL does".to_owned(),
            );
        }
        let too_far = || "it reaches beyond what a 32-bit index addresses".to_owned();
        let index = |address: Option<u64>| match address {
            None => Ok(IDLE),
            Some(address) => u32::try_from(address / unit_bytes)
                .ok()
                .filter(|&index| index != IDLE)
                .ok_or_else(too_far),
        };
        Ok(Self {
            indexes: addresses.map(index).collect::<Result<_, _>>()?,
            pitch_units: pitch_bytes / unit_bytes,
            unit_bytes,
            field_bytes,
            access_bytes,
            counted,
        })
    }

    /// Windows of a period of subgroups of `lanes`.
    pub fn windows(&self, lanes: u32) -> u64 {
        self.indexes.len() as u64 / u64::from(lanes.max(1))
    }

    /// Readings of its list in a period.
    pub fn readings(&self) -> u64 {
        match self.counted {
            Counted::List { readings, .. } => readings,
            Counted::Shuffled { .. } => 1,
        }
    }

    /// Whether some lane accesses nothing.
    pub fn has_idle_lanes(&self) -> bool {
        self.indexes.contains(&IDLE)
    }

    /// One past the highest byte of the units that a period indexes, relative to its base: WGSL indexes them whole.
    pub fn extent_bytes(&self) -> u64 {
        let busy = self.indexes.iter().filter(|&&index| index != IDLE);
        busy.max()
            .map_or(0, |&highest| (u64::from(highest) + 1) * self.unit_bytes)
    }

    /// Whether one period begins before the last one's accesses end.
    pub fn overlaps(&self) -> bool {
        let busy = || self.indexes.iter().filter(|&&index| index != IDLE);
        let units = busy().max().zip(busy().min());
        units.is_some_and(|(last, first)| self.pitch_units < u64::from(last - first) + 1)
    }

    /// Bytes from one period to the next.
    pub fn pitch_bytes(&self) -> u64 {
        self.pitch_units * self.unit_bytes
    }

    /// Byte that each lane of window `window` of a slice accesses first, relative to the base; `None` if it accesses nothing.
    pub fn addresses(&self, lanes: u32, window: u64) -> impl Iterator<Item = Option<u64>> + '_ {
        let windows = self.windows(lanes).max(1);
        let (period, place) = (window / windows, (window % windows) as usize);
        let lanes = lanes as usize;
        self.indexes[place * lanes..(place + 1) * lanes]
            .iter()
            .map(move |&index| self.address(index, period))
    }

    fn address(&self, index: u32, period: u64) -> Option<u64> {
        let unit = u64::from(index) + period * self.pitch_units;
        (index != IDLE).then(|| unit * self.unit_bytes + self.field_bytes)
    }

    /// Lanes that access something in `steps`.
    pub(super) fn accesses(&self, lanes: u32, steps: Steps) -> u64 {
        match self.counted {
            Counted::Shuffled { .. } => steps.count * u64::from(lanes),
            Counted::List { .. } => {
                let busy = self.indexes.iter().filter(|&&index| index != IDLE).count();
                steps.count * busy as u64
            }
        }
    }

    /// Exact sum modulo 2^32 of every word that is accessed in `steps` from `base`, a byte of the whole footprint.
    pub(super) fn sum_of_contents(&self, lanes: u32, base: u64, steps: Steps) -> u32 {
        let sum_of_run = |first: u64, step: u64, count: u64| {
            (0..self.access_bytes / 4).fold(0_u32, |sum, word| {
                sum.wrapping_add(sum_of_words((base + first) / 4 + word, step / 4, count))
            })
        };
        let pitch = self.pitch_bytes();
        match &self.counted {
            Counted::Shuffled { .. } => {
                let lanes = u64::from(lanes);
                let range = (steps.first * lanes) as usize..(steps.end() * lanes) as usize;
                let each = self.indexes[range]
                    .iter()
                    .filter_map(|&index| self.address(index, 0));
                each.fold(0, |sum, address| {
                    sum.wrapping_add(sum_of_run(address, 0, 1))
                })
            }
            Counted::List { list, readings, .. } => match list.affine_run() {
                // A period of one reading, and all of them together one progression.
                Some(run) if *readings == 1 && list.element_bytes == self.access_bytes => {
                    let first = run.origin + steps.first * pitch;
                    sum_of_run(first, run.step, run.count_per_window * steps.count)
                        .wrapping_mul(run.multiplicity as u32)
                }
                _ => {
                    let each = self
                        .indexes
                        .iter()
                        .filter_map(|&index| self.address(index, steps.first));
                    each.fold(0, |sum, address| {
                        sum.wrapping_add(sum_of_run(address, pitch, steps.count))
                    })
                }
            },
        }
    }
}
