//! What is measured, in which order, and when it is enough.

mod campaign;
mod case_state;
mod clock;
mod proof;
mod schedule;
mod settings;
mod suite;

pub use campaign::{Campaign, Ending, Observer};
pub use case_state::{CaseState, Drift, Failure, SampleRecord, Status, StopReason};
pub use clock::{ClockFault, TimingMethod};
pub use proof::{Proof, prove, verification_specs};
pub use settings::Settings;
pub use suite::{GROUPS, Group, Suite, SuiteError, by_names, custom, suites};
