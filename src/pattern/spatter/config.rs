//! Spatter's JSON files: an array of configurations, each an index list (or two), a delta and a count.

use serde_json::{Map, Value};

use super::super::piece::Piece;
use super::super::{ADDRESS_BYTES_MAX, ElementBytes, LIST_ENTRIES_MAX, Side};
use super::{DEFAULT_DELTA, Generator};
use crate::model::{Cut, Sequence, Window};

/// Spatter bounds indexes so that the buffers of all configurations fit 65 GB of doubles, half of them for each side.
const DOUBLES_OF_ALL_CONFIGS: u64 = (65_000_000_000 - 1) / 8;

/// One configuration, with the accesses that its kernel makes to the sparse side.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Number of the configuration in its file, from 0.
    pub index: usize,
    /// The name it was given, or nothing.
    pub name: String,
    /// What its kernel does.
    pub kernel: Kernel,
    /// The sparse accesses: two of them with [`Kernel::GatherScatter`].
    pub accesses: Vec<Access>,
    /// Readings after which the dense side is used again.
    pub wrap: u64,
    /// Number of readings of the index list.
    pub count: u64,
}

/// An index list that is read again and again, each time `delta` elements further on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Whether the elements are read or written.
    pub side: Side,
    /// Element indexes, at least one.
    pub indices: Vec<u64>,
    /// Elements from one reading to the next.
    pub delta: u64,
}

/// What a configuration's kernel does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// Reads sparse, writes dense.
    Gather,
    /// Reads dense, writes sparse.
    Scatter,
    /// Reads sparse, writes sparse.
    GatherScatter,
    /// Reads sparse through two lists.
    MultiGather,
    /// Writes sparse through two lists.
    MultiScatter,
}

/// Why a text is no file of configurations.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FileError {
    /// Not JSON.
    #[error("not JSON: {reason}")]
    NotJson {
        /// What the JSON parser said, with line and column.
        reason: String,
    },
    /// JSON, but no array with something in it.
    #[error(
        "expected an array of configurations such as [{{\"kernel\":\"Gather\",\"pattern\":\"UNIFORM:8:1:NR\"}}]"
    )]
    NoConfigs,
}

/// Why a configuration cannot be used; the others of the file still can.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("configuration {index}, key '{key}': expected {expected}")]
pub struct ConfigError {
    /// Number of the configuration in its file, from 0.
    pub index: usize,
    /// The key at fault.
    pub key: &'static str,
    /// What was expected there.
    pub expected: String,
}

/// Parses the text of a file, configuration by configuration.
///
/// # Errors
/// If the text is no JSON array of at least one configuration. Faults of single configurations are in the list.
pub fn parse_configs(text: &str) -> Result<Vec<Result<Config, ConfigError>>, FileError> {
    let value: Value = serde_json::from_str(text).map_err(|error| FileError::NotJson {
        reason: error.to_string(),
    })?;
    let configs = match value {
        Value::Array(configs) if !configs.is_empty() => configs,
        _ => return Err(FileError::NoConfigs),
    };
    let boundary = (DOUBLES_OF_ALL_CONFIGS / configs.len() as u64 / 2).max(1);
    let parsed = configs.iter().enumerate().map(|(index, value)| {
        let no_keys = Map::new();
        let reader = Reader {
            index,
            keys: value.as_object().unwrap_or(&no_keys),
        };
        if value.is_object() {
            reader.config(boundary)
        } else {
            Err(reader.error("pattern", "an object with this key"))
        }
    });
    Ok(parsed.collect())
}

impl Config {
    /// Bytes as Spatter counts them, every access of the sparse side: indexes times readings times the element.
    pub fn bytes_counted(&self, element: ElementBytes, readings: u64) -> Option<u64> {
        let indices: u64 = self.accesses.iter().map(|a| a.indices.len() as u64).sum();
        indices
            .checked_mul(readings)?
            .checked_mul(u64::from(element.bytes()))
    }
}

impl Access {
    /// Bytes from the buffer's begin to the last element that is reached; `None` beyond [`ADDRESS_BYTES_MAX`].
    pub fn footprint_bytes(&self, element: ElementBytes, count: u64) -> Option<u64> {
        let highest = self.indices.iter().max()?;
        self.delta
            .checked_mul(count.saturating_sub(1))?
            .checked_add(*highest)?
            .checked_add(1)?
            .checked_mul(u64::from(element.bytes()))
            .filter(|&bytes| bytes <= ADDRESS_BYTES_MAX)
    }

    /// The accesses as the model counts them: thread t reads index t % len, time t / len, `lanes` threads a subgroup.
    pub fn sequence(&self, element: ElementBytes, lanes: u32, count: u64) -> Sequence {
        let element_bytes = u64::from(element.bytes());
        let to_bytes = |index: &u64| index.saturating_mul(element_bytes);
        Sequence {
            list: Window {
                addresses: self.indices.iter().map(to_bytes).collect(),
                element_bytes,
                pitch_bytes: to_bytes(&self.delta),
            },
            repeats: count,
            lanes: u64::from(lanes),
            cut: Cut::AcrossReadings,
        }
    }
}

impl Kernel {
    /// The kernel's name in Spatter's files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Gather => "gather",
            Self::Scatter => "scatter",
            Self::GatherScatter => "gs",
            Self::MultiGather => "multigather",
            Self::MultiScatter => "multiscatter",
        }
    }
}

/// The keys of one configuration.
struct Reader<'a> {
    index: usize,
    keys: &'a Map<String, Value>,
}

/// An index list, and the delta that its generator sets.
struct Pattern {
    indices: Vec<u64>,
    delta: Option<u64>,
}

impl Reader<'_> {
    fn config(&self, default_boundary: u64) -> Result<Config, ConfigError> {
        let kernel = self.kernel()?;
        let boundary = match self.number("boundary", 0, 0)? {
            0 => default_boundary,
            boundary => boundary,
        };
        let config = Config {
            index: self.index,
            name: match self.keys.get("name") {
                None => String::new(),
                Some(Value::String(name)) => name.clone(),
                Some(_) => return Err(self.error("name", "a text")),
            },
            kernel,
            accesses: self.accesses(kernel, boundary)?,
            wrap: self.number("wrap", 1, 1)?,
            count: self.number("count", 1, 1024)?,
        };
        let reaches_too_far = |access: &Access| {
            access
                .footprint_bytes(ElementBytes::B16, config.count)
                .is_none()
        };
        if config.accesses.iter().any(reaches_too_far) {
            let expected = format!(
                "a count that keeps indexes below 2^{}",
                (ADDRESS_BYTES_MAX / 16).ilog2()
            );
            return Err(self.error("count", expected));
        }
        Ok(config)
    }

    fn kernel(&self) -> Result<Kernel, ConfigError> {
        let name = match self.keys.get("kernel") {
            None => return Ok(Kernel::Gather),
            Some(value) => value.as_str().unwrap_or("").to_lowercase(),
        };
        match name.as_str() {
            "gather" => Ok(Kernel::Gather),
            "scatter" => Ok(Kernel::Scatter),
            "gs" | "sg" => Ok(Kernel::GatherScatter),
            "multigather" => Ok(Kernel::MultiGather),
            "multiscatter" => Ok(Kernel::MultiScatter),
            _ => Err(self.error("kernel", "Gather, Scatter, GS, MultiGather or MultiScatter")),
        }
    }

    fn accesses(&self, kernel: Kernel, boundary: u64) -> Result<Vec<Access>, ConfigError> {
        let sparse = |side, outer: Option<&'static str>| {
            let pattern = self.pattern("pattern", boundary)?;
            let indices = match outer {
                Some(key) => self.through(key, &pattern.indices, boundary)?,
                None => pattern.indices,
            };
            let delta = self.delta("delta", pattern.delta)?;
            Ok(vec![Access {
                side,
                indices,
                delta,
            }])
        };
        match kernel {
            Kernel::Gather => sparse(Side::Load, None),
            Kernel::Scatter => sparse(Side::Store, None),
            Kernel::MultiGather => sparse(Side::Load, Some("pattern-gather")),
            Kernel::MultiScatter => sparse(Side::Store, Some("pattern-scatter")),
            Kernel::GatherScatter => {
                let gather = self.pattern("pattern-gather", boundary)?;
                let scatter = self.pattern("pattern-scatter", boundary)?;
                if gather.indices.len() != scatter.indices.len() {
                    let expected = format!(
                        "as many indexes as in 'pattern-gather', {}",
                        gather.indices.len()
                    );
                    return Err(self.error("pattern-scatter", expected));
                }
                Ok(vec![
                    Access {
                        side: Side::Load,
                        delta: self.delta("delta-gather", gather.delta)?,
                        indices: gather.indices,
                    },
                    Access {
                        side: Side::Store,
                        delta: self.delta("delta-scatter", scatter.delta)?,
                        indices: scatter.indices,
                    },
                ])
            }
        }
    }

    /// The entries of `pattern` that the list under `key` picks.
    fn through(
        &self,
        key: &'static str,
        pattern: &[u64],
        boundary: u64,
    ) -> Result<Vec<u64>, ConfigError> {
        let outer = self.pattern(key, boundary)?;
        let pick = |place: u64| pattern.get(usize::try_from(place).ok()?).copied();
        outer
            .indices
            .into_iter()
            .map(pick)
            .collect::<Option<Vec<u64>>>()
            .ok_or_else(|| {
                self.error(
                    key,
                    format!("indexes into 'pattern', below {}", pattern.len()),
                )
            })
    }

    /// Generates, truncates and wraps an index list, in Spatter's order.
    fn pattern(&self, key: &'static str, boundary: u64) -> Result<Pattern, ConfigError> {
        const WHAT: &str = "an array of element indexes, or a text such as UNIFORM:8:1";
        let mut pattern = match self.keys.get(key) {
            Some(Value::Array(values)) => {
                let indices: Option<Vec<u64>> = values.iter().map(Value::as_u64).collect();
                Pattern {
                    indices: indices.ok_or_else(|| self.error(key, WHAT))?,
                    delta: None,
                }
            }
            Some(Value::String(text)) => self.generated(key, text)?,
            Some(_) => return Err(self.error(key, WHAT)),
            None => return Err(self.error(key, format!("{WHAT}; the key is missing"))),
        };
        let length = pattern.indices.len() as u64;
        if !(1..=LIST_ENTRIES_MAX).contains(&length) {
            return Err(self.error(
                key,
                format!("from 1 to {LIST_ENTRIES_MAX} indexes, not {length}"),
            ));
        }
        let kept = self.number("pattern-size", 1, length)?;
        if kept > length {
            let expected = format!("at most the length of '{key}', {length}");
            return Err(self.error("pattern-size", expected));
        }
        pattern
            .indices
            .truncate(usize::try_from(kept).unwrap_or(usize::MAX));
        for index in &mut pattern.indices {
            *index %= boundary;
        }
        Ok(pattern)
    }

    fn generated(&self, key: &'static str, text: &str) -> Result<Pattern, ConfigError> {
        if text.starts_with(|c: char| c.is_ascii_digit()) {
            let indices: Option<Vec<u64>> = text
                .split(',')
                .map(|entry| entry.parse().ok().filter(|_| !entry.starts_with('+')))
                .collect();
            let expected = "element indexes separated by commas";
            return Ok(Pattern {
                indices: indices.ok_or_else(|| self.error(key, expected))?,
                delta: None,
            });
        }
        let generator = Generator::parse(Piece::new(text)).map_err(|fault| {
            let column = fault.position + 1;
            self.error(
                key,
                format!("{} at column {column} of the text", fault.expected),
            )
        })?;
        Ok(Pattern {
            indices: generator.indices(),
            delta: generator.delta(),
        })
    }

    /// A delta: the generator's, the key's, or the default.
    fn delta(&self, key: &'static str, generated: Option<u64>) -> Result<u64, ConfigError> {
        let typed = self.number(key, 0, DEFAULT_DELTA)?;
        Ok(generated.unwrap_or(typed))
    }

    fn number(&self, key: &'static str, least: u64, default: u64) -> Result<u64, ConfigError> {
        match self.keys.get(key) {
            None => Ok(default),
            Some(value) => value
                .as_u64()
                .filter(|&number| number >= least)
                .ok_or_else(|| self.error(key, format!("a whole number, at least {least}"))),
        }
    }

    fn error(&self, key: &'static str, expected: impl Into<String>) -> ConfigError {
        ConfigError {
            index: self.index,
            key,
            expected: expected.into(),
        }
    }
}
