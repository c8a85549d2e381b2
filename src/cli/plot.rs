//! `coalescope plot`: draws the charts of runs again, from their rows and without any adapter.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::bail;

use super::charts::{self, Drawn};
use super::exit::{Outcome, Usage};
use super::runs::{self, Run};

/// Draw the charts of runs again, from their measurements.csv and without any adapter.
///
/// Prints the path of every file written, one a line.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Folders of runs, such as results/my-gpu/2026-01-31T12-00-00Z
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Folder for the charts, made if missing [default: the run's own]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Draws every run that can be drawn, and says what is wrong with each of the others.
pub(super) fn run(args: &Args) -> anyhow::Result<Outcome> {
    if args.out.is_some() && args.runs.len() > 1 {
        // The charts of two runs have the same names.
        return Err(
            Usage("--out takes the charts of one RUN; plot the others apart".to_owned()).into(),
        );
    }
    let mut outcome = Outcome::Done;
    for folder in &args.runs {
        let drawn = match plot(folder, args.out.as_deref().unwrap_or(folder)) {
            Ok(drawn) => drawn,
            Err(error) => {
                tell!("error: {error:#}");
                outcome = Outcome::CaseFailed;
                continue;
            }
        };
        let mut stdout = io::stdout().lock();
        for file in &drawn.files {
            writeln!(stdout, "{}", file.display())?;
        }
        for fault in &drawn.faults {
            tell!("error: {fault}");
            outcome = Outcome::CaseFailed;
        }
    }
    Ok(outcome)
}

/// Writes the charts of the run in `folder` to `out`.
fn plot(folder: &Path, out: &Path) -> anyhow::Result<Drawn> {
    let Run { rows, facts } = runs::read(folder)?;
    let drawn = charts::draw(out, &rows, &facts)?;
    if drawn.files.is_empty() && drawn.faults.is_empty() {
        bail!(
            "'{}' has no row of a suite that has a chart",
            folder.display()
        );
    }
    Ok(drawn)
}
