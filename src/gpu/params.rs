//! What a kernel is told of a visit, and how many workgroups make it.

use bytemuck::{Pod, Zeroable};

use super::executor::GpuSettings;
use super::grid::windows_per_workgroup;
use super::source::{argument, shift_units};
use crate::executor::{Adapter, Case, ExecutorError, Plan, Transpose, Visit, Walk};

/// Parameters of `shaders/params.wgsl`; its comments say what each means.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
pub(super) struct Params {
    pub(super) base: u32,
    pub(super) pitch: u32,
    pub(super) windows: u32,
    pub(super) windows_per_workgroup: u32,
    pub(super) lanes: u32,
    pub(super) abreast: u32,
    pub(super) argument: u32,
    pub(super) first_window: u32,
    pub(super) period: u32,
    pub(super) scatter_base: u32,
    pub(super) scatter_pitch: u32,
    pub(super) first_word: u32,
    pub(super) addend: u32,
}

/// A dispatch: its parameters and its workgroups along x and y.
pub(super) struct Dispatch {
    pub(super) params: Params,
    pub(super) workgroups: (u32, u32),
}

/// What turns visits of one case into dispatches.
#[derive(Debug)]
pub(super) struct Dispatcher {
    argument: u32,
    shift_units: u32,
    lanes: u32,
    workgroup_size: u32,
}

impl Dispatcher {
    /// Of `case`, in workgroups of `workgroup_size`.
    pub(super) fn new(
        case: &Case,
        settings: &GpuSettings,
        workgroup_size: u32,
    ) -> Result<Self, ExecutorError> {
        Ok(Self {
            argument: argument(case).map_err(ExecutorError::Unsupported)?,
            shift_units: shift_units(case),
            lanes: settings.lanes,
            workgroup_size,
        })
    }

    /// The dispatch of `visit`, of at most `windows_max` windows where it walks windows.
    pub(super) fn dispatch(
        &self,
        case: &Case,
        adapter: &Adapter,
        visit: Visit,
        windows_max: u64,
        addend: u32,
    ) -> Dispatch {
        let (buffer, base_byte) = case.base(visit);
        let params = Params {
            base: (base_byte / case.unit_bytes()) as u32 + self.shift_units,
            lanes: self.lanes,
            abreast: self.workgroup_size / self.lanes,
            argument: self.argument,
            // Below 2^32, as all words of a footprint.
            first_word: (u64::from(buffer) * case.footprint().buffer_bytes / 4) as u32,
            addend,
            ..Params::default()
        };
        match &case.plan {
            Plan::Walk { walk, scatter } => self.of_walk(
                params,
                case,
                walk,
                scatter.as_ref(),
                adapter,
                visit,
                windows_max,
            ),
            Plan::Transpose(transpose) => of_transpose(params, case, transpose, visit),
        }
    }

    #[expect(
        clippy::too_many_arguments,
        reason = "the parts of one dispatch, taken apart by its plan"
    )]
    fn of_walk(
        &self,
        params: Params,
        case: &Case,
        walk: &Walk,
        scatter: Option<&Walk>,
        adapter: &Adapter,
        visit: Visit,
        windows_max: u64,
    ) -> Dispatch {
        let steps = case.steps(visit);
        let per_step = case.windows_per_step();
        let windows = (steps.count * per_step).min(windows_max);
        let abreast = u64::from(params.abreast);
        // A part of a slice is walked as the whole is: prefetchers, which see how long a run of windows is, would make another
        // pattern of it. A GPU has none, and rather needs many workgroups.
        let divided = match adapter.is_software() && visit.parts > 1 {
            true => case.windows_per_slice(),
            false => windows,
        };
        let per_workgroup = windows_per_workgroup(adapter, divided, visit.repeats, abreast);
        let params = Params {
            pitch: walk.pitch_units as u32,
            windows: windows as u32,
            windows_per_workgroup: per_workgroup as u32,
            first_window: (steps.first * per_step) as u32,
            period: walk.windows(self.lanes) as u32,
            scatter_base: params.base,
            scatter_pitch: scatter.map_or(0, |walk| walk.pitch_units as u32),
            ..params
        };
        Dispatch {
            params,
            workgroups: (windows.div_ceil(per_workgroup) as u32, visit.repeats),
        }
    }
}

fn of_transpose(params: Params, case: &Case, transpose: &Transpose, visit: Visit) -> Dispatch {
    let steps = case.steps(visit);
    Dispatch {
        params: Params {
            pitch: transpose.pitch_elements as u32,
            first_window: steps.first as u32,
            ..params
        },
        workgroups: (transpose.tiles() as u32, steps.count as u32),
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::super::reflection::struct_layout;
    use super::super::source::{Access, compose};
    use super::*;
    use crate::executor::Footprint;

    /// The composed kernel of stride 1.
    fn harness() -> String {
        let footprint = Footprint {
            buffers: 1,
            buffer_bytes: 1 << 20,
            slice_bytes: 1 << 20,
        };
        let spec = "stride:1".parse().expect("a spec");
        let case = Case::new(spec, 8, &footprint).expect("it fits");
        compose(&case, Access::Measured).expect("a kernel")
    }

    #[test]
    fn parameters_lie_where_the_shader_reads_them() {
        let members = [
            ("base", offset_of!(Params, base)),
            ("pitch", offset_of!(Params, pitch)),
            ("windows", offset_of!(Params, windows)),
            (
                "windows_per_workgroup",
                offset_of!(Params, windows_per_workgroup),
            ),
            ("lanes", offset_of!(Params, lanes)),
            ("abreast", offset_of!(Params, abreast)),
            ("argument", offset_of!(Params, argument)),
            ("first_window", offset_of!(Params, first_window)),
            ("period", offset_of!(Params, period)),
            ("scatter_base", offset_of!(Params, scatter_base)),
            ("scatter_pitch", offset_of!(Params, scatter_pitch)),
            ("first_word", offset_of!(Params, first_word)),
            ("addend", offset_of!(Params, addend)),
        ];
        let members = members.map(|(name, offset)| (name.to_owned(), offset));
        assert_eq!(
            struct_layout(&harness(), "Params"),
            (members.to_vec(), size_of::<Params>())
        );
    }
}
