//! Folders of runs that the user names, read without any adapter.

use std::path::Path;

use anyhow::{Context as _, bail, ensure};

use crate::record::{Row, RunFacts, SCHEMA_VERSION, read_facts, read_rows};

/// A run as its files tell it.
#[derive(Debug)]
pub(super) struct Run {
    /// At least one row.
    pub(super) rows: Vec<Row>,
    /// What no row tells; blank where run.json cannot be read.
    pub(super) facts: RunFacts,
}

/// Reads the run in `folder`, and says on stderr where its run.json cannot be read.
pub(super) fn read(folder: &Path) -> anyhow::Result<Run> {
    let rows = rows(folder)?;
    let facts = read_facts(folder).unwrap_or_else(|| {
        tell!(
            "warning: '{}' cannot be read, so its run has no date",
            folder.join("run.json").display()
        );
        RunFacts::default()
    });
    Ok(Run { rows, facts })
}

fn rows(folder: &Path) -> anyhow::Result<Vec<Row>> {
    let name = folder.display();
    ensure!(folder.exists(), "'{name}' does not exist");
    let path = folder.join("measurements.csv");
    ensure!(
        path.is_file(),
        "'{name}' is not the folder of a run: it holds no measurements.csv"
    );
    let rows = read_rows(&path).with_context(|| format!("'{name}' cannot be used"))?;
    ensure!(!rows.is_empty(), "'{name}' has no rows yet");
    if let Some(row) = rows.iter().find(|row| row.schema_version != SCHEMA_VERSION) {
        bail!(
            "'{name}' has rows of schema version {}, and this program reads version {SCHEMA_VERSION}",
            row.schema_version
        );
    }
    Ok(rows)
}
