//! What goes wrong when it is asked to.

use std::fmt;

use crate::pattern::Spec;
use crate::units::Percent;

/// Which dispatches leave accesses out.
#[derive(Clone, Debug, PartialEq)]
pub enum Skipping {
    /// All.
    All,
    /// A share of them, by chance.
    Share(Percent),
    /// Those of a family of patterns, or of one spec as it is printed.
    Of(String),
}

impl fmt::Display for Skipping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::All => Ok(()),
            Self::Share(share) => share.fmt(f),
            Self::Of(pattern) => f.pad(pattern),
        }
    }
}

/// Faults of a device; none by default.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Faults {
    /// Dispatches that leave their last step out.
    pub skip_loads: Option<Skipping>,
    /// A family of patterns, or a spec as it is printed, whose kernels the driver refuses.
    pub refuse: Option<String>,
    /// The sample, counted from 1, at which the device is lost for good.
    pub lost: Option<u64>,
    /// The sample, counted from 1, that does not end.
    pub hang: Option<u64>,
}

/// Whether `named`, a family or a spec as it is printed, means `spec`.
pub(super) fn means(named: &str, spec: &Spec) -> bool {
    named == spec.family() || named == spec.to_string()
}
