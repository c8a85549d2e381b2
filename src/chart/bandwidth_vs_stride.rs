//! Useful bandwidth against stride, with min(C, B * efficiency) for each transaction size laid over it.

use crate::fit::{infer_rows, issue_ceiling_gb_per_s};
use crate::record::Row;

use super::axis::Axis;
use super::figure::{Figure, USEFUL};
use super::fitted;
use super::prediction::{along, bounded_curves};
use super::series::{Curve, Level, Measured, Series, grouped, measured_points, notes_of_missing};

/// The suite whose rows this chart draws; also the stem of its file's name after `bandwidth-vs-`.
pub(super) const SUITE: &str = crate::sweep::STRIDE;

/// Strides between the swept ones are predicted up to here; all knees lie far below, and past them the curve is flat.
const PREDICTED_STRIDE_MAX: f64 = 256.0;

/// What the chart of `rows`, all of one element width and operation, shows.
pub fn series(rows: &[&Row]) -> Series {
    let groups = groups(rows);
    let several = groups.len() > 1;
    let ceiling_gb_per_s = issue_ceiling_gb_per_s(rows);
    let mut series = Series {
        levels: ceiling_gb_per_s
            .map(Level::issue_ceiling)
            .into_iter()
            .collect(),
        notes: notes_of_missing(rows, name, |figure| figure > 0.0),
        ..Series::default()
    };
    for (group, members) in groups {
        let index = series.measured.len();
        if is_modelled(&group) {
            series.curves = curves(&members, index, ceiling_gb_per_s);
        }
        let mut points = measured_points(&members, place);
        points.retain(|point| point.gb_per_s > 0.0);
        let (layout, descending) = group;
        let order = if descending { ", descending" } else { "" };
        let name = if several {
            format!("{layout}{order}")
        } else {
            String::new()
        };
        series.measured.push(Measured::new(name, points));
    }
    series
}

/// Adds what the `run` says of the strides on a `sheet` of one element width and operation, of which `series` was made. Only packed,
/// ascending loads are fitted.
pub fn add_fit(series: &mut Series, sheet: &[&Row], run: &[&Row]) {
    let fitted = groups(sheet).into_iter().position(|(group, members)| {
        is_modelled(&group) && members.iter().any(|row| row.op == "load")
    });
    let inference = sheet
        .first()
        .and_then(|row| infer_rows(run, row.element_bytes));
    if let Some((index, inference)) = fitted.zip(inference) {
        fitted::add(series, &inference, index);
    }
}

/// The rows of a sheet by layout, and by whether the stride descends.
fn groups<'a>(rows: &[&'a Row]) -> Vec<((String, bool), Vec<&'a Row>)> {
    grouped(rows, |row| {
        (row.layout.clone(), row.stride_elements < Some(0))
    })
}

/// Whether the model's B holds: it is that of windows that leave no gap, and a padded pitch has no closed curve of its own here.
fn is_modelled((layout, descending): &(String, bool)) -> bool {
    layout == "packed" && !descending
}

/// The axes of a stride sweep: both logarithmic, stride 0 in a place of its own.
pub(super) fn x_and_y(series: &Series) -> (Axis, Axis) {
    (
        Axis::strides(&series.xs()).with_end_room(),
        Axis::bandwidths_log(&series.bandwidths_gb_per_s()),
    )
}

pub(super) fn figure(series: &Series, element_bytes: u32) -> Figure<'_> {
    let (x, y) = x_and_y(series);
    Figure {
        title: "Bandwidth against stride",
        question: "How does useful bandwidth fall as neighbouring lanes move apart?",
        x_label: format!("Stride (elements of {element_bytes} B)"),
        x,
        y_label: USEFUL,
        y,
        remark: if series.fit.as_ref().is_some_and(|fit| fit.is_determined) {
            "Fit: the lower of C and B × efficiency (compulsory transactions), with the granule, B and C that fit best. The footprint \
             is constant: useful bytes fall as the stride grows."
        } else if series.curves.is_empty() {
            "No model: no packed, ascending stride has a trusted figure for B. The footprint is constant: useful bytes fall as the \
             stride grows."
        } else {
            "Model: the lower of C (highest useful bandwidth measured) and B × efficiency (compulsory transactions), B being the \
             median of the upper quarter of fetched bandwidths. The footprint is constant: useful bytes fall as the stride grows."
        },
        series,
    }
}

/// A negative stride stands at its size: its lanes touch the same bytes in the opposite order.
pub(super) fn place(row: &Row) -> Option<f64> {
    row.stride_elements
        .map(|stride| stride.unsigned_abs() as f64)
}

fn name(row: &Row) -> String {
    format!("stride {}", row.stride_elements.unwrap_or_default())
}

/// The model at every whole stride from the smallest to the largest.
fn curves(rows: &[&Row], measured: usize, ceiling_gb_per_s: Option<f64>) -> Vec<Curve> {
    let strides: Vec<f64> = rows.iter().filter_map(|row| place(row)).collect();
    let first = strides.iter().copied().fold(f64::INFINITY, f64::min);
    let last = strides.iter().copied().fold(0.0, f64::max);
    let last = last.min(PREDICTED_STRIDE_MAX) as u64;
    // Stride 0 stands apart, as itself alone.
    let between = (first.max(1.0) as u64..=last).map(|d| (d as f64, format!("stride:{d}")));
    let along = along(rows, place, between);
    bounded_curves(rows, &along, measured, ceiling_gb_per_s)
}
