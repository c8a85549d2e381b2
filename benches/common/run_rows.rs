//! Rows of the one run under a folder that was given to `--out`.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use coalescope::record::{Row, read_rows};

/// Reads `out/<adapter>/<time>/measurements.csv`.
pub(crate) fn run_rows(out: &Path) -> Result<Vec<Row>, Box<dyn Error>> {
    let only = |folder: &Path| -> Result<PathBuf, Box<dyn Error>> {
        let entry = fs::read_dir(folder)?.next().ok_or("an empty folder")??;
        Ok(entry.path())
    };
    Ok(read_rows(&only(&only(out)?)?.join("measurements.csv"))?)
}
