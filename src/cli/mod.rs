//! The command line: one file a verb, each with its `Args`, its `run` and nothing that another room could do.
//!
//! Only this room prints. stdout carries results, stderr progress and warnings.

mod exit;
mod format;
mod predict;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Measure how a GPU's memory bandwidth depends on the way neighbouring lanes address memory.
///
/// Without a command: `run quick`.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    verb: Option<Verb>,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Predict(predict::Args),
}

/// Parses the command line, runs the verb and turns its outcome into the exit status of docs/FORMAT.md.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return exit::usage(&error),
    };
    let outcome: anyhow::Result<exit::Outcome> = match cli.verb {
        None => Ok(exit::Outcome::Done),
        Some(Verb::Predict(args)) => predict::run(&args),
    };
    exit::report(outcome)
}
