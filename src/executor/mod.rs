//! Who measures: the trait that a real adapter and a virtual one share, and what passes through it.
//!
//! An executor runs one case at a time over slices of its memory, times them and proves by checksum that every load
//! happened. It knows nothing of sweeps, statistics or files.

mod adapter;
mod case;
pub mod contents;
mod counts;
mod footprint;
mod placement;
mod prediction;
mod transpose;
mod visit;
mod walk;

pub use adapter::{Adapter, AdapterKind, Limits};
pub use case::{Action, Case, CaseError, Plan, Readings};
pub use counts::CaseCounts;
pub use footprint::{Footprint, FootprintError, Slice};
pub use prediction::{Prediction, TRANSACTION_BYTES};
pub use transpose::Transpose;
pub use visit::{Steps, Visit};
pub use walk::{Counted, IDLE, INDEXES_MAX, Walk};

/// A case that an executor has made ready; a number of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CaseId(pub usize);

/// Which form of a case's kernel is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KernelVariant {
    /// As the run times it.
    Timed,
    /// With every runtime check that WGSL prescribes.
    Checked,
    /// With the addresses computed but nothing loaded; its checksums are those of no memory.
    IndexOnly,
}

/// A device's two clock readings around some work, in ticks, as they came.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stamps {
    /// Reading before the work.
    pub begin: u64,
    /// Reading after the work.
    pub end: u64,
    /// Nanoseconds a tick.
    pub ns_per_tick: f64,
}

/// One submission to the device: its clocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Submission {
    /// Dispatches in it.
    pub dispatches: u32,
    /// Device clock, where there is one.
    pub stamps: Option<Stamps>,
    /// Host clock from submission to completion.
    pub host_ns: u64,
}

/// A checksum that came back, beside the one that had to: [`Case::expected_checksum`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checksum {
    /// What the dispatch was to visit.
    pub visit: Visit,
    /// What it had to be.
    pub expected: u32,
    /// What the kernel summed, and what was found where it stored.
    pub got: u32,
}

impl Checksum {
    /// Whether every load delivered, and every store left, what it had to.
    pub fn is_exact(&self) -> bool {
        self.expected == self.got
    }
}

/// What one sample brought: dispatches in one or more submissions, all checked.
#[derive(Clone, Debug, PartialEq)]
pub struct Sample {
    /// Clocks of each submission.
    pub submissions: Vec<Submission>,
    /// The checksum of each dispatch.
    pub checksums: Vec<Checksum>,
}

/// What was found around a store that a sentinel had been written around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreProof {
    /// The checksum of the dispatch: whether each place holds what was stored there.
    pub checksum: Checksum,
    /// Words that it must leave alone: between those that it stores, and some before and after.
    pub untouched_expected: u64,
    /// Words that still hold the sentinel.
    pub untouched_got: u64,
}

impl StoreProof {
    /// Whether memory holds what was stored, and the sentinel everywhere else.
    pub fn is_exact(&self) -> bool {
        self.checksum.is_exact() && self.untouched_expected == self.untouched_got
    }
}

/// Why an executor could not do what it was asked.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExecutorError {
    /// The kernel cannot address the pattern, or the pattern does not fit the memory.
    #[error("{0}")]
    Unsupported(String),
    /// Memory was refused.
    #[error(
        "the adapter refused {asked_bytes} bytes of memory: {reason}; try a smaller --footprint"
    )]
    OutOfMemory {
        /// Bytes of the buffer that was refused.
        asked_bytes: u64,
        /// The driver's words.
        reason: String,
    },
    /// The device is gone; nothing more can run on it.
    #[error("the device was lost: {0}")]
    DeviceLost(String),
    /// The device did not finish in time.
    #[error("the device did not finish within {seconds} s")]
    Timeout {
        /// The limit.
        seconds: u64,
    },
    /// The driver or the shader compiler refused a command.
    #[error("the driver refused: {0}")]
    Refused(String),
}

/// A device, real or not, that measures cases.
pub trait Executor {
    /// The device.
    fn adapter(&self) -> &Adapter;

    /// The memory that cases are measured in.
    fn footprint(&self) -> &Footprint;

    /// The clock that budgets are counted on, in nanoseconds since some beginning.
    fn now_ns(&self) -> u64;

    /// Compiles what `case` needs, outside any timing.
    fn prepare(&mut self, case: &Case, variant: KernelVariant) -> Result<CaseId, ExecutorError>;

    /// Gives back the memory that a case holds; it is not run again.
    fn release(&mut self, case: CaseId);

    /// Byte addresses, from the start of the slice's buffer, that the kernel itself computes for each lane of the first
    /// windows of slice 0, window by window; as many whole windows as fit `most` lanes. `None` is a lane that does nothing.
    ///
    /// A case with two index lists tells those that it loads through. Of a transpose nothing is told: there are no words
    /// that its stores leave unproven.
    fn echo(&mut self, case: CaseId, most: usize) -> Result<Vec<Option<u64>>, ExecutorError>;

    /// Writes a sentinel over what `visit` is to store to, between and around, runs it once, and looks what is there.
    ///
    /// Of a case that stores nothing it proves nothing, and is refused.
    fn prove_stores(&mut self, case: CaseId, visit: Visit) -> Result<StoreProof, ExecutorError>;

    /// Runs one dispatch a visit, times them together and returns all checksums. What was stored is looked at afterwards,
    /// untimed.
    fn sample(&mut self, case: CaseId, visits: &[Visit]) -> Result<Sample, ExecutorError>;

    /// Times `dispatches` dispatches of a kernel that does nothing.
    fn empty(&mut self, dispatches: u32) -> Result<Submission, ExecutorError>;
}
