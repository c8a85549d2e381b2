//! Stride sweeps of several runs on one sheet, without the model.

use crate::record::Row;

use super::bandwidth_vs_stride::{place, x_and_y};
use super::figure::{Figure, USEFUL};
use super::series::{Measured, Series, measured_points};
use super::{Chart, ChartError};

/// Draws the stride suite of each run, named as its rows are in `runs`, with `remark` under the plot.
///
/// # Errors
/// Where drawing fails; no row makes it fail.
pub fn overlay(runs: &[(String, Vec<Row>)], remark: &str) -> Result<Chart, ChartError> {
    let measured = |(name, rows): &(String, Vec<Row>)| {
        let mine: Vec<&Row> = rows.iter().filter(|row| row.suite == "stride").collect();
        let mut points = measured_points(&mine, place);
        points.retain(|point| point.gb_per_s > 0.0);
        Measured::new(name.clone(), points)
    };
    let series = Series {
        measured: runs.iter().map(measured).collect(),
        ..Series::default()
    };
    let element_bytes = runs
        .iter()
        .flat_map(|(_, rows)| rows)
        .map(|row| row.element_bytes)
        .next();
    let (x, y) = x_and_y(&series);
    let figure = Figure {
        title: "Bandwidth against stride",
        question: "The same sweep, several times",
        x_label: format!("Stride (elements of {} B)", element_bytes.unwrap_or(4)),
        x,
        y_label: USEFUL,
        y,
        remark: "",
        series: &series,
    };
    Ok(Chart {
        name: "bandwidth-vs-stride-overlay".to_owned(),
        svg: figure.draw(&[remark.to_owned()], None)?,
    })
}
