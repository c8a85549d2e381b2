//! What can be wrong with a spec: its spelling, its addresses, or that no kernel can address it.

use super::{ADDRESS_BYTES_MAX, LANES_MAX, LIST_ENTRIES_MAX};

/// A text that is not a spec, or not an axis of one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{}': expected {expected} at column {}{}", abbreviated(.spec), .position + 1, nearest_text(.nearest.as_deref()))]
pub struct SpecError {
    /// The text.
    pub spec: String,
    /// Byte of the text at which something else was expected, from 0; printed from 1.
    pub position: usize,
    /// What was expected there.
    pub expected: String,
    /// A text that is valid and differs little.
    pub nearest: Option<String>,
}

/// At most a line of a text, for messages: a list may have a million entries.
pub(super) fn abbreviated(text: &str) -> String {
    const CHARS_MAX: usize = 100;
    match text.char_indices().nth(CHARS_MAX) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

fn nearest_text(nearest: Option<&str>) -> String {
    nearest.map_or_else(String::new, |spec| format!("; nearest valid: {spec}"))
}

/// Why a spec has no window for a number of lanes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// No lanes, or too many.
    #[error("a subgroup has from 1 to {LANES_MAX} lanes, not {lanes}")]
    Lanes {
        /// The number asked for.
        lanes: u32,
    },
    /// An address beyond any memory.
    #[error(
        "'{spec}' with {lanes} lanes reaches beyond {} TiB; lower the stride, the offset or the indexes",
        ADDRESS_BYTES_MAX >> 40
    )]
    AddressTooHigh {
        /// The spec.
        spec: String,
        /// Lanes of a subgroup.
        lanes: u32,
    },
    /// A list, or the fields of a struct, of more than one subgroup where one window was asked for.
    #[error("'{spec}' has {entries} entries and takes several subgroups of {lanes} lanes")]
    SeveralWindows {
        /// The spec.
        spec: String,
        /// Entries of the list: accesses of one repetition.
        entries: u64,
        /// Lanes of a subgroup.
        lanes: u32,
    },
    /// Structs with more fields than are counted one by one.
    #[error(
        "'{spec}' with {lanes} lanes reads more than the {LIST_ENTRIES_MAX} elements that are counted one by one"
    )]
    TooManyEntries {
        /// The spec.
        spec: String,
        /// Lanes of a subgroup.
        lanes: u64,
    },
    /// A pattern whose addresses depend on the footprint.
    #[error("'{spec}' has no window of its own: it permutes a whole footprint")]
    NeedsFootprint {
        /// The spec.
        spec: String,
    },
    /// A pattern whose addresses stand in a file.
    #[error("'{spec}' has no window of its own: its configurations stand in the file")]
    InFile {
        /// The spec.
        spec: String,
    },
}

/// Why no kernel can access a spec's addresses; the model still counts them.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unaddressable {
    /// There is no window at all.
    #[error(transparent)]
    Pattern(#[from] PatternError),
    /// An address that is no multiple of the element's alignment.
    #[error(
        "lane {lane} is at byte {address_bytes}, but WGSL addresses {element_bytes}-byte elements in multiples of {element_bytes} bytes"
    )]
    Misaligned {
        /// The first such lane.
        lane: u64,
        /// Its address in bytes.
        address_bytes: u64,
        /// Size of the element, which is its alignment.
        element_bytes: u64,
    },
    /// Windows that begin at different alignments.
    #[error(
        "windows lie {pitch_bytes} bytes apart, but WGSL addresses {element_bytes}-byte elements in multiples of {element_bytes} bytes"
    )]
    MisalignedPitch {
        /// The pitch in bytes.
        pitch_bytes: u64,
        /// Size of the element, which is its alignment.
        element_bytes: u64,
    },
    /// A struct that WGSL would make larger.
    #[error(
        "WGSL rounds a struct of {struct_bytes} bytes up to a multiple of {element_bytes}, the alignment of its field"
    )]
    StructSize {
        /// Size of the struct in bytes.
        struct_bytes: u64,
        /// Size of the field, which is its alignment.
        element_bytes: u64,
    },
}
