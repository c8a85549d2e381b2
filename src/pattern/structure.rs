//! `struct:SB[+FB]`: one field of a struct a lane; an array of structs makes the struct's size the stride.
//! `struct:SB+all`: all fields one after another, so that the loads of a subgroup share what each of them fetches.

use std::fmt;

/// A field within a struct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct StructField {
    /// Size of the struct in bytes.
    pub struct_bytes: u64,
    /// Byte in the struct at which the field begins; the field is one element wide.
    pub field_bytes: u64,
}

/// Index of the struct that a lane reads: `lane`; its byte address is `index * struct_bytes + field_bytes`.
pub fn lane_index(lane: u64) -> u64 {
    lane
}

/// Byte addresses of a whole struct a lane, one load of all `lanes` lanes after another: entry `field * lanes + lane` is
/// at `lane * struct_bytes + field * element_bytes`. Beyond 64 bits they stay at `u64::MAX`.
pub(super) fn whole_addresses(
    struct_bytes: u64,
    element_bytes: u64,
    lanes: u64,
) -> impl Iterator<Item = u64> {
    (0..struct_bytes / element_bytes).flat_map(move |field| {
        (0..lanes).map(move |lane| {
            lane_index(lane)
                .saturating_mul(struct_bytes)
                .saturating_add(field * element_bytes)
        })
    })
}

impl fmt::Display for StructField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}B", self.struct_bytes)?;
        if self.field_bytes > 0 {
            write!(f, "+{}B", self.field_bytes)?;
        }
        Ok(())
    }
}
