//! The device that a verb measures on: a GPU that was found, or a virtual one.

use std::fmt::Write as _;
use std::str::FromStr;

use anyhow::Context as _;

use super::exit::Usage;
use super::host;
use crate::executor::{Adapter, AdapterKind, Executor, ExecutorError, Footprint};
use crate::gpu::{
    self, BACKENDS, BackendName, Choice, ChoiceError, FoundAdapter, GpuExecutor, GpuSettings,
};
use crate::virtual_gpu::{self, VirtualGpu};

/// Lanes where the adapter does not tell.
const DEFAULT_LANES: u32 = 32;

/// What stands behind an adapter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Backend {
    /// A graphics API.
    Api(BackendName),
    /// A model.
    Virtual,
}

impl FromStr for Backend {
    type Err = <BackendName as FromStr>::Err;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text == virtual_gpu::NAME {
            true => Ok(Self::Virtual),
            false => text.parse().map(Self::Api),
        }
    }
}

/// A device that was chosen, before anything is allocated on it.
#[derive(Debug)]
pub(super) enum Device {
    /// A GPU, or a software driver.
    Found(Box<FoundAdapter>),
    /// A model of a GPU.
    Virtual {
        /// What it models.
        settings: Box<virtual_gpu::Settings>,
        /// As runs record it.
        adapter: Adapter,
    },
}

/// A device with its memory allocated.
pub(super) struct Opened {
    pub(super) executor: Box<dyn Executor>,
    pub(super) workgroup_size: u32,
}

impl Device {
    /// The device that `wanted` and `backend` name, announced on stderr, and why it is that one.
    pub(super) fn choose(
        wanted: Option<&str>,
        backend: Option<Backend>,
        require_hardware: bool,
    ) -> anyhow::Result<(Self, String)> {
        match (virtual_text(wanted, backend), backend) {
            (None, None) => found(wanted, &BACKENDS, require_hardware),
            (None, Some(Backend::Api(name))) => found(wanted, &[name], require_hardware),
            (None, Some(Backend::Virtual)) => {
                let wanted = wanted.unwrap_or_default();
                let text = format!(
                    "'{wanted}' is not behind --backend virtual; --adapter virtual[:key=value,...] is"
                );
                Err(Usage(text).into())
            }
            (Some(text), Some(Backend::Api(name))) => {
                let text = format!("--adapter {text} is not behind --backend {name}");
                Err(Usage(text).into())
            }
            (Some(text), None | Some(Backend::Virtual)) => simulated(text, require_hardware),
        }
    }

    pub(super) fn adapter(&self) -> &Adapter {
        match self {
            Self::Found(found) => &found.description,
            Self::Virtual { adapter, .. } => adapter,
        }
    }

    /// Lanes of a subgroup, and how they are known.
    pub(super) fn lanes(&self) -> anyhow::Result<(u32, String)> {
        let found = match self {
            Self::Found(found) => found,
            Self::Virtual { settings, .. } => {
                return Ok((settings.lanes, "as the virtual GPU has them".to_owned()));
            }
        };
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

    /// The last-level cache before its memory, where that is known: of a model, or of the processor whose memory it is.
    pub(super) fn last_level_cache_bytes(&self) -> Option<u64> {
        match self {
            Self::Virtual { settings, .. } => Some(settings.memory.l2.0),
            Self::Found(_) if self.shares_system_memory() => host::last_level_cache_bytes(),
            Self::Found(_) => None,
        }
    }

    /// Whether its memory is the system's.
    pub(super) fn shares_system_memory(&self) -> bool {
        matches!(
            self.adapter().kind,
            AdapterKind::Software | AdapterKind::Integrated
        )
    }

    /// Opens it and allocates `footprint`, and as much again if it `stores`.
    pub(super) fn open(
        &self,
        footprint: Footprint,
        settings: GpuSettings,
        stores: bool,
    ) -> Result<Opened, ExecutorError> {
        let workgroup_size = gpu::workgroup_size(self.adapter(), &settings)?;
        let executor: Box<dyn Executor> = match self {
            Self::Found(found) => {
                let mut executor = GpuExecutor::open(found, footprint, settings)?;
                if stores {
                    executor.allocate_stores()?;
                }
                Box::new(executor)
            }
            Self::Virtual {
                settings: model, ..
            } => {
                let model = model.as_ref().clone();
                let mut executor = VirtualGpu::open(model, footprint, settings.runtime_checks)?;
                if stores {
                    executor.allocate_stores()?;
                }
                Box::new(executor)
            }
        };
        Ok(Opened {
            executor,
            workgroup_size,
        })
    }
}

/// The text of the virtual GPU that is wanted, if one is.
fn virtual_text(wanted: Option<&str>, backend: Option<Backend>) -> Option<&str> {
    let is_virtual = |text: &str| {
        let rest = text.strip_prefix(virtual_gpu::NAME);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(':'))
    };
    match wanted {
        Some(text) => is_virtual(text).then_some(text),
        None => (backend == Some(Backend::Virtual)).then_some(virtual_gpu::NAME),
    }
}

/// The virtual GPU of `text`; no driver is looked for.
fn simulated(text: &str, require_hardware: bool) -> anyhow::Result<(Device, String)> {
    let settings: virtual_gpu::Settings =
        text.parse().map_err(|error| Usage(format!("{error}")))?;
    if require_hardware {
        anyhow::bail!("--require-hardware: '{text}' is a model, not hardware");
    }
    let adapter = settings.adapter();
    let reason = format!("asked for as '{settings}'");
    tell!(
        "adapter: {} ({}, {}; {})",
        adapter.name,
        adapter.kind,
        adapter.backend,
        adapter.driver
    );
    tell!("chosen because: {reason}");
    tell!("SIMULATED: nothing is measured; every figure is computed by a model of a GPU");
    let settings = Box::new(settings);
    Ok((Device::Virtual { settings, adapter }, reason))
}

/// The adapter chosen among those found behind `backends`.
fn found(
    wanted: Option<&str>,
    backends: &[BackendName],
    require_hardware: bool,
) -> anyhow::Result<(Device, String)> {
    let mut found = gpu::list(backends);
    let adapters: Vec<Adapter> = found
        .iter()
        .map(|found| found.description.clone())
        .collect();
    let choice = gpu::choose(&adapters, wanted, require_hardware)
        .map_err(|error| refusal(error, backends))?;
    announce(&adapters, &choice);
    let device = Device::Found(Box::new(found.swap_remove(choice.index)));
    Ok((device, choice.reason))
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
         Windows, macOS: install the GPU's driver; Direct3D 12 and Metal come with the system\n  \
         without any: `--adapter virtual` runs everything on a model of a GPU (`coalescope adapters --virtual` lists some)"
    );
    text
}
