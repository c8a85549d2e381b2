//! Reading the files of Spatter configurations that `@FILE` and `@FILE#N` name.

use std::fs::File;
use std::io::Read;

use anyhow::Context;

use crate::pattern::spatter::{Config, ConfigError, parse_configs};
use crate::pattern::{Pattern, Spec};
use crate::sweep::Planned;
use crate::units::Bytes;

/// A file of Spatter configurations is at most this large.
const FILE_BYTES_MAX: u64 = 256 << 20;

/// All configurations of a file, each with its own fault if it has one.
///
/// # Errors
/// If the file cannot be read, is too large, or is no JSON array of configurations.
pub(super) fn read(path: &str) -> anyhow::Result<Vec<Result<Config, ConfigError>>> {
    let file = File::open(path).context("cannot open the file")?;
    let mut text = String::new();
    let read = file
        .take(FILE_BYTES_MAX + 1)
        .read_to_string(&mut text)
        .context("cannot read the file")?;
    anyhow::ensure!(
        read as u64 <= FILE_BYTES_MAX,
        "the file is larger than {}",
        Bytes(FILE_BYTES_MAX)
    );
    // Some editors begin UTF-8 with a byte order mark, which is no JSON.
    let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
    Ok(parse_configs(text)?)
}

/// The configurations that are meant: that of a number, counted from 0, or all.
///
/// # Errors
/// If the file has no configuration of that number.
pub(super) fn chosen(
    mut configs: Vec<Result<Config, ConfigError>>,
    number: Option<usize>,
) -> anyhow::Result<Vec<Result<Config, ConfigError>>> {
    let Some(number) = number else {
        return Ok(configs);
    };
    anyhow::ensure!(
        number < configs.len(),
        "there is no configuration {number}; the file has {}, numbered from 0",
        configs.len()
    );
    Ok(vec![configs.swap_remove(number)])
}

/// A case for each configuration that is meant, also for those that are malformed; `spec` has the keys of all.
///
/// # Errors
/// As [`read`] and [`chosen`].
pub(super) fn planned(
    spec: &Spec,
    path: &str,
    number: Option<usize>,
) -> anyhow::Result<Vec<Planned>> {
    let configs = chosen(read(path)?, number)?;
    let case = |config: Result<Config, ConfigError>| {
        let index = match &config {
            Ok(config) => config.index,
            Err(fault) => fault.index,
        };
        let pattern = Pattern::File {
            path: path.to_owned(),
            config: Some(index),
        };
        Planned {
            config: Some(config),
            ..Planned::from(Spec {
                pattern,
                ..spec.clone()
            })
        }
    };
    Ok(configs.into_iter().map(case).collect())
}
