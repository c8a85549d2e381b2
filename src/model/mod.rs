//! From lanes to memory transactions, exactly: what one subgroup costs, and a whole dispatch.
//!
//! Every count is a count of distinct T-byte blocks, T being the size of a transaction. Nothing here enumerates a
//! dispatch: windows repeat at a pitch, so their blocks form arithmetic progressions that are counted as such.

mod affine;
mod ceiling;
mod columns;
mod count;
mod coverage;
mod dispatch;
mod expected;
mod progression;
mod run;
mod sequence;
mod window;

pub use affine::{AffineRun, count_affine};
pub use ceiling::Ceiling;
pub use columns::count_columns;
pub use count::{CountError, Counts, count_window};
pub use coverage::count_covered;
pub use dispatch::{DispatchCounts, count_dispatch, gcd};
pub use expected::expected_random_transactions;
pub use sequence::{Cut, Group, Sequence, SequenceCounts, count_sequence};
pub use window::Window;
