//! What the hardware is, from one stride sweep: the granule, the fetch bandwidth B and the issue ceiling C.

mod agreement;
mod curve;
mod decline;
mod doubt;
mod evidence;
mod hypothesis;
mod inference;
mod judgement;
mod observation;
mod offsets;
mod shape;

pub use curve::{Point, StrideCurve};
pub use inference::Inference;
pub use judgement::{infer, infer_rows};
pub use offsets::{OffsetSteps, offset_steps};
pub use shape::{FittedCurve, Shape};
