//! Real adapters, through wgpu; no other room names it.

mod adapter;
mod choice;
mod device;
mod element;
mod executor;
mod grid;
mod kernel;
mod memory;
mod params;
mod probe;
#[cfg(test)]
mod reflection;
mod slot;
pub mod source;
mod stores;
mod submission;
mod timer;

pub use adapter::{BACKENDS, BackendName, FoundAdapter, list};
pub use choice::{Choice, ChoiceError, choose};
pub use executor::{GpuExecutor, GpuSettings};
pub use grid::workgroup_size;
pub use probe::subgroup_size;
