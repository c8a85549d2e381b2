//! Coalescope measures how a GPU's memory bandwidth depends on the way neighbouring lanes address memory.
//!
//! A *subgroup* of lanes executes one load together; memory answers in blocks of a fixed size, *transactions*. When the
//! lanes' addresses share few blocks, most of what is fetched is thrown away. The model in [`model`] counts those blocks
//! exactly, the kernels behind [`gpu`] measure what a real adapter delivers, and [`chart`] lays one over the other.
//!
//! Units: addresses and sizes are bytes, strides are elements, GB is 10^9 bytes and durations are nanoseconds; every
//! name says which. *Useful* bandwidth counts the distinct bytes that the lanes asked for; *fetched* bandwidth counts
//! the transactions that held them; *efficiency* is the first over the second and never exceeds 1.
//!
//! Start with [`pattern::Spec`] (what is accessed), [`model::Window`] (the same as addresses),
//! [`executor::Executor`] (who measures it) and [`record::Row`] (what comes out). `docs/ARCHITECTURE.md` has the map.

pub mod units;

pub mod model;
pub mod pattern;

pub mod stats;

pub mod executor;

pub mod gpu;
pub mod sweep;
pub mod virtual_gpu;

pub mod record;

pub mod fit;

pub mod chart;

pub mod findings;

pub mod lab;
pub mod report;

pub mod cli;
