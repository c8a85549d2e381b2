//! The transactions of one window.

use super::Window;
use super::run::{self, Run, Sorted};

/// What one load of one subgroup costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Distinct T-byte blocks that the lanes touch.
    pub transactions: u64,
    /// Accesses times the size of an element.
    pub bytes_requested: u64,
    /// Distinct bytes that the lanes touch.
    pub bytes_used: u64,
    /// Transactions times T.
    pub bytes_fetched: u64,
}

impl Counts {
    /// Used over fetched, never above 1; 0 where nothing is fetched.
    pub fn efficiency(&self) -> f64 {
        ratio(self.bytes_used, self.bytes_fetched)
    }

    /// Requested over used: how often each byte is asked for; 0 where nothing is used.
    pub fn reuse(&self) -> f64 {
        ratio(self.bytes_requested, self.bytes_used)
    }
}

/// Why something cannot be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CountError {
    /// A figure does not fit 64 bits.
    #[error("the dispatch is too large: its {what} exceed 64 bits")]
    TooLarge {
        /// Which figure.
        what: &'static str,
    },
    /// The windows' pitch and the transaction size, or a list and the subgroups that read it, share so few factors that
    /// the count would take too long.
    #[error(
        "the dispatch is too irregular to count: {lanes} lanes in {phases} different alignments of the window"
    )]
    TooIrregular {
        /// Separate pieces in one window, or entries of the list.
        lanes: u64,
        /// Different alignments of the window to a transaction, or of the list to a subgroup.
        phases: u64,
    },
    /// A transaction of no bytes.
    #[error("a transaction has at least 1 byte")]
    NoTransaction,
}

/// Counts the transactions of `transaction_bytes` that one window costs, exactly and for any addresses.
///
/// Figures beyond 64 bits (possible only with transactions of exabytes) stay at `u64::MAX` and never wrap.
///
/// # Panics
/// If `transaction_bytes` is 0.
pub fn count_window(window: &Window, transaction_bytes: u64) -> Counts {
    let sorted = Sorted::new(window);
    let runs = sorted.merge(transaction_bytes);
    counts_of_runs(window, &runs, &sorted.merge(1), transaction_bytes)
}

/// [`count_window`] of a window whose runs are known, merged for `transaction_bytes` and for single bytes.
pub(super) fn counts_of_runs(
    window: &Window,
    runs: &[Run],
    byte_runs: &[Run],
    transaction_bytes: u64,
) -> Counts {
    let blocks = |runs, size| u64::try_from(run::blocks(runs, size)).unwrap_or(u64::MAX);
    let transactions = blocks(runs, transaction_bytes);
    Counts {
        transactions,
        bytes_requested: window.lanes().saturating_mul(window.element_bytes),
        bytes_used: blocks(byte_runs, 1),
        bytes_fetched: transactions.saturating_mul(transaction_bytes),
    }
}

/// `part / whole` for counts; 0 where there is nothing.
pub(super) fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}
