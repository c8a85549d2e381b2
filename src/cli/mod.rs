//! The command line: one file a verb, each with its `Args`, its `run` and nothing that another room could do.
//!
//! Only this room prints. stdout carries results, stderr progress and warnings.

/// Prints a line on stderr. `eprintln!` would panic, and so end a run, where the reader of a pipe has gone.
macro_rules! tell {
    ($($text:tt)*) => {{
        use std::io::Write as _;
        let _ = writeln!(std::io::stderr(), $($text)*);
    }};
}

mod adapters;
mod card;
mod charts;
mod compare;
mod device;
mod exit;
mod fit;
mod format;
mod host;
mod list;
mod plot;
mod predict;
mod progress;
mod run;
mod runs;
mod spatter_file;
mod target;
mod verify;
mod watcher;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Measure how a GPU's memory bandwidth depends on the way neighbouring lanes address memory.
///
/// Without a command: `run quick`.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 100, args_conflicts_with_subcommands = true)]
struct Cli {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    flags: run::Flags,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Measure suites, write a folder of results and print the table
    Run(run::Args),
    /// List the adapters that can be measured
    Adapters(adapters::Args),
    /// List the suites with their questions
    List(list::Args),
    /// Count the transactions of patterns, without any adapter
    Predict(predict::Args),
    /// Draw the charts of runs again, without any adapter
    Plot(plot::Args),
    /// Hold runs against the first of them, case by case, without any adapter
    Compare(compare::Args),
    /// Infer from a table of a stride sweep what memory fetches at once, without any adapter
    Fit(fit::Args),
    /// Prove every kernel exact: addresses lane by lane, checksums over a whole footprint
    Verify(verify::Args),
}

/// Parses the command line, runs the verb and turns its outcome into the exit status of docs/FORMAT.md.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => return exit::usage(&error),
    };
    exit::report(match cli.verb {
        None => run::run(&cli.flags.into()),
        Some(Verb::Run(args)) => run::run(&args),
        Some(Verb::Adapters(args)) => adapters::run(&args),
        Some(Verb::List(args)) => list::run(&args),
        Some(Verb::Predict(args)) => predict::run(&args),
        Some(Verb::Plot(args)) => plot::run(&args),
        Some(Verb::Compare(args)) => compare::run(&args),
        Some(Verb::Fit(args)) => fit::run(&args),
        Some(Verb::Verify(args)) => verify::run(&args),
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    /// clap checks its definitions only in debug builds, and then by a panic in front of the user.
    #[test]
    fn the_command_line_is_defined_without_contradiction() {
        Cli::command().debug_assert();
    }
}
