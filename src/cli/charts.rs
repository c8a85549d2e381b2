//! The charts of a run as files, for every verb that writes some.

use std::path::{Path, PathBuf};

use crate::chart::{self, Chart};
use crate::record::{FolderError, Row, RunFacts, write_file};

/// What became of the charts of a run.
#[derive(Debug, Default)]
pub(super) struct Drawn {
    /// The files that were written.
    pub(super) files: Vec<PathBuf>,
    /// What could not be drawn, and why.
    pub(super) faults: Vec<String>,
}

/// Writes every chart of `rows` to `folder`, as SVG and PNG. A chart that cannot be drawn is a fault, as the figures are safe
/// without it; only a file that cannot be written is an error.
pub(super) fn draw(folder: &Path, rows: &[Row], facts: &RunFacts) -> Result<Drawn, FolderError> {
    let mut drawn = Drawn::default();
    let charts = match chart::charts(rows, &card(rows, facts)) {
        Ok(charts) => charts,
        Err(error) => {
            drawn.faults.push(format!("no chart was drawn: {error}"));
            return Ok(drawn);
        }
    };
    write(folder, &charts, &mut drawn)?;
    Ok(drawn)
}

/// Writes the charts that lay `runs` over each other to `folder`, likewise.
pub(super) fn draw_overlays(folder: &Path, runs: &[chart::Run]) -> Result<Drawn, FolderError> {
    let mut drawn = Drawn::default();
    match chart::overlays(runs) {
        Ok(charts) => write(folder, &charts, &mut drawn)?,
        Err(error) => drawn.faults.push(format!("no chart was drawn: {error}")),
    }
    Ok(drawn)
}

/// Writes `charts`, and adds what became of them to `drawn`.
fn write(folder: &Path, charts: &[Chart], drawn: &mut Drawn) -> Result<(), FolderError> {
    for chart in charts {
        let mut write = |ending: &str, content: &[u8]| {
            let name = format!("{}.{ending}", chart.name);
            write_file(folder, &name, content)?;
            drawn.files.push(folder.join(name));
            Ok(())
        };
        write("svg", chart.svg.as_bytes())?;
        match chart.png() {
            Ok(png) => write("png", &png)?,
            Err(error) => drawn
                .faults
                .push(format!("{}.png was not drawn: {error}", chart.name)),
        }
    }
    Ok(())
}

/// What captions say of the run.
pub(super) fn card(rows: &[Row], facts: &RunFacts) -> chart::Card {
    chart::Card {
        last_level_cache_bytes: facts.last_level_cache_bytes,
        ..chart::Card::from_rows(rows, &facts.started_utc)
    }
}
