//! Placing a spec in a slice: how its lanes walk it, and how far they get.

use super::case::{Action, Case, CaseError, Plan};
use super::footprint::Footprint;
use super::walk::{Counted, INDEXES_MAX, Walk};
use crate::model::{Cut, Sequence, Window, gcd};
use crate::pattern::Spec;
use crate::pattern::random::Shuffle;
use crate::units::Bytes;

/// Rows of a matrix that lanes walk down: as many as make its columns far longer than any cache.
const COLUMN_ROWS_MAX: u64 = 1 << 20;

/// Most accesses that one dispatch makes of readings that overlap, or of which lanes rest: they may be many times those of
/// a slice that is read once, and a watchdog waits.
const LIST_ACCESSES_MAX: u64 = 1 << 25;

/// The distance by which phases shift a case's base: no granule in question is larger.
pub(super) const PHASE_BYTES: u64 = 512;

/// A slice to place a spec in.
pub(super) struct Slice<'a> {
    spec: &'a Spec,
    lanes: u32,
    footprint: &'a Footprint,
}

impl<'a> Slice<'a> {
    pub(super) fn new(spec: &'a Spec, lanes: u32, footprint: &'a Footprint) -> Self {
        Self {
            spec,
            lanes,
            footprint,
        }
    }

    /// Bytes that are left of a slice for units of `unit_bytes`, once its base is aligned.
    pub(super) fn room_bytes(&self, unit_bytes: u64) -> u64 {
        self.footprint
            .slice_bytes
            .saturating_sub(grain_bytes(unit_bytes) - PHASE_BYTES)
    }

    /// A walk in as many steps as fit, and no more than `most`.
    pub(super) fn walk(
        &self,
        action: Action,
        walk: Walk,
        scatter: Option<Walk>,
        phases: u32,
        most: u64,
    ) -> Result<Case, CaseError> {
        let mut steps = most.max(1);
        for walk in [Some(&walk), scatter.as_ref()].into_iter().flatten() {
            let room = self.room_bytes(walk.unit_bytes);
            let needed = walk.extent_bytes() + u64::from(phases - 1) * PHASE_BYTES;
            let spare = room
                .checked_sub(needed)
                .ok_or_else(|| self.too_large(needed, room))?;
            let fit = spare
                .checked_div(walk.pitch_bytes())
                .map_or(u64::MAX, |more| more + 1);
            steps = steps.min(fit);
            if walk.overlaps() || walk.has_idle_lanes() {
                steps = steps.min((LIST_ACCESSES_MAX / walk.indexes.len() as u64).max(1));
            }
        }
        Ok(self.case(action, Plan::Walk { walk, scatter }, steps, phases))
    }

    /// Lanes down the columns of one matrix that fills the slice.
    pub(super) fn columns(&self, width: u64, action: Action) -> Result<Case, CaseError> {
        let element_bytes = u64::from(self.spec.element.bytes());
        let lanes = u64::from(self.lanes);
        let row_bytes = width.saturating_mul(element_bytes);
        let room = self
            .room_bytes(element_bytes)
            .saturating_sub(self.spec.offset_bytes);
        let rows = (room / row_bytes.max(1)).min(COLUMN_ROWS_MAX) / lanes * lanes;
        if rows == 0 {
            return Err(self.too_large(row_bytes.saturating_mul(lanes), room));
        }
        let list = Window {
            addresses: (0..rows)
                .map(|row| self.spec.offset_bytes + row * row_bytes)
                .collect(),
            element_bytes,
            pitch_bytes: element_bytes,
        };
        let sequence = Sequence {
            list,
            repeats: width,
            lanes,
            cut: Cut::EachReading,
        };
        let walk = Walk::of_sequence(&sequence).map_err(|reason| self.refusal(&reason))?;
        Ok(self.walked(action, walk, width))
    }

    /// Every element of a buffer once, or of as much of it as an index list may be long, in the order of `seed`.
    pub(super) fn shuffled(&self, seed: u64, action: Action) -> Result<Case, CaseError> {
        let element_bytes = u64::from(self.spec.element.bytes());
        let lanes = u64::from(self.lanes);
        let shares = u64::from(self.footprint.slices_per_buffer());
        let room = self.footprint.buffer_bytes / element_bytes;
        let steps = room.min(INDEXES_MAX) / lanes / shares;
        if steps == 0 {
            return Err(self.too_large(lanes * element_bytes, self.footprint.slice_bytes));
        }
        let elements = steps * shares * lanes;
        let shuffle = Shuffle::new(seed, elements);
        let address = |access| Some(shuffle.lane_index(access) * element_bytes);
        let counted = Counted::Shuffled { elements };
        let walk = Walk::new(
            (0..elements).map(address),
            element_bytes,
            element_bytes,
            0,
            counted,
        )
        .map_err(|reason| self.refusal(&reason))?;
        Ok(self.walked(action, walk, steps))
    }

    /// A walk of `steps`, in one phase.
    fn walked(&self, action: Action, walk: Walk, steps: u64) -> Case {
        let scatter = None;
        self.case(action, Plan::Walk { walk, scatter }, steps, 1)
    }

    pub(super) fn case(
        &self,
        action: Action,
        plan: Plan,
        steps_per_slice: u64,
        phases: u32,
    ) -> Case {
        Case {
            spec: self.spec.clone(),
            lanes: self.lanes,
            action,
            plan,
            steps_per_slice,
            phases,
            readings: None,
            footprint: *self.footprint,
        }
    }

    /// How often the base can be shifted by [`PHASE_BYTES`] before a granule of the first phase is met again.
    pub(super) fn phases(&self, window: &Window, unit_bytes: u64) -> u32 {
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

    /// The refusal of what needs more than the `room` that is left of a slice, with what it needs of a whole one.
    pub(super) fn too_large(&self, needed: u64, room: u64) -> CaseError {
        let lost = self.footprint.slice_bytes.saturating_sub(room);
        CaseError::TooLarge {
            needed: Bytes(needed.saturating_add(lost)),
            slice: Bytes(self.footprint.slice_bytes),
        }
    }

    pub(super) fn refusal(&self, reason: &str) -> CaseError {
        CaseError::Unaddressable(format!("'{}': {reason}", self.spec))
    }
}

pub(super) fn unaddressable(reason: impl ToString) -> CaseError {
    CaseError::Unaddressable(reason.to_string())
}

/// Bases are multiples of this: of the array element, for WGSL, and of the phase, so that the model's count holds.
pub(super) fn grain_bytes(unit_bytes: u64) -> u64 {
    unit_bytes / gcd(unit_bytes, PHASE_BYTES) * PHASE_BYTES
}
