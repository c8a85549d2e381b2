//! One row of `samples.csv`: one timed sample, with both clocks as they came.

use serde::{Deserialize, Serialize};

use super::SCHEMA_VERSION;
use crate::sweep::{CaseState, ClockFault, SampleRecord};

/// A sample as it is written; docs/FORMAT.md describes the columns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(
    missing_docs,
    reason = "docs/FORMAT.md describes each column once, and a test holds the two together"
)]
pub struct SampleRow {
    pub schema_version: u32,
    pub spec: String,
    pub is_reference: bool,
    pub order: u64,
    pub round: u32,
    pub first_slice: u32,
    pub first_phase: u32,
    pub dispatches: u32,
    pub bytes_fetched_since: Option<u64>,
    pub bytes_used: u64,
    pub device_ns: Option<f64>,
    pub host_ns: u64,
    pub clock_fault: Option<ClockFault>,
    pub working_set_bytes: Option<u64>,
}

impl SampleRow {
    /// The row of `sample`, taken of `case`.
    pub fn new(case: &CaseState, sample: &SampleRecord, is_reference: bool) -> Self {
        Self {
            schema_version: SCHEMA_VERSION,
            spec: case.spec.to_string(),
            is_reference,
            order: sample.order,
            round: sample.round,
            first_slice: sample.first_slice,
            first_phase: sample.first_phase,
            dispatches: sample.dispatches,
            bytes_fetched_since: sample.bytes_fetched_since,
            bytes_used: sample.bytes_used,
            device_ns: sample.device_ns.ok(),
            host_ns: sample.host_ns,
            clock_fault: sample.device_ns.err(),
            working_set_bytes: case.working_set_bytes,
        }
    }
}
