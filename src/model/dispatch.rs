//! The transactions of a whole dispatch, without visiting its windows.

use super::affine::{AffineRun, count_affine, floor_sum};
use super::count::{CountError, ratio};
use super::progression::{Lattice, Progression, distinct_blocks};
use super::run::{self, Run};
use super::{Counts, Window, count_window};

/// Pieces of a window, times its alignments, that a count sorts at most: some seconds, and 1 GiB of memory.
const PIECES_MAX: u64 = 1 << 24;

/// Dispatches end below this byte, so that no sum of a count leaves 64 bits.
const ADDRESS_END_MAX: u64 = 1 << 63;

/// What a dispatch of equal windows costs: between `compulsory` and `unshared` transactions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DispatchCounts {
    /// Size of a transaction in bytes.
    pub transaction_bytes: u64,
    /// Number of windows: of load instructions of a subgroup.
    pub windows: u64,
    /// Lanes of all windows.
    pub accesses: u64,
    /// Accesses times the size of an element.
    pub bytes_requested: u64,
    /// Distinct bytes of the whole dispatch.
    pub bytes_used: u64,
    /// Transactions if no window profits from another's: the sum over the windows.
    pub unshared: u64,
    /// Transactions if every window does: distinct blocks of the whole dispatch.
    pub compulsory: u64,
}

impl DispatchCounts {
    /// Used bytes over fetched bytes where nothing is shared, never above 1.
    pub fn efficiency_unshared(&self) -> f64 {
        self.efficiency(self.unshared)
    }

    /// Used bytes over fetched bytes where everything is shared, never above 1.
    pub fn efficiency_compulsory(&self) -> f64 {
        self.efficiency(self.compulsory)
    }

    /// Requested over used bytes.
    pub fn reuse(&self) -> f64 {
        ratio(self.bytes_requested, self.bytes_used)
    }

    fn efficiency(&self, transactions: u64) -> f64 {
        if transactions == 0 {
            return 0.0;
        }
        // In floating point, as fetched bytes may exceed 64 bits where every lane fetches a block of its own.
        let fetched = transactions as f64 * self.transaction_bytes as f64;
        // Rounding may lift the ratio of two figures beyond 2^53 by a last digit.
        (self.bytes_used as f64 / fetched).min(1.0)
    }
}

/// Counts a dispatch of `windows` copies of `window`, each [`Window::pitch_bytes`] after the last, exactly.
///
/// The time it takes depends on the lanes and on how the pitch divides by the transaction size, not on `windows`.
///
/// # Errors
/// If a figure exceeds 64 bits, the pieces to count are too many, or a transaction has no bytes.
pub fn count_dispatch(
    window: &Window,
    windows: u64,
    transaction_bytes: u64,
) -> Result<DispatchCounts, CountError> {
    if transaction_bytes == 0 {
        return Err(CountError::NoTransaction);
    }
    let too_large = |what| CountError::TooLarge { what };
    let accesses = windows
        .checked_mul(window.lanes())
        .ok_or_else(|| too_large("accesses"))?;
    let bytes_requested = accesses
        .checked_mul(window.element_bytes)
        .ok_or_else(|| too_large("requested bytes"))?;
    let affine = window.affine_run();
    Ok(DispatchCounts {
        transaction_bytes,
        windows,
        accesses,
        bytes_requested,
        bytes_used: distinct(window, affine, windows, 1)?,
        unshared: unshared(
            &run::merge(window, transaction_bytes),
            window.pitch_bytes,
            windows,
            transaction_bytes,
        )?,
        compulsory: distinct(window, affine, windows, transaction_bytes)?,
    })
}

/// The sum of the own counts of `windows` windows with these runs, merged for the same transaction size.
///
/// `floor((k * pitch + byte) / T)` summed over `k` at both ends of each run.
pub(super) fn unshared(
    runs: &[Run],
    pitch_bytes: u64,
    windows: u64,
    transaction_bytes: u64,
) -> Result<u64, CountError> {
    let (count, size) = (u128::from(windows), u128::from(transaction_bytes));
    let advance = u128::from(pitch_bytes) % size;
    let total: u128 = if advance == 0 || windows <= 1 {
        // All windows lie alike.
        run::blocks(runs, transaction_bytes) * count
    } else {
        runs.iter()
            .map(|run| {
                let first = run.first % size;
                let last = first + (run.last - run.first);
                count + floor_sum(count, size, advance, last)
                    - floor_sum(count, size, advance, first)
            })
            .sum()
    };
    u64::try_from(total).map_err(|_| CountError::TooLarge {
        what: "transactions",
    })
}

/// Distinct blocks of `unit_bytes` in the whole dispatch.
fn distinct(
    window: &Window,
    affine: Option<AffineRun>,
    windows: u64,
    unit_bytes: u64,
) -> Result<u64, CountError> {
    if let Some(run) = affine {
        let count = windows
            .checked_mul(run.count_per_window)
            .ok_or(CountError::TooLarge { what: "addresses" })?;
        return count_affine(
            run.origin,
            run.step,
            count,
            window.element_bytes,
            unit_bytes,
        );
    }
    distinct_of_any(window, windows, unit_bytes)
}

/// The general case of [`distinct`].
pub(super) fn distinct_of_any(
    window: &Window,
    windows: u64,
    unit_bytes: u64,
) -> Result<u64, CountError> {
    if windows <= 1 || window.pitch_bytes == 0 {
        let Counts { transactions, .. } = count_window(window, unit_bytes);
        return Ok(if windows == 0 { 0 } else { transactions });
    }
    let pitch = window.pitch_bytes;
    end_bytes(window, windows)?;
    let lattice = Lattice::new(pitch, unit_bytes);
    let runs = run::merge(window, unit_bytes);
    refuse_irregular(runs.len(), lattice.phases(windows))?;
    let progressions = runs.into_iter().flat_map(|run| {
        lattice.blocks(Progression {
            // Below 2^63, as everything up to the dispatch's end.
            first: run.first as u64,
            last: run.last as u64,
            repeats: windows,
        })
    });
    Ok(distinct_blocks(progressions, lattice.row()))
}

/// One past the highest byte of a dispatch of at least one window.
pub(super) fn end_bytes(window: &Window, windows: u64) -> Result<u64, CountError> {
    window
        .pitch_bytes
        .checked_mul(windows - 1)
        .and_then(|last_base| last_base.checked_add(window.extent_bytes()))
        .filter(|&end| end <= ADDRESS_END_MAX)
        .ok_or(CountError::TooLarge { what: "addresses" })
}

/// Refuses more pieces, each in so many phases, than a count can sort.
pub(super) fn refuse_irregular(pieces: usize, phases: u64) -> Result<(), CountError> {
    let lanes = pieces as u64;
    if lanes.saturating_mul(phases) > PIECES_MAX {
        return Err(CountError::TooIrregular { lanes, phases });
    }
    Ok(())
}

/// Greatest common divisor; of 0 and b it is b.
pub fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closed_form_of_a_progression_equals_the_general_count() {
        for (step, element_bytes) in [(4, 4), (12, 4), (3, 4), (40, 8), (1000, 16), (7, 3)] {
            let window = Window {
                addresses: (0..32).map(|lane| 5 + step * lane).collect(),
                element_bytes,
                pitch_bytes: 32 * step,
            };
            assert!(window.affine_run().is_some());
            for unit_bytes in [1, 7, 32, 96, 128] {
                for windows in [0, 1, 2, 3, 31, 64] {
                    assert_eq!(
                        distinct(&window, window.affine_run(), windows, unit_bytes),
                        distinct_of_any(&window, windows, unit_bytes),
                        "step {step}, unit {unit_bytes}, {windows} windows"
                    );
                }
            }
        }
    }
}
