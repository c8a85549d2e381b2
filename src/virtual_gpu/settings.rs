//! What a virtual GPU is: its memory, its disturbances and its faults.

use crate::executor::{Adapter, AdapterKind, Limits};
use crate::units::{Bytes, BytesPerSecond, Nanoseconds, Percent, readable, significant};

use super::NAME;
use super::clock::ClockKind;
use super::disturbance::Disturbance;
use super::faults::Faults;
use super::memory::{Camping, Decline, Memory, StorePolicy};
use super::preset::Preset;

/// Everything that is asked of a virtual GPU; parsed from and printed as `virtual[:key=value,...]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The device family that the other values are of, where they do not differ.
    pub preset: Option<&'static Preset>,
    /// Lanes of a subgroup.
    pub lanes: u32,
    /// Time of a dispatch that does nothing.
    pub launch: Nanoseconds,
    /// Bytes that can be allocated.
    pub capacity: Bytes,
    /// What it costs to access memory.
    pub memory: Memory,
    /// What makes samples differ.
    pub disturbance: Disturbance,
    /// How the device's stamps are.
    pub clock: ClockKind,
    /// What goes wrong.
    pub faults: Faults,
}

impl Default for Settings {
    /// No device in particular: loads of single words are issued a little slower than memory could serve them, so that a stride sweep
    /// shows the ceiling, its fall and its floor, and padded offsets still show their loss.
    fn default() -> Self {
        Self {
            preset: None,
            lanes: 32,
            launch: Nanoseconds(1000),
            capacity: Bytes(8 << 30),
            memory: Memory {
                sector: Bytes(32),
                granule: Bytes(64),
                line: Bytes(128),
                bandwidth: BytesPerSecond(900e9),
                issue: BytesPerSecond(800e9),
                l2: Bytes(6 << 20),
                l2_bandwidth: BytesPerSecond(2200e9),
                stores: StorePolicy::default(),
                knee: None,
                pairs: Percent(0.0),
                hits: Percent(0.0),
                decline: Decline {
                    from: None,
                    power: 0.5,
                    floor: Percent(25.0),
                },
                camping: Camping {
                    multiple: None,
                    share: Percent(50.0),
                },
            },
            disturbance: Disturbance {
                noise: Percent(1.0),
                drift: Percent(3.0),
                outliers: Percent(0.5),
                seed: 1,
            },
            clock: ClockKind::Good,
            faults: Faults::default(),
        }
    }
}

impl Settings {
    /// The adapter as runs record it.
    pub fn adapter(&self) -> Adapter {
        let Memory {
            granule, bandwidth, ..
        } = self.memory;
        let family = self.preset.map_or("", |preset| preset.name);
        let separator = if family.is_empty() { "" } else { ", " };
        Adapter {
            name: format!(
                "Virtual GPU ({family}{separator}{} granule, {} GB/s)",
                readable(granule.0),
                significant(bandwidth.gb_per_s())
            ),
            kind: AdapterKind::Simulated,
            backend: NAME.to_owned(),
            driver: format!("coalescope model {}", env!("CARGO_PKG_VERSION")),
            vendor_id: 0,
            device_id: 0,
            pci_bus: String::new(),
            limits: Limits {
                storage_binding_bytes: 2 << 30,
                buffer_bytes: 2 << 30,
                workgroup_invocations: 1024,
                workgroups_per_dimension: 65_535,
            },
            timestamps: self.clock != ClockKind::None,
            subgroups: true,
        }
    }
}
