//! `coalescope predict`: what the model says about patterns, with no GPU.

mod row;
mod table;

use anyhow::Context;

use super::exit::{Outcome, Usage};
use super::format::{self, Format};
use super::spatter_file;
use crate::pattern::spatter::Config;
use crate::pattern::{LANES_MAX, Pattern, Spec};
use crate::units::{Bytes, BytesPerSecond};
use row::{Request, Row};

/// Transactions beyond the largest page of any cache are a slip of the keyboard.
const TRANSACTION_BYTES_MAX: u64 = 1 << 20;

/// Predict the transactions that patterns cost, exactly and without a GPU.
///
/// One row for each spec and transaction size, of one subgroup. --footprint adds the counts of a whole dispatch: unshared, where no
/// subgroup profits from another, and compulsory, where every block is fetched once. --bandwidth adds B times the
/// efficiency.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Patterns such as stride:2, offset:8B, struct:24B, UNIFORM:8:1:NR, @spatter.json or @spatter.json#3
    #[arg(required = true, value_name = "SPEC")]
    specs: Vec<String>,

    /// Lanes of a subgroup
    #[arg(long, default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=i64::from(LANES_MAX)))]
    lanes: u32,

    /// Sizes of a transaction in bytes
    #[arg(long, value_name = "BYTES", value_delimiter = ',', default_values = ["32", "64", "128"], value_parser = transaction_bytes)]
    transaction: Vec<u64>,

    /// Memory that a dispatch covers, for its counts; `random` takes 1GiB where none is given
    #[arg(long, value_name = "SIZE")]
    footprint: Option<Bytes>,

    /// What the memory system can fetch, B
    #[arg(long, value_name = "RATE")]
    bandwidth: Option<BytesPerSecond>,

    /// How to print: csv and json have all columns
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

/// Counts everything, and prints only if all of it could be counted.
pub(super) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let request = Request {
        lanes: args.lanes,
        transaction_bytes: args.transaction.clone(),
        footprint: args.footprint,
        bandwidth: args.bandwidth,
    };
    let mut rows = Vec::new();
    let mut refusals = Vec::new();
    for text in &args.specs {
        match rows_of(text, &request) {
            Ok(more) => rows.extend(more),
            Err(error) => refusals.push(format!("{error:#}")),
        }
    }
    if !refusals.is_empty() {
        return Err(Usage(refusals.join("\n       ")).into());
    }
    match args.format {
        Format::Table => table::print(&rows)?,
        Format::Csv => format::print_csv(&rows)?,
        Format::Json => format::print_json(&rows)?,
    }
    Ok(Outcome::Done)
}

fn rows_of(text: &str, request: &Request) -> anyhow::Result<Vec<Row>> {
    let spec: Spec = text.parse()?;
    match &spec.pattern {
        Pattern::File { path, config } => {
            let configs = configs_of(path, *config).with_context(|| format!("'{text}'"))?;
            configs
                .iter()
                .map(|config| row::of_config(text, &spec, config, request))
                .collect::<anyhow::Result<Vec<_>>>()
                .map(|rows| rows.concat())
        }
        Pattern::Random { .. } => row::of_random(text, &spec, request),
        _ => row::of_spec(text, &spec, request),
    }
}

/// The configurations that are meant, or what is wrong with each of them that is.
fn configs_of(path: &str, number: Option<usize>) -> anyhow::Result<Vec<Config>> {
    let mut configs = Vec::new();
    let mut faults = Vec::new();
    for config in spatter_file::chosen(spatter_file::read(path)?, number)? {
        match config {
            Ok(config) => configs.push(config),
            Err(fault) => faults.push(fault.to_string()),
        }
    }
    anyhow::ensure!(faults.is_empty(), "{}", faults.join("; "));
    Ok(configs)
}

/// `128` or `128B`.
fn transaction_bytes(text: &str) -> Result<u64, String> {
    let digits = text.strip_suffix('B').unwrap_or(text);
    match digits.parse::<u64>() {
        Ok(bytes) if (1..=TRANSACTION_BYTES_MAX).contains(&bytes) => Ok(bytes),
        _ => Err(format!(
            "expected a whole number of bytes from 1 to {TRANSACTION_BYTES_MAX}"
        )),
    }
}
