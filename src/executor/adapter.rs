//! What is known of the device that measures.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The kind of device behind an adapter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum AdapterKind {
    /// A GPU with memory of its own.
    Discrete,
    /// A GPU that shares the system's memory.
    Integrated,
    /// A GPU seen through a virtual machine.
    Virtual,
    /// A software driver: the processor and its memory.
    Software,
    /// The driver does not say.
    #[default]
    Other,
    /// A model of a GPU, not a device.
    Simulated,
}

impl fmt::Display for AdapterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Discrete => "discrete",
            Self::Integrated => "integrated",
            Self::Virtual => "virtual",
            Self::Software => "software",
            Self::Other => "other",
            Self::Simulated => "simulated",
        })
    }
}

/// What an adapter lets a kernel have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of the largest storage binding.
    pub storage_binding_bytes: u64,
    /// Bytes of the largest buffer.
    pub buffer_bytes: u64,
    /// Invocations of the largest workgroup.
    pub workgroup_invocations: u32,
    /// Workgroups along one dimension of a dispatch.
    pub workgroups_per_dimension: u32,
}

/// An adapter as runs record it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Adapter {
    /// The driver's name for the device.
    pub name: String,
    /// Kind of device.
    pub kind: AdapterKind,
    /// Graphics API: vulkan, metal, dx12, gl, or virtual.
    pub backend: String,
    /// Driver name and version, as far as the driver tells.
    pub driver: String,
    /// PCI vendor number; 0 where there is none.
    pub vendor_id: u32,
    /// PCI device number; 0 where there is none.
    pub device_id: u32,
    /// PCI address, or empty: tells equal cards apart.
    pub pci_bus: String,
    /// Limits, requested in full.
    pub limits: Limits,
    /// Whether compute passes can be timestamped.
    pub timestamps: bool,
    /// Whether subgroups can be asked for their size.
    pub subgroups: bool,
}

impl Adapter {
    /// Whether memory here is the processor's, seen through a software driver.
    pub fn is_software(&self) -> bool {
        self.kind == AdapterKind::Software
    }

    /// Whether nothing was measured at all.
    pub fn is_simulated(&self) -> bool {
        self.kind == AdapterKind::Simulated
    }

    /// Bytes of the largest buffer that can be bound whole.
    pub fn largest_binding_bytes(&self) -> u64 {
        self.limits
            .storage_binding_bytes
            .min(self.limits.buffer_bytes)
    }
}
