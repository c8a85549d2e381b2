//! How often an inference was right, as plain numbers: verdicts on devices whose granule is known, counted by group.

use super::verdict_figure;
use super::{Chart, ChartError};

/// Verdicts on the devices of one group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VerdictCounts {
    /// Named the granule that the device has.
    pub right: usize,
    /// Named none.
    pub undetermined: usize,
    /// Named another one.
    pub wrong: usize,
    /// Devices, whatever the verdict, whose sweep shows the knee.
    pub visible: usize,
    /// Right verdicts on those.
    pub visible_right: usize,
}

impl VerdictCounts {
    /// The number of devices.
    pub fn all(&self) -> usize {
        self.right + self.undetermined + self.wrong
    }

    /// The share of `count` in all devices, in percent; 0 where there are none.
    pub fn percent(&self, count: usize) -> f64 {
        percent(count, self.all()).unwrap_or(0.0)
    }

    /// The share of right verdicts where the sweep shows the knee, in percent; `None` where no sweep does.
    pub fn right_of_visible_percent(&self) -> Option<f64> {
        percent(self.visible_right, self.visible)
    }
}

fn percent(part: usize, whole: usize) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64 * 100.0)
}

/// A bar of the chart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerdictGroup {
    /// What the devices have in common.
    pub label: String,
    /// What was said of them.
    pub counts: VerdictCounts,
}

/// Groups that belong together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VerdictBlock {
    /// What they have in common.
    pub heading: String,
    /// The groups from top to bottom.
    pub groups: Vec<VerdictGroup>,
}

/// The chart of `blocks` from top to bottom, with `caption` under it, which says what was judged. A block without groups is left out.
///
/// # Errors
/// Where drawing fails; no counts make it fail.
pub fn verdicts(blocks: &[VerdictBlock], caption: &str) -> Result<Chart, ChartError> {
    Ok(Chart {
        name: "inference".to_owned(),
        svg: verdict_figure::draw(blocks, caption)?,
    })
}
