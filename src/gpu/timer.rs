//! Timestamps around a compute pass: one query set, reused for the life of the device.

use super::device::Device;
use crate::executor::{ExecutorError, Stamps};

/// Bytes of the two resolved stamps.
const STAMPS_BYTES: u64 = 16;

/// The query set, and where its two stamps are resolved to.
#[derive(Debug)]
pub(super) struct Timer {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    ns_per_tick: f64,
}

impl Timer {
    /// A timer, where the device has timestamps.
    pub(super) fn new(device: &Device) -> Result<Option<Self>, ExecutorError> {
        if !device
            .device
            .features()
            .contains(wgpu::Features::TIMESTAMP_QUERY)
        {
            return Ok(None);
        }
        let queries = device.device.create_query_set(&wgpu::QuerySetDescriptor {
            label: Some("pass timestamps"),
            ty: wgpu::QueryType::Timestamp,
            count: 2,
        });
        let usage = wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC;
        Ok(Some(Self {
            queries,
            resolved: device.buffer("timestamps", STAMPS_BYTES, usage)?,
            ns_per_tick: f64::from(device.queue.get_timestamp_period()),
        }))
    }

    /// What a pass needs to be stamped at its beginning and end.
    pub(super) fn writes(&self) -> wgpu::ComputePassTimestampWrites<'_> {
        wgpu::ComputePassTimestampWrites {
            query_set: &self.queries,
            beginning_of_pass_write_index: Some(0),
            end_of_pass_write_index: Some(1),
        }
    }

    /// Resolves the stamps of the pass just encoded into the first bytes of `readback`.
    pub(super) fn resolve(&self, encoder: &mut wgpu::CommandEncoder, readback: &wgpu::Buffer) {
        encoder.resolve_query_set(&self.queries, 0..2, &self.resolved, 0);
        encoder.copy_buffer_to_buffer(&self.resolved, 0, readback, 0, STAMPS_BYTES);
    }

    /// The stamps in what was read back.
    pub(super) fn stamps(&self, readback: &[u8]) -> Stamps {
        let ticks: [u64; 2] = bytemuck::pod_read_unaligned(&readback[..STAMPS_BYTES as usize]);
        Stamps {
            begin: ticks[0],
            end: ticks[1],
            ns_per_tick: self.ns_per_tick,
        }
    }
}
