//! What the model is asked about: the accesses of one subgroup for one load, and how they repeat over a dispatch.

/// The accesses of one subgroup for one load, and the distance to the next subgroup's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    /// Byte address of every lane relative to the window's base, in lane order; the element's first byte.
    pub addresses: Vec<u64>,
    /// Bytes that each lane reads at its address.
    pub element_bytes: u64,
    /// Bytes from one window's base to the next; 0 repeats the same window.
    pub pitch_bytes: u64,
}

impl Window {
    /// Number of accesses.
    pub fn lanes(&self) -> u64 {
        self.addresses.len() as u64
    }

    /// One past the highest byte that the window touches, relative to its base; 0 for a window of no lanes.
    ///
    /// Beyond 64 bits it stays at `u64::MAX`.
    pub fn extent_bytes(&self) -> u64 {
        self.addresses
            .iter()
            .max()
            .map_or(0, |highest| highest.saturating_add(self.element_bytes))
    }
}
