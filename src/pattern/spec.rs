//! The nouns of the grammar and their spelling.

use std::fmt;

use super::spatter::Generator;
use super::{Length, StructField};

/// What is accessed and how: one point of a sweep, one line of a table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Spec {
    /// Which element each lane accesses.
    pub pattern: Pattern,
    /// Width of an access.
    pub element: ElementBytes,
    /// Bytes added to every address.
    pub offset_bytes: u64,
    /// How far apart windows lie.
    pub layout: Layout,
    /// What is done at the addresses.
    pub op: Op,
}

/// A family of access patterns with its arguments.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// Lane t at D * t; descending where D is negative.
    Stride(Length),
    /// Lane t at O + t; O is not negative.
    Offset(Length),
    /// Consecutive elements in descending order.
    Reversed,
    /// Consecutive elements, lanes dealt in turn over runs of them.
    Interleaved {
        /// Number of runs, at least 1.
        runs: u64,
    },
    /// Consecutive elements in a random order, the same in every window.
    Permuted {
        /// Seed of the order.
        seed: u64,
    },
    /// All lanes at one element.
    Broadcast,
    /// One field of a struct a lane.
    Struct(StructField),
    /// All fields of a struct a lane, one load after another.
    WholeStruct {
        /// Size of the struct in bytes, a multiple of the element's.
        struct_bytes: u64,
    },
    /// The same field as an array of its own.
    Soa,
    /// Lanes along a row of a matrix.
    Row {
        /// Elements in a row.
        width: u64,
    },
    /// Lanes down a column of a row-major matrix.
    Column {
        /// Elements in a row.
        width: u64,
    },
    /// A matrix read along its rows and written as its transpose: down the columns, or through a tile along the rows.
    Transpose {
        /// Elements in a row.
        width: u64,
        /// Whether it goes through workgroup memory.
        tile: Tile,
    },
    /// Half of the lanes consecutive, half scattered.
    Mixed,
    /// Explicit element indexes, at least one.
    List(Vec<u64>),
    /// A permutation of the footprint.
    Random {
        /// Seed of the permutation.
        seed: u64,
    },
    /// A pattern of Spatter's generators.
    Generated(Generator),
    /// A file of Spatter configurations.
    File {
        /// Its path. One that ends in `#` and digits can only be given with the number of a configuration after it.
        path: String,
        /// The number of the only configuration that is meant, from 0; otherwise all are.
        config: Option<usize>,
    },
}

/// Width of an access: what one lane loads at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ElementBytes {
    /// A 32-bit word.
    B4,
    /// Two words.
    B8,
    /// Four words.
    B16,
}

/// How far apart windows lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Layout {
    /// As the pattern's memory lies in an array: neighbouring windows may share blocks.
    Packed,
    /// So far apart that no window shares a granule of up to 512 bytes with another.
    Padded,
}

/// What is done at the addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Read.
    Load,
    /// Written.
    Store,
    /// Read, and written to the same places of another buffer.
    Copy,
}

/// How a transpose is staged in workgroup memory, so that its stores go along rows as its loads do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tile {
    /// Not at all.
    None,
    /// In a square, whose columns may meet in the same banks.
    Plain,
    /// In a square with one unused element at the end of each row, which spreads columns over the banks.
    Padded,
}

/// Which half of a pattern that reads and writes in different ways.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// Where it reads.
    Load,
    /// Where it writes.
    Store,
}

/// A word of the grammar for each of a few values.
pub(super) trait Word: Copy + PartialEq + 'static {
    /// All values with their words.
    const WORDS: &'static [(&'static str, Self)];

    /// The value's word.
    fn word(self) -> &'static str {
        Self::WORDS
            .iter()
            .find(|(_, value)| *value == self)
            .map_or("", |(word, _)| word)
    }
}

impl Word for ElementBytes {
    const WORDS: &'static [(&'static str, Self)] =
        &[("4B", Self::B4), ("8B", Self::B8), ("16B", Self::B16)];
}

impl Word for Layout {
    const WORDS: &'static [(&'static str, Self)] =
        &[("packed", Self::Packed), ("padded", Self::Padded)];
}

impl Word for Op {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("load", Self::Load),
        ("store", Self::Store),
        ("copy", Self::Copy),
    ];
}

impl Word for Tile {
    const WORDS: &'static [(&'static str, Self)] = &[
        ("none", Self::None),
        ("plain", Self::Plain),
        ("padded", Self::Padded),
    ];
}

impl Word for Side {
    const WORDS: &'static [(&'static str, Self)] = &[("load", Self::Load), ("store", Self::Store)];
}

/// Prints the words of the grammar.
macro_rules! display_as_word {
    ($($word:ty),*) => {$(
        impl fmt::Display for $word {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.pad(self.word())
            }
        }
    )*};
}
display_as_word!(ElementBytes, Layout, Op, Tile, Side);

impl ElementBytes {
    /// The width in bytes.
    pub fn bytes(self) -> u32 {
        match self {
            Self::B4 => 4,
            Self::B8 => 8,
            Self::B16 => 16,
        }
    }
}

impl Pattern {
    /// The family's name in the grammar.
    pub fn family(&self) -> &'static str {
        match self {
            Self::Stride(_) => "stride",
            Self::Offset(_) => "offset",
            Self::Reversed => "reversed",
            Self::Interleaved { .. } => "interleaved",
            Self::Permuted { .. } => "permuted",
            Self::Broadcast => "broadcast",
            Self::Struct(_) | Self::WholeStruct { .. } => "struct",
            Self::Soa => "soa",
            Self::Row { .. } => "row",
            Self::Column { .. } => "column",
            Self::Transpose { .. } => "transpose",
            Self::Mixed => "mixed",
            Self::List(_) => "list",
            Self::Random { .. } => "random",
            Self::Generated(generator) => generator.family(),
            Self::File { .. } => "file",
        }
    }

    /// The width of an access where a spec names none: Spatter's files mean doubles.
    pub fn default_element(&self) -> ElementBytes {
        match self {
            Self::File { .. } => ElementBytes::B8,
            _ => ElementBytes::B4,
        }
    }
}

/// The seed of `permuted` and `random` where a spec names none.
pub(super) const DEFAULT_SEED: u64 = 1;

impl Spec {
    /// A pattern with every key at its default.
    pub fn new(pattern: Pattern) -> Self {
        Self {
            element: pattern.default_element(),
            pattern,
            offset_bytes: 0,
            layout: Layout::Packed,
            op: Op::Load,
        }
    }

    /// The family's name in the grammar.
    pub fn family(&self) -> &'static str {
        self.pattern.family()
    }

    /// The stride in elements, of the families that have one and where it is a whole number.
    pub fn stride_elements(&self) -> Option<i64> {
        match &self.pattern {
            Pattern::Stride(stride) => stride.elements(self.element),
            Pattern::Column { width } => i64::try_from(*width).ok(),
            _ => None,
        }
    }

    /// Bytes by which all addresses are shifted, of the families and keys that shift: the argument and the key together.
    pub fn shift_bytes(&self) -> Option<u64> {
        match &self.pattern {
            Pattern::Offset(offset) => Some(
                offset
                    .magnitude_bytes(self.element)
                    .saturating_add(self.offset_bytes),
            ),
            _ => (self.offset_bytes > 0).then_some(self.offset_bytes),
        }
    }

    /// Size of the struct in bytes, of `struct`.
    pub fn struct_bytes(&self) -> Option<u64> {
        match &self.pattern {
            Pattern::Struct(field) => Some(field.struct_bytes),
            Pattern::WholeStruct { struct_bytes } => Some(*struct_bytes),
            _ => None,
        }
    }

    /// Elements in a row of the matrix, of `row`, `column` and `transpose`.
    pub fn matrix_width(&self) -> Option<u64> {
        match &self.pattern {
            Pattern::Row { width }
            | Pattern::Column { width }
            | Pattern::Transpose { width, .. } => Some(*width),
            _ => None,
        }
    }

    /// How the matrix is staged in workgroup memory, of `transpose`.
    pub fn tile(&self) -> Option<Tile> {
        match &self.pattern {
            Pattern::Transpose { tile, .. } => Some(*tile),
            _ => None,
        }
    }

    /// Byte of the struct at which the field begins, of `struct` where it reads one field.
    pub fn field_bytes(&self) -> Option<u64> {
        match &self.pattern {
            Pattern::Struct(field) => Some(field.field_bytes),
            _ => None,
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let family = self.family();
        match self {
            Self::Stride(length) | Self::Offset(length) => write!(f, "{family}:{length}"),
            Self::Struct(field) => write!(f, "{family}:{field}"),
            Self::WholeStruct { struct_bytes } => write!(f, "{family}:{struct_bytes}B+all"),
            Self::Interleaved { runs } => write!(f, "{family}:{runs}"),
            Self::Row { width } | Self::Column { width } => write!(f, "{family}:{width}"),
            Self::Transpose { width, tile } => {
                write!(f, "{family}:{width}")?;
                match tile {
                    Tile::None => Ok(()),
                    tile => write!(f, ",tile={tile}"),
                }
            }
            Self::Permuted { seed } | Self::Random { seed } if *seed != DEFAULT_SEED => {
                write!(f, "{family}:{seed}")
            }
            Self::List(indices) => {
                let entries: Vec<String> = indices.iter().map(u64::to_string).collect();
                write!(f, "{family}:{}", entries.join(","))
            }
            Self::Generated(generator) => generator.fmt(f),
            Self::File { path, config: None } => write!(f, "@{path}"),
            Self::File {
                path,
                config: Some(config),
            } => write!(f, "@{path}#{config}"),
            _ => f.write_str(family),
        }
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.pattern.fmt(f)?;
        if self.element != self.pattern.default_element() {
            write!(f, ",element={}", self.element)?;
        }
        if self.offset_bytes > 0 {
            write!(f, ",offset={}B", self.offset_bytes)?;
        }
        if self.layout != Layout::Packed {
            write!(f, ",layout={}", self.layout)?;
        }
        if self.op != Op::Load {
            write!(f, ",op={}", self.op)?;
        }
        Ok(())
    }
}
