//! `coalescope adapters`: every adapter that `--adapter` can choose.

use serde::Serialize;

use super::exit::Outcome;
use super::format::{Format, print_csv, print_json, print_table};
use super::target::no_adapter;
use crate::gpu::{self, BACKENDS, BackendName};
use crate::units::Bytes;

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only adapters behind this API: vulkan, metal, dx12 or gl
    #[arg(long, value_name = "API")]
    backend: Option<BackendName>,
    /// How to print
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// One adapter, as CSV and JSON have it.
#[derive(Serialize)]
struct Line {
    index: usize,
    name: String,
    kind: String,
    backend: String,
    driver: String,
    pci_bus: String,
    storage_binding_bytes: u64,
    buffer_bytes: u64,
    workgroup_invocations: u32,
    timestamps: bool,
    subgroups: bool,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let backends = args.backend.map_or(BACKENDS.to_vec(), |name| vec![name]);
    let lines: Vec<Line> = gpu::list(&backends)
        .into_iter()
        .enumerate()
        .map(|(index, found)| {
            let adapter = found.description;
            Line {
                index,
                name: adapter.name,
                kind: adapter.kind.to_string(),
                backend: adapter.backend,
                driver: adapter.driver,
                pci_bus: adapter.pci_bus,
                storage_binding_bytes: adapter.limits.storage_binding_bytes,
                buffer_bytes: adapter.limits.buffer_bytes,
                workgroup_invocations: adapter.limits.workgroup_invocations,
                timestamps: adapter.timestamps,
                subgroups: adapter.subgroups,
            }
        })
        .collect();
    anyhow::ensure!(!lines.is_empty(), no_adapter(&backends));
    match args.format {
        Format::Csv => print_csv(&lines)?,
        Format::Json => print_json(&lines)?,
        Format::Table => print_table(
            &[
                "index",
                "name",
                "kind",
                "backend",
                "driver",
                "largest binding",
                "timestamps",
            ],
            lines.iter().map(|line| {
                vec![
                    line.index.to_string(),
                    line.name.clone(),
                    line.kind.clone(),
                    line.backend.clone(),
                    line.driver.clone(),
                    Bytes(line.storage_binding_bytes.min(line.buffer_bytes)).to_string(),
                    if line.timestamps { "yes" } else { "no" }.to_owned(),
                ]
            }),
        )?,
    }
    Ok(Outcome::Done)
}
