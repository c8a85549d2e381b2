//! The description of a run of which nothing is known; tests fill in what they are about.

use coalescope::executor::{Adapter, AdapterKind, Footprint, Limits};
use coalescope::record::{Host, RunCard, RunState, SCHEMA_VERSION};
use coalescope::sweep::Settings;

/// A card with every text empty and every number zero.
pub(crate) fn blank() -> RunCard {
    RunCard {
        schema_version: SCHEMA_VERSION,
        program_version: String::new(),
        debug_build: false,
        validation: false,
        state: RunState::Complete,
        started_utc: String::new(),
        command_line: Vec::new(),
        suites: Vec::new(),
        adapter: Adapter {
            name: String::new(),
            kind: AdapterKind::Other,
            backend: String::new(),
            driver: String::new(),
            vendor_id: 0,
            device_id: 0,
            pci_bus: String::new(),
            limits: Limits {
                storage_binding_bytes: 0,
                buffer_bytes: 0,
                workgroup_invocations: 0,
                workgroups_per_dimension: 0,
            },
            timestamps: false,
            subgroups: false,
        },
        adapter_choice: String::new(),
        lanes: 0,
        lanes_source: String::new(),
        workgroup_size: 0,
        runtime_checks: false,
        footprint: Footprint {
            buffers: 0,
            buffer_bytes: 0,
            slice_bytes: 0,
        },
        footprint_bytes_asked: 0,
        settings: Settings::default(),
        host: Host {
            os: String::new(),
            cpu: String::new(),
            logical_cpus: 0,
            memory_bytes: 0,
        },
        timing_method: None,
        last_level_cache_bytes: None,
        peak_gb_per_s: None,
        empty_dispatch_ns: None,
        overheads: None,
        sampling_s: 0.0,
        share_inside_dispatches_percent: None,
        reference_spec: String::new(),
        reference_gb_per_s: None,
        reference_drift_percent: None,
        notes: Vec::new(),
        fit: None,
    }
}
