//! Useful bandwidth of one field against the size of the struct around it, beside the same field as an array of its own.

use crate::fit::{issue_ceiling_gb_per_s, trusted_gb_per_s};
use crate::record::Row;
use crate::units::significant;

use super::axis::Axis;
use super::figure::{Figure, USEFUL};
use super::prediction::{along, bounded_curves};
use super::series::{Curve, Level, Measured, Series, grouped, measured_points, notes_of_missing};

/// The suite whose rows this chart draws; also the stem of its file's name after `bandwidth-vs-`.
pub(super) const SUITE: &str = "struct";

/// The pattern of the row that no struct stands around.
const ALONE: &str = "soa";
/// Structs between the swept ones are predicted up to this size.
const PREDICTED_BYTES_MAX: u64 = 1024;

/// Whether this chart has something to show for `row`.
pub(super) fn has_place(row: &Row) -> bool {
    row.struct_bytes.is_some() || row.pattern == ALONE
}

/// What the chart of `rows`, all of one element width and operation, shows.
pub fn series(rows: &[&Row]) -> Series {
    let (structs, alone): (Vec<&Row>, Vec<&Row>) =
        rows.iter().partition(|row| row.struct_bytes.is_some());
    let groups = grouped(&structs, |row| row.layout.clone());
    let several = groups.len() > 1;
    let ceiling_gb_per_s = issue_ceiling_gb_per_s(rows);
    let mut series = Series {
        level: alone.iter().find_map(|row| level(row)),
        notes: notes_of_missing(rows, name, |figure| figure > 0.0),
        ..Series::default()
    };
    for (layout, members) in groups {
        let index = series.measured.len();
        if layout == "packed" {
            series.curves = curves(&members, index, ceiling_gb_per_s);
        }
        let mut points = measured_points(&members, place);
        points.retain(|point| point.gb_per_s > 0.0);
        series.measured.push(Measured {
            name: if several { layout } else { String::new() },
            points,
        });
    }
    series
}

pub(super) fn figure(series: &Series, element_bytes: u32) -> Figure<'_> {
    Figure {
        title: "Bandwidth against struct size",
        question: "What does one field of an array of structs cost, against an array of that field alone?",
        x_label: format!(
            "Size of the struct (bytes), of which a field of {element_bytes} B is read"
        ),
        x: Axis::bytes(&series.xs()).with_end_room(),
        y_label: USEFUL,
        y: Axis::bandwidths_log(&series.bandwidths_gb_per_s()),
        remark: "Model: the lower of C (highest useful bandwidth measured) and B × efficiency (compulsory transactions), B being the \
                 median of the upper quarter of fetched bandwidths. The footprint is constant: useful bytes fall as the struct grows.",
        series,
    }
}

fn place(row: &Row) -> Option<f64> {
    row.struct_bytes.map(|bytes| bytes as f64)
}

fn name(row: &Row) -> String {
    match row.struct_bytes {
        Some(bytes) => format!("struct of {bytes} B"),
        None => "the field as an array of its own".to_owned(),
    }
}

/// The line of the field that no struct stands around.
fn level(row: &Row) -> Option<Level> {
    let gb_per_s = trusted_gb_per_s(row)?;
    Some(Level {
        label: format!(
            "same field as an array of its own, measured: {} GB/s",
            significant(gb_per_s)
        ),
        gb_per_s,
    })
}

/// The model at every struct of whole elements from the smallest to the largest.
fn curves(rows: &[&Row], measured: usize, ceiling_gb_per_s: Option<f64>) -> Vec<Curve> {
    let sizes = || rows.iter().filter_map(|row| row.struct_bytes);
    let element_bytes = rows.first().map_or(1, |row| row.element_bytes.max(1));
    let (first, last) = (sizes().min().unwrap_or(1), sizes().max().unwrap_or(0));
    let between = (1..=last.min(PREDICTED_BYTES_MAX))
        .filter(|bytes| *bytes >= first && bytes.is_multiple_of(element_bytes.into()))
        .map(|bytes| (bytes as f64, format!("struct:{bytes}B")));
    let along = along(rows, place, between);
    bounded_curves(rows, &along, measured, ceiling_gb_per_s)
}
