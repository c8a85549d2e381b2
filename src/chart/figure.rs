//! The frame of charts that have a number along their axis: plot, strip of residuals, axes, legend.
//!
//! Nothing can overlap: legend and caption have room of their own, and the sheet grows with them.

use super::ChartError;
use super::axis::Axis;
use super::canvas::{Align, Canvas, ink, sheet};
use super::frame::{frame, grid, pieces};
use super::landmarks::{self, Placed};
use super::legend;
use super::marks::{self, Plot};
use super::page::{self, MARGIN_PX, WIDTH_PX};
use super::series::Series;
use super::strip::Strip;
use super::theme::{
    INK, LABEL_PX, TICK_PX, fit_stroke, in_drawing_order, level_stroke, mark_stroke, solid,
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

impl Figure<'_> {
    /// The chart as SVG, with the lines of `caption` under it and `stamp` across it.
    pub(super) fn draw(
        &self,
        caption: &[String],
        stamp: Option<&str>,
    ) -> Result<String, ChartError> {
        let legend_left = PLOT_LEFT_PX + PLOT_WIDTH_PX + LEGEND_GAP_PX;
        let legend = legend::entries(self.series, WIDTH_PX - MARGIN_PX - legend_left);
        let conclusions = page::caption_lines(PLOT_LEFT_PX, &self.series.conclusions, &[]);
        let caption = page::caption_lines(PLOT_LEFT_PX, caption, &self.series.notes);
        let strip = Strip::of(self.series);
        let plot = Plot {
            left: PLOT_LEFT_PX,
            top: PLOT_TOP_PX,
            width: PLOT_WIDTH_PX,
            height: PLOT_HEIGHT_PX,
            x: &self.x,
            y: &self.y,
        };
        let landmarks = landmarks::placed(&self.series.landmarks, &plot);
        let plot = Plot {
            top: plot.top + landmarks::height_px(&landmarks),
            ..plot
        };
        let strip = strip.as_ref().map(|strip| {
            let plot = Plot {
                top: plot.bottom() + STRIP_GAP_PX,
                height: STRIP_HEIGHT_PX,
                y: strip.axis(),
                ..plot
            };
            (strip, plot)
        });
        let lowest = strip.as_ref().map_or(&plot, |(_, plot)| plot);
        let legend_bottom = plot.top + legend::height_px(&legend) + MARGIN_PX;
        let body_bottom = legend_bottom.max(lowest.bottom() + X_AXIS_HEIGHT_PX);
        let caption_top = body_bottom + page::conclusions_height_px(&conclusions);
        let height = caption_top + page::caption_height_px(&caption);
        sheet(
            self.title,
            (WIDTH_PX as u32, height.ceil() as u32),
            |canvas| {
                page::titles(canvas, PLOT_LEFT_PX, self.title, self.question)?;
                self.plot(canvas, &plot, &landmarks, stamp)?;
                if let Some((strip, plot)) = &strip {
                    strip.draw(canvas, plot)?;
                }
                self.x_axis(canvas, lowest)?;
                legend::draw(canvas, &legend, legend_left, plot.top)?;
                page::conclusions(canvas, &conclusions, (PLOT_LEFT_PX, body_bottom))?;
                page::caption(canvas, &caption, (PLOT_LEFT_PX, caption_top))
            },
        )
    }

    fn plot(
        &self,
        canvas: &Canvas,
        plot: &Plot,
        landmarks: &[Placed],
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
        landmarks::draw(canvas, plot, landmarks)?;
        for level in &self.series.levels {
            // Stride 0 reads each byte many times: no level holds for its useful bandwidth.
            let ends = plot.down(level.gb_per_s).zip(pieces(plot).pop());
            if let Some((y, (left, right))) = ends {
                canvas.line(&[(left, y), (right, y)], level_stroke(level))?;
            }
        }
        for (curve, stroke) in in_drawing_order(&self.series.curves) {
            marks::curve(canvas, plot, &curve.points, stroke)?;
        }
        if let Some(fit) = &self.series.fit {
            marks::curve(canvas, plot, &fit.points, fit_stroke(fit.is_determined))?;
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
