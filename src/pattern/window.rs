//! From a spec to the addresses that the model counts.

use super::error::abbreviated;
use super::spec::{Layout, Pattern, Side, Spec};
use super::{
    ADDRESS_BYTES_MAX, LIST_ENTRIES_MAX, PatternError, Tile, Unaddressable, broadcast, interleaved,
    list, matrix, mixed, offset, permuted, pitch, reversed, soa, stride, structure,
};
use crate::model::{Cut, Sequence, Window};

/// Most lanes of a subgroup that a window is made for.
pub const LANES_MAX: u32 = 1 << 20;

impl Spec {
    /// The accesses of one subgroup of `lanes` lanes; of `transpose` those that load.
    ///
    /// # Errors
    /// If an address is beyond [`ADDRESS_BYTES_MAX`], a list or a whole struct needs more than one window, or the pattern
    /// has no window of its own.
    pub fn window(&self, lanes: u32) -> Result<Window, PatternError> {
        let window = self.whole(Side::Load, lanes)?;
        if window.lanes() > u64::from(lanes) {
            return Err(PatternError::SeveralWindows {
                spec: self.short_text(),
                entries: window.lanes(),
                lanes,
            });
        }
        Ok(window)
    }

    /// The accesses of each load: one window, or several where a list is longer than `lanes` or a struct is read whole.
    ///
    /// # Errors
    /// As [`Spec::window`], but a list may have any length.
    pub fn windows(&self, lanes: u32) -> Result<Vec<Window>, PatternError> {
        let sequence = self.sequence(Side::Load, lanes, 1)?;
        let windows = sequence.groups().map(|group| group.window).collect();
        Ok(windows)
    }

    /// The whole pattern, repeated, and how it falls into subgroups.
    ///
    /// # Errors
    /// As [`Spec::windows`].
    pub fn sequence(&self, side: Side, lanes: u32, repeats: u64) -> Result<Sequence, PatternError> {
        Ok(Sequence {
            list: self.whole(side, lanes)?,
            repeats,
            lanes: u64::from(lanes),
            cut: Cut::EachReading,
        })
    }

    /// The sides that access memory in ways of their own: both of `transpose`, and otherwise just one.
    pub fn sides(&self) -> &'static [Side] {
        match self.pattern {
            Pattern::Transpose { .. } => &[Side::Load, Side::Store],
            _ => &[Side::Load],
        }
    }

    /// Whether a WGSL kernel can access exactly these addresses.
    ///
    /// # Errors
    /// The reason why not.
    pub fn measurable(&self, lanes: u32) -> Result<(), Unaddressable> {
        let element_bytes = u64::from(self.element.bytes());
        if let Some(struct_bytes) = self.struct_bytes()
            && !struct_bytes.is_multiple_of(element_bytes)
        {
            return Err(Unaddressable::StructSize {
                struct_bytes,
                element_bytes,
            });
        }
        for &side in self.sides() {
            let window = match self.whole(side, lanes) {
                // A permutation of the footprint's elements is aligned as they are.
                Err(PatternError::NeedsFootprint { .. }) => continue,
                window => window?,
            };
            let misaligned = window
                .addresses
                .iter()
                .position(|address| !address.is_multiple_of(element_bytes));
            if let Some(lane) = misaligned {
                return Err(Unaddressable::Misaligned {
                    lane: lane as u64,
                    address_bytes: window.addresses[lane],
                    element_bytes,
                });
            }
            if !window.pitch_bytes.is_multiple_of(element_bytes) {
                return Err(Unaddressable::MisalignedPitch {
                    pitch_bytes: window.pitch_bytes,
                    element_bytes,
                });
            }
        }
        Ok(())
    }

    fn short_text(&self) -> String {
        abbreviated(&self.to_string())
    }

    /// All accesses of one repetition, as one window however long.
    fn whole(&self, side: Side, lanes: u32) -> Result<Window, PatternError> {
        if !(1..=LANES_MAX).contains(&lanes) {
            return Err(PatternError::Lanes { lanes });
        }
        let element_bytes = u64::from(self.element.bytes());
        let shape = self.shape(side, u64::from(lanes))?;
        let unshifted = Window {
            addresses: shape.addresses,
            element_bytes,
            pitch_bytes: 0,
        };
        let extent_bytes = unshifted.extent_bytes();
        let shift_bytes = shape.shift_bytes.saturating_add(self.offset_bytes);
        let pitch_bytes = match (self.layout, shape.pitch) {
            (Layout::Padded, _) => {
                let multiple_of_bytes = self.struct_bytes().unwrap_or(1);
                pitch::padded_bytes(extent_bytes, shift_bytes, multiple_of_bytes)
            }
            (Layout::Packed, Pitch::Bytes(bytes)) => bytes,
            (Layout::Packed, Pitch::OfExtent) => list::pitch_bytes(extent_bytes),
        };
        if extent_bytes.saturating_add(shift_bytes).max(pitch_bytes) > ADDRESS_BYTES_MAX {
            return Err(PatternError::AddressTooHigh {
                spec: self.short_text(),
                lanes,
            });
        }
        let shifted = unshifted.addresses.into_iter().map(|a| a + shift_bytes);
        Ok(Window {
            addresses: shifted.collect(),
            element_bytes,
            pitch_bytes,
        })
    }

    /// The family's address function over all lanes, before any shift.
    fn shape(&self, side: Side, lanes: u64) -> Result<Shape, PatternError> {
        let element_bytes = u64::from(self.element.bytes());
        let packed = Pitch::Bytes(lanes * element_bytes);
        let of_lanes = |lane_index: &dyn Fn(u64) -> u64, pitch| {
            Shape::new((0..lanes).map(lane_index), element_bytes, pitch)
        };
        let column = |width| {
            let elements = matrix::column_pitch(width, lanes);
            let pitch = Pitch::Bytes(elements.saturating_mul(element_bytes));
            of_lanes(&|lane| matrix::column_lane_index(width, lane), pitch)
        };
        Ok(match &self.pattern {
            Pattern::Stride(length) => {
                let (amount, unit_bytes) = (length.amount(), length.unit_bytes(self.element));
                // Windows of a stride below one element still hold an element a lane.
                let bytes = stride::pitch(amount, lanes).saturating_mul(unit_bytes);
                let indices = (0..lanes).map(|lane| stride::lane_index(amount, lane, lanes));
                let pitch = Pitch::Bytes(bytes.max(lanes * element_bytes));
                Shape::new(indices, unit_bytes, pitch)
            }
            Pattern::Offset(length) => Shape {
                shift_bytes: length.magnitude_bytes(self.element),
                ..of_lanes(&|lane| offset::lane_index(0, lane), packed)
            },
            Pattern::Reversed => of_lanes(&|lane| reversed::lane_index(lane, lanes), packed),
            Pattern::Interleaved { runs } => {
                of_lanes(&|lane| interleaved::lane_index(*runs, lane, lanes), packed)
            }
            Pattern::Permuted { seed } => {
                let indices = permuted::lane_indices(*seed, lanes);
                Shape::new(indices.into_iter(), element_bytes, packed)
            }
            Pattern::Broadcast => of_lanes(&broadcast::lane_index, packed),
            Pattern::Struct(field) => {
                let pitch = Pitch::Bytes(field.struct_bytes.saturating_mul(lanes));
                let indices = (0..lanes).map(structure::lane_index);
                let mut shape = Shape::new(indices, field.struct_bytes, pitch);
                for address in &mut shape.addresses {
                    *address = address.saturating_add(field.field_bytes);
                }
                shape
            }
            Pattern::WholeStruct { struct_bytes } => self.whole_struct(*struct_bytes, lanes)?,
            Pattern::Soa => of_lanes(&soa::lane_index, packed),
            Pattern::Row { .. } => of_lanes(&matrix::row_lane_index, packed),
            Pattern::Column { width } => column(*width),
            Pattern::Transpose { width, tile } => match (side, tile) {
                (Side::Store, Tile::None) => column(*width),
                // Through a tile in workgroup memory, both sides go along rows.
                _ => of_lanes(&matrix::row_lane_index, packed),
            },
            Pattern::Mixed => of_lanes(&|lane| mixed::lane_index(lane, lanes), Pitch::OfExtent),
            Pattern::List(indices) => {
                Shape::new(indices.iter().copied(), element_bytes, Pitch::OfExtent)
            }
            Pattern::Generated(generator) => {
                let delta_bytes = generator.delta_or_default().saturating_mul(element_bytes);
                let indices = generator.indices().into_iter();
                Shape::new(indices, element_bytes, Pitch::Bytes(delta_bytes))
            }
            Pattern::Random { .. } => {
                let spec = self.short_text();
                return Err(PatternError::NeedsFootprint { spec });
            }
            Pattern::File { .. } => {
                let spec = self.short_text();
                return Err(PatternError::InFile { spec });
            }
        })
    }

    /// All fields of a struct a lane, one load after another.
    fn whole_struct(&self, struct_bytes: u64, lanes: u64) -> Result<Shape, PatternError> {
        let element_bytes = u64::from(self.element.bytes());
        if (struct_bytes / element_bytes).saturating_mul(lanes) > LIST_ENTRIES_MAX {
            return Err(PatternError::TooManyEntries {
                spec: self.short_text(),
                lanes,
            });
        }
        let addresses = structure::whole_addresses(struct_bytes, element_bytes, lanes);
        let pitch = Pitch::Bytes(struct_bytes.saturating_mul(lanes));
        Ok(Shape::new(addresses, 1, pitch))
    }
}

/// What a family says about itself: unshifted byte addresses, a shift of its own, and its packed pitch.
struct Shape {
    addresses: Vec<u64>,
    shift_bytes: u64,
    pitch: Pitch,
}

/// A packed pitch: given, or as the highest address asks for.
#[derive(Clone, Copy)]
enum Pitch {
    Bytes(u64),
    OfExtent,
}

impl Shape {
    fn new(indices: impl Iterator<Item = u64>, unit_bytes: u64, pitch: Pitch) -> Self {
        Self {
            addresses: indices
                .map(|index| index.saturating_mul(unit_bytes))
                .collect(),
            shift_bytes: 0,
            pitch,
        }
    }
}
