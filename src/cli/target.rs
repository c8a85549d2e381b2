//! The adapter that `run` and `verify` measure on: chosen, announced and opened.

use anyhow::Context as _;

use super::device::{Backend, Device, Opened};
use super::exit::Usage;
use super::host;
use crate::executor::contents::MAX_FOOTPRINT_BYTES;
use crate::executor::{Adapter, ExecutorError, Footprint};
use crate::gpu::GpuSettings;
use crate::record::CACHES_BETWEEN_VISITS;
use crate::units::{Bytes, readable};

/// The footprint of a run where none is asked for.
const DEFAULT_FOOTPRINT: Bytes = Bytes(1 << 30);

/// Last-level caches that a footprint in shared memory is worth: most dispatches fetch only a part of what they cover, and
/// four caches have to be fetched before a granule comes back.
const CACHES_OF_FOOTPRINT: u64 = 12;

/// Larger buffers gain nothing, and some drivers refuse what they say they allow.
const LARGEST_BUFFER: Bytes = Bytes(512 << 20);

/// The least that a footprint is halved to.
const SMALLEST_FOOTPRINT: Bytes = Bytes(64 << 20);

/// Bytes of a slice on a software adapter: 6 ms or more, beside the quarter of a millisecond that starting threads takes.
const SOFTWARE_SLICE_BYTES: u64 = 128 << 20;

/// Bytes of a slice elsewhere: enough that a large stride still fills a large device.
const SLICE_BYTES: u64 = 256 << 20;

#[derive(Debug, Clone, Default, clap::Args)]
#[group(skip)]
pub(super) struct Args {
    /// Adapter by its index or part of its name, as `coalescope adapters` lists them; or virtual[:PRESET][,key=value...], a
    /// model of a GPU that needs none, as `coalescope adapters --virtual` explains
    #[arg(long, value_name = "INDEX|NAME|virtual")]
    adapter: Option<String>,
    /// Only adapters behind this API: vulkan, metal, dx12 or gl; or virtual
    #[arg(long, value_name = "API")]
    backend: Option<Backend>,
    /// Memory to touch, such as 64MiB or 1.5GiB [default: 1GiB; 12 last-level caches where they are known and more; of memory
    /// shared with the system a quarter at most]
    #[arg(long, value_name = "SIZE")]
    footprint: Option<Bytes>,
    /// Lanes of a subgroup, instead of those the adapter reports
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    lanes: Option<u32>,
    /// Invocations of a workgroup; rounded to whole subgroups within what the adapter allows
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    workgroup: Option<u32>,
    /// Keep WGSL's runtime checks in the timed kernels
    #[arg(long)]
    checked: bool,
    /// Refuse software and virtual adapters
    #[arg(long)]
    require_hardware: bool,
}

/// An adapter that was chosen, with what is known before memory is allocated on it.
#[derive(Debug)]
pub(super) struct Target {
    device: Device,
    pub(super) choice: String,
    pub(super) lanes: u32,
    pub(super) lanes_source: String,
    pub(super) footprint: Footprint,
    pub(super) footprint_asked: Bytes,
    footprint_is_asked: bool,
    stores: bool,
    pub(super) runtime_checks: bool,
    workgroup: Option<u32>,
}

impl Args {
    /// Chooses an adapter and says on stderr which one, and why; `usual_footprint` is what it touches unless asked, and as
    /// much again if it `stores`.
    pub(super) fn choose(
        &self,
        usual_footprint: fn(&Device) -> Bytes,
        stores: bool,
    ) -> anyhow::Result<Target> {
        let wanted = self.adapter.as_deref();
        let (device, choice) = Device::choose(wanted, self.backend, self.require_hardware)?;
        let (lanes, lanes_source) = match self.lanes {
            Some(lanes) => (lanes, "asked for with --lanes".to_owned()),
            None => device.lanes()?,
        };
        let largest = device.adapter().limits.workgroup_invocations;
        if lanes > largest {
            let text = format!(
                "--lanes {lanes} is more than the {largest} invocations of a workgroup on this adapter"
            );
            return Err(Usage(text).into());
        }
        let footprint_asked = self.footprint.unwrap_or_else(|| usual_footprint(&device));
        let footprint = cut(device.adapter(), footprint_asked)?;
        refuse_most_of_memory(&device, footprint_asked, stores)?;
        tell!("footprint: {}", readable(footprint.total_bytes()));
        Ok(Target {
            device,
            choice,
            lanes,
            lanes_source,
            footprint,
            footprint_asked,
            footprint_is_asked: self.footprint.is_some(),
            stores,
            runtime_checks: self.checked,
            workgroup: self.workgroup,
        })
    }
}

impl Target {
    pub(super) fn adapter(&self) -> &Adapter {
        self.device.adapter()
    }

    /// The last-level cache before the adapter's memory, where it is known.
    pub(super) fn last_level_cache_bytes(&self) -> Option<u64> {
        self.device.last_level_cache_bytes()
    }

    /// Says on stderr that the footprint is too small for its rows to be of memory, where the cache's size is known.
    pub(super) fn warn_of_caches(&self) {
        let footprint = self.footprint.total_bytes();
        let cache = self.last_level_cache_bytes();
        if let Some(cache) = cache.filter(|cache| footprint < cache * CACHES_BETWEEN_VISITS) {
            tell!(
                "warning: a footprint of {} is below {CACHES_BETWEEN_VISITS} times the last-level cache of {}: rows will be \
                 cache-resident",
                readable(footprint),
                readable(cache)
            );
        }
    }

    /// Opens the device and allocates the footprint, and as much again if it stores.
    ///
    /// A footprint that nobody asked for is halved until the adapter grants it; one that was asked for is not.
    pub(super) fn open(&mut self) -> anyhow::Result<Opened> {
        let settings = GpuSettings {
            lanes: self.lanes,
            workgroup_size: self.workgroup,
            runtime_checks: self.runtime_checks,
        };
        loop {
            match self.device.open(self.footprint, settings, self.stores) {
                Err(ExecutorError::OutOfMemory { .. })
                    if !self.footprint_is_asked
                        && self.footprint.total_bytes() >= SMALLEST_FOOTPRINT.0 * 2 =>
                {
                    let half = Bytes(self.footprint.total_bytes() / 2);
                    tell!(
                        "the adapter refuses {}; trying {half}",
                        Bytes(self.footprint.total_bytes())
                    );
                    self.footprint = cut(self.adapter(), half)?;
                }
                opened => {
                    return opened
                        .with_context(|| format!("cannot open '{}'", self.adapter().name));
                }
            }
        }
    }
}

/// What `run` touches where nobody asks for more.
///
/// 1 GiB, or twelve times the last-level cache where that is known and more; of memory that the adapter shares with the
/// system never more than a quarter.
pub(super) fn measured_footprint(device: &Device) -> Bytes {
    let beyond_cache = device.last_level_cache_bytes().unwrap_or(0) * CACHES_OF_FOOTPRINT;
    let wanted = DEFAULT_FOOTPRINT
        .max(Bytes(beyond_cache))
        .min(Bytes(MAX_FOOTPRINT_BYTES));
    match host::memory_bytes() / 4 {
        quarter if quarter > 0 && device.shares_system_memory() => wanted.min(Bytes(quarter)),
        _ => wanted,
    }
}

/// Memory that the system shares is not asked for until it runs out: drivers would grant it and the machine would stop.
fn refuse_most_of_memory(device: &Device, asked: Bytes, stores: bool) -> anyhow::Result<()> {
    let half = host::memory_bytes() / 2;
    let (most, with_stores) = match stores {
        false => (half, ""),
        true => (half / 2, ", with as much again to store to,"),
    };
    if device.shares_system_memory() && half > 0 && asked.0 > most {
        let text = format!(
            "--footprint {asked}{with_stores} is more than half of the {} of memory that '{}' shares with the system; ask for {} or less",
            readable(half * 2),
            device.adapter().name,
            Bytes(most >> 20 << 20),
        );
        return Err(Usage(text).into());
    }
    Ok(())
}

fn cut(adapter: &Adapter, asked: Bytes) -> anyhow::Result<Footprint> {
    let slice_bytes = if adapter.is_software() {
        SOFTWARE_SLICE_BYTES
    } else {
        SLICE_BYTES
    };
    let largest = adapter.largest_binding_bytes().min(LARGEST_BUFFER.0);
    Footprint::cut(asked, largest, slice_bytes).map_err(|error| Usage(error.to_string()).into())
}

/// What `verify` touches where nobody asks for more: 1 GiB, or a quarter of the memory that the adapter shares.
pub(super) fn verified_footprint(device: &Device) -> Bytes {
    measured_footprint(device).min(DEFAULT_FOOTPRINT)
}
