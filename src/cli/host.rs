//! The machine around the adapter, as far as the operating system tells.

use sysinfo::System;

use crate::record::Host;

/// Bytes of memory; 0 where the system does not tell.
pub(super) fn memory_bytes() -> u64 {
    System::new().map_or(0, |mut system| {
        system.refresh_memory();
        system.total_memory()
    })
}

/// Bytes of the processor's last-level cache; `None` where the system does not tell.
pub(super) fn last_level_cache_bytes() -> Option<u64> {
    // Only Linux tells without a driver or privileges: one folder a cache, with its level and size such as 32768K.
    let caches = std::fs::read_dir("/sys/devices/system/cpu/cpu0/cache").ok()?;
    caches
        .flatten()
        .filter_map(|cache| {
            let read = |name: &str| std::fs::read_to_string(cache.path().join(name)).ok();
            let level: u32 = read("level")?.trim().parse().ok()?;
            let kib: u64 = read("size")?.trim().strip_suffix('K')?.parse().ok()?;
            Some((level, kib << 10))
        })
        .max()
        .map(|(_, bytes)| bytes)
}

/// Whether the environment puts Vulkan's validation layers under the program, which itself never asks for them.
pub(super) fn validation_layers() -> bool {
    ["VK_INSTANCE_LAYERS", "VK_LOADER_LAYERS_ENABLE"]
        .into_iter()
        .filter_map(std::env::var_os)
        .any(|layers| {
            layers
                .to_string_lossy()
                .to_lowercase()
                .contains("validation")
        })
}

/// What run.json says of the machine.
pub(super) fn describe() -> Host {
    let (cpu, logical_cpus) = System::new().map_or_else(
        |_| Default::default(),
        |mut system| {
            system.refresh_cpu_all();
            let name = system
                .cpus()
                .first()
                .map(|cpu| cpu.brand().trim().to_owned());
            (name.unwrap_or_default(), system.cpus().len())
        },
    );
    Host {
        os: System::long_os_version().unwrap_or_else(|_| std::env::consts::OS.to_owned()),
        cpu,
        logical_cpus,
        memory_bytes: memory_bytes(),
    }
}
