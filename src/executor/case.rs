//! A spec placed in a footprint: which bytes each dispatch visits, and what must come of it.

use super::footprint::Footprint;
use super::placement::{PHASE_BYTES, Slice, grain_bytes, unaddressable};
use super::transpose::Transpose;
use super::visit::{Steps, Visit};
use super::walk::{Counted, Walk};
use crate::model::Cut;
use crate::pattern::spatter::{Config, Kernel};
use crate::pattern::{Layout, Op, Pattern, Side, Spec};
use crate::units::Bytes;

/// So many members of a struct every implementation of WGSL takes.
const STRUCT_MEMBERS_MAX: u64 = 1023;

/// What a kernel does at the addresses of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// Reads them.
    Load,
    /// Writes them, each with a value that only its place decides.
    Store,
    /// Reads them and writes what it read, plus a number, into the same places of another buffer.
    Copy,
    /// Reads some and writes others, as Spatter's GS does; what is written does not depend on what is read.
    LoadAndStore,
}

impl Action {
    /// Whether what the kernel reads comes back as a sum.
    pub fn sums_loads(self) -> bool {
        matches!(self, Self::Load | Self::LoadAndStore)
    }

    /// Whether it reads the contents of the footprint.
    pub fn reads(self) -> bool {
        self != Self::Store
    }

    /// Whether it writes.
    pub fn stores(self) -> bool {
        self != Self::Load
    }
}

/// The order in which a case visits its slice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Plan {
    /// Windows of a period, and the period again and again.
    Walk {
        /// What is accessed: loaded, stored, or copied.
        walk: Walk,
        /// What is stored where that is something else.
        scatter: Option<Walk>,
    },
    /// Matrices, row of tiles after row of tiles.
    Transpose(Transpose),
}

/// Readings of a Spatter configuration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Readings {
    /// The configuration's `count`.
    pub asked: u64,
    /// How many of them the memory of the run holds.
    pub measured: u64,
}

/// A spec with its place in the memory of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// What is accessed.
    pub spec: Spec,
    /// Lanes of a subgroup.
    pub lanes: u32,
    /// What is done there.
    pub action: Action,
    /// In which order.
    pub plan: Plan,
    /// Steps that a dispatch over one slice visits.
    pub steps_per_slice: u64,
    /// Phases that it can be visited in without touching a granule twice.
    pub phases: u32,
    /// Of a Spatter configuration, how often its list is read.
    pub readings: Option<Readings>,
    pub(super) footprint: Footprint,
}

/// A spec that cannot be placed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CaseError {
    /// WGSL cannot address it.
    #[error("{0}")]
    Unaddressable(String),
    /// Not even one window fits.
    #[error(
        "it spans {needed} at least, but one dispatch reaches {slice} at most on this adapter and footprint; lower the stride, the width or the lanes"
    )]
    TooLarge {
        /// Bytes of a window, or of a matrix.
        needed: Bytes,
        /// Bytes of a slice.
        slice: Bytes,
    },
}

impl Case {
    /// Places `spec`, accessed by subgroups of `lanes`, in `footprint`.
    ///
    /// # Errors
    /// If WGSL cannot address it, or it does not fit a slice.
    pub fn new(spec: Spec, lanes: u32, footprint: &Footprint) -> Result<Self, CaseError> {
        spec.measurable(lanes).map_err(unaddressable)?;
        let action = match spec.op {
            Op::Load => Action::Load,
            Op::Store => Action::Store,
            Op::Copy => Action::Copy,
        };
        let slice = Slice::new(&spec, lanes, footprint);
        match &spec.pattern {
            Pattern::Transpose { width, tile } => {
                if spec.op != Op::Load || spec.offset_bytes > 0 || spec.layout != Layout::Packed {
                    let reason = format!(
                        "'{spec}': a transpose reads and writes whole matrices; it takes no op, offset or layout"
                    );
                    return Err(CaseError::Unaddressable(reason));
                }
                let element_bytes = u64::from(spec.element.bytes());
                let room = slice.room_bytes(element_bytes);
                let transpose = Transpose::new(*width, *tile, element_bytes, lanes, room)
                    .map_err(|needed| slice.too_large(needed, room))?;
                let steps = transpose.matrices * transpose.tiles();
                Ok(slice.case(Action::Copy, Plan::Transpose(transpose), steps, 1))
            }
            Pattern::Random { seed } => slice.shuffled(*seed, action),
            Pattern::Column { width } if spec.layout == Layout::Packed => {
                slice.columns(*width, action)
            }
            Pattern::List(_) | Pattern::Mixed | Pattern::Generated(_) => {
                let sequence = spec.sequence(Side::Load, lanes, 1).map_err(unaddressable)?;
                let walk = Walk::of_sequence(&sequence).map_err(|reason| slice.refusal(&reason))?;
                let phases = slice.phases(&sequence.list, walk.unit_bytes);
                slice.walk(action, walk, None, phases, u64::MAX)
            }
            Pattern::WholeStruct { struct_bytes } => {
                if struct_bytes / u64::from(spec.element.bytes()) > STRUCT_MEMBERS_MAX {
                    return Err(slice.refusal("a struct of WGSL has no more than 1023 members"));
                }
                let sequence = spec.sequence(Side::Load, lanes, 1).map_err(unaddressable)?;
                let first = sequence.list.addresses[..lanes as usize].iter();
                let addresses = first.map(|&address| Some(address));
                let counted = Counted::List {
                    list: sequence.list.clone(),
                    cut: Cut::EachReading,
                    readings: 1,
                };
                let pitch_bytes = sequence.list.pitch_bytes;
                let walk = Walk::new(
                    addresses,
                    *struct_bytes,
                    *struct_bytes,
                    pitch_bytes,
                    counted,
                )
                .map_err(|reason| slice.refusal(&reason))?;
                slice.walk(action, walk, None, 1, u64::MAX)
            }
            _ => {
                let window = spec.window(lanes).map_err(unaddressable)?;
                let unit_bytes = spec.struct_bytes().unwrap_or(spec.element.bytes().into());
                let walk = Walk::of_window(&window, unit_bytes)
                    .map_err(|reason| slice.refusal(&reason))?;
                let phases = slice.phases(&window, unit_bytes);
                slice.walk(action, walk, None, phases, u64::MAX)
            }
        }
    }

    /// Places a configuration of the Spatter file that `spec` names.
    ///
    /// Only the sparse side is accessed; what Spatter keeps dense stays in registers here. Where the memory holds fewer
    /// readings than the configuration counts, it is cut to those ([`Case::readings`]).
    ///
    /// # Errors
    /// As [`Case::new`].
    pub fn of_config(
        spec: Spec,
        config: &Config,
        lanes: u32,
        footprint: &Footprint,
    ) -> Result<Self, CaseError> {
        let slice = Slice::new(&spec, lanes, footprint);
        let action = match config.kernel {
            Kernel::Gather | Kernel::MultiGather => Action::Load,
            Kernel::Scatter | Kernel::MultiScatter => Action::Store,
            Kernel::GatherScatter => Action::LoadAndStore,
        };
        let mut walks = Vec::new();
        for access in &config.accesses {
            let sequence = access.sequence(spec.element, lanes, config.count);
            walks.push(Walk::of_sequence(&sequence).map_err(|reason| slice.refusal(&reason))?);
        }
        let mut walks = walks.into_iter();
        let walk = walks
            .next()
            .ok_or_else(|| slice.refusal("it accesses nothing"))?;
        let readings = walk.readings();
        let mut case = slice.walk(action, walk, walks.next(), 1, config.count / readings)?;
        let in_all = case.steps_per_slice * readings * u64::from(footprint.slices());
        let per_slice = case.steps_per_slice * readings;
        // A count that one slice holds is measured as it is, slice after slice.
        let measured = if config.count / readings <= case.steps_per_slice {
            per_slice
        } else {
            in_all
        };
        case.readings = Some(Readings {
            asked: config.count,
            measured: measured.min(config.count),
        });
        Ok(case)
    }

    /// The footprint that it is placed in.
    pub fn footprint(&self) -> &Footprint {
        &self.footprint
    }

    /// The steps that one pass of `visit` covers.
    ///
    /// What is shuffled is shuffled over a whole buffer, and each of its slices stands for a share of the steps.
    pub fn steps(&self, visit: Visit) -> Steps {
        let steps = visit.steps(self.steps_per_slice);
        let before = match self.is_shuffled() {
            true => u64::from(self.footprint.place_in_buffer(visit.slice)) * self.steps_per_slice,
            false => 0,
        };
        Steps {
            first: before + steps.first,
            ..steps
        }
    }

    /// Whether what a part of a slice's steps costs is to that of all as their numbers are.
    ///
    /// It is not where steps share bytes or blocks: readings that overlap, neighbouring columns.
    pub fn is_divisible(&self) -> bool {
        match &self.plan {
            Plan::Walk { walk, scatter } => {
                let is_apart = |walk: &Walk| !walk.overlaps();
                self.is_shuffled() || is_apart(walk) && scatter.as_ref().is_none_or(is_apart)
            }
            Plan::Transpose(_) => true,
        }
    }

    /// Slices of a buffer, from its first, that a dispatch accesses whichever of them is visited; `None` of a case that
    /// stays in its slice.
    pub fn spanned_slices(&self) -> Option<u32> {
        self.is_shuffled()
            .then(|| self.span_bytes().div_ceil(self.footprint.slice_bytes) as u32)
    }

    /// Steps that cost what those of `visit` cost, the same of as many visits as can be.
    pub fn counted_alike(&self, visit: Visit) -> Steps {
        let steps = self.steps(visit);
        match self.plan {
            Plan::Walk { .. } => Steps { first: 0, ..steps },
            // The last row of tiles of a matrix is lower than the others.
            Plan::Transpose(_) => steps,
        }
    }

    /// Whether its accesses lie all over a buffer, whichever slice is visited.
    pub fn is_shuffled(&self) -> bool {
        matches!(&self.plan, Plan::Walk { walk, .. } if matches!(walk.counted, Counted::Shuffled { .. }))
    }

    /// Bytes of memory that a dispatch may access in any order, which is what a cache would have to hold of it.
    pub fn span_bytes(&self) -> u64 {
        match &self.plan {
            Plan::Walk {
                walk:
                    Walk {
                        counted: Counted::Shuffled { elements },
                        unit_bytes,
                        ..
                    },
                ..
            } => elements * unit_bytes,
            _ => self.footprint.slice_bytes,
        }
    }

    /// Windows of a step of a walk; 1 of a transpose, whose steps are rows of tiles.
    pub fn windows_per_step(&self) -> u64 {
        match &self.plan {
            Plan::Walk { walk, .. } => match walk.counted {
                Counted::List { .. } => walk.windows(self.lanes),
                Counted::Shuffled { .. } => 1,
            },
            Plan::Transpose(_) => 1,
        }
    }

    /// Whether the kernel reads indexes from a buffer, be it once before its loops.
    pub fn reads_indexes(&self) -> bool {
        self.is_listed() || matches!(self.spec.pattern, Pattern::Permuted { .. })
    }

    /// Whether the kernel reads an index from a buffer for every access.
    pub fn is_listed(&self) -> bool {
        matches!(
            self.spec.pattern,
            Pattern::List(_)
                | Pattern::Mixed
                | Pattern::Generated(_)
                | Pattern::Random { .. }
                | Pattern::File { .. }
        )
    }

    /// Windows of a dispatch over one slice.
    pub fn windows_per_slice(&self) -> u64 {
        self.steps_per_slice * self.windows_per_step()
    }

    /// What is accessed, of a case that walks windows.
    pub fn walk(&self) -> Option<&Walk> {
        match &self.plan {
            Plan::Walk { walk, .. } => Some(walk),
            Plan::Transpose(_) => None,
        }
    }

    /// Bytes from one step to the next: what a working set divides by.
    pub fn step_bytes(&self) -> u64 {
        match &self.plan {
            Plan::Walk { walk, .. } => walk.pitch_bytes(),
            Plan::Transpose(transpose) => {
                transpose.width * transpose.edge * transpose.element_bytes
            }
        }
    }

    /// Bytes from one window, or one reading of a list, to the next; 0 where there is no such distance.
    pub fn pitch_bytes(&self) -> u64 {
        let of_spec = self.spec.sequence(Side::Load, self.lanes, 1);
        match (&self.plan, of_spec) {
            (Plan::Transpose(_), _) => 0,
            (_, Ok(sequence)) => sequence.list.pitch_bytes,
            (Plan::Walk { walk, .. }, Err(_)) => match &walk.counted {
                Counted::List { list, .. } => list.pitch_bytes,
                Counted::Shuffled { .. } => 0,
            },
        }
    }

    /// Bytes of the element of the WGSL array.
    pub fn unit_bytes(&self) -> u64 {
        match &self.plan {
            Plan::Walk { walk, .. } => walk.unit_bytes,
            Plan::Transpose(transpose) => transpose.element_bytes,
        }
    }

    /// The buffer of a visit, and the byte in it from which its slice's addresses count.
    pub fn base(&self, visit: Visit) -> (u32, u64) {
        let slice = self.footprint.slice(visit.slice);
        let first_byte = if self.is_shuffled() {
            0
        } else {
            slice.first_byte
        };
        let aligned = first_byte.next_multiple_of(grain_bytes(self.unit_bytes()));
        (slice.buffer, aligned + u64::from(visit.phase) * PHASE_BYTES)
    }

    /// The same byte counted over all buffers.
    pub fn base_in_footprint(&self, visit: Visit) -> u64 {
        let (buffer, byte) = self.base(visit);
        u64::from(buffer) * self.footprint.buffer_bytes + byte
    }

    /// What the checksum of a dispatch of `visit` must be, modulo 2^32: the sum of every word that it loads and folds, plus
    /// the number of words that it stores, both as often as it does, plus the number of those in which what it stored is
    /// found afterwards.
    pub fn expected_checksum(&self, visit: Visit) -> u32 {
        let steps = self.steps(visit);
        // Kernels that store count the words that they store; then it is counted which of them are there.
        let stored = (self.stored_words(steps) as u32).wrapping_mul(visit.repeats.wrapping_add(1));
        let loaded = match &self.plan {
            Plan::Walk { walk, .. } if self.action.sums_loads() => walk
                .sum_of_contents(self.lanes, self.base_in_footprint(visit), steps)
                .wrapping_mul(visit.repeats),
            _ => 0,
        };
        loaded.wrapping_add(stored)
    }

    /// The bytes of its buffer between the first and the last that a dispatch of `visit` stores.
    pub fn stored_span(&self, visit: Visit) -> std::ops::Range<u64> {
        let (_, base) = self.base(visit);
        let steps = self.steps(visit);
        match &self.plan {
            Plan::Walk { walk, scatter } => {
                let walk = scatter.as_ref().unwrap_or(walk);
                let pitch = walk.pitch_bytes();
                let last = base + steps.end().saturating_sub(1) * pitch;
                base + steps.first * pitch..last + walk.extent_bytes()
            }
            Plan::Transpose(transpose) => {
                let matrix_bytes = transpose.pitch_elements * transpose.element_bytes;
                let matrices =
                    steps.first / transpose.tiles()..steps.end().div_ceil(transpose.tiles());
                base + matrices.start * matrix_bytes..base + matrices.end * matrix_bytes
            }
        }
    }

    /// Words that `steps` store, each counted as often as it is stored.
    pub fn stored_words(&self, steps: Steps) -> u64 {
        if !self.action.stores() {
            return 0;
        }
        match &self.plan {
            Plan::Walk { walk, scatter } => {
                let walk = scatter.as_ref().unwrap_or(walk);
                walk.accesses(self.lanes, steps) * (walk.access_bytes / 4)
            }
            Plan::Transpose(transpose) => {
                transpose.rows(steps) * transpose.width * (transpose.element_bytes / 4)
            }
        }
    }
}
