//! A campaign that nobody watches.

use std::convert::Infallible;

use coalescope::sweep::{Campaign, CaseState, Observer, SampleRecord};

/// Looks on.
pub(crate) struct Nobody;

impl Observer for Nobody {
    type Error = Infallible;

    fn prepared(&mut self, _: &Campaign, _: usize) -> Result<(), Infallible> {
        Ok(())
    }

    fn sampled(&mut self, _: &CaseState, _: &SampleRecord, _: bool) -> Result<(), Infallible> {
        Ok(())
    }

    fn round_ended(&mut self, _: &Campaign, _: u32) -> Result<(), Infallible> {
        Ok(())
    }

    fn stop_requested(&self) -> bool {
        false
    }
}
