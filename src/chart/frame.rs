//! What surrounds and underlies the marks of a plot: grid, labels of axes, outline.

use super::ChartError;
use super::axis::Axis;
use super::canvas::{Align, Canvas, ink};
use super::marks::Plot;
use super::theme::{GRID, INK, LABEL_PX, TICK_PX, solid};

/// The height that a level axis takes under its plot.
pub(super) const LEVEL_AXIS_HEIGHT_PX: f64 = 54.0;

/// Pale lines at the labelled values, and the labels of the upright axis.
pub(super) fn grid(canvas: &Canvas, plot: &Plot) -> Result<(), ChartError> {
    for x in plot
        .x
        .ticks()
        .iter()
        .filter_map(|tick| plot.across(tick.value))
    {
        canvas.line(&[(x, plot.top), (x, plot.bottom())], solid(GRID, 1.0))?;
    }
    for tick in plot.y.ticks() {
        if let Some(y) = plot.down(tick.value) {
            for (left, right) in pieces(plot) {
                canvas.line(&[(left, y), (right, y)], solid(GRID, 1.0))?;
            }
            canvas.line(&[(plot.left - 5.0, y), (plot.left, y)], solid(INK, 1.0))?;
            canvas.text(
                &tick.label,
                (plot.left - 9.0, y),
                ink(TICK_PX, Align::Right),
            )?;
        }
    }
    Ok(())
}

/// The frame, in two pieces where the axis leaves a gap between stride 0 and the rest.
pub(super) fn frame(canvas: &Canvas, plot: &Plot) -> Result<(), ChartError> {
    for (left, right) in pieces(plot) {
        let corners = [
            (left, plot.top),
            (right, plot.top),
            (right, plot.bottom()),
            (left, plot.bottom()),
            (left, plot.top),
        ];
        canvas.line(&corners, solid(INK, 1.0))?;
    }
    Ok(())
}

/// The level axis of a plot between `left` and `right`: pale lines at the labelled values, the labels and `words` underneath.
pub(super) fn level_axis(
    canvas: &Canvas,
    axis: &Axis,
    words: &str,
    (left, right): (f64, f64),
    (top, bottom): (f64, f64),
) -> Result<(), ChartError> {
    for tick in axis.ticks() {
        if let Some(along) = axis.position(tick.value) {
            let x = left + along * (right - left);
            canvas.line(&[(x, top), (x, bottom)], solid(GRID, 1.0))?;
            canvas.line(&[(x, bottom), (x, bottom + 5.0)], solid(INK, 1.0))?;
            canvas.text(&tick.label, (x, bottom + 15.0), ink(TICK_PX, Align::Middle))?;
        }
    }
    canvas.line(&[(left, bottom), (right, bottom)], solid(INK, 1.0))?;
    let place = (left.midpoint(right), bottom + 36.0);
    canvas.text(words, place, ink(LABEL_PX, Align::Middle))
}

/// The left and right ends of the plot's pieces.
pub(super) fn pieces(plot: &Plot) -> Vec<(f64, f64)> {
    let right = plot.left + plot.width;
    match plot.x.gap() {
        None => vec![(plot.left, right)],
        Some((before, after)) => vec![
            (plot.left, plot.left + before * plot.width),
            (plot.left + after * plot.width, right),
        ],
    }
}
