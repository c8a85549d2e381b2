//! How windows are divided among workgroups.

use super::executor::GpuSettings;
use crate::executor::{Adapter, ExecutorError};

/// The size of every workgroup: as asked or usual for the kind of adapter, cut to whole windows.
///
/// # Errors
/// If not even one window fits a workgroup.
pub fn workgroup_size(adapter: &Adapter, settings: &GpuSettings) -> Result<u32, ExecutorError> {
    // A software driver runs a workgroup on one thread, a subgroup at a time: one subgroup then walks memory in order.
    let usual = if adapter.is_software() {
        settings.lanes
    } else {
        256
    };
    let largest = adapter.limits.workgroup_invocations;
    let wanted = settings.workgroup_size.unwrap_or(usual).min(largest);
    let size = (wanted / settings.lanes).max(1) * settings.lanes;
    if size > largest {
        return Err(ExecutorError::Unsupported(format!(
            "a window of {} lanes needs a workgroup as large, but '{}' allows {largest} invocations; lower --lanes",
            settings.lanes, adapter.name
        )));
    }
    Ok(size)
}

/// Consecutive windows that one workgroup visits in a dispatch of `repeats` passes over `windows` windows: many, to
/// amortise its start, but leaving enough workgroups to fill the device.
pub(super) fn windows_per_workgroup(
    adapter: &Adapter,
    windows: u64,
    repeats: u32,
    abreast: u64,
) -> u64 {
    // Loads that an invocation of the harness keeps in flight.
    const UNROLLED: u64 = 8;
    let workgroups = if adapter.is_software() { 1024 } else { 4096 };
    // Passes make workgroups too, so a software driver, to which each costs as much as some 64 KiB from a cache, need not
    // cut a small working set into many. A GPU must: with less than it runs at once, several passes would run side by
    // side and share what one of them fetches.
    let fewest_loads = match adapter.is_software() && repeats > 1 {
        true => 128,
        false => 1,
    };
    let loads = windows.div_ceil(workgroups * abreast).max(fewest_loads);
    let loads = if loads >= UNROLLED {
        loads.next_multiple_of(UNROLLED)
    } else {
        loads
    };
    // Never more workgroups than one dimension of a dispatch holds.
    let fewest = windows.div_ceil(u64::from(adapter.limits.workgroups_per_dimension));
    (loads * abreast).max(fewest)
}
