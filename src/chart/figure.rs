//! The frame of charts that have a number along their axis: plot, strip of residuals, axes, legend.
//!
//! Nothing can overlap: legend and caption have room of their own, and the sheet grows with them.

use super::ChartError;
use super::axis::Axis;
use super::canvas::{Align, Canvas, ink, sheet};
use super::legend;
use super::marks::{self, Plot};
use super::page::{self, MARGIN_PX, WIDTH_PX};
use super::series::{Series, Sharing};
use super::theme::{
    GRID, INK, LABEL_PX, MUTED, Stroke, TICK_PX, curve_stroke, level_stroke, mark_stroke, solid,
};

const PLOT_LEFT_PX: f64 = 82.0;
const PLOT_TOP_PX: f64 = page::TITLES_BOTTOM_PX;
const PLOT_WIDTH_PX: f64 = 640.0;
const PLOT_HEIGHT_PX: f64 = 320.0;
const STRIP_GAP_PX: f64 = 14.0;
const STRIP_HEIGHT_PX: f64 = 76.0;
const X_AXIS_HEIGHT_PX: f64 = 54.0;
const LEGEND_GAP_PX: f64 = 20.0;

/// The upright axis of most charts.
pub(super) const USEFUL: &str = "Useful bandwidth (GB/s)";

/// A chart before it is drawn.
pub(super) struct Figure<'a> {
    pub title: &'static str,
    pub question: &'a str,
    pub x_label: String,
    pub x: Axis,
    pub y_label: &'static str,
    pub y: Axis,
    pub remark: &'static str,
    pub series: &'a Series,
}

/// A curve with the look it has in the plot and in the strip.
struct Line<'a> {
    stroke: Stroke,
    points: &'a [(f64, f64)],
    residuals: Vec<(f64, f64)>,
}

impl Figure<'_> {
    /// The chart as SVG, with the lines of `caption` under it and `stamp` across it.
    pub(super) fn draw(
        &self,
        caption: &[String],
        stamp: Option<&str>,
    ) -> Result<String, ChartError> {
        let legend_left = PLOT_LEFT_PX + PLOT_WIDTH_PX + LEGEND_GAP_PX;
        let legend = legend::entries(self.series, WIDTH_PX - MARGIN_PX - legend_left);
        let caption = page::caption_lines(PLOT_LEFT_PX, caption, &self.series.notes);
        let lines = self.lines();
        let ratios: Vec<f64> = lines
            .iter()
            .flat_map(|line| &line.residuals)
            .map(|(_, r)| *r)
            .collect();
        let strip_y = Axis::ratios(&ratios);
        let plot = Plot {
            left: PLOT_LEFT_PX,
            top: PLOT_TOP_PX,
            width: PLOT_WIDTH_PX,
            height: PLOT_HEIGHT_PX,
            x: &self.x,
            y: &self.y,
        };
        let strip = Plot {
            top: plot.bottom() + STRIP_GAP_PX,
            height: STRIP_HEIGHT_PX,
            y: &strip_y,
            ..plot
        };
        // Without a prediction there is nothing to compare with, and no strip.
        let lowest = if lines.is_empty() { &plot } else { &strip };
        let legend_bottom = PLOT_TOP_PX + legend::height_px(&legend) + MARGIN_PX;
        let body_bottom = legend_bottom.max(lowest.bottom() + X_AXIS_HEIGHT_PX);
        let height = body_bottom + page::caption_height_px(&caption);
        sheet(
            self.title,
            (WIDTH_PX as u32, height.ceil() as u32),
            |canvas| {
                page::titles(canvas, PLOT_LEFT_PX, self.title, self.question)?;
                self.plot(canvas, &plot, &lines, stamp)?;
                if !lines.is_empty() {
                    strip_of_residuals(canvas, &strip, &lines)?;
                }
                self.x_axis(canvas, lowest)?;
                legend::draw(canvas, &legend, legend_left, PLOT_TOP_PX)?;
                page::caption(canvas, &caption, (PLOT_LEFT_PX, body_bottom))
            },
        )
    }

    /// The curves, whole lines first: where curves agree, the broken ones lie on top and let the others show. Figures are compared
    /// with the predictions in which all is shared; the others are the far side of a band.
    fn lines(&self) -> Vec<Line<'_>> {
        let curves = self.series.curves.iter();
        let mut lines: Vec<Line> = curves
            .map(|curve| Line {
                stroke: curve_stroke(curve),
                points: &curve.points,
                residuals: match curve.sharing {
                    Sharing::Everything => self.series.residuals(curve),
                    Sharing::Nothing => Vec::new(),
                },
            })
            .collect();
        lines.sort_by_key(|line| line.stroke.dash);
        lines
    }

    fn plot(
        &self,
        canvas: &Canvas,
        plot: &Plot,
        lines: &[Line],
        stamp: Option<&str>,
    ) -> Result<(), ChartError> {
        for band in &self.series.bands {
            marks::band(canvas, plot, &band.points)?;
        }
        grid(canvas, plot)?;
        if let Some(stamp) = stamp {
            // Low in the plot, where the fewest figures are, and behind them.
            let size_px = page::stamp_px(stamp, plot.width, plot.height);
            let place = (plot.left + plot.width / 2.0, plot.bottom() - size_px * 0.9);
            page::stamp(canvas, stamp, place, size_px)?;
        }
        frame(canvas, plot)?;
        canvas.text(
            self.y_label,
            (24.0, plot.top + plot.height / 2.0),
            ink(LABEL_PX, Align::Upright),
        )?;
        for mark in &self.series.marks {
            if let Some(x) = plot.across(mark.x) {
                canvas.line(&[(x, plot.top), (x, plot.bottom())], mark_stroke(mark.kind))?;
            }
        }
        for level in &self.series.levels {
            // Stride 0 reads each byte many times: no level holds for its useful bandwidth.
            let ends = plot.down(level.gb_per_s).zip(pieces(plot).pop());
            if let Some((y, (left, right))) = ends {
                canvas.line(&[(left, y), (right, y)], level_stroke(level))?;
            }
        }
        for line in lines {
            marks::curve(canvas, plot, line.points, line.stroke)?;
        }
        let joined = self.series.measured.iter().enumerate();
        for (index, measured) in joined.filter(|(_, measured)| measured.joined) {
            marks::joined(canvas, plot, index, measured)?;
        }
        for (index, measured) in self.series.measured.iter().enumerate() {
            marks::points(canvas, plot, index, measured)?;
        }
        if self.series.xs().is_empty() && self.series.levels.is_empty() {
            let middle = (plot.left + plot.width / 2.0, plot.top + plot.height * 0.4);
            canvas.text("no figures to draw", middle, ink(LABEL_PX, Align::Middle))?;
        }
        Ok(())
    }

    /// The labels under the lowest plot.
    fn x_axis(&self, canvas: &Canvas, plot: &Plot) -> Result<(), ChartError> {
        let bottom = plot.bottom();
        for tick in plot.x.ticks() {
            if let Some(x) = plot.across(tick.value) {
                canvas.line(&[(x, bottom), (x, bottom + 5.0)], solid(INK, 1.0))?;
                canvas.text(&tick.label, (x, bottom + 15.0), ink(TICK_PX, Align::Middle))?;
            }
        }
        let place = (plot.left + plot.width / 2.0, bottom + 36.0);
        canvas.text(&self.x_label, place, ink(LABEL_PX, Align::Middle))
    }
}

/// Measured over predicted: a model that holds lies on the line at 1.
fn strip_of_residuals(canvas: &Canvas, strip: &Plot, lines: &[Line]) -> Result<(), ChartError> {
    grid(canvas, strip)?;
    frame(canvas, strip)?;
    let middle = strip.top + strip.height / 2.0;
    canvas.text("measured", (14.0, middle), ink(TICK_PX, Align::Upright))?;
    canvas.text("/ model", (31.0, middle), ink(TICK_PX, Align::Upright))?;
    for (left, right) in pieces(strip) {
        if let Some(y) = strip.down(1.0) {
            canvas.line(&[(left, y), (right, y)], solid(MUTED, 1.0))?;
        }
    }
    for line in lines {
        marks::curve(canvas, strip, &line.residuals, line.stroke)?;
    }
    Ok(())
}

/// Pale lines at the labelled values, and the labels of the upright axis.
fn grid(canvas: &Canvas, plot: &Plot) -> Result<(), ChartError> {
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
fn frame(canvas: &Canvas, plot: &Plot) -> Result<(), ChartError> {
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

/// The left and right ends of the plot's pieces.
fn pieces(plot: &Plot) -> Vec<(f64, f64)> {
    let right = plot.left + plot.width;
    match plot.x.gap() {
        None => vec![(plot.left, right)],
        Some((before, after)) => vec![
            (plot.left, plot.left + before * plot.width),
            (plot.left + after * plot.width, right),
        ],
    }
}
