//! The adapter that a bench measures on.

use std::error::Error;

use coalescope::executor::Footprint;
use coalescope::gpu::{self, BackendName, GpuExecutor, GpuSettings};
use coalescope::units::Bytes;

/// Large enough for the caches of most machines, and quickly filled.
const FOOTPRINT: Bytes = Bytes(1 << 30);

/// Slices of a software adapter's usual size.
pub(crate) const SLICE_BYTES: u64 = 128 << 20;

/// Opens the first Vulkan adapter of the fastest kind; returns it with the lanes of its subgroups.
pub(crate) fn open() -> Result<(GpuExecutor, u32), Box<dyn Error>> {
    let found = gpu::list(&[BackendName::Vulkan]);
    let adapters: Vec<_> = found
        .iter()
        .map(|found| found.description.clone())
        .collect();
    let choice = gpu::choose(&adapters, None, false)?;
    let found = &found[choice.index];
    let lanes = gpu::subgroup_size(found)?.unwrap_or(32);
    let footprint = Footprint::cut(
        FOOTPRINT,
        found.description.largest_binding_bytes(),
        SLICE_BYTES,
    )?;
    let settings = GpuSettings {
        lanes,
        workgroup_size: None,
        runtime_checks: false,
    };
    println!(
        "adapter: {} ({})",
        found.description.name, found.description.kind
    );
    Ok((GpuExecutor::open(found, footprint, settings)?, lanes))
}
