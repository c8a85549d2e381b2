//! Lanes merged to runs of bytes: how a window's blocks are counted without listing them.

use super::Window;

/// Bytes `first..=last`, in none of whose T-byte blocks a lane is missing; where T is the size it was merged for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) first: u128,
    pub(super) last: u128,
}

/// A window's addresses in ascending order, to be merged for one transaction size after another.
pub(super) struct Sorted {
    addresses: Vec<u64>,
    element_bytes: u64,
}

impl Sorted {
    pub(super) fn new(window: &Window) -> Self {
        let mut addresses = match window.element_bytes {
            0 => Vec::new(),
            _ => window.addresses.clone(),
        };
        addresses.sort_unstable();
        Self {
            addresses,
            element_bytes: window.element_bytes,
        }
    }

    /// The lanes in ascending order, merged wherever no whole block lies between two neighbours.
    ///
    /// Two lanes with less than T bytes between them touch the same block or adjacent ones wherever the window's base
    /// lies, so a run touches every block from its first byte's to its last byte's, and two runs never share one.
    pub(super) fn merge(&self, transaction_bytes: u64) -> Vec<Run> {
        let mut runs: Vec<Run> = Vec::new();
        for &address in &self.addresses {
            let first = u128::from(address);
            let last = first + u128::from(self.element_bytes) - 1;
            match runs.last_mut() {
                Some(run) if first <= run.last + u128::from(transaction_bytes) => run.last = last,
                _ => runs.push(Run { first, last }),
            }
        }
        runs
    }
}

/// [`Sorted::merge`] where one transaction size is all.
pub(super) fn merge(window: &Window, transaction_bytes: u64) -> Vec<Run> {
    Sorted::new(window).merge(transaction_bytes)
}

/// Number of T-byte blocks that `runs` touch, merged for the same T.
pub(super) fn blocks(runs: &[Run], transaction_bytes: u64) -> u128 {
    let size = u128::from(transaction_bytes);
    runs.iter()
        .map(|run| run.last / size - run.first / size + 1)
        .sum()
}
