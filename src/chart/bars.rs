//! From rows to a chart of bars, as plain numbers: one bar a pattern, with its interval and what is predicted for it.
//!
//! A row without a figure never becomes a bar; [`Bars::notes`] names it instead.

use crate::record::{Row, Status};
use crate::units::significant;

use super::series::useful_gb_per_s;

/// One pattern's figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// The pattern.
    pub label: String,
    /// What the bar shows, in the axis's unit.
    pub value: f64,
    /// The two ends of the 95 % interval in the same unit, where there is one.
    pub interval: Option<(f64, f64)>,
    /// How the case ended.
    pub status: Status,
    /// The lower and the upper prediction in the same unit; equal where they agree.
    pub predicted: Option<(f64, f64)>,
    /// The same case's figure as another tool would count it, in the same unit.
    pub counted: Option<f64>,
    /// The figure as it is printed beside the bar.
    pub figure: String,
    /// A short remark beside it.
    pub remark: String,
}

/// Bars that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// What they have in common; empty where nothing is to be said.
    pub heading: String,
    /// The bars from top to bottom.
    pub bars: Vec<Bar>,
}

/// Everything that a chart of bars shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bars {
    /// The groups from top to bottom.
    pub groups: Vec<Group>,
    /// What is not drawn, and why, and what else is to be said of these rows.
    pub notes: Vec<String>,
}

impl Bars {
    /// Every bar from top to bottom.
    pub fn bars(&self) -> impl Iterator<Item = &Bar> {
        self.groups.iter().flat_map(|group| &group.bars)
    }

    /// Every number that is measured or predicted: bars, ends of intervals and predictions.
    pub fn values(&self) -> Vec<f64> {
        let of = |bar: &Bar| {
            let ends = [bar.interval, bar.predicted].into_iter().flatten();
            let mut values: Vec<f64> = ends.flat_map(|(low, high)| [low, high]).collect();
            values.push(bar.value);
            values
        };
        self.bars().flat_map(of).collect()
    }
}

impl Bar {
    /// The bar of `row` at `value`, with its spec for a label and its useful bandwidth for a figure.
    pub(super) fn of(row: &Row, value: f64, interval: Option<(f64, f64)>) -> Self {
        Self {
            label: row.spec.clone(),
            value,
            interval,
            status: row.status,
            predicted: None,
            counted: None,
            figure: useful_gb_per_s(row).map(significant).unwrap_or_default(),
            remark: String::new(),
        }
    }
}

impl Group {
    /// One group without a heading; none where there are no bars.
    pub(super) fn of_all(bars: Vec<Bar>) -> Vec<Self> {
        let group = (!bars.is_empty()).then_some(Self {
            heading: String::new(),
            bars,
        });
        group.into_iter().collect()
    }
}

/// A deviation with its sign and one decimal; what rounds to zero has none.
pub(super) fn signed(value: f64) -> String {
    let number = format!("{:.1}", value.abs());
    match value {
        _ if number == "0.0" => number,
        v if v < 0.0 => format!("\u{2212}{number}"),
        _ => format!("+{number}"),
    }
}
