//! What suites sweep: the values of their own axes, or those that a command line puts in their place.

use super::Planned;
use crate::pattern::{Spec, SpecError};
use crate::sweep::{AxisOverride, AxisValue};

/// Most cases of a suite: fewer than anybody waits for.
const CASES_MAX: usize = 1 << 14;

/// The values that replace a suite's own, by the name of the axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Axes<'a>(pub(super) &'a [AxisOverride]);

/// Why the values of an axis give no cases.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AxisFault {
    /// A value makes no valid spec.
    #[error(transparent)]
    NoSpec(#[from] SpecError),
    /// A value is no size of memory.
    #[error("{value} is no number of bytes; expected at least 1")]
    NoSize {
        /// The value as typed.
        value: String,
    },
    /// The values make more than anybody waits for.
    #[error("more than {CASES_MAX} cases")]
    TooMany,
}

impl Axes<'_> {
    /// Values of an axis whose own are in elements.
    pub(super) fn elements(self, name: &str, own: impl IntoIterator<Item = i64>) -> Vec<AxisValue> {
        self.values(name, own, false)
    }

    /// Values of an axis whose own are in bytes.
    pub(super) fn bytes(self, name: &str, own: impl IntoIterator<Item = i64>) -> Vec<AxisValue> {
        self.values(name, own, true)
    }

    fn values(
        self,
        name: &str,
        own: impl IntoIterator<Item = i64>,
        in_bytes: bool,
    ) -> Vec<AxisValue> {
        let replaced = self.0.iter().find(|axis| axis.name == name);
        let own = own.into_iter().map(|amount| AxisValue { amount, in_bytes });
        replaced.map_or_else(|| own.collect(), |axis| axis.values.clone())
    }
}

/// The cases of `specs`. A suite's own are valid, as a test holds; values from outside may not be.
pub(super) fn planned<S: AsRef<str>>(
    specs: impl IntoIterator<Item = S>,
) -> Result<Vec<Planned>, AxisFault> {
    let mut cases = Vec::new();
    for spec in specs {
        if cases.len() == CASES_MAX {
            return Err(AxisFault::TooMany);
        }
        cases.push(spec.as_ref().parse::<Spec>()?.into());
    }
    Ok(cases)
}
