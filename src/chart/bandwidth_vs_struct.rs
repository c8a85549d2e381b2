//! Useful bandwidth of one field against the size of the struct around it, beside the same field as an array of its own and beside
//! reading every field.

use crate::fit::{
    is_array_alone, is_field, is_trusted, is_whole_struct, issue_ceiling_gb_per_s, trusted_gb_per_s,
};
use crate::record::{Row, Status};
use crate::stats::median;
use crate::units::significant;

use super::axis::Axis;
use super::figure::{Figure, USEFUL};
use super::prediction::{along, bounded_curves};
use super::series::{
    Curve, Level, Measured, Point, Series, grouped, measured_points, notes_of_missing,
};

/// The suite whose rows this chart draws; also the stem of its file's name after `bandwidth-vs-`.
pub(super) const SUITE: &str = "struct";

/// Structs between the swept ones are predicted up to this size.
const PREDICTED_BYTES_MAX: u64 = 1024;

/// Whether this chart has something to show for `row`.
pub(super) fn has_place(row: &Row) -> bool {
    row.struct_bytes.is_some() || is_array_alone(row)
}

/// What the chart of `rows`, all of one element width and operation, shows.
pub fn series(rows: &[&Row]) -> Series {
    let of = |wanted: fn(&Row) -> bool| rows.iter().copied().filter(move |row| wanted(row));
    let fields: Vec<&Row> = of(is_field).collect();
    let groups = grouped(&fields, |row| row.layout.clone());
    let several = groups.len() > 1;
    // A lane that reads a whole struct issues another number of loads: C is that of one field.
    let single: Vec<&Row> = of(|row| !is_whole_struct(row)).collect();
    let ceiling_gb_per_s = issue_ceiling_gb_per_s(&single);
    let mut series = Series {
        levels: of(is_array_alone).find_map(level).into_iter().collect(),
        notes: notes_of_missing(rows, name, |figure| figure > 0.0),
        ..Series::default()
    };
    for (layout, members) in groups {
        let index = series.measured.len();
        if layout == "packed" {
            series.curves = curves(&members, &single, index, ceiling_gb_per_s);
        }
        let name = if several { layout } else { String::new() };
        series.measured.push(fields_of(name, &members));
    }
    let whole: Vec<&Row> = of(is_whole_struct).collect();
    let mut points = measured_points(&whole, place);
    points.retain(|point| point.gb_per_s > 0.0);
    if !points.is_empty() {
        let name = "all fields of the struct";
        series.measured.push(Measured::new(name.to_owned(), points));
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
        remark: if series.curves.is_empty() {
            "No model: no packed struct has a trusted figure for B. The footprint is constant: useful bytes fall as the struct grows."
        } else {
            "Model: the lower of C (highest useful bandwidth of one field) and B × efficiency (compulsory transactions), B being the \
             median of the upper quarter of fetched bandwidths. The footprint is constant: useful bytes fall as the struct grows. Reading all \
             fields uses all that is fetched: no loss is predicted for it."
        },
        series,
    }
}

fn place(row: &Row) -> Option<f64> {
    row.struct_bytes.map(|bytes| bytes as f64)
}

fn name(row: &Row) -> String {
    match (row.struct_bytes, row.field_bytes) {
        (Some(bytes), Some(field)) => format!("byte {field} of a struct of {bytes} B"),
        (Some(bytes), None) => format!("all of a struct of {bytes} B"),
        _ => "the field as an array of its own".to_owned(),
    }
}

/// A point for each size of struct. Where several fields of it are trusted, they are one point: their median, with a bar over all
/// of their intervals; what a guard was raised for stands for itself.
fn fields_of(name: String, rows: &[&Row]) -> Measured {
    let mut points = measured_points(rows, place);
    points.retain(|point| point.gb_per_s > 0.0);
    let (trusted, guarded): (Vec<Point>, Vec<Point>) = points
        .into_iter()
        .partition(|point| is_trusted(point.status));
    let mut points: Vec<Point> = trusted
        .chunk_by(|a, b| a.x == b.x)
        .filter_map(merged)
        .collect();
    let several = points.len() < trusted.len();
    points.extend(guarded);
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    let measured = Measured::new(name, points);
    if several {
        Measured {
            bar: "median of the fields, bar over all their 95 % intervals",
            ..measured
        }
    } else {
        measured
    }
}

/// The fields of one struct as one point.
fn merged(fields: &[Point]) -> Option<Point> {
    let figures: Vec<f64> = fields.iter().map(|field| field.gb_per_s).collect();
    let ends = fields.iter().flat_map(|field| {
        let (low, high) = field
            .interval_gb_per_s
            .unwrap_or((field.gb_per_s, field.gb_per_s));
        [low, high]
    });
    let lowest = ends.clone().reduce(f64::min)?;
    let highest = ends.reduce(f64::max)?;
    let noisy = fields.iter().any(|field| field.status != Status::Ok);
    Some(Point {
        x: fields.first()?.x,
        gb_per_s: median(&figures)?,
        interval_gb_per_s: (lowest < highest).then_some((lowest, highest)),
        status: if noisy { Status::Noisy } else { Status::Ok },
    })
}

/// The line of the field that no struct stands around.
fn level(row: &Row) -> Option<Level> {
    let gb_per_s = trusted_gb_per_s(row)?;
    Some(Level {
        label: format!(
            "same field as an array of its own, measured: {} GB/s",
            significant(gb_per_s)
        ),
        measured: None,
        gb_per_s,
    })
}

/// The model at every struct of whole elements from the smallest to the largest, with the plateaus of `single`.
fn curves(
    fields: &[&Row],
    single: &[&Row],
    measured: usize,
    ceiling_gb_per_s: Option<f64>,
) -> Vec<Curve> {
    let sizes = || fields.iter().filter_map(|row| row.struct_bytes);
    let element_bytes = fields.first().map_or(1, |row| row.element_bytes.max(1));
    let (first, last) = (sizes().min().unwrap_or(1), sizes().max().unwrap_or(0));
    let between = (1..=last.min(PREDICTED_BYTES_MAX))
        .filter(|bytes| *bytes >= first && bytes.is_multiple_of(element_bytes.into()))
        .map(|bytes| (bytes as f64, format!("struct:{bytes}B")));
    let along = along(fields, place, between);
    let packed: Vec<&Row> = single
        .iter()
        .copied()
        .filter(|row| row.layout == "packed")
        .collect();
    bounded_curves(&packed, &along, measured, ceiling_gb_per_s)
}
