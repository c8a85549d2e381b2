//! Useful bandwidth of a matrix walked along rows, down columns and transposed, a group for each width.

use crate::fit::{MatrixCase, MatrixSpeedUps, Ratio, is_trusted, matrix_case, speed_ups};
use crate::record::Row;
use crate::units::significant;

use super::axis::Axis;
use super::bar_figure::BarFigure;
use super::bars::{Bars, Group, bandwidth_bar, note_of_predictions};
use super::series::{grouped, notes_of_missing};

/// The suite whose rows this chart draws; also the stem of its file's name after `bandwidth-vs-`.
pub(super) const SUITE: &str = "matrix";

/// What the chart of `rows`, all of one element width, shows.
pub fn bars(rows: &[&Row]) -> Bars {
    let speed_ups = speed_ups(rows);
    let group = |(width, members): (Option<u64>, Vec<&Row>)| {
        let of_width = speed_ups
            .iter()
            .find(|line| Some(line.matrix_width) == width);
        let bars: Vec<_> = members
            .iter()
            .filter_map(|row| bandwidth_bar(row, remark(row, of_width)))
            .collect();
        (!bars.is_empty()).then(|| Group {
            heading: heading(width.unwrap_or_default()),
            bars,
        })
    };
    let groups = grouped(rows, |row| row.matrix_width);
    let mut notes = vec![note_of_predictions(rows)];
    notes.extend(notes_of_missing(rows, |row| row.spec.clone(), |_| true));
    Bars {
        groups: groups.into_iter().filter_map(group).collect(),
        notes,
    }
}

pub(super) fn figure(bars: &Bars) -> BarFigure<'_> {
    BarFigure {
        title: "Bandwidth of a matrix by rows, by columns and transposed",
        question: "What does a walk down columns cost, and what does a tile in workgroup memory save?",
        x_label: "Useful bandwidth (GB/s)",
        x: Axis::bandwidths_linear(&bars.values()),
        figure_heading: "GB/s",
        remark_heading: "relative",
        measured: "measured, 95 % interval",
        predicted: "model: from nothing shared to everything shared; one mark where they agree",
        counted: "",
        remark: "Model: B × efficiency at 64 B. A walk down a column may find the lines of its neighbours in a cache (compulsory \
                 transactions) or not (unshared). What issuing limits is not in the model. Copies and transposes count what they \
                 read and what they write.",
        bars,
    }
}

fn heading(width: u64) -> String {
    let power = if width.is_power_of_two() {
        "a power of two"
    } else {
        "not a power of two"
    };
    format!("{width} elements wide, {power}")
}

/// Two decimals, more where they would leave nothing.
fn factor(value: f64) -> String {
    if value >= 0.1 {
        format!("{value:.2}")
    } else {
        significant(value)
    }
}

/// `0.35 × naive`: the figure in multiples of what it is to be compared with.
fn remark(row: &Row, of_width: Option<&MatrixSpeedUps>) -> String {
    let (Some(line), true) = (of_width, is_trusted(row.status)) else {
        return String::new();
    };
    let times = |ratio: Option<Ratio>, base: &str| {
        ratio.map_or(String::new(), |ratio| {
            format!("{} × {base}", factor(ratio.value))
        })
    };
    match matrix_case(row) {
        Some(MatrixCase::Column) => times(line.column_over_row, "row"),
        Some(MatrixCase::Naive) => times(line.naive_over_copy, "row copy"),
        Some(MatrixCase::Tiled) => times(line.tiled_over_naive, "naive"),
        Some(MatrixCase::Padded) => times(line.padded_over_naive, "naive"),
        Some(MatrixCase::Row | MatrixCase::Copy) | None => String::new(),
    }
}
