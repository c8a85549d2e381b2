//! Spatter's pattern generators and its files of configurations, with the semantics of its own parser.

mod config;
mod generator;

pub use config::{Access, Config, ConfigError, FileError, Kernel, parse_configs};
pub use generator::{DEFAULT_DELTA, Generator, UniformDelta};
