//! What one dispatch visits: a slice or a part of it.

use serde::{Deserialize, Serialize};

/// What one dispatch visits: a slice or a part of it, with the case's base shifted by `phase` times 512 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Visit {
    /// Number of the slice.
    pub slice: u32,
    /// Number of the phase.
    pub phase: u32,
    /// Number of the part, below `parts`.
    pub part: u32,
    /// Equal parts that the slice's steps are divided into; 1 visits all of them.
    pub parts: u32,
    /// Most steps of the part that are visited, from its first; [`u32::MAX`] visits all of them.
    pub steps_max: u32,
    /// How often they are visited, one pass after another.
    pub repeats: u32,
}

impl Visit {
    /// A visit of a whole slice, once.
    pub const fn whole(slice: u32, phase: u32) -> Self {
        Self {
            slice,
            phase,
            part: 0,
            parts: 1,
            steps_max: u32::MAX,
            repeats: 1,
        }
    }

    /// The steps that one pass covers of a slice that has `per_slice`.
    pub(super) fn steps(self, per_slice: u64) -> Steps {
        let begin = |part: u32| per_slice * u64::from(part) / u64::from(self.parts.max(1));
        let first = begin(self.part);
        Steps {
            first,
            count: (begin(self.part + 1) - first).min(u64::from(self.steps_max)),
        }
    }
}

/// A run of steps of a slice; a step is the least that a dispatch can visit: a period of windows, or a row of tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Steps {
    /// Number of the first.
    pub first: u64,
    /// How many.
    pub count: u64,
}

impl Steps {
    /// One past the last.
    pub fn end(self) -> u64 {
        self.first + self.count
    }
}
