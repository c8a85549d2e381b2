//! A spec placed in a footprint: which bytes each dispatch visits, and the exact sum of what it loads there.

use serde::{Deserialize, Serialize};

use super::contents::sum_of_words;
use super::footprint::Footprint;
use crate::model::{Window, gcd};
use crate::pattern::{Pattern, Spec};
use crate::units::Bytes;

/// The distance by which phases shift a case's base: no granule in question is larger.
const PHASE_BYTES: u64 = 512;

/// What one dispatch visits: a slice or a part of it, with the case's base shifted by `phase` times 512 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Visit {
    /// Number of the slice.
    pub slice: u32,
    /// Number of the phase.
    pub phase: u32,
    /// Number of the part, below `parts`.
    pub part: u32,
    /// Equal parts that the slice's windows are divided into; 1 visits all of them.
    pub parts: u32,
    /// Most windows of the part that are visited, from its first; [`u32::MAX`] visits all of them.
    pub windows_max: u32,
    /// How often they are visited, one pass after another.
    pub repeats: u32,
}

impl Visit {
    /// A visit of a whole slice, once.
    pub const fn whole(slice: u32, phase: u32) -> Self {
        Self {
            slice,
            phase,
            part: 0,
            parts: 1,
            windows_max: u32::MAX,
            repeats: 1,
        }
    }
}

/// A spec with its place in the memory of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// What is accessed.
    pub spec: Spec,
    /// The accesses of one subgroup.
    pub window: Window,
    /// Bytes of the array element that an index counts: a struct, or the element itself.
    pub unit_bytes: u64,
    /// Windows that a dispatch over one slice visits.
    pub windows_per_slice: u64,
    /// Phases that it can be visited in without touching a granule twice.
    pub phases: u32,
    footprint: Footprint,
}

/// A spec that cannot be placed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaseError {
    /// WGSL cannot address it.
    #[error("{0}")]
    Unaddressable(String),
    /// Not even one window fits.
    #[error(
        "one window spans {needed}, but one dispatch reaches {slice} at most on this adapter and footprint; lower the stride or the lanes"
    )]
    TooLarge {
        /// Bytes of a window.
        needed: Bytes,
        /// Bytes of a slice.
        slice: Bytes,
    },
}

impl Case {
    /// Places `spec`, read by subgroups of `lanes`, in `footprint`.
    pub fn new(spec: Spec, lanes: u32, footprint: &Footprint) -> Result<Self, CaseError> {
        let unaddressable = |reason: &dyn ToString| CaseError::Unaddressable(reason.to_string());
        spec.measurable(lanes)
            .map_err(|reason| unaddressable(&reason))?;
        let window = spec
            .window(lanes)
            .map_err(|reason| unaddressable(&reason))?;
        let unit_bytes = unit_bytes(&spec);
        let phases = phases(&window, unit_bytes);
        // What the first window may lose to alignment, and the last to the largest phase.
        let slack = grain_bytes(unit_bytes) - PHASE_BYTES + u64::from(phases - 1) * PHASE_BYTES;
        // A struct is indexed whole, so it lies in the slice whole, whichever field is loaded.
        let needed = window.extent_bytes().next_multiple_of(unit_bytes) + slack;
        let windows_per_slice = match footprint.slice_bytes.checked_sub(needed) {
            Some(room) => room / window.pitch_bytes.max(1) + 1,
            None => {
                return Err(CaseError::TooLarge {
                    needed: Bytes(needed),
                    slice: Bytes(footprint.slice_bytes),
                });
            }
        };
        Ok(Self {
            spec,
            window,
            unit_bytes,
            windows_per_slice,
            phases,
            footprint: *footprint,
        })
    }

    /// The footprint that it is placed in.
    pub fn footprint(&self) -> &Footprint {
        &self.footprint
    }

    /// Windows that one pass of a dispatch of `visit` covers.
    pub fn windows(&self, visit: Visit) -> u64 {
        let of_part =
            self.first_window(visit, visit.part + 1) - self.first_window(visit, visit.part);
        of_part.min(u64::from(visit.windows_max))
    }

    /// The buffer of a visit, and the byte in it where the first window's base lies.
    pub fn base(&self, visit: Visit) -> (u32, u64) {
        let slice = self.footprint.slice(visit.slice);
        let aligned = slice
            .first_byte
            .next_multiple_of(grain_bytes(self.unit_bytes));
        let shift = u64::from(visit.phase) * PHASE_BYTES
            + self.first_window(visit, visit.part) * self.window.pitch_bytes;
        (slice.buffer, aligned + shift)
    }

    /// The window of the slice at which part `part` of those of `visit` begins.
    fn first_window(&self, visit: Visit, part: u32) -> u64 {
        self.windows_per_slice * u64::from(part) / u64::from(visit.parts)
    }

    /// Exact sum modulo 2^32 of every word that a dispatch of `visit` loads, as often as it does.
    pub fn expected_checksum(&self, visit: Visit) -> u32 {
        self.checksum_of_pass(visit).wrapping_mul(visit.repeats)
    }

    fn checksum_of_pass(&self, visit: Visit) -> u32 {
        let (buffer, first_byte) = self.base(visit);
        let base = u64::from(buffer) * self.footprint.buffer_bytes + first_byte;
        let windows = self.windows(visit);
        let words_per_element = self.window.element_bytes / 4;
        let sum_of_run = |origin: u64, step: u64, count: u64| {
            (0..words_per_element).fold(0_u32, |sum, word| {
                sum.wrapping_add(sum_of_words((base + origin) / 4 + word, step / 4, count))
            })
        };
        match self.window.affine_run() {
            Some(run) => sum_of_run(run.origin, run.step, run.count_per_window * windows)
                .wrapping_mul(run.multiplicity as u32),
            None => self.window.addresses.iter().fold(0_u32, |sum, &address| {
                sum.wrapping_add(sum_of_run(address, self.window.pitch_bytes, windows))
            }),
        }
    }
}

/// Bytes of the WGSL array element that holds what a lane loads.
fn unit_bytes(spec: &Spec) -> u64 {
    match &spec.pattern {
        Pattern::Struct(field) => field.struct_bytes,
        _ => u64::from(spec.element.bytes()),
    }
}

/// Bases are multiples of this: of the array element, for WGSL, and of the phase, so that the model's count holds.
fn grain_bytes(unit_bytes: u64) -> u64 {
    unit_bytes / gcd(unit_bytes, PHASE_BYTES) * PHASE_BYTES
}

/// How often the base can be shifted by [`PHASE_BYTES`] before a granule of the first phase is met again.
fn phases(window: &Window, unit_bytes: u64) -> u32 {
    if !PHASE_BYTES.is_multiple_of(unit_bytes) {
        // The base would not begin a struct.
        return 1;
    }
    let spacing = match window.affine_run() {
        Some(run) => run.step / PHASE_BYTES,
        None => window.pitch_bytes / window.extent_bytes().next_multiple_of(PHASE_BYTES).max(1),
    };
    spacing.clamp(1, 64) as u32
}
