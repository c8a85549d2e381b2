//! What a run leaves behind: rows, samples and the description of the machine, with their readers and writers.

mod card;
mod folder;
mod guards;
mod inferred;
mod predicted;
mod row;
mod rows;
mod sample_row;
mod spatter;
mod sweep_table;
mod working_set;

pub use card::{Host, RunCard, RunState};
pub use folder::{Folder, FolderError, RunFacts, read_facts, read_rows, write_file};
pub use guards::CACHES_BETWEEN_VISITS;
pub use inferred::Inferred;
pub use row::{Row, SCHEMA_VERSION};
pub use rows::rows;
pub use sample_row::SampleRow;
pub use sweep_table::{LeftOut, SweepRow, SweepTable, Table, TableError, parse_table, read_table};
pub use working_set::{SetLevel, set_levels, working_set_notes};

pub use crate::executor::TRANSACTION_BYTES;
pub use crate::sweep::{Status, StopReason, TimingMethod};
