//! By how much each order of lanes inside a subgroup differs from forward, in percent.

use crate::fit::{OrderDeviation, Ratio, is_forward, is_trusted, order_deviations};
use crate::record::Row;
use crate::units::significant;

use super::axis::Axis;
use super::bar_figure::BarFigure;
use super::bars::{Bar, Bars, Group, signed};
use super::series::{notes_of_missing, useful_gb_per_s};
use super::theme::status_word;

/// The suite whose rows this chart draws; also the stem of its file's name after `bandwidth-vs-`.
pub(super) const SUITE: &str = "order";

/// What the chart of `rows`, all of one element width and operation, shows.
pub fn bars(rows: &[&Row]) -> Bars {
    let deviations = order_deviations(rows);
    let mut bars: Vec<Bar> = deviations.iter().filter_map(deviation).collect();
    let forward = rows
        .iter()
        .find(|row| is_forward(row) && useful_gb_per_s(row).is_some_and(|figure| figure > 0.0));
    if let Some(row) = forward {
        bars.insert(0, baseline(row));
    }
    let compared = |row: &Row| is_forward(row) || deviations.iter().any(|of| of.row == row);
    let mut notes = notes_of_missing(rows, |row| row.spec.clone(), |_| true);
    if forward.is_none() {
        notes.push(
            "No deviations: forward (stride:1), which they start from, has no figure.".to_owned(),
        );
    }
    let others = rows.iter().filter(|row| !compared(row));
    notes.extend(others.filter_map(|row| apart(row)));
    Bars {
        groups: Group::of_all(bars),
        notes,
    }
}

pub(super) fn figure(bars: &Bars) -> BarFigure<'_> {
    BarFigure {
        title: "Bandwidth against the order of lanes",
        question: "Does the order of lanes inside a subgroup matter?",
        x_label: "Useful bandwidth against forward (stride:1)",
        x: Axis::deviations_percent(&bars.values()),
        figure_heading: "GB/s",
        remark_heading: "against forward",
        measured: "measured, 95 % interval",
        predicted: "model: no difference",
        counted: "",
        remark: "Each of these patterns touches the same blocks as forward, in another order of lanes: the model predicts no difference. \
                 An interval is the widest ratio of the two figures' own; where it holds 0, the order makes no difference that this \
                 run can tell from noise.",
        bars,
    }
}

/// Forward itself, on the line that the others are held against.
fn baseline(row: &Row) -> Bar {
    Bar {
        remark: "the baseline".to_owned(),
        ..Bar::of(row, 0.0, None)
    }
}

fn deviation(of: &OrderDeviation) -> Option<Bar> {
    let ratio = of.over_forward?;
    let percent = |ratio: f64| 100.0 * (ratio - 1.0);
    let interval = ratio
        .interval
        .map(|(low, high)| (percent(low), percent(high)));
    Some(Bar {
        status: of.status,
        predicted: Some((0.0, 0.0)),
        remark: remark(of, ratio),
        ..Bar::of(of.row, percent(ratio.value), interval)
    })
}

/// `−1.4 % (−4.4 to +1.8), within noise`, or why the two are not compared.
fn remark(of: &OrderDeviation, ratio: Ratio) -> String {
    if !is_trusted(of.status) {
        let whose = if of.row.status == of.status {
            ""
        } else {
            "forward is "
        };
        return format!("{whose}{}: not compared", status_word(of.status));
    }
    let Some((low, high)) = ratio.interval else {
        return "no interval".to_owned();
    };
    let percent = |ratio: f64| signed(100.0 * (ratio - 1.0));
    let verdict = if ratio.may_be_one() == Some(true) {
        ", within noise"
    } else {
        ""
    };
    format!(
        "{} % ({} to {}){verdict}",
        percent(ratio.value),
        percent(low),
        percent(high)
    )
}

/// What a pattern delivers that touches other bytes than forward.
fn apart(row: &Row) -> Option<String> {
    let useful = useful_gb_per_s(row)?;
    let requested = row.requested_gb_per_s.filter(|figure| figure.is_finite())?;
    Some(format!(
        "{} is no order of the same bytes: all its lanes share {}, so its useful bandwidth ({} GB/s) has no place here. The lanes \
         received {} GB/s.",
        row.spec,
        if row.pattern == "broadcast" {
            "one element"
        } else {
            "some"
        },
        significant(useful),
        significant(requested)
    ))
}
