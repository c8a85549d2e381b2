//! Lanes merged to runs of bytes: how a window's blocks are counted without listing them.

use super::Window;

/// Bytes `first..=last`, in none of whose T-byte blocks a lane is missing; where T is the size it was merged for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) first: u128,
    pub(super) last: u128,
}

/// The window's lanes in ascending order, merged wherever no whole block lies between two neighbours.
///
/// Two lanes with less than T bytes between them touch the same block or adjacent ones wherever the window's base lies, so a run
/// touches every block from its first byte's to its last byte's, and two runs never share one.
pub(super) fn merge(window: &Window, transaction_bytes: u64) -> Vec<Run> {
    if window.element_bytes == 0 {
        return Vec::new();
    }
    let mut addresses = window.addresses.clone();
    addresses.sort_unstable();
    let mut runs: Vec<Run> = Vec::new();
    for address in addresses {
        let first = u128::from(address);
        let last = first + u128::from(window.element_bytes) - 1;
        match runs.last_mut() {
            Some(run) if first <= run.last + u128::from(transaction_bytes) => run.last = last,
            _ => runs.push(Run { first, last }),
        }
    }
    runs
}

/// Number of T-byte blocks that `runs` touch, merged for the same T.
pub(super) fn blocks(runs: &[Run], transaction_bytes: u64) -> u128 {
    let size = u128::from(transaction_bytes);
    runs.iter()
        .map(|run| run.last / size - run.first / size + 1)
        .sum()
}
