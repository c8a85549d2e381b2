//! The adapter that `run` and `verify` measure on: chosen, announced and opened.

use std::fmt::Write as _;

use anyhow::Context as _;

use super::exit::Usage;
use super::host;
use crate::executor::contents::MAX_FOOTPRINT_BYTES;
use crate::executor::{Adapter, AdapterKind, ExecutorError, Footprint};
use crate::gpu::{
    self, BACKENDS, BackendName, Choice, ChoiceError, FoundAdapter, GpuExecutor, GpuSettings,
};
use crate::record::CACHES_BETWEEN_VISITS;
use crate::units::{Bytes, readable};

/// Lanes where the adapter does not tell.
const DEFAULT_LANES: u32 = 32;

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
    /// Adapter by its index or part of its name, as `coalescope adapters` lists them
    #[arg(long, value_name = "INDEX|NAME")]
    adapter: Option<String>,
    /// Only adapters behind this API: vulkan, metal, dx12 or gl
    #[arg(long, value_name = "API")]
    backend: Option<BackendName>,
    /// Memory to touch, such as 64MiB or 1.5GiB [default: 1GiB; in memory shared with the system 12 last-level caches if
    /// that is more, and a quarter of it at most]
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
    /// Refuse software adapters
    #[arg(long)]
    require_hardware: bool,
}

/// An adapter that was chosen, with what is known before memory is allocated on it.
#[derive(Debug)]
pub(super) struct Target {
    found: FoundAdapter,
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
        usual_footprint: fn(&Adapter) -> Bytes,
        stores: bool,
    ) -> anyhow::Result<Target> {
        let backends = self.backend.map_or(BACKENDS.to_vec(), |name| vec![name]);
        let mut found = gpu::list(&backends);
        let adapters: Vec<Adapter> = found
            .iter()
            .map(|found| found.description.clone())
            .collect();
        let choice = gpu::choose(&adapters, self.adapter.as_deref(), self.require_hardware)
            .map_err(|error| refusal(error, &backends))?;
        announce(&adapters, &choice);
        let found = found.swap_remove(choice.index);
        let (lanes, lanes_source) = self.lanes(&found)?;
        let largest = found.description.limits.workgroup_invocations;
        if lanes > largest {
            let text = format!(
                "--lanes {lanes} is more than the {largest} invocations of a workgroup on this adapter"
            );
            return Err(Usage(text).into());
        }
        let footprint_asked = self
            .footprint
            .unwrap_or_else(|| usual_footprint(&found.description));
        let footprint = cut(&found.description, footprint_asked)?;
        refuse_most_of_memory(&found.description, footprint_asked, stores)?;
        tell!("footprint: {}", readable(footprint.total_bytes()));
        Ok(Target {
            found,
            choice: choice.reason,
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

    fn lanes(&self, found: &FoundAdapter) -> anyhow::Result<(u32, String)> {
        if let Some(lanes) = self.lanes {
            return Ok((lanes, "asked for with --lanes".to_owned()));
        }
        let probed =
            gpu::subgroup_size(found).context("cannot ask the adapter for its subgroup size")?;
        Ok(match probed {
            Some(lanes) => (lanes, "subgroup_size read by a shader".to_owned()),
            None => (
                DEFAULT_LANES,
                "assumed: the adapter does not tell its subgroup size, or varies it".to_owned(),
            ),
        })
    }
}

impl Target {
    pub(super) fn adapter(&self) -> &Adapter {
        &self.found.description
    }

    /// The processor's last-level cache, where the adapter's memory lies behind it.
    pub(super) fn last_level_cache_bytes(&self) -> Option<u64> {
        shares_system_memory(self.adapter())
            .then(host::last_level_cache_bytes)
            .flatten()
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

    fn try_open(&self, settings: GpuSettings) -> Result<GpuExecutor, ExecutorError> {
        let mut executor = GpuExecutor::open(&self.found, self.footprint, settings)?;
        if self.stores {
            executor.allocate_stores()?;
        }
        Ok(executor)
    }

    /// Opens the device and allocates the footprint, and as much again if it stores.
    ///
    /// A footprint that nobody asked for is halved until the adapter grants it; one that was asked for is not.
    pub(super) fn open(&mut self) -> anyhow::Result<GpuExecutor> {
        let settings = GpuSettings {
            lanes: self.lanes,
            workgroup_size: self.workgroup,
            runtime_checks: self.runtime_checks,
        };
        loop {
            match self.try_open(settings) {
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
/// 1 GiB; where the adapter shares the system's memory also twelve times the last-level cache, but never more than a
/// quarter of that memory.
pub(super) fn measured_footprint(adapter: &Adapter) -> Bytes {
    if !shares_system_memory(adapter) {
        return DEFAULT_FOOTPRINT;
    }
    let beyond_cache = Bytes(host::last_level_cache_bytes().unwrap_or(0) * CACHES_OF_FOOTPRINT);
    let wanted = DEFAULT_FOOTPRINT
        .max(beyond_cache)
        .min(Bytes(MAX_FOOTPRINT_BYTES));
    match host::memory_bytes() / 4 {
        0 => wanted,
        quarter => wanted.min(Bytes(quarter)),
    }
}

/// Memory that the system shares is not asked for until it runs out: drivers would grant it and the machine would stop.
fn refuse_most_of_memory(adapter: &Adapter, asked: Bytes, stores: bool) -> anyhow::Result<()> {
    let half = host::memory_bytes() / 2;
    let (most, with_stores) = match stores {
        false => (half, ""),
        true => (half / 2, ", with as much again to store to,"),
    };
    if shares_system_memory(adapter) && half > 0 && asked.0 > most {
        let text = format!(
            "--footprint {asked}{with_stores} is more than half of the {} of memory that '{}' shares with the system; ask for {} or less",
            readable(half * 2),
            adapter.name,
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
pub(super) fn verified_footprint(adapter: &Adapter) -> Bytes {
    measured_footprint(adapter).min(DEFAULT_FOOTPRINT)
}

fn shares_system_memory(adapter: &Adapter) -> bool {
    matches!(
        adapter.kind,
        AdapterKind::Software | AdapterKind::Integrated
    )
}

fn announce(adapters: &[Adapter], choice: &Choice) {
    let adapter = &adapters[choice.index];
    tell!(
        "adapter {}: {} ({}, {}; {})",
        choice.index,
        adapter.name,
        adapter.kind,
        adapter.backend,
        adapter.driver
    );
    tell!("chosen because: {}", choice.reason);
    if adapter.is_software() {
        tell!("SOFTWARE ADAPTER: no GPU is measured; the curve is that of this processor's memory");
    }
    for (index, other) in adapters
        .iter()
        .enumerate()
        .filter(|(index, _)| *index != choice.index)
    {
        tell!(
            "alternative: --adapter {index} is {} ({}, {})",
            other.name,
            other.kind,
            other.backend
        );
    }
}

/// The error of a choice that failed; a wrong name is a usage error, a missing driver comes with what to install.
fn refusal(error: ChoiceError, backends: &[BackendName]) -> anyhow::Error {
    match error {
        ChoiceError::Unknown { .. } | ChoiceError::Ambiguous { .. } => {
            Usage(error.to_string()).into()
        }
        ChoiceError::OnlySoftware { .. } => error.into(),
        ChoiceError::None => anyhow::anyhow!(no_adapter(backends)),
    }
}

/// What to do where no driver is found.
pub(super) fn no_adapter(backends: &[BackendName]) -> String {
    let tried: Vec<String> = backends.iter().map(ToString::to_string).collect();
    let mut text = format!("no adapter was found (tried {})\n", tried.join(", "));
    // Writing to a String cannot fail.
    let _ = write!(
        text,
        "  Debian, Ubuntu: install your GPU's Vulkan driver, or `apt-get install mesa-vulkan-drivers` for a software one\n  \
         (scripts/ensure-vulkan.sh does that only where no driver is there)\n  \
         Windows, macOS: install the GPU's driver; Direct3D 12 and Metal come with the system"
    );
    text
}
