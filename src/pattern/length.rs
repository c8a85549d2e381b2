//! Lengths in a spec: `8B` is bytes, a bare number elements.

use std::fmt;

use super::ElementBytes;

/// A length or distance within a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Length {
    /// Whole elements of whatever size the spec has.
    Elements(i64),
    /// Bytes that are no whole number of the spec's elements.
    Bytes(i64),
}

impl Length {
    /// A length of `bytes`, in elements where it is a whole number of them.
    pub fn from_bytes(bytes: i64, element: ElementBytes) -> Self {
        let size = i64::from(element.bytes());
        if bytes % size == 0 {
            Self::Elements(bytes / size)
        } else {
            Self::Bytes(bytes)
        }
    }

    /// The number of units.
    pub(super) fn amount(self) -> i64 {
        match self {
            Self::Elements(amount) | Self::Bytes(amount) => amount,
        }
    }

    /// Bytes of one unit.
    pub(super) fn unit_bytes(self, element: ElementBytes) -> u64 {
        match self {
            Self::Elements(_) => u64::from(element.bytes()),
            Self::Bytes(_) => 1,
        }
    }

    /// Magnitude in bytes; beyond 64 bits it stays at `u64::MAX`.
    pub(super) fn magnitude_bytes(self, element: ElementBytes) -> u64 {
        self.amount()
            .unsigned_abs()
            .saturating_mul(self.unit_bytes(element))
    }

    /// The number of elements, where it is a whole one.
    pub fn elements(self, element: ElementBytes) -> Option<i64> {
        match self {
            Self::Elements(elements) => Some(elements),
            Self::Bytes(bytes) => {
                let size = i64::from(element.bytes());
                (bytes % size == 0).then(|| bytes / size)
            }
        }
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Elements(elements) => write!(f, "{elements}"),
            Self::Bytes(bytes) => write!(f, "{bytes}B"),
        }
    }
}
