//! `run.json`: everything about a run that is not a figure of one case.

use serde::{Deserialize, Serialize};

use super::inferred::Inferred;
use crate::executor::{Adapter, Footprint};
use crate::sweep::{Overheads, Settings, TimingMethod};

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RunState {
    /// Still running, or ended without a chance to say so.
    Incomplete,
    /// Stopped by the user or a lost device; the rows hold what was measured until then.
    Stopped,
    /// Every case has a result or a reason.
    Complete,
}

/// The machine that a run was made on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// Operating system and version.
    pub os: String,
    /// Name of the processor.
    pub cpu: String,
    /// Logical processors.
    pub logical_cpus: usize,
    /// Bytes of memory.
    pub memory_bytes: u64,
}

/// Content of `run.json`; docs/FORMAT.md describes the keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(
    missing_docs,
    reason = "docs/FORMAT.md describes each key once, and a test holds the two together"
)]
pub struct RunCard {
    pub schema_version: u32,
    pub program_version: String,
    pub debug_build: bool,
    pub validation: bool,
    pub state: RunState,
    pub started_utc: String,
    pub command_line: Vec<String>,
    pub suites: Vec<String>,
    pub adapter: Adapter,
    pub adapter_choice: String,
    pub lanes: u32,
    pub lanes_source: String,
    pub workgroup_size: u32,
    pub runtime_checks: bool,
    pub footprint: Footprint,
    pub footprint_bytes_asked: u64,
    pub settings: Settings,
    pub host: Host,
    pub timing_method: Option<TimingMethod>,
    pub last_level_cache_bytes: Option<u64>,
    pub peak_gb_per_s: Option<f64>,
    pub empty_dispatch_ns: Option<f64>,
    pub overheads: Option<Overheads>,
    pub sampling_s: f64,
    pub share_inside_dispatches_percent: Option<f64>,
    pub reference_spec: String,
    pub reference_gb_per_s: Option<f64>,
    pub reference_drift_percent: Option<f64>,
    pub notes: Vec<String>,
    #[serde(default)]
    pub fit: Option<Vec<Inferred>>,
}
