//! Useful bandwidth of 4, 8 and 16 byte elements: over the distance between neighbouring lanes, and over offsets.

use crate::fit::{issue_ceiling_gb_per_s, trusted_gb_per_s};
use crate::model::Ceiling;
use crate::record::Row;
use crate::units::{BYTES_PER_GB, BytesPerSecond, significant};

use super::axis::Axis;
use super::bandwidth_vs_offset::between as offsets_between;
use super::figure::{Figure, USEFUL};
use super::prediction::{Predicted, along, at_64_bytes, below, fetch_plateau_at_64_bytes};
use super::series::{
    Curve, Level, Look, Measured, Series, Sharing, grouped, measured_points, notes_of_missing,
};

/// The suite whose rows these charts draw; also the stem of the first one's file name after `bandwidth-vs-`.
pub(super) const SUITE: &str = "width";
/// The stem of the second one's.
pub(super) const OFFSET_NAME: &str = "width-offset";

/// Distances between the swept ones are predicted up to here.
const PREDICTED_STRIDE_MAX: u64 = 256;

/// Whether `row` stands on the chart over distances.
pub(super) fn has_distance(row: &Row) -> bool {
    row.stride_elements.is_some() && row.offset_bytes.is_none()
}

/// What the chart over distances of `rows`, of any element width, shows: a series, a curve and an issue ceiling for each width.
pub fn series(rows: &[&Row]) -> Series {
    let fetch_gb_per_s = fetch_plateau_at_64_bytes(rows);
    let mut series = Series {
        notes: notes_of_missing(rows, |row| row.spec.clone(), |figure| figure > 0.0),
        ..Series::default()
    };
    for (index, (element_bytes, members)) in by_width(rows).into_iter().enumerate() {
        let ceiling_gb_per_s = issue_ceiling_gb_per_s(&members);
        let rate = |gb_per_s: f64| BytesPerSecond(gb_per_s * BYTES_PER_GB);
        // A width without a figure to trust has no C, and nothing to hold a curve against.
        if let Some((fetch_gb_per_s, issue_gb_per_s)) = fetch_gb_per_s.zip(ceiling_gb_per_s) {
            let ceiling = Ceiling {
                fetch: rate(fetch_gb_per_s),
                issue: Some(rate(issue_gb_per_s)),
            };
            series.curves.push(Curve {
                transaction_bytes: vec![64],
                label: format!("model, {element_bytes} B elements"),
                measured: index,
                sharing: Sharing::Everything,
                look: Look::Series,
                points: below(ceiling, places(&members, element_bytes).into_iter()),
            });
        }
        if fetch_gb_per_s.is_some() && ceiling_gb_per_s.is_none() {
            series.notes.push(format!(
                "No model for {element_bytes} B: it has no trusted figure for C."
            ));
        }
        series.levels.extend(ceiling_gb_per_s.map(|gb_per_s| Level {
            label: format!(
                "issue ceiling of {element_bytes} B: C = {} GB/s",
                significant(gb_per_s)
            ),
            measured: Some(index),
            gb_per_s,
        }));
        let mut points = measured_points(&members, distance);
        points.retain(|point| point.gb_per_s > 0.0);
        let name = format!("{element_bytes} B elements");
        series.measured.push(Measured::new(name, points));
    }
    series.notes.extend(fetch_gb_per_s.map(|gb_per_s| {
        format!(
            "B = {} GB/s, of all widths together, at 64 B transactions.",
            significant(gb_per_s)
        )
    }));
    series
}

pub(super) fn figure(series: &Series, _element_bytes: u32) -> Figure<'_> {
    Figure {
        title: "Bandwidth against distance, by element width",
        question: "Do wider elements lift the ceiling that issuing sets, and does distance in bytes decide the rest?",
        x_label: "Distance between neighbouring lanes (bytes)".to_owned(),
        x: Axis::strides(&series.xs()).with_end_room(),
        y_label: USEFUL,
        y: Axis::bandwidths_log(&series.bandwidths_gb_per_s()),
        remark: if series.curves.is_empty() {
            "No model: no distance of any width has a trusted figure for B and C."
        } else {
            "Model: the lower of C and B × efficiency at 64 B. C of a width is the highest useful bandwidth measured with it; B the \
             median of the upper quarter of fetched bandwidths. Where fetching limits, an element four times as wide uses four times \
             as much of each block."
        },
        series,
    }
}

/// What the chart over offsets shows: a series for each width, and the predictions that start from its figure at offset 0.
pub fn offset_series(rows: &[&Row]) -> Series {
    let mut series = Series {
        notes: notes_of_missing(rows, |row| row.spec.clone(), |_| true),
        ..Series::default()
    };
    for (index, (element_bytes, members)) in by_width(rows).into_iter().enumerate() {
        let aligned = |row: &&&Row| row.offset_bytes == Some(0);
        let baseline = members
            .iter()
            .filter(aligned)
            .find_map(|row| trusted_gb_per_s(row));
        match baseline {
            Some(gb_per_s) => series.curves.extend(offset_curves(&members, element_bytes, index, gb_per_s)),
            None => series.notes.push(format!(
                "No prediction for {element_bytes} B: offset 0, which it starts from, has no trusted figure."
            )),
        }
        let name = format!("{element_bytes} B elements");
        let points = measured_points(&members, offset);
        series.measured.push(Measured::new(name, points));
    }
    series
}

pub(super) fn offset_figure(series: &Series, _element_bytes: u32) -> Figure<'_> {
    Figure {
        title: "Bandwidth against offset, by element width",
        question: "Does a start off a transaction's boundary cost wide elements as much as narrow ones?",
        x_label: "Offset (bytes)".to_owned(),
        x: Axis::bytes(&series.xs()).with_end_room(),
        y_label: USEFUL,
        y: Axis::bandwidths_linear(&series.bandwidths_gb_per_s()),
        remark: "Model: the figure at offset 0 × efficiency at 64 B relative to offset 0. Packed windows straddle blocks that their \
                 neighbours need too: fetched once if all is shared (compulsory transactions), once for each window if nothing is \
                 (unshared). Wide elements make wide windows, of which the straddled block is a smaller part.",
        series,
    }
}

/// Rows of each width, narrow ones first.
fn by_width<'a>(rows: &[&'a Row]) -> Vec<(u32, Vec<&'a Row>)> {
    let mut groups = grouped(rows, |row| row.element_bytes);
    groups.sort_by_key(|(element_bytes, _)| *element_bytes);
    groups
}

/// From one lane to the next, in bytes; a descending stride stands at its size.
fn distance(row: &Row) -> Option<f64> {
    let stride = row.stride_elements?.unsigned_abs();
    Some(stride as f64 * f64::from(row.element_bytes))
}

fn offset(row: &Row) -> Option<f64> {
    row.offset_bytes.map(|offset| offset as f64)
}

/// (distance, efficiency at 64 bytes, reuse) at every stride from the first to the last of one width.
fn places(rows: &[&Row], element_bytes: u32) -> Vec<(f64, f64, f64)> {
    let strides = || rows.iter().filter_map(|row| row.stride_elements);
    let first = strides().min().unwrap_or(1).max(1).unsigned_abs();
    let last = strides().max().unwrap_or(0).max(0).unsigned_abs();
    let between = (first..=last.min(PREDICTED_STRIDE_MAX)).map(|stride| {
        let bytes = stride as f64 * f64::from(element_bytes);
        (bytes, format!("stride:{stride}"))
    });
    along(rows, distance, between)
        .iter()
        .map(|at| (at.x, at_64_bytes(at.efficiencies.compulsory), at.reuse))
        .filter(|(_, efficiency, _)| *efficiency > 0.0)
        .collect()
}

/// The figure at offset 0 times the efficiency relative to offset 0, if all and if nothing is shared; one where they agree.
fn offset_curves(
    rows: &[&Row],
    element_bytes: u32,
    measured: usize,
    baseline_gb_per_s: f64,
) -> Vec<Curve> {
    let along = along(rows, offset, offsets_between(rows));
    let curve = |sharing: Sharing, label: String| {
        let efficiency = |at: &Predicted| match sharing {
            Sharing::Everything => at_64_bytes(at.efficiencies.compulsory),
            Sharing::Nothing => at_64_bytes(at.efficiencies.unshared),
        };
        let aligned = along.iter().find(|at| at.x == 0.0).map_or(0.0, efficiency);
        let points = along
            .iter()
            .map(|at| (at.x, baseline_gb_per_s * efficiency(at) / aligned))
            .filter(|(_, predicted)| predicted.is_finite() && *predicted > 0.0);
        Curve {
            transaction_bytes: vec![64],
            label,
            measured,
            sharing,
            look: Look::Series,
            points: points.collect(),
        }
    };
    let shared = curve(
        Sharing::Everything,
        format!("model, {element_bytes} B, all shared"),
    );
    let alone = curve(
        Sharing::Nothing,
        format!("{element_bytes} B, if nothing is shared"),
    );
    if alone.points == shared.points {
        vec![shared]
    } else {
        vec![shared, alone]
    }
}
