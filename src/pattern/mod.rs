//! The grammar of access patterns, and what each family addresses.
//!
//! A [`Spec`] is parsed from and printed as `name[:argument][,key=value...]` and turned into the [`Window`]s that the
//! model counts. Each family's file holds its address function, the twin of the one in its shader.
//!
//! [`Window`]: crate::model::Window

pub mod broadcast;
mod error;
pub mod interleaved;
mod length;
pub mod list;
pub mod matrix;
mod mend;
pub mod mixed;
pub mod offset;
mod parse;
pub mod permuted;
mod piece;
mod pitch;
pub mod random;
pub mod reversed;
pub mod soa;
pub mod spatter;
mod spec;
pub mod stride;
pub mod structure;
mod window;

pub use error::{PatternError, SpecError, Unaddressable};
pub use length::Length;
pub(crate) use mend::parse_or_propose;
pub(crate) use parse::{FAMILIES, closest, without};
pub(crate) use piece::{Fault, Piece};
pub use spec::{ElementBytes, Layout, Op, Pattern, Side, Spec, Tile};
pub use structure::StructField;
pub use window::LANES_MAX;

/// Most entries of an index list, written out or generated.
pub const LIST_ENTRIES_MAX: u64 = 1 << 20;

/// Addresses stay below this many bytes: far beyond any memory, and small enough that sums of them fit.
pub const ADDRESS_BYTES_MAX: u64 = 1 << 48;
