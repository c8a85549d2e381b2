//! What the model counts of a case: its subgroups, and the steps of a dispatch.

use super::case::{Action, Case, Plan};
use super::transpose::Transpose;
use super::visit::{Steps, Visit};
use super::walk::{Counted, Walk};
use crate::model::{
    CountError, Counts, Cut, DispatchCounts, Sequence, Window, count_covered, count_sequence,
    expected_random_transactions,
};
use crate::pattern::{Side, Tile};

/// By the shortest lines in use, whatever passes through a cache surely passes.
const LINE_BYTES: u64 = 64;

/// Transactions of one size over some steps of a case, loads and stores together.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CaseCounts {
    /// Windows: load or store instructions of a subgroup.
    pub windows: u64,
    /// Accesses times their size.
    pub bytes_requested: u64,
    /// Distinct bytes that are read.
    pub bytes_loaded: u64,
    /// Distinct bytes that are written.
    pub bytes_stored: u64,
    /// Transactions if no window profits from another.
    pub unshared: u64,
    /// Transactions if every block is moved once.
    pub compulsory: u64,
    /// The compulsory ones of the storing side.
    pub stored: u64,
    /// Of those, the ones that are written in part only; `None` where that cannot be counted, or nothing is stored.
    pub stored_partly: Option<u64>,
}

impl CaseCounts {
    /// Distinct bytes, read and written.
    pub fn bytes_used(&self) -> u64 {
        self.bytes_loaded + self.bytes_stored
    }

    /// The same steps `times` over, each time in memory of its own.
    pub fn times(&self, times: u64) -> Self {
        Self {
            windows: self.windows * times,
            bytes_requested: self.bytes_requested * times,
            bytes_loaded: self.bytes_loaded * times,
            bytes_stored: self.bytes_stored * times,
            unshared: self.unshared * times,
            compulsory: self.compulsory * times,
            stored: self.stored * times,
            stored_partly: self.stored_partly.map(|partly| partly * times),
        }
    }

    fn add(&mut self, side: Side, counts: &DispatchCounts, partly: Option<u64>) {
        self.windows += counts.windows;
        self.bytes_requested += counts.bytes_requested;
        self.unshared += counts.unshared;
        self.compulsory += counts.compulsory;
        match side {
            Side::Load => self.bytes_loaded += counts.bytes_used,
            Side::Store => {
                self.bytes_stored += counts.bytes_used;
                self.stored += counts.compulsory;
                self.stored_partly = partly;
            }
        }
    }
}

impl Case {
    /// Counts transactions of `transaction_bytes` over the first `steps` of a slice.
    ///
    /// # Errors
    /// As [`count_sequence`].
    pub fn count(&self, steps: u64, transaction_bytes: u64) -> Result<CaseCounts, CountError> {
        let mut sum = CaseCounts::default();
        match &self.plan {
            Plan::Walk { walk, scatter } => {
                for (side, walk) in self.sides(walk, scatter.as_ref()) {
                    let counts = walk.count(self.lanes, steps, transaction_bytes)?;
                    let partly = match side {
                        Side::Load => None,
                        Side::Store => walk.partly(self.lanes, steps, &counts),
                    };
                    sum.add(side, &counts, partly);
                }
            }
            Plan::Transpose(transpose) => {
                let rows = transpose.rows(Steps {
                    first: 0,
                    count: steps,
                });
                for side in [Side::Load, Side::Store] {
                    let counts = transpose.count(side, self.lanes, rows, transaction_bytes)?;
                    // Every element of a matrix is written, and matrices lie apart by whole granules: only ends are partial.
                    let whole = counts.bytes_used / transaction_bytes;
                    sum.add(
                        side,
                        &counts,
                        (rows == transpose.width * transpose.matrices)
                            .then(|| counts.compulsory.saturating_sub(whole)),
                    );
                }
            }
        }
        Ok(sum)
    }

    /// Counts of one repetition of the pattern in its first place, summed over its subgroups and sides.
    ///
    /// # Errors
    /// As [`count_sequence`].
    pub fn count_subgroups(&self, transaction_bytes: u64) -> Result<Counts, CountError> {
        let mut sum = Counts {
            transactions: 0,
            bytes_requested: 0,
            bytes_used: 0,
            bytes_fetched: 0,
        };
        let mut add = |counts: Counts| {
            sum.transactions += counts.transactions;
            sum.bytes_requested += counts.bytes_requested;
            sum.bytes_used += counts.bytes_used;
            sum.bytes_fetched += counts.bytes_fetched;
        };
        match &self.plan {
            Plan::Walk { walk, scatter } => {
                for (_, walk) in self.sides(walk, scatter.as_ref()) {
                    add(walk.count_subgroups(self, transaction_bytes)?);
                }
            }
            Plan::Transpose(_) => {
                for &side in self.spec.sides() {
                    if let Ok(sequence) = self.spec.sequence(side, self.lanes, 1) {
                        add(count_sequence(&sequence, transaction_bytes)?.subgroups);
                    }
                }
            }
        }
        Ok(sum)
    }

    /// The walks that load and that store; both are the same of a copy.
    pub(super) fn sides<'a>(
        &self,
        walk: &'a Walk,
        scatter: Option<&'a Walk>,
    ) -> Vec<(Side, &'a Walk)> {
        match self.action {
            Action::Load => vec![(Side::Load, walk)],
            Action::Store => vec![(Side::Store, walk)],
            Action::Copy | Action::LoadAndStore => {
                vec![(Side::Load, walk), (Side::Store, scatter.unwrap_or(walk))]
            }
        }
    }

    /// Distinct bytes that one pass of `visit` reads and writes.
    pub fn bytes_used(&self, visit: Visit) -> u64 {
        let steps = self.steps(visit);
        let shortest = match &self.plan {
            Plan::Walk { walk, .. } => walk.access_bytes,
            Plan::Transpose(transpose) => {
                return 2 * transpose.rows(steps) * transpose.width * transpose.element_bytes;
            }
        };
        // Slices are far smaller than what the count refuses.
        self.count(steps.count, shortest)
            .map_or(0, |counts| counts.bytes_used())
    }

    /// Bytes of 64-byte lines that one pass of `visit` moves at least.
    pub fn bytes_fetched(&self, visit: Visit) -> u64 {
        self.count(self.steps(visit).count, LINE_BYTES)
            .map_or(0, |counts| counts.compulsory * LINE_BYTES)
    }

    /// Bytes of index lists that `steps` read, and distinct ones; 0 where the kernel computes its addresses.
    pub fn index_bytes(&self, steps: u64) -> (u64, u64) {
        const ENTRY_BYTES: u64 = size_of::<u32>() as u64;
        let Plan::Walk { walk, scatter } = &self.plan else {
            return (0, 0);
        };
        if !self.is_listed() {
            return (0, 0);
        }
        let walks = [Some(walk), scatter.as_ref()];
        walks
            .into_iter()
            .flatten()
            .fold((0, 0), |(requested, used), walk| {
                let of_step =
                    walk.indexes.len() as u64 / walk.windows(self.lanes) * self.windows_per_step();
                (
                    requested + steps * of_step * ENTRY_BYTES,
                    used + walk.indexes.len() as u64 * ENTRY_BYTES,
                )
            })
    }
}

impl Walk {
    fn sequence(&self, lanes: u32, steps: u64) -> Option<Sequence> {
        let Counted::List {
            list,
            cut,
            readings,
        } = &self.counted
        else {
            return None;
        };
        Some(Sequence {
            list: list.clone(),
            repeats: steps * readings,
            lanes: lanes.into(),
            cut: *cut,
        })
    }

    /// Whether the lanes of some window access other than consecutive elements, in whatever order.
    pub(super) fn is_strided(&self, lanes: u32) -> bool {
        let Some(sequence) = self.sequence(lanes, 1) else {
            // Elements drawn at random.
            return true;
        };
        sequence.groups().any(|group| {
            let mut addresses = group.window.addresses;
            addresses.sort_unstable();
            let mut pairs = addresses.windows(2);
            pairs.any(|pair| pair[1] - pair[0] != group.window.element_bytes)
        })
    }

    fn count(
        &self,
        lanes: u32,
        steps: u64,
        transaction_bytes: u64,
    ) -> Result<DispatchCounts, CountError> {
        if let Some(sequence) = self.sequence(lanes, steps) {
            return Ok(count_sequence(&sequence, transaction_bytes)?.dispatch);
        }
        let Counted::Shuffled { elements } = self.counted else {
            return Err(CountError::NoTransaction);
        };
        let accesses = steps * u64::from(lanes);
        let expected = |accesses: u64| {
            expected_random_transactions(accesses, elements, self.access_bytes, transaction_bytes)
        };
        let bytes = accesses * self.access_bytes;
        Ok(DispatchCounts {
            transaction_bytes,
            windows: steps,
            accesses,
            bytes_requested: bytes,
            bytes_used: bytes,
            unshared: (expected(lanes.into()) * steps as f64).round() as u64,
            // What comes once over all elements, of which these are a share.
            compulsory: bytes.div_ceil(transaction_bytes),
        })
    }

    fn count_subgroups(&self, case: &Case, transaction_bytes: u64) -> Result<Counts, CountError> {
        // A column is laid out whole, but what a subgroup costs is that of its spec's one window.
        let of_spec = case.spec.sequence(Side::Load, case.lanes, 1).ok();
        if let Some(sequence) = of_spec.or_else(|| self.sequence(case.lanes, 1)) {
            return Ok(count_sequence(&sequence, transaction_bytes)?.subgroups);
        }
        let counts = self.count(case.lanes, 1, transaction_bytes)?;
        Ok(Counts {
            transactions: counts.unshared,
            bytes_requested: counts.bytes_requested,
            bytes_used: counts.bytes_used,
            bytes_fetched: counts.unshared * transaction_bytes,
        })
    }

    /// Of the blocks that `steps` touch, those that they do not cover; `None` where that cannot be counted.
    fn partly(&self, lanes: u32, steps: u64, counts: &DispatchCounts) -> Option<u64> {
        let sequence = self.sequence(lanes, steps)?;
        let covered = count_covered(&sequence.list, sequence.repeats, counts.transaction_bytes);
        Some(counts.compulsory - covered.ok()?)
    }
}

impl Transpose {
    /// Counts the first `rows` rows of elements: whole matrices, and a last one in part.
    fn count(
        &self,
        side: Side,
        lanes: u32,
        rows: u64,
        transaction_bytes: u64,
    ) -> Result<DispatchCounts, CountError> {
        let of_rows = |rows: u64| {
            let sequence = self.sequence(side, lanes, rows);
            Ok(count_sequence(&sequence, transaction_bytes)?.dispatch)
        };
        let (matrices, rest) = (rows / self.width, rows % self.width);
        let rest = of_rows(rest)?;
        if matrices == 0 {
            return Ok(rest);
        }
        let whole = of_rows(self.width)?;
        Ok(DispatchCounts {
            transaction_bytes,
            windows: whole.windows * matrices + rest.windows,
            accesses: whole.accesses * matrices + rest.accesses,
            bytes_requested: whole.bytes_requested * matrices + rest.bytes_requested,
            bytes_used: whole.bytes_used * matrices + rest.bytes_used,
            unshared: whole.unshared * matrices + rest.unshared,
            compulsory: whole.compulsory * matrices + rest.compulsory,
        })
    }

    /// Rows of elements as the lanes of subgroups walk them.
    fn sequence(&self, side: Side, lanes: u32, rows: u64) -> Sequence {
        let row_bytes = self.width * self.element_bytes;
        let (step_bytes, pitch_bytes) = match (side, self.tile) {
            (Side::Store, Tile::None) => (row_bytes, self.element_bytes),
            // A tile is written along its rows too.
            _ => (self.element_bytes, row_bytes),
        };
        Sequence {
            list: Window {
                addresses: (0..self.width).map(|column| column * step_bytes).collect(),
                element_bytes: self.element_bytes,
                pitch_bytes,
            },
            repeats: rows,
            lanes: lanes.into(),
            cut: Cut::EachReading,
        }
    }
}
