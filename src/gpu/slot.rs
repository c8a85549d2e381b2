//! What one dispatch of a submission owns: its parameters and its partial checksums.
//!
//! Every dispatch of a submission has buffers of its own. If two shared one, wgpu would place a barrier between them and
//! each would wait for the last one's tail.

use super::device::Device;
use super::kernel::Layouts;
use super::params::Params;
use crate::executor::ExecutorError;

/// Partial sums of one dispatch; the length of `sums` in `shaders/params.wgsl`.
pub(super) const SUMS: usize = 1024;

/// Bytes of the partial sums of one dispatch.
pub(super) const SUMS_BYTES: u64 = (SUMS * size_of::<u32>()) as u64;

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
    use super::super::reflection::array_length;
    use super::*;

    #[test]
    fn the_shader_has_as_many_partial_sums_as_are_read_back() {
        let params = include_str!("../../shaders/params.wgsl");
        assert_eq!(array_length(params, "sums"), Some(SUMS as u32));
        let mask = format!("& {}u]", SUMS - 1);
        assert!(SUMS.is_power_of_two());
        for kernel in [
            include_str!("../../shaders/harness.wgsl"),
            include_str!("../../shaders/transpose_audit.wgsl"),
        ] {
            assert!(kernel.contains(&mask));
        }
    }
}
