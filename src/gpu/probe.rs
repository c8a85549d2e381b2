//! The subgroup size that a shader sees, read on a device of its own.
//!
//! Asking for subgroups may change how a driver compiles every other kernel, and the sizes in an adapter's description
//! are bounds or placeholders.

use super::adapter::FoundAdapter;
use super::device::Device;
use super::kernel::{Layouts, pipeline};
use super::source;
use crate::executor::ExecutorError;

/// Lanes of a subgroup on `found`; `None` where it cannot be asked or the size varies.
pub fn subgroup_size(found: &FoundAdapter) -> Result<Option<u32>, ExecutorError> {
    if !found.description.subgroups {
        return Ok(None);
    }
    let device = Device::open(found, wgpu::Features::SUBGROUP)?;
    let storage =
        wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC;
    let sizes = device.buffer("subgroup sizes", 8, storage)?;
    let readback = device.buffer(
        "readback",
        8,
        wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST,
    )?;
    device
        .queue
        .write_buffer(&sizes, 0, bytemuck::bytes_of(&[u32::MAX, 0]));
    let layouts = Layouts::new(&device);
    let pipeline = pipeline(
        &device,
        "subgroup_size",
        source::SUBGROUP_SIZE,
        &layouts.probe,
        &[],
    )?;
    let bind_group = layouts.group(&device, &layouts.out_group, &[&sizes]);
    let mut encoder = device.device.create_command_encoder(&Default::default());
    let mut pass = encoder.begin_compute_pass(&Default::default());
    pass.set_pipeline(&pipeline);
    pass.set_bind_group(0, &bind_group, &[]);
    // Several workgroups: a driver that varies the size may do so between them.
    pass.dispatch_workgroups(64, 1, 1);
    drop(pass);
    encoder.copy_buffer_to_buffer(&sizes, 0, &readback, 0, 8);
    device.wait(device.queue.submit([encoder.finish()]))?;
    let [smallest, largest]: [u32; 2] = bytemuck::pod_read_unaligned(&device.read(&readback, 8)?);
    Ok((smallest == largest && smallest > 0).then_some(smallest))
}
