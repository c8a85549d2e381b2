//! From a curve to the hardware: granule, fetch bandwidth and issue ceiling, with a confidence.
//!
//! An empty room: nothing infers them yet. Charts show the model for every transaction size instead, to be told apart by eye.
