//! How the memory that a run touches is cut: equal buffers, each cut into equal slices.

use serde::{Deserialize, Serialize};

use super::contents::MAX_FOOTPRINT_BYTES;
use crate::units::Bytes;

/// Slices and buffers begin at multiples of this, so that every granule and page size in question divides them.
const GRAIN_BYTES: u64 = 64 << 10;

/// The memory of a run: `buffers` of `buffer_bytes` each, every one cut into slices of `slice_bytes`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Footprint {
    /// Storage buffers, each bound whole.
    pub buffers: u32,
    /// Bytes of one buffer.
    pub buffer_bytes: u64,
    /// Bytes of one slice; a multiple of 64 KiB that divides `buffer_bytes`.
    pub slice_bytes: u64,
}

/// One slice: a run of bytes in one buffer that a dispatch covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slice {
    /// Which buffer holds it.
    pub buffer: u32,
    /// Its first byte in that buffer.
    pub first_byte: u64,
}

/// A footprint that the adapter cannot hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FootprintError {
    /// Less than one slice could be given.
    #[error(
        "a footprint of {asked} is too small; ask for {} or more",
        Bytes(GRAIN_BYTES)
    )]
    TooSmall {
        /// What was asked for.
        asked: Bytes,
    },
    /// More than words that a checksum can number.
    #[error("a footprint of {asked} is more than the {limit} whose contents can be verified", limit = Bytes(MAX_FOOTPRINT_BYTES))]
    TooLarge {
        /// What was asked for.
        asked: Bytes,
    },
}

impl Footprint {
    /// Cuts `asked` bytes into the fewest buffers of at most `largest_binding_bytes`, and those into slices of about
    /// `slice_bytes`. Rounds down to whole slices, so [`Self::total_bytes`] says what was granted.
    pub fn cut(
        asked: Bytes,
        largest_binding_bytes: u64,
        slice_bytes: u64,
    ) -> Result<Self, FootprintError> {
        if asked.0 > MAX_FOOTPRINT_BYTES {
            return Err(FootprintError::TooLarge { asked });
        }
        let largest = (largest_binding_bytes / GRAIN_BYTES * GRAIN_BYTES).max(GRAIN_BYTES);
        let buffers = asked.0.div_ceil(largest).max(1);
        let slices_per_buffer = (asked.0 / buffers).div_ceil(slice_bytes).max(1);
        let slice_bytes = asked.0 / buffers / slices_per_buffer / GRAIN_BYTES * GRAIN_BYTES;
        if slice_bytes == 0 {
            return Err(FootprintError::TooSmall { asked });
        }
        Ok(Self {
            buffers: buffers as u32,
            buffer_bytes: slice_bytes * slices_per_buffer,
            slice_bytes,
        })
    }

    /// Bytes of all buffers.
    pub fn total_bytes(&self) -> u64 {
        u64::from(self.buffers) * self.buffer_bytes
    }

    /// How many slices there are, over all buffers.
    pub fn slices(&self) -> u32 {
        self.buffers * self.slices_per_buffer()
    }

    /// Slice `number`, counted so that consecutive slices lie in different buffers.
    pub fn slice(&self, number: u32) -> Slice {
        Slice {
            buffer: number % self.buffers,
            first_byte: u64::from(self.place_in_buffer(number)) * self.slice_bytes,
        }
    }

    /// How many slices of its buffer lie before slice `number`.
    pub fn place_in_buffer(&self, number: u32) -> u32 {
        number / self.buffers % self.slices_per_buffer()
    }

    /// How many slices a buffer has.
    pub fn slices_per_buffer(&self) -> u32 {
        (self.buffer_bytes / self.slice_bytes) as u32
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const MIB: u64 = 1 << 20;

    #[test]
    fn a_gibibyte_over_small_bindings() {
        let footprint = Footprint::cut(Bytes(1 << 30), 128 * MIB, 32 * MIB);
        let expected = Footprint {
            buffers: 8,
            buffer_bytes: 128 * MIB,
            slice_bytes: 32 * MIB,
        };
        assert_eq!(footprint, Ok(expected));
        assert_eq!(expected.total_bytes(), 1 << 30);
    }

    #[test]
    fn slices_cover_every_byte_once() {
        for (asked, binding, slice) in [
            (1 << 30, 128 * MIB, 32 * MIB),
            (3 << 29, 1 << 30, 256 * MIB),
            (5 * MIB, 2 * MIB, MIB),
        ] {
            let footprint = Footprint::cut(Bytes(asked), binding, slice).expect("it fits");
            let places: HashSet<_> = (0..footprint.slices())
                .map(|number| footprint.slice(number))
                .map(|slice| (slice.buffer, slice.first_byte))
                .collect();
            assert_eq!(
                places.len() as u64 * footprint.slice_bytes,
                footprint.total_bytes()
            );
            assert!(footprint.buffer_bytes <= binding);
            assert!(footprint.total_bytes() <= asked);
        }
    }

    #[test]
    fn extremes_are_refused() {
        assert!(Footprint::cut(Bytes(4), 128 * MIB, 32 * MIB).is_err());
        assert!(Footprint::cut(Bytes(1 << 40), 128 * MIB, 32 * MIB).is_err());
    }
}
