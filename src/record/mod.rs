//! What a run leaves behind: rows, samples and the description of the machine, with their readers and writers.

mod row;

pub use row::{Row, SCHEMA_VERSION, Status, StopReason, TRANSACTION_BYTES, TimingMethod};
