//! The strip under a plot: what is left between the figures and what is predicted.

use super::ChartError;
use super::axis::Axis;
use super::canvas::{Align, Canvas, ink};
use super::frame::{frame, grid, pieces};
use super::marks::{self, Plot};
use super::series::{Fit, Series, Sharing};
use super::theme::{MUTED, Stroke, TICK_PX, in_drawing_order, residual_marker, solid};

/// A figure so close to the fit is as the model says: where a curve bends, real hardware rounds the corner by about as much.
pub(super) const CLOSE_PERCENT: f64 = 10.0;

/// What is left of one curve, and how it is drawn.
pub(super) struct Line {
    stroke: Stroke,
    ratios: Vec<(f64, f64)>,
}

/// What a strip shows, with its upright axis.
pub(super) enum Strip<'a> {
    /// Measured over predicted, a line for each prediction in which all is shared; the others are the far side of a band.
    Ratios { axis: Axis, lines: Vec<Line> },
    /// Measured over fitted, a marker for each figure.
    Residuals { axis: Axis, fit: &'a Fit },
}

impl<'a> Strip<'a> {
    /// The strip of `series`; `None` without a prediction, as there is nothing to compare with.
    pub(super) fn of(series: &'a Series) -> Option<Self> {
        if let Some(fit) = &series.fit {
            let percents: Vec<f64> = fit.residuals.iter().map(|r| r.percent).collect();
            let axis = Axis::residuals_percent(&percents);
            return Some(Self::Residuals { axis, fit });
        }
        let lines: Vec<Line> = in_drawing_order(&series.curves)
            .into_iter()
            .map(|(curve, stroke)| Line {
                stroke,
                ratios: match curve.sharing {
                    Sharing::Everything => series.residuals(curve),
                    Sharing::Nothing => Vec::new(),
                },
            })
            .collect();
        let ratios = lines.iter().flat_map(|line| &line.ratios);
        let axis = Axis::ratios(&ratios.map(|(_, ratio)| *ratio).collect::<Vec<_>>());
        (!lines.is_empty()).then_some(Self::Ratios { axis, lines })
    }

    /// The upright axis.
    pub(super) fn axis(&self) -> &Axis {
        match self {
            Self::Ratios { axis, .. } | Self::Residuals { axis, .. } => axis,
        }
    }

    /// Draws the strip in `plot`, whose upright axis is its own.
    pub(super) fn draw(&self, canvas: &Canvas, plot: &Plot) -> Result<(), ChartError> {
        match self {
            Self::Ratios { lines, .. } => {
                underlay(canvas, plot, 1.0, ["measured", "/ model"])?;
                for line in lines {
                    marks::curve(canvas, plot, &line.ratios, line.stroke)?;
                }
            }
            Self::Residuals { fit, .. } => {
                if let Some((left, right)) = pieces(plot).pop() {
                    marks::stripe(canvas, plot, (left, right), (-CLOSE_PERCENT, CLOSE_PERCENT))?;
                }
                underlay(canvas, plot, 0.0, ["measured", "over fit, %"])?;
                for residual in &fit.residuals {
                    if let Some(place) = plot.place((residual.x, residual.percent)) {
                        let marker =
                            residual_marker(fit.measured, residual.status, residual.is_fitted);
                        canvas.marker(place, marker)?;
                    }
                }
            }
        }
        Ok(())
    }
}

/// Grid, frame, the line at `holds`, on which a prediction that holds lies, and the axis's two lines of words.
fn underlay(canvas: &Canvas, plot: &Plot, holds: f64, words: [&str; 2]) -> Result<(), ChartError> {
    grid(canvas, plot)?;
    frame(canvas, plot)?;
    let middle = plot.top + plot.height / 2.0;
    for (words, across) in words.into_iter().zip([14.0, 31.0]) {
        canvas.text(words, (across, middle), ink(TICK_PX, Align::Upright))?;
    }
    for (left, right) in pieces(plot) {
        if let Some(y) = plot.down(holds) {
            canvas.line(&[(left, y), (right, y)], solid(MUTED, 1.0))?;
        }
    }
    Ok(())
}
