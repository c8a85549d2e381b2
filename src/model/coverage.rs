//! The blocks that a dispatch touches in full: a store that leaves a byte of a block out makes hardware read it first.

use super::Window;
use super::affine::{AffineRun, floor_sum};
use super::count::CountError;
use super::dispatch::{end_bytes, refuse_irregular};
use super::progression::{Lattice, Progression, distinct_blocks, gaps};
use super::run::{self, Run};

/// Number of `transaction_bytes` blocks of which `windows` copies of `window`, each [`Window::pitch_bytes`] after the
/// last, touch every byte.
///
/// Judged over the whole dispatch: a block may be filled by several lanes, and by several windows. Exact, and the time
/// it takes does not depend on `windows`. Of a [`Sequence`](super::Sequence) it is asked with the list and its repeats.
///
/// # Errors
/// If an address exceeds 63 bits, the pieces to count are too many, or a transaction has no bytes.
pub fn count_covered(
    window: &Window,
    windows: u64,
    transaction_bytes: u64,
) -> Result<u64, CountError> {
    if transaction_bytes == 0 {
        return Err(CountError::NoTransaction);
    }
    if windows == 0 || window.addresses.is_empty() || window.element_bytes == 0 {
        return Ok(0);
    }
    let end = end_bytes(window, windows)?;
    if let Some(affine) = window.affine_run() {
        let count = windows.saturating_mul(affine.count_per_window);
        return Ok(covered_of_affine(
            affine,
            count,
            window.element_bytes,
            transaction_bytes,
        ));
    }
    let runs = run::merge(window, 1);
    if windows == 1 || window.pitch_bytes == 0 {
        return Ok(runs
            .iter()
            .map(|run| blocks_inside(run, transaction_bytes))
            .sum());
    }
    covered_of_any(&runs, windows, window.pitch_bytes, end, transaction_bytes)
}

/// Equally spaced elements are one run without a gap, or else all apart.
fn covered_of_affine(run: AffineRun, count: u64, element_bytes: u64, size: u64) -> u64 {
    let (origin, step) = (u128::from(run.origin), u128::from(run.step));
    let (count, element) = (u128::from(count), u128::from(element_bytes));
    if run.step <= element_bytes {
        let last = origin + step * (count - 1) + element - 1;
        return blocks_inside(
            &Run {
                first: origin,
                last,
            },
            size,
        );
    }
    if element_bytes < size {
        return 0;
    }
    // An element's blocks lie between its first block boundary and its last, both of which are floors.
    let size = u128::from(size);
    let (first, advance) = (origin % size, step % size);
    let ends = floor_sum(count, size, advance, first + element);
    let begins = floor_sum(count, size, advance, first + size - 1);
    // Below the bytes of the dispatch, which fit.
    ends.saturating_sub(begins) as u64
}

/// Blocks that lie in a run of bytes with all their bytes.
fn blocks_inside(run: &Run, size: u64) -> u64 {
    let size = u128::from(size);
    // Below 2^63 as the run's end is.
    ((run.last + 1) / size).saturating_sub(run.first.div_ceil(size)) as u64
}

/// A block is covered if none of the bytes that the dispatch leaves out lies in it. Where windows interleave, these
/// bytes lie as regularly as the others, and so do their blocks.
fn covered_of_any(
    runs: &[Run],
    windows: u64,
    pitch_bytes: u64,
    end: u64,
    transaction_bytes: u64,
) -> Result<u64, CountError> {
    let bytes = Lattice::new(pitch_bytes, 1);
    let touched = runs.iter().flat_map(|run| {
        bytes.blocks(Progression {
            first: run.first as u64,
            last: run.last as u64,
            repeats: windows,
        })
    });
    let rows = end.div_ceil(pitch_bytes);
    let whole_rows_end = rows
        .checked_mul(pitch_bytes)
        .ok_or(CountError::TooLarge { what: "addresses" })?;
    let gaps = gaps(touched, bytes.row(), rows);

    let lattice = Lattice::new(pitch_bytes, transaction_bytes);
    refuse_irregular(gaps.len(), lattice.phases(windows))?;
    let broken = gaps.into_iter().flat_map(|gap| lattice.blocks(gap));
    // Beyond the last row nothing is touched, so a block that reaches there is broken too.
    let beyond = (!whole_rows_end.is_multiple_of(transaction_bytes)).then(|| Progression {
        first: whole_rows_end / transaction_bytes,
        last: whole_rows_end / transaction_bytes,
        repeats: 1,
    });
    let all = whole_rows_end.div_ceil(transaction_bytes);
    Ok(all - distinct_blocks(broken.chain(beyond), lattice.row()))
}
