//! The buffers that are measured, filled on the device with the contents that every checksum is computed from.

use bytemuck::{Pod, Zeroable};

use super::device::Device;
use super::kernel::{Layouts, pipeline};
use super::source;
use crate::executor::{ExecutorError, Footprint};

/// Invocations of one fill dispatch: enough to keep a large device busy.
const FILL_WORKGROUPS: u32 = 4096;
const FILL_WORKGROUP_SIZE: u32 = 64;

/// Parameters of `shaders/fill.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Pod, Zeroable)]
pub(super) struct FillParams {
    pub(super) first_word: u32,
    pub(super) words: u32,
    pub(super) invocations: u32,
}

/// The footprint on a device, each buffer with its bind group.
#[derive(Debug)]
pub(super) struct Memory {
    /// Bind group 0 of each buffer.
    pub(super) bind_groups: Vec<wgpu::BindGroup>,
}

impl Memory {
    /// Allocates `footprint` and fills it.
    pub(super) fn fill(
        device: &Device,
        layouts: &Layouts,
        footprint: &Footprint,
    ) -> Result<Self, ExecutorError> {
        let filler = pipeline(device, "fill", source::FILL, &layouts.fill, &[])?;
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let params = device.buffer("fill parameters", size_of::<FillParams>() as u64, usage)?;
        let mut bind_groups = Vec::new();
        for number in 0..footprint.buffers {
            let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
            let buffer = device.buffer("measured memory", footprint.buffer_bytes, usage)?;
            let words = (footprint.buffer_bytes / 4) as u32;
            let content = FillParams {
                first_word: number * words,
                words,
                invocations: FILL_WORKGROUPS * FILL_WORKGROUP_SIZE,
            };
            device
                .queue
                .write_buffer(&params, 0, bytemuck::bytes_of(&content));
            let fill_group = layouts.group(device, &layouts.fill_group, &[&buffer, &params]);
            let mut encoder = device.device.create_command_encoder(&Default::default());
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_pipeline(&filler);
            pass.set_bind_group(0, &fill_group, &[]);
            pass.dispatch_workgroups(FILL_WORKGROUPS, 1, 1);
            drop(pass);
            device.wait(device.queue.submit([encoder.finish()]))?;
            bind_groups.push(layouts.group(device, &layouts.data_group, &[&buffer]));
        }
        Ok(Self { bind_groups })
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::super::reflection::struct_layout;
    use super::*;

    #[test]
    fn fill_parameters_lie_where_the_shader_reads_them() {
        let members = [
            ("first_word", offset_of!(FillParams, first_word)),
            ("words", offset_of!(FillParams, words)),
            ("invocations", offset_of!(FillParams, invocations)),
        ];
        let members = members.map(|(name, offset)| (name.to_owned(), offset));
        assert_eq!(
            struct_layout(source::FILL, "Fill"),
            (members.to_vec(), size_of::<FillParams>())
        );
    }

    #[test]
    fn the_workgroup_of_the_fill_is_as_large_as_its_parameters_say() {
        let attribute = format!("@workgroup_size({FILL_WORKGROUP_SIZE})");
        assert!(source::FILL.contains(&attribute));
    }
}
