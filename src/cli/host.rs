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
