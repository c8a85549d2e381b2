//! What is drawn inside a plot: curves, intervals and points.

use super::ChartError;
use super::axis::Axis;
use super::canvas::{Canvas, Place};
use super::series::{Measured, Point};
use super::theme::{BAND, Colour, Stroke, joined_stroke, marker, solid};
use crate::fit::is_trusted;

/// Half the width of the mark that stands for a line in the slot of stride 0.
const APART_HALF_PX: f64 = 11.0;
const CAP_HALF_PX: f64 = 3.0;

/// A rectangle with an axis along two of its sides.
pub(super) struct Plot<'a> {
    pub left: f64,
    pub top: f64,
    pub width: f64,
    pub height: f64,
    pub x: &'a Axis,
    pub y: &'a Axis,
}

impl Plot<'_> {
    pub(super) fn bottom(&self) -> f64 {
        self.top + self.height
    }

    /// Where `x` stands from the left of the sheet.
    pub(super) fn across(&self, x: f64) -> Option<f64> {
        self.x.position(x).map(|p| self.left + p * self.width)
    }

    /// Where `y` stands from the top of the sheet.
    pub(super) fn down(&self, y: f64) -> Option<f64> {
        self.y.position(y).map(|p| self.bottom() - p * self.height)
    }

    pub(super) fn place(&self, (x, y): (f64, f64)) -> Option<Place> {
        Some((self.across(x)?, self.down(y)?))
    }
}

/// A line through `points`; one in the slot of stride 0 becomes a short level mark.
pub(super) fn curve(
    canvas: &Canvas,
    plot: &Plot,
    points: &[(f64, f64)],
    stroke: Stroke,
) -> Result<(), ChartError> {
    let (apart, joined): (Vec<_>, Vec<_>) = points.iter().partition(|(x, _)| plot.x.is_apart(*x));
    for (x, y) in apart.into_iter().filter_map(|point| plot.place(point)) {
        canvas.line(&[(x - APART_HALF_PX, y), (x + APART_HALF_PX, y)], stroke)?;
    }
    let joined: Vec<Place> = joined
        .into_iter()
        .filter_map(|point| plot.place(point))
        .collect();
    if joined.len() > 1 {
        canvas.line(&joined, stroke)?;
    } else if let Some((x, y)) = joined.first() {
        // One swept value gives no line; a level mark shows what is predicted there.
        canvas.line(&[(x - APART_HALF_PX, *y), (x + APART_HALF_PX, *y)], stroke)?;
    }
    Ok(())
}

/// The room between the lower and the upper ends in `points`.
pub(super) fn band(
    canvas: &Canvas,
    plot: &Plot,
    points: &[(f64, f64, f64)],
) -> Result<(), ChartError> {
    let upper = points.iter().map(|(x, _, high)| (*x, *high));
    let lower = points.iter().rev().map(|(x, low, _)| (*x, *low));
    let outline: Vec<Place> = upper
        .chain(lower)
        .filter_map(|point| plot.place(point))
        .collect();
    canvas.area(&outline, BAND)
}

/// The room between two heights along a piece of a plot, as far as the axis shows it.
pub(super) fn stripe(
    canvas: &Canvas,
    plot: &Plot,
    (left, right): (f64, f64),
    (low, high): (f64, f64),
) -> Result<(), ChartError> {
    let top = plot.down(high).unwrap_or(plot.top);
    let bottom = plot.down(low).unwrap_or(plot.bottom());
    let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
    canvas.area(&corners, BAND)
}

/// The line through the trusted points of one measured series, broken where there are only others and at the slot of stride 0.
pub(super) fn joined(
    canvas: &Canvas,
    plot: &Plot,
    index: usize,
    measured: &Measured,
) -> Result<(), ChartError> {
    let trusted = |point: &&Point| is_trusted(point.status);
    let breaks = |point: &Point| {
        let mut here = measured.points.iter().filter(|other| other.x == point.x);
        plot.x.is_apart(point.x) || !here.any(|other| is_trusted(other.status))
    };
    for piece in measured.points.split(breaks) {
        let places: Vec<Place> = piece
            .iter()
            .filter(trusted)
            .filter_map(|point| plot.place((point.x, point.gb_per_s)))
            .collect();
        if places.len() > 1 {
            canvas.line(&places, joined_stroke(index))?;
        }
    }
    Ok(())
}

/// The points of one measured series, each with its interval.
pub(super) fn points(
    canvas: &Canvas,
    plot: &Plot,
    index: usize,
    measured: &Measured,
) -> Result<(), ChartError> {
    for point in &measured.points {
        let Some(place) = plot.place((point.x, point.gb_per_s)) else {
            continue;
        };
        let marker = marker(index, point.status);
        if let Some((low, high)) = point.interval_gb_per_s {
            // An interval that reaches zero ends at the frame of a log axis.
            let ends = (
                plot.down(high).unwrap_or(plot.top),
                plot.down(low).unwrap_or(plot.bottom()),
            );
            interval(canvas, place.0, ends, marker.colour)?;
        }
        canvas.marker(place, marker)?;
    }
    Ok(())
}

/// An upright bar with caps.
pub(super) fn interval(
    canvas: &Canvas,
    x: f64,
    (top, bottom): (f64, f64),
    colour: Colour,
) -> Result<(), ChartError> {
    let stroke = solid(colour, 1.0);
    canvas.line(&[(x, top), (x, bottom)], stroke)?;
    for y in [top, bottom] {
        canvas.line(&[(x - CAP_HALF_PX, y), (x + CAP_HALF_PX, y)], stroke)?;
    }
    Ok(())
}
