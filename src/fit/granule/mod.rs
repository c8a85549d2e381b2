//! What the hardware is, from one stride sweep: the granule, the fetch bandwidth B and the issue ceiling C.

mod curve;
mod inference;
mod shape;

pub use curve::{Point, StrideCurve};
pub use inference::Inference;
pub use shape::{FittedCurve, Shape};
