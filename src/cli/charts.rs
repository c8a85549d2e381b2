//! The charts of a run as files, for every verb that writes some.

use std::path::{Path, PathBuf};

use crate::chart;
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
    let card = chart::Card {
        last_level_cache_bytes: facts.last_level_cache_bytes,
        ..chart::Card::from_rows(rows, &facts.started_utc)
    };
    let charts = match chart::charts(rows, &card) {
        Ok(charts) => charts,
        Err(error) => {
            drawn.faults.push(format!("no chart was drawn: {error}"));
            return Ok(drawn);
        }
    };
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
    Ok(drawn)
}
