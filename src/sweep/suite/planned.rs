//! A case as a suite asks for it.

use crate::pattern::spatter::{Config, ConfigError};
use crate::pattern::{Op, Pattern, Side, Spec};

/// A case of a suite.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// What is accessed.
    pub spec: Spec,
    /// Bytes that are visited again and again; `None` where the whole footprint is swept.
    pub working_set_bytes: Option<u64>,
    /// The configuration of the Spatter file that the spec names, or what is wrong with it.
    pub config: Option<Result<Config, ConfigError>>,
}

impl Planned {
    /// Whether it is stored to memory of its own.
    pub fn stores(&self) -> bool {
        let is_scattered = |config: &Config| {
            let mut sides = config.accesses.iter().map(|access| access.side);
            sides.any(|side| side == Side::Store)
        };
        let config = self.config.as_ref().and_then(|config| config.as_ref().ok());
        self.spec.op != Op::Load
            || matches!(self.spec.pattern, Pattern::Transpose { .. })
            || config.is_some_and(is_scattered)
    }
}

impl From<Spec> for Planned {
    fn from(spec: Spec) -> Self {
        Self {
            spec,
            working_set_bytes: None,
            config: None,
        }
    }
}
