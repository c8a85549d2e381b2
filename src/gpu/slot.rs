//! What one dispatch of a submission owns: its parameters and its partial checksums.
//!
//! Every dispatch of a submission has buffers of its own. If two shared one, wgpu would place a barrier between them and
//! each would wait for the last one's tail.

use bytemuck::{Pod, Zeroable};

use super::device::Device;
use super::kernel::Layouts;
use crate::executor::ExecutorError;

/// Partial sums of one dispatch; the length of `sums` in `shaders/harness.wgsl`.
pub(super) const SUMS: usize = 1024;

/// Bytes of the partial sums of one dispatch.
pub(super) const SUMS_BYTES: u64 = (SUMS * size_of::<u32>()) as u64;

/// Parameters of `shaders/harness.wgsl`; its comments say what each means.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
pub(super) struct Params {
    /// Index of what lane index 0 of the first window reads.
    pub(super) base: u32,
    /// Elements from one window to the next.
    pub(super) pitch: u32,
    /// Windows of the dispatch.
    pub(super) windows: u32,
    /// Consecutive windows of one workgroup.
    pub(super) windows_per_workgroup: u32,
    /// Lanes of a window.
    pub(super) lanes: u32,
    /// Windows side by side in a workgroup.
    pub(super) abreast: u32,
    /// The pattern's own number.
    pub(super) argument: u32,
}

/// Buffers of one dispatch and their bind group.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) params: wgpu::Buffer,
    pub(super) sums: wgpu::Buffer,
    pub(super) bind_group: wgpu::BindGroup,
}

impl Slot {
    pub(super) fn new(device: &Device, layouts: &Layouts) -> Result<Self, ExecutorError> {
        let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let storage = wgpu::BufferUsages::STORAGE
            | wgpu::BufferUsages::COPY_DST
            | wgpu::BufferUsages::COPY_SRC;
        let params = device.buffer("parameters", size_of::<Params>() as u64, uniform)?;
        let sums = device.buffer("checksums", SUMS_BYTES, storage)?;
        let bind_group = layouts.group(device, &layouts.slot_group, &[&params, &sums]);
        Ok(Self {
            params,
            sums,
            bind_group,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::super::reflection::{array_length, struct_layout};
    use super::super::source::{Access, compose};
    use super::*;

    fn harness() -> String {
        compose(&"stride:1".parse().expect("a spec"), Access::Load).expect("a kernel")
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
        ];
        let members = members.map(|(name, offset)| (name.to_owned(), offset));
        assert_eq!(
            struct_layout(&harness(), "Params"),
            (members.to_vec(), size_of::<Params>())
        );
    }

    #[test]
    fn the_shader_has_as_many_partial_sums_as_are_read_back() {
        let wgsl = harness();
        assert_eq!(array_length(&wgsl, "sums"), Some(SUMS as u32));
        let mask = format!("& {}u]", SUMS - 1);
        assert!(SUMS.is_power_of_two() && wgsl.contains(&mask));
    }
}
