//! What is measured, in which order, and when it is enough.

mod axis;
mod campaign;
mod case_state;
mod clock;
mod estimate;
mod overhead;
mod prepare;
mod proof;
mod schedule;
mod self_test;
mod settings;
mod suite;
mod working_set;

pub use axis::{AxisOverride, AxisValue};
pub use campaign::{Campaign, Ending, Observer};
pub use case_state::{CaseState, ChecksumState, Failure, SampleRecord, Status, StopReason};
pub use clock::{ClockFault, TimingMethod};
pub use estimate::{Drift, Estimate};
pub use overhead::Overheads;
pub use proof::{Proof, Verified, prove, verification_cases};
pub use self_test::SelfTest;
pub use settings::Settings;
pub use suite::{
    AxisFault, GROUPS, Group, OFFSET, Planned, STRIDE, Suite, SuiteError, WORKING_SET, by_names,
    custom, suites,
};

/// A dispatch shorter than this many empty ones says more about launching than about memory.
pub const LAUNCH_BOUND_EMPTIES: f64 = 20.0;
