//! The virtual GPU: a model of a device behind the trait [`Executor`](crate::executor::Executor), for machines without one
//! and for tests of everything that stands above that trait.
//!
//! It counts what a visit asks of issue, cache and memory, turns the counts into time, and disturbs that time by seeded
//! chance. Its clock moves by what happens on it, so a campaign's budget ends without anybody waiting, and a seed gives
//! the same samples always. It has no memory: the checksums it answers with are those that it should have, unless a fault
//! is asked for.

mod cache;
mod clock;
mod disturbance;
mod executor;
mod faults;
mod grammar;
mod key;
mod memory;
mod preset;
mod settings;

pub use clock::ClockKind;
pub use disturbance::Disturbance;
pub use executor::VirtualGpu;
pub use faults::{Faults, Skipping};
pub use key::{KEYS, Key};
pub use memory::{Camping, Decline, Memory, StorePolicy};
pub use preset::{PRESETS, Preset};
pub use settings::Settings;

/// The word that a text for a virtual GPU begins with: `virtual[:key=value,...]`.
pub const NAME: &str = "virtual";
