//! Memory that kernels store to, apart from that which loads are checked in, and the sentinel that proves their stores.

use bytemuck::{Pod, Zeroable};

use super::device::Device;
use super::kernel::{Layouts, pipeline};
use super::source;
use crate::executor::contents::STORED_FACTOR;
use crate::executor::{Action, Case, ExecutorError, Footprint, Plan, Visit};

/// Workgroups of a pass over a zone: enough to keep a large device busy.
const WORKGROUPS: u32 = 4096;
const WORKGROUP_SIZE: u32 = 64;

/// Partial counts: `found` in `shaders/sentinel.wgsl`.
const FOUND: u64 = 64;

/// A proof looks at so much memory before and after what is stored: a page of the largest kind.
const MARGIN_BYTES: u64 = 2 << 20;

/// Parameters of `shaders/sentinel.wgsl`.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
struct Zone {
    first_word: u32,
    begin: u32,
    end: u32,
    invocations: u32,
    copies: u32,
}

/// As much memory as the footprint has, cut alike.
#[derive(Debug)]
pub(super) struct Stores {
    buffers: Vec<Buffer>,
    footprint: Footprint,
    planter: wgpu::ComputePipeline,
    counter: wgpu::ComputePipeline,
    zone: wgpu::Buffer,
    found: wgpu::Buffer,
    readback: wgpu::Buffer,
    dispatches: u32,
}

#[derive(Debug)]
struct Buffer {
    buffer: wgpu::Buffer,
    /// Bind group 3, to store to it.
    written: wgpu::BindGroup,
    /// Bind group 0, to look at it.
    read: wgpu::BindGroup,
}

impl Stores {
    /// Allocates as much as `footprint` has.
    pub(super) fn allocate(
        device: &Device,
        layouts: &Layouts,
        footprint: &Footprint,
    ) -> Result<Self, ExecutorError> {
        let storage = wgpu::BufferUsages::STORAGE;
        let allocate = |_| {
            let buffer = device.buffer("stored memory", footprint.buffer_bytes, storage)?;
            Ok(Buffer {
                written: layouts.group(device, &layouts.out_group, &[&buffer]),
                read: layouts.group(device, &layouts.data_group, &[&buffer]),
                buffer,
            })
        };
        let compile = |entry_point| {
            pipeline(
                device,
                entry_point,
                source::SENTINEL,
                &layouts.sentinel,
                &[],
            )
        };
        let uniform = wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST;
        let counts = storage | wgpu::BufferUsages::COPY_DST | wgpu::BufferUsages::COPY_SRC;
        let readback = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        Ok(Self {
            buffers: (0..footprint.buffers)
                .map(allocate)
                .collect::<Result<_, _>>()?,
            footprint: *footprint,
            planter: compile("plant")?,
            counter: compile("count")?,
            zone: device.buffer("zone", size_of::<Zone>() as u64, uniform)?,
            found: device.buffer("found", FOUND * 4, counts)?,
            readback: device.buffer("found readback", FOUND * 4, readback)?,
            dispatches: 0,
        })
    }

    /// Bind group 3 of buffer `number`: to store to it.
    pub(super) fn written(&self, number: u32) -> &wgpu::BindGroup {
        &self.buffers[number as usize].written
    }

    /// Bind group 0 of buffer `number`: to look at it.
    pub(super) fn read(&self, number: u32) -> &wgpu::BindGroup {
        &self.buffers[number as usize].read
    }

    /// What the dispatches of the next sample add to what they store; never 0, which is the sentinel's.
    pub(super) fn next_addend(&mut self) -> u32 {
        self.dispatches = self.dispatches.wrapping_add(1).max(1);
        // Odd, so that no two of 2^32 samples share one.
        self.dispatches.wrapping_mul(0x85eb_ca6b)
    }

    /// Writes the sentinel over and around what `visit` is to store to.
    pub(super) fn plant(
        &self,
        device: &Device,
        layouts: &Layouts,
        case: &Case,
        visit: Visit,
    ) -> Result<(), ExecutorError> {
        self.pass(device, layouts, &self.planter, case, visit)
    }

    /// Counts the words there that hold the sentinel.
    pub(super) fn count(
        &self,
        device: &Device,
        layouts: &Layouts,
        case: &Case,
        visit: Visit,
    ) -> Result<u64, ExecutorError> {
        device
            .queue
            .write_buffer(&self.found, 0, &[0; (FOUND * 4) as usize]);
        self.pass(device, layouts, &self.counter, case, visit)?;
        let mut encoder = device.device.create_command_encoder(&Default::default());
        encoder.copy_buffer_to_buffer(&self.found, 0, &self.readback, 0, FOUND * 4);
        device.wait(device.queue.submit([encoder.finish()]))?;
        let content = device.read(&self.readback, FOUND * 4)?;
        let counts = content
            .chunks_exact(4)
            .map(bytemuck::pod_read_unaligned::<u32>);
        Ok(counts.map(u64::from).sum())
    }

    /// Words there that a dispatch of `visit` with `addend` must leave alone, or gives the sentinel's value by chance.
    pub(super) fn untouched_words(&self, case: &Case, visit: Visit, addend: u32) -> u64 {
        let (begin, end) = self.zone_words(case, visit);
        let steps = case.steps(visit);
        let (touched, by_chance) = match &case.plan {
            // Every place once, but not with contents of its own.
            Plan::Transpose(transpose) => {
                let base_word = case.base_in_footprint(visit) / 4;
                let sentinel = |i: u32| i.wrapping_mul(STORED_FACTOR);
                let by_chance = transpose.coincidences(steps, base_word, addend, sentinel);
                (case.stored_words(steps), by_chance)
            }
            Plan::Walk { .. } => {
                let counts = case.count(steps.count, 4);
                (counts.map_or(0, |counts| counts.bytes_stored / 4), 0)
            }
        };
        end - begin - touched + by_chance
    }

    /// The words of the buffer that a proof looks at: those between the first and the last that are stored, and some on
    /// either side.
    fn zone_words(&self, case: &Case, visit: Visit) -> (u64, u64) {
        let stored = case.stored_span(visit);
        let begin = stored.start.saturating_sub(MARGIN_BYTES);
        let end = (stored.end + MARGIN_BYTES).min(self.footprint.buffer_bytes);
        (begin / 4, end / 4)
    }

    fn pass(
        &self,
        device: &Device,
        layouts: &Layouts,
        pipeline: &wgpu::ComputePipeline,
        case: &Case,
        visit: Visit,
    ) -> Result<(), ExecutorError> {
        let number = self.footprint.slice(visit.slice).buffer;
        let (begin, end) = self.zone_words(case, visit);
        // A transpose stores the contents of other places, so its sentinel is not that of its own.
        let copies = case.action == Action::Copy && matches!(case.plan, Plan::Walk { .. });
        let zone = Zone {
            first_word: (u64::from(number) * self.footprint.buffer_bytes / 4) as u32,
            begin: begin as u32,
            end: end as u32,
            invocations: WORKGROUPS * WORKGROUP_SIZE,
            copies: copies.into(),
        };
        device
            .queue
            .write_buffer(&self.zone, 0, bytemuck::bytes_of(&zone));
        let buffers = [
            &self.buffers[number as usize].buffer,
            &self.zone,
            &self.found,
        ];
        let group = layouts.group(device, &layouts.sentinel_group, &buffers);
        let mut encoder = device.device.create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(pipeline);
        pass.set_bind_group(0, &group, &[]);
        pass.dispatch_workgroups(WORKGROUPS, 1, 1);
        drop(pass);
        device.wait(device.queue.submit([encoder.finish()]))
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use super::super::reflection::{array_length, struct_layout};
    use super::*;

    #[test]
    fn the_parameters_of_a_zone_lie_where_the_shader_reads_them() {
        let members = [
            ("first_word", offset_of!(Zone, first_word)),
            ("begin", offset_of!(Zone, begin)),
            ("end", offset_of!(Zone, end)),
            ("invocations", offset_of!(Zone, invocations)),
            ("copies", offset_of!(Zone, copies)),
        ];
        let members = members.map(|(name, offset)| (name.to_owned(), offset));
        assert_eq!(
            struct_layout(source::SENTINEL, "Zone"),
            (members.to_vec(), size_of::<Zone>())
        );
        assert_eq!(array_length(source::SENTINEL, "found"), Some(FOUND as u32));
        assert!(source::SENTINEL.contains(&format!("@workgroup_size({WORKGROUP_SIZE})")));
    }
}
