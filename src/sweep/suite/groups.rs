//! Names for several suites at once.

use super::{OFFSET, STRIDE, WORKING_SET};

/// A name for several suites.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// Its name on the command line.
    pub name: &'static str,
    /// The suites in it.
    pub suites: &'static [&'static str],
    /// Seconds of sampling that it is given where the user names no budget.
    pub budget_s: f64,
}

/// All groups.
pub const GROUPS: [Group; 2] = [
    Group {
        name: "quick",
        suites: &[STRIDE, OFFSET, "order", "struct"],
        budget_s: 40.0,
    },
    Group {
        name: "full",
        suites: &[
            STRIDE,
            OFFSET,
            "order",
            "struct",
            "matrix",
            "mixed",
            "width",
            WORKING_SET,
            "store",
            "gather",
        ],
        budget_s: 300.0,
    },
];
