//! What a stride sweep says of the hardware, as files and programs get it.

use serde::{Deserialize, Serialize};

/// The verdict on one stride sweep; every number is finite.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[expect(
    missing_docs,
    reason = "docs/FORMAT.md describes each key once, and a test holds the two together"
)]
pub struct Inferred {
    pub granule_bytes: Option<u64>,
    pub line_bytes: Option<u64>,
    pub confidence: f64,
    pub fetch_gb_per_s: f64,
    pub issue_gb_per_s: f64,
    pub residual_percent: Option<f64>,
    pub decline_from_stride: Option<u64>,
    pub verdict: String,
    pub reasons: Vec<String>,
    pub element_bytes: u32,
    pub strides: usize,
    pub fetch_is_lower_bound: bool,
    pub issue_is_lower_bound: bool,
    pub fetch_bound_from_stride: Option<u64>,
}
