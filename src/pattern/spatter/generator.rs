//! `UNIFORM:L:S[:delta|NR]`, `MS1:L:LOCATIONS:GAPS`, `LAPLACIAN:DIM:ORDER:N`.

use std::fmt;

use super::super::piece::{Fault, Piece};
use super::super::{ADDRESS_BYTES_MAX, LIST_ENTRIES_MAX};

/// Elements from one reading of a pattern to the next, where nothing says otherwise.
pub const DEFAULT_DELTA: u64 = 8;

/// A rule that makes a list of element indexes.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Generator {
    /// 0, stride, 2 * stride, and so on.
    Uniform {
        /// Number of indexes.
        length: u64,
        /// Elements from one to the next.
        stride: u64,
        /// What the third field says about the next reading.
        delta: UniformDelta,
    },
    /// Mostly stride 1: consecutive indexes with gaps in some places.
    MostlyStride1 {
        /// Number of indexes.
        length: u64,
        /// Places in the list, ascending, before which there is a gap.
        locations: Vec<u64>,
        /// The gaps: one for each place, or one for all.
        gaps: Vec<u64>,
    },
    /// A symmetric star stencil.
    Laplacian {
        /// Dimensions of the grid.
        dimensions: u64,
        /// Points on each side in every dimension.
        order: u64,
        /// Edge of the grid in elements.
        edge: u64,
    },
}

/// The third field of `UNIFORM`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UniformDelta {
    /// Absent.
    Unset,
    /// So many elements.
    Elements(u64),
    /// `NR`: the next reading begins where this one ends.
    NoReuse,
}

impl Generator {
    /// Parses a generator with its name; the piece begins with one of the three names and a colon, or lacks it.
    pub(in super::super) fn parse(piece: Piece<'_>) -> Result<Self, Fault> {
        let (name, rest) = match piece.split_once(':') {
            Some((name, rest)) => (name.text, Some(rest)),
            None => (piece.text, None),
        };
        let mut reader = Fields { piece, rest };
        let generator = match name {
            "UNIFORM" => Self::uniform(&mut reader)?,
            "MS1" => Self::mostly_stride_1(&mut reader)?,
            "LAPLACIAN" => Self::laplacian(&mut reader)?,
            _ => return Err(piece.fault("UNIFORM, MS1 or LAPLACIAN", "UNIFORM:8:1")),
        };
        match reader.rest {
            None => Ok(generator),
            Some(extra) => {
                let rest = piece.part(extra.start - 1 - piece.start..piece.text.len());
                Err(rest.fault("the end of the pattern", ""))
            }
        }
    }

    fn uniform(fields: &mut Fields<'_>) -> Result<Self, Fault> {
        let length = fields.number("a length of whole elements", LIST_ENTRIES_MAX, 8)?;
        let stride = fields.number("a stride of whole elements", ADDRESS_BYTES_MAX, 1)?;
        let delta = match fields.optional() {
            None => UniformDelta::Unset,
            Some(field) if field.text == "NR" => UniformDelta::NoReuse,
            Some(field) => {
                let what = "NR or a delta of whole elements";
                UniformDelta::Elements(field.whole_number(what, 1..=ADDRESS_BYTES_MAX, 1)?)
            }
        };
        Ok(Self::Uniform {
            length,
            stride,
            delta,
        })
    }

    fn mostly_stride_1(fields: &mut Fields<'_>) -> Result<Self, Fault> {
        let length = fields.number("a length of whole elements", LIST_ENTRIES_MAX, 8)?;
        let field = fields.required("locations of gaps", "4")?;
        let mut locations: Vec<u64> = Vec::new();
        for location in field.split(',') {
            let least = locations.last().map_or(0, |last| last + 1);
            let what = "an ascending location of a gap";
            locations.push(location.whole_number(what, least..=ADDRESS_BYTES_MAX, least)?);
        }
        let field = fields.required("gaps", "32")?;
        let mut gaps: Vec<u64> = Vec::new();
        for gap in field.split(',') {
            // A gap of 0 before the first index would begin below 0.
            gaps.push(gap.whole_number("a gap of whole elements", 1..=ADDRESS_BYTES_MAX, 1)?);
        }
        if gaps.len() != 1 && gaps.len() != locations.len() {
            let expected = format!(
                "1 gap or as many as there are locations, {}",
                locations.len()
            );
            return Err(field.fault(expected, gaps[0].to_string()));
        }
        Ok(Self::MostlyStride1 {
            length,
            locations,
            gaps,
        })
    }

    fn laplacian(fields: &mut Fields<'_>) -> Result<Self, Fault> {
        let points_max = LIST_ENTRIES_MAX / 2 - 1;
        let dimensions = fields.number("a whole number of dimensions", 32, 2)?;
        let most = points_max / dimensions;
        let order = fields.number("a whole number as order", most, 1)?;
        // The farthest point must have an address, so the edge is bounded by its highest power.
        let exponent = u32::try_from(dimensions - 1).unwrap_or(u32::MAX);
        let mut edge_max = ADDRESS_BYTES_MAX;
        while exponent > 0
            && edge_max
                .checked_pow(exponent)
                .is_none_or(|power| power > ADDRESS_BYTES_MAX)
        {
            edge_max /= 2;
        }
        let edge = fields.number(
            "a whole number of elements along an edge",
            edge_max,
            100.min(edge_max),
        )?;
        Ok(Self::Laplacian {
            dimensions,
            order,
            edge,
        })
    }

    /// The family's name.
    pub(in super::super) fn family(&self) -> &'static str {
        match self {
            Self::Uniform { .. } => "UNIFORM",
            Self::MostlyStride1 { .. } => "MS1",
            Self::Laplacian { .. } => "LAPLACIAN",
        }
    }

    /// The list of element indexes; those beyond 64 bits stay at `u64::MAX`.
    pub fn indices(&self) -> Vec<u64> {
        match self {
            Self::Uniform { length, stride, .. } => {
                (0..*length).map(|i| i.saturating_mul(*stride)).collect()
            }
            Self::MostlyStride1 {
                length,
                locations,
                gaps,
            } => mostly_stride_1(*length, locations, gaps),
            Self::Laplacian {
                dimensions,
                order,
                edge,
            } => laplacian(*dimensions, *order, *edge),
        }
    }

    /// Elements from one reading to the next, where the generator sets them.
    pub fn delta(&self) -> Option<u64> {
        match self {
            Self::Uniform {
                length,
                stride,
                delta,
            } => match delta {
                UniformDelta::Unset => None,
                UniformDelta::Elements(elements) => Some(*elements),
                UniformDelta::NoReuse => Some(length.saturating_mul(*stride)),
            },
            Self::MostlyStride1 { .. } => None,
            Self::Laplacian { .. } => Some(1),
        }
    }

    /// Elements from one reading to the next: [`DEFAULT_DELTA`] where the generator sets none.
    pub fn delta_or_default(&self) -> u64 {
        self.delta().unwrap_or(DEFAULT_DELTA)
    }
}

/// Starts at -1 and adds, at each place, its gap or 1.
fn mostly_stride_1(length: u64, locations: &[u64], gaps: &[u64]) -> Vec<u64> {
    let mut coming = locations.iter().enumerate().peekable();
    let mut next = 0_u64;
    (0..length)
        .map(|place| {
            if let Some((number, _)) = coming.next_if(|(_, location)| **location == place) {
                let gap = gaps.get(number).or(gaps.first()).copied().unwrap_or(1);
                next = next.saturating_add(gap - 1);
            }
            let index = next;
            next = next.saturating_add(1);
            index
        })
        .collect()
}

/// The centre and `order` points on either side along every axis, shifted so that the lowest index is 0.
fn laplacian(dimensions: u64, order: u64, edge: u64) -> Vec<u64> {
    let axes =
        (0..dimensions).map(|axis| edge.saturating_pow(u32::try_from(axis).unwrap_or(u32::MAX)));
    let distances: Vec<u64> = axes
        .flat_map(|step| (1..=order).map(move |k| k.saturating_mul(step)))
        .collect();
    let centre = distances.iter().copied().max().unwrap_or(0);
    let below = distances.iter().rev().map(|distance| centre - distance);
    let above = distances
        .iter()
        .map(|distance| centre.saturating_add(*distance));
    below.chain([centre]).chain(above).collect()
}

/// The fields of a generator that are still to be read.
struct Fields<'a> {
    piece: Piece<'a>,
    rest: Option<Piece<'a>>,
}

impl<'a> Fields<'a> {
    fn optional(&mut self) -> Option<Piece<'a>> {
        let rest = self.rest?;
        let (field, rest) = match rest.split_once(':') {
            Some((field, rest)) => (field, Some(rest)),
            None => (rest, None),
        };
        self.rest = rest;
        Some(field)
    }

    fn required(&mut self, what: &str, sample: &str) -> Result<Piece<'a>, Fault> {
        self.optional().ok_or_else(|| {
            let expected = format!("':' and {what}");
            self.piece.missing(expected, format!(":{sample}"))
        })
    }

    /// A number from 1 to `most`.
    fn number(&mut self, what: &str, most: u64, fallback: u64) -> Result<u64, Fault> {
        self.required(what, &fallback.to_string())?
            .whole_number(what, 1..=most, fallback)
    }
}

impl fmt::Display for Generator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let family = self.family();
        let join = |numbers: &[u64]| {
            let texts: Vec<String> = numbers.iter().map(u64::to_string).collect();
            texts.join(",")
        };
        match self {
            Self::Uniform {
                length,
                stride,
                delta,
            } => {
                write!(f, "{family}:{length}:{stride}")?;
                match delta {
                    UniformDelta::Unset => Ok(()),
                    UniformDelta::Elements(elements) => write!(f, ":{elements}"),
                    UniformDelta::NoReuse => f.write_str(":NR"),
                }
            }
            Self::MostlyStride1 {
                length,
                locations,
                gaps,
            } => {
                write!(f, "{family}:{length}:{}:{}", join(locations), join(gaps))
            }
            Self::Laplacian {
                dimensions,
                order,
                edge,
            } => {
                write!(f, "{family}:{dimensions}:{order}:{edge}")
            }
        }
    }
}
