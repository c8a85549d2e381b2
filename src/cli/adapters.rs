//! `coalescope adapters`: every adapter that `--adapter` can choose, and with `--virtual` the models of some.

use serde::Serialize;

use super::device::no_adapter;
use super::exit::Outcome;
use super::format::{Format, print_csv, print_json, print_table, print_wrapped_table};
use crate::gpu::{self, BACKENDS, BackendName};
use crate::units::Bytes;
use crate::virtual_gpu::{KEYS, PRESETS};

#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Only adapters behind this API: vulkan, metal, dx12 or gl
    #[arg(long, value_name = "API")]
    backend: Option<BackendName>,
    /// Instead list the presets and keys of virtual GPUs, which need no driver
    #[arg(long = "virtual", conflicts_with = "backend")]
    is_virtual: bool,
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

/// A preset or a key of `--adapter virtual`, as CSV and JSON have it.
#[derive(Serialize)]
struct Word {
    kind: &'static str,
    name: &'static str,
    /// What a preset stands for; a value that a key takes.
    value: &'static str,
    meaning: &'static str,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Outcome> {
    match args.is_virtual {
        true => print_words(args.format)?,
        false => print_adapters(args)?,
    }
    Ok(Outcome::Done)
}

fn print_words(format: Format) -> anyhow::Result<()> {
    let presets = PRESETS.iter().map(|preset| Word {
        kind: "preset",
        name: preset.name,
        value: preset.keys,
        meaning: preset.meaning,
    });
    let keys = KEYS.iter().map(|key| Word {
        kind: "key",
        name: key.name,
        value: key.example,
        meaning: key.meaning,
    });
    let words: Vec<Word> = presets.chain(keys).collect();
    match format {
        Format::Csv => print_csv(&words),
        Format::Json => print_json(&words),
        Format::Table => {
            tell!("use: --adapter virtual[:PRESET][,key=value...], such as virtual:apple,noise=3%");
            let lines = words.iter().map(|word| {
                // What a preset stands for is long, and its meaning says the same.
                let value = match word.kind {
                    "key" => format!("={}", word.value),
                    _ => String::new(),
                };
                vec![format!("{}{value}", word.name), word.meaning.to_owned()]
            });
            Ok(print_wrapped_table(&["preset or key", "meaning"], lines)?)
        }
    }
}

fn print_adapters(args: &Args) -> anyhow::Result<()> {
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
    let presets: Vec<&str> = PRESETS.iter().map(|preset| preset.name).collect();
    tell!(
        "beside these, --adapter virtual[:PRESET][,key=value...] is a model of a GPU (presets: {}; `coalescope adapters --virtual` \
         explains them)",
        presets.join(", ")
    );
    Ok(())
}
