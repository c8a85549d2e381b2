//! Useful bandwidth of patterns that no formula gives, through an index buffer, a group for each element width.

use crate::record::Row;

use super::axis::Axis;
use super::bar_figure::BarFigure;
use super::bars::{Bars, Group, bandwidth_bar, efficiency_words, note_of_predictions};
use super::series::{grouped, notes_of_missing};

/// The suite whose rows this chart draws; also the stem of its file's name after `bandwidth-vs-`.
pub(super) const SUITE: &str = "mixed";

/// What the chart of `rows` shows.
pub fn bars(rows: &[&Row]) -> Bars {
    let groups = grouped(rows, |row| row.element_bytes);
    let several = groups.len() > 1;
    let group = |(element_bytes, members): (u32, Vec<&Row>)| {
        let bars: Vec<_> = members
            .iter()
            .filter_map(|row| bandwidth_bar(row, remark(row)))
            .collect();
        (!bars.is_empty()).then(|| Group {
            heading: if several {
                format!("Elements of {element_bytes} B")
            } else {
                String::new()
            },
            bars,
        })
    };
    let mut notes = vec![note_of_predictions(rows)];
    notes.extend(notes_of_missing(rows, |row| row.spec.clone(), |_| true));
    Bars {
        groups: groups.into_iter().filter_map(group).collect(),
        notes,
    }
}

pub(super) fn figure(bars: &Bars) -> BarFigure<'_> {
    BarFigure {
        title: "Bandwidth of mixed, listed and random addresses",
        question: "What do addresses deliver that follow no rule, and what does reading their list add?",
        x_label: "Useful bandwidth (GB/s)",
        x: Axis::bandwidths_linear(&bars.values()),
        figure_heading: "GB/s",
        remark_heading: "at 64 B transactions",
        measured: "measured, 95 % interval",
        predicted: "model: from nothing shared to everything shared; one mark where they agree",
        counted: "",
        remark: "Model: B × efficiency at 64 B, with unshared and with compulsory transactions. Indexes are read beside the data and are in \
                 no bandwidth here; their share is of the bytes requested. What issuing limits is not in the model.",
        bars,
    }
}

/// `efficiency 53 %, indexes add 100 %`.
fn remark(row: &Row) -> String {
    let mut remark = efficiency_words(row);
    if row.index_bytes_requested > 0 && row.bytes_requested > 0 {
        let share = 100.0 * row.index_bytes_requested as f64 / row.bytes_requested as f64;
        remark.push_str(&format!(", indexes add {share:.0} %"));
    }
    remark
}
