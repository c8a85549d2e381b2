//! From rows to what they say of the hardware: ceilings, ratios between patterns, what a store costs, how one run compares
//! with another.
//!
//! Nothing here prints or draws: charts and tables show these numbers.

mod ceilings;
mod comparison;
mod granule;
mod matrix;
mod order;
mod ratio;
mod share;
mod store;
mod structs;

pub use ceilings::{
    fetch_plateau_gb_per_s, is_trusted, issue_ceiling_gb_per_s, touches_each_byte_once,
    trusted_gb_per_s,
};
pub use comparison::{
    Comparison, Doubt, Margin, Matched, Tally, Verdict, compare, is_guarded, tallies,
};
pub use granule::{
    FittedCurve, Inference, OffsetSteps, Point, Shape, StrideCurve, infer, infer_rows, offset_steps,
};
pub use matrix::{MatrixCase, MatrixSpeedUps, matrix_case, speed_ups};
pub use order::{OrderDeviation, forward_of, is_forward, order_deviations};
pub use ratio::Ratio;
pub use share::{fetch_bandwidth_gb_per_s, share_of_fetch_percent};
pub use store::{Candidate, Policy, StorePolicy, store_efficiency, store_policy, write_policy};
pub use structs::{Loss, StructLine, is_array_alone, is_field, is_whole_struct, struct_table};
