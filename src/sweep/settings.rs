//! The numbers that govern how long and how often is measured.

use serde::{Deserialize, Serialize};

/// Settings of a campaign, as `run.json` records them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    /// Time for sampling, warm-up and verification apart, in seconds.
    pub budget_s: f64,
    /// Most samples of one case.
    pub sample_cap: u32,
    /// A case is done when its interval's half-width is at most this share of its median.
    pub target_half_width: f64,
    /// A sample gets as many dispatches as take this long, in milliseconds.
    pub sample_ms: f64,
    /// Most dispatches in a sample.
    pub dispatch_cap: u32,
    /// Most parts that a slice is divided into, where a dispatch over all of it takes longer than a sample need.
    pub parts_cap: u32,
    /// Orders the rounds.
    pub seed: u64,
    /// Cases between two samples of the reference.
    pub cases_per_reference: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            budget_s: 40.0,
            sample_cap: 400,
            target_half_width: 0.02,
            sample_ms: 5.0,
            dispatch_cap: 256,
            parts_cap: 64,
            seed: 1,
            cases_per_reference: 8,
        }
    }
}
