//! `struct:SB[+FB]`: one field of a struct a lane; an array of structs makes the struct's size the stride.

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

impl fmt::Display for StructField {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}B", self.struct_bytes)?;
        if self.field_bytes > 0 {
            write!(f, "+{}B", self.field_bytes)?;
        }
        Ok(())
    }
}
