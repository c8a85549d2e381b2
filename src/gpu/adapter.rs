//! Which adapters there are, described in the program's own words.

use std::fmt;
use std::str::FromStr;

use crate::executor::{Adapter, AdapterKind, Limits};

/// A graphics API by which adapters are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackendName {
    /// Vulkan.
    Vulkan,
    /// Metal.
    Metal,
    /// Direct3D 12.
    Dx12,
    /// OpenGL or OpenGL ES.
    Gl,
}

/// Every backend, in the order in which adapters are listed.
pub const BACKENDS: [BackendName; 4] = [
    BackendName::Vulkan,
    BackendName::Metal,
    BackendName::Dx12,
    BackendName::Gl,
];

/// Drivers that run on the processor, whatever device type they claim.
const SOFTWARE_RENDERERS: [&str; 5] = [
    "llvmpipe",
    "softpipe",
    "swiftshader",
    "lavapipe",
    "microsoft basic render",
];

/// An adapter that was found, with its description.
#[derive(Debug)]
pub struct FoundAdapter {
    /// What it is.
    pub description: Adapter,
    pub(super) handle: wgpu::Adapter,
}

/// A backend name that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{0}' is no backend; choose vulkan, metal, dx12 or gl")]
pub struct BackendNameError(String);

impl fmt::Display for BackendName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Vulkan => "vulkan",
            Self::Metal => "metal",
            Self::Dx12 => "dx12",
            Self::Gl => "gl",
        })
    }
}

impl FromStr for BackendName {
    type Err = BackendNameError;

    fn from_str(text: &str) -> Result<Self, BackendNameError> {
        BACKENDS
            .into_iter()
            .find(|name| name.to_string() == text)
            .ok_or_else(|| BackendNameError(text.to_owned()))
    }
}

impl BackendName {
    fn flag(self) -> wgpu::Backends {
        match self {
            Self::Vulkan => wgpu::Backends::VULKAN,
            Self::Metal => wgpu::Backends::METAL,
            Self::Dx12 => wgpu::Backends::DX12,
            Self::Gl => wgpu::Backends::GL,
        }
    }
}

/// Every adapter behind `backends`, Vulkan, Metal and DX12 before GL.
pub fn list(backends: &[BackendName]) -> Vec<FoundAdapter> {
    // No flags: validation costs time, and checking indirect dispatches would cap buffers at 4 GiB.
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends: backends.iter().map(|name| name.flag()).collect(),
        flags: wgpu::InstanceFlags::empty(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    let rank = |found: &FoundAdapter| {
        BACKENDS
            .iter()
            .position(|name| name.to_string() == found.description.backend)
    };
    let mut found: Vec<FoundAdapter> =
        pollster::block_on(instance.enumerate_adapters(wgpu::Backends::all()))
            .into_iter()
            .map(|handle| FoundAdapter {
                description: describe(&handle),
                handle,
            })
            .collect();
    found.sort_by_key(rank);
    found
}

fn describe(handle: &wgpu::Adapter) -> Adapter {
    let info = handle.get_info();
    let limits = handle.limits();
    let features = handle.features();
    Adapter {
        kind: kind(&info),
        backend: match info.backend {
            wgpu::Backend::Vulkan => BackendName::Vulkan.to_string(),
            wgpu::Backend::Metal => BackendName::Metal.to_string(),
            wgpu::Backend::Dx12 => BackendName::Dx12.to_string(),
            wgpu::Backend::Gl => BackendName::Gl.to_string(),
            other => other.to_str().to_owned(),
        },
        driver: [info.driver.trim(), info.driver_info.trim()]
            .join(" ")
            .trim()
            .to_owned(),
        vendor_id: info.vendor,
        device_id: info.device,
        pci_bus: info.device_pci_bus_id,
        name: info.name,
        limits: Limits {
            storage_binding_bytes: limits.max_storage_buffer_binding_size,
            buffer_bytes: limits.max_buffer_size,
            workgroup_invocations: limits
                .max_compute_invocations_per_workgroup
                .min(limits.max_compute_workgroup_size_x),
            workgroups_per_dimension: limits.max_compute_workgroups_per_dimension,
        },
        timestamps: features.contains(wgpu::Features::TIMESTAMP_QUERY),
        subgroups: features.contains(wgpu::Features::SUBGROUP),
    }
}

fn kind(info: &wgpu::AdapterInfo) -> AdapterKind {
    let name = format!("{} {}", info.name, info.driver).to_lowercase();
    if SOFTWARE_RENDERERS
        .iter()
        .any(|renderer| name.contains(renderer))
    {
        return AdapterKind::Software;
    }
    match info.device_type {
        wgpu::DeviceType::Cpu => AdapterKind::Software,
        wgpu::DeviceType::DiscreteGpu => AdapterKind::Discrete,
        wgpu::DeviceType::IntegratedGpu => AdapterKind::Integrated,
        wgpu::DeviceType::VirtualGpu => AdapterKind::Virtual,
        wgpu::DeviceType::Other => AdapterKind::Other,
    }
}
