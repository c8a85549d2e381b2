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

/// The footprint on a device. All of it is allocated at once; each buffer is filled before it is first visited.
///
/// Filling touches every page for the first time, which takes a software driver a second a gibibyte: a first figure need
/// not wait for the last buffer.
#[derive(Debug)]
pub(super) struct Memory {
    buffers: Vec<Buffer>,
    filler: wgpu::ComputePipeline,
    params: wgpu::Buffer,
    words_per_buffer: u32,
}

#[derive(Debug)]
struct Buffer {
    buffer: wgpu::Buffer,
    bind_group: wgpu::BindGroup,
    filled: bool,
}

impl Memory {
    /// Allocates `footprint`.
    pub(super) fn allocate(
        device: &Device,
        layouts: &Layouts,
        footprint: &Footprint,
    ) -> Result<Self, ExecutorError> {
        let allocate = |_| {
            let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
            let buffer = device.buffer("measured memory", footprint.buffer_bytes, usage)?;
            let bind_group = layouts.group(device, &layouts.data_group, &[&buffer]);
            Ok(Buffer {
                buffer,
                bind_group,
                filled: false,
            })
        };
        let usage = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        Ok(Self {
            buffers: (0..footprint.buffers)
                .map(allocate)
                .collect::<Result<_, _>>()?,
            filler: pipeline(device, "fill", source::FILL, &layouts.fill, &[])?,
            params: device.buffer("fill parameters", size_of::<FillParams>() as u64, usage)?,
            words_per_buffer: (footprint.buffer_bytes / 4) as u32,
        })
    }

    /// Bind group 0 of buffer `number`.
    pub(super) fn bind_group(&self, number: u32) -> &wgpu::BindGroup {
        &self.buffers[number as usize].bind_group
    }

    /// Fills buffer `number` unless it has been.
    pub(super) fn fill(
        &mut self,
        device: &Device,
        layouts: &Layouts,
        number: u32,
    ) -> Result<(), ExecutorError> {
        let buffer = &mut self.buffers[number as usize];
        if buffer.filled {
            return Ok(());
        }
        let content = FillParams {
            first_word: number * self.words_per_buffer,
            words: self.words_per_buffer,
            invocations: FILL_WORKGROUPS * FILL_WORKGROUP_SIZE,
        };
        device
            .queue
            .write_buffer(&self.params, 0, bytemuck::bytes_of(&content));
        let group = layouts.group(device, &layouts.fill_group, &[&buffer.buffer, &self.params]);
        let mut encoder = device.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&self.filler);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(FILL_WORKGROUPS, 1, 1);
        drop(pass);
        device.wait(device.queue.submit([encoder.finish()]))?;
        buffer.filled = true;
        Ok(())
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
