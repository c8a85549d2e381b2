//! One row of `measurements.csv`: a case, what the model predicts for it and what was measured.

use serde::{Deserialize, Serialize};

use crate::executor::AdapterKind;
use crate::sweep::{Status, StopReason, TimingMethod};

/// Version of the columns of `measurements.csv`, `samples.csv` and of the keys of `run.json`.
pub const SCHEMA_VERSION: u32 = 1;

/// Counts and efficiencies of a case that has none: 0 in memory, where no case can have it, and blank in files.
mod blank_zero {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<T, S>(value: &T, serializer: S) -> Result<S::Ok, S::Error>
    where
        T: Serialize + Default + PartialEq,
        S: Serializer,
    {
        (*value != T::default())
            .then_some(value)
            .serialize(serializer)
    }

    pub(super) fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
    where
        T: Deserialize<'de> + Default,
        D: Deserializer<'de>,
    {
        Ok(Option::deserialize(deserializer)?.unwrap_or_default())
    }
}

/// One case. `None` is an empty cell: a figure that does not exist is blank, never zero.
///
/// Columns ending in `_32b`, `_64b`, `_128b` are for transactions of that size; bandwidths are in GB/s (10^9 bytes per second).
#[derive(Clone, Debug, PartialEq, Default, Serialize, Deserialize)]
#[expect(
    missing_docs,
    reason = "docs/FORMAT.md describes each column once, and a test holds the two together"
)]
pub struct Row {
    pub schema_version: u32,
    pub suite: String,
    pub spec: String,
    pub status: Status,
    pub reason: String,
    pub stop_reason: StopReason,
    pub adapter: String,
    pub adapter_kind: AdapterKind,
    pub backend: String,
    pub driver: String,
    pub software: bool,
    pub simulated: bool,
    pub debug_build: bool,
    pub validation: bool,
    pub pattern: String,
    pub op: String,
    pub layout: String,
    pub lanes: u32,
    pub workgroup_size: u32,
    pub element_bytes: u32,
    pub stride_elements: Option<i64>,
    pub offset_bytes: Option<u64>,
    pub struct_bytes: Option<u64>,
    pub field_bytes: Option<u64>,
    #[serde(with = "blank_zero")]
    pub pitch_bytes: u64,
    pub footprint_bytes: u64,
    #[serde(with = "blank_zero")]
    pub windows: u64,
    #[serde(with = "blank_zero")]
    pub bytes_requested: u64,
    #[serde(with = "blank_zero")]
    pub bytes_used: u64,
    #[serde(with = "blank_zero")]
    pub reuse: f64,
    #[serde(with = "blank_zero")]
    pub transactions_subgroup_32b: u64,
    #[serde(with = "blank_zero")]
    pub transactions_subgroup_64b: u64,
    #[serde(with = "blank_zero")]
    pub transactions_subgroup_128b: u64,
    #[serde(with = "blank_zero")]
    pub transactions_unshared_32b: u64,
    #[serde(with = "blank_zero")]
    pub transactions_unshared_64b: u64,
    #[serde(with = "blank_zero")]
    pub transactions_unshared_128b: u64,
    #[serde(with = "blank_zero")]
    pub transactions_compulsory_32b: u64,
    #[serde(with = "blank_zero")]
    pub transactions_compulsory_64b: u64,
    #[serde(with = "blank_zero")]
    pub transactions_compulsory_128b: u64,
    #[serde(with = "blank_zero")]
    pub efficiency_subgroup_32b: f64,
    #[serde(with = "blank_zero")]
    pub efficiency_subgroup_64b: f64,
    #[serde(with = "blank_zero")]
    pub efficiency_subgroup_128b: f64,
    #[serde(with = "blank_zero")]
    pub efficiency_unshared_32b: f64,
    #[serde(with = "blank_zero")]
    pub efficiency_unshared_64b: f64,
    #[serde(with = "blank_zero")]
    pub efficiency_unshared_128b: f64,
    #[serde(with = "blank_zero")]
    pub efficiency_compulsory_32b: f64,
    #[serde(with = "blank_zero")]
    pub efficiency_compulsory_64b: f64,
    #[serde(with = "blank_zero")]
    pub efficiency_compulsory_128b: f64,
    pub timing_method: Option<TimingMethod>,
    pub runtime_checks: bool,
    pub samples: u32,
    pub samples_dropped: u32,
    pub samples_disturbed: u32,
    pub dispatches_per_sample: u32,
    pub parts_per_slice: u32,
    pub dispatch_ms_median: Option<f64>,
    pub bytes_fetched_between_visits: Option<u64>,
    pub self_test_half_over_whole: Option<f64>,
    pub time_per_footprint_ms_median: Option<f64>,
    pub time_per_footprint_ms_min: Option<f64>,
    pub useful_gb_per_s: Option<f64>,
    pub useful_low_gb_per_s: Option<f64>,
    pub useful_high_gb_per_s: Option<f64>,
    pub requested_gb_per_s: Option<f64>,
    pub fetched_gb_per_s_32b: Option<f64>,
    pub fetched_gb_per_s_64b: Option<f64>,
    pub fetched_gb_per_s_128b: Option<f64>,
    pub fetch_plateau_gb_per_s: Option<f64>,
    pub share_of_fetch_percent: Option<f64>,
    pub ratio_to_reference: Option<f64>,
    pub ratio_low: Option<f64>,
    pub ratio_high: Option<f64>,
    pub checksum: String,
    // Columns from here on came later: a file of the same schema without them is read as well.
    #[serde(default)]
    pub tile: String,
    pub matrix_width: Option<u64>,
    #[serde(default)]
    pub strided_side: String,
    #[serde(default, with = "blank_zero")]
    pub bytes_loaded: u64,
    #[serde(default, with = "blank_zero")]
    pub bytes_stored: u64,
    #[serde(default, with = "blank_zero")]
    pub transactions_store_32b: u64,
    #[serde(default, with = "blank_zero")]
    pub transactions_store_64b: u64,
    #[serde(default, with = "blank_zero")]
    pub transactions_store_128b: u64,
    pub transactions_store_partial_32b: Option<u64>,
    pub transactions_store_partial_64b: Option<u64>,
    pub transactions_store_partial_128b: Option<u64>,
    #[serde(default, with = "blank_zero")]
    pub index_bytes_requested: u64,
    #[serde(default, with = "blank_zero")]
    pub index_bytes_used: u64,
    pub config: Option<u64>,
    #[serde(default)]
    pub config_name: String,
    #[serde(default)]
    pub kernel: String,
    pub count_asked: Option<u64>,
    pub count_measured: Option<u64>,
    pub bytes_counted: Option<u64>,
    pub counted_gb_per_s: Option<f64>,
    #[serde(default)]
    pub note: String,
}

impl Row {
    /// The names of the columns, in order; written even where there is no row.
    pub fn columns() -> Vec<String> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        let text = writer
            .serialize(Self::default())
            .and_then(|()| Ok(writer.into_inner().map_err(|error| error.into_error())?))
            .unwrap_or_default();
        let header = String::from_utf8_lossy(&text)
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned();
        header.split(',').map(str::to_owned).collect()
    }

    /// Whether the measured figures may be drawn and compared as a bandwidth of memory.
    pub fn is_measured(&self) -> bool {
        self.useful_gb_per_s.is_some()
    }

    /// Compulsory efficiency at each of [`TRANSACTION_BYTES`](crate::executor::TRANSACTION_BYTES).
    pub fn efficiency_compulsory(&self) -> [f64; 3] {
        [
            self.efficiency_compulsory_32b,
            self.efficiency_compulsory_64b,
            self.efficiency_compulsory_128b,
        ]
    }

    /// Unshared efficiency at each of [`TRANSACTION_BYTES`](crate::executor::TRANSACTION_BYTES).
    pub fn efficiency_unshared(&self) -> [f64; 3] {
        [
            self.efficiency_unshared_32b,
            self.efficiency_unshared_64b,
            self.efficiency_unshared_128b,
        ]
    }

    /// Fetched bandwidth in GB/s at each of [`TRANSACTION_BYTES`](crate::executor::TRANSACTION_BYTES), by the compulsory count.
    pub fn fetched_gb_per_s(&self) -> [Option<f64>; 3] {
        [
            self.fetched_gb_per_s_32b,
            self.fetched_gb_per_s_64b,
            self.fetched_gb_per_s_128b,
        ]
    }
}
