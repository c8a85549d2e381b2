//! What a run leaves behind: rows, samples and the description of the machine, with their readers and writers.

mod card;
mod folder;
mod guards;
mod row;
mod rows;
mod sample_row;

pub use card::{Host, RunCard, RunState};
pub use folder::{Folder, FolderError, read_rows, read_started_utc, write_file};
pub use row::{Row, SCHEMA_VERSION, TRANSACTION_BYTES};
pub use rows::rows;
pub use sample_row::SampleRow;

pub use crate::sweep::{Status, StopReason, TimingMethod};
