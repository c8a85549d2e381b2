//! The frame of charts in which runs are compared pattern by pattern: a line for each pattern, and on it a mark for each run.
//!
//! Nothing can overlap: the legend stands above the plot, every run has a level of its own on each line, and lines grow with them.

use super::ChartError;
use super::axis::Axis;
use super::bar_figure::{span, whisker};
use super::canvas::{Align, Canvas, ink, sheet};
use super::frame::{LEVEL_AXIS_HEIGHT_PX, level_axis};
use super::legend::{self, Entry, Sample};
use super::page::{self, MARGIN_PX, WIDTH_PX};
use super::series::{Point, Series};
use super::text::{break_name, width_px};
use super::theme::{CAPTION_PX, GRID, MUTED, marker, solid, status_word};
use crate::record::Status;

const LABEL_MAX_PX: f64 = 265.0;
const LABEL_LINES_MAX: usize = 3;
const LABEL_GAP_PX: f64 = 12.0;
const TEXT_LINE_PX: f64 = 16.0;
/// From one run's level to the next.
const LEVEL_PX: f64 = 12.0;
const LINE_GAP_PX: f64 = 12.0;
const LEGEND_GAP_PX: f64 = 8.0;

/// A chart of marks before it is drawn.
pub(super) struct DotFigure<'a> {
    pub title: &'static str,
    pub question: &'a str,
    pub x_label: &'a str,
    pub x: Axis,
    /// The pattern at each place of the series: their first is at 0.
    pub patterns: &'a [String],
    /// A run is a measured series; what its points stand at is the number of their pattern.
    pub series: &'a Series,
}

/// A pattern's line.
struct Line {
    /// The number of its pattern.
    place: f64,
    label: Vec<String>,
    middle: f64,
    bottom: f64,
}

impl DotFigure<'_> {
    /// The chart as SVG, with the lines of `caption` under it and `stamp` across it.
    pub(super) fn draw(
        &self,
        caption: &[String],
        stamp: Option<&str>,
    ) -> Result<String, ChartError> {
        let legend = legend::flow(self.legend(), WIDTH_PX - 2.0 * MARGIN_PX);
        let top = page::TITLES_BOTTOM_PX + legend::flow_height_px(&legend) + LEGEND_GAP_PX;
        let left = self.plot_left();
        let lines = self.lines(left, top);
        let bottom = lines.last().map_or(top, |line| line.bottom);
        let caption = page::caption_lines(MARGIN_PX, caption, &self.series.notes);
        let body_bottom = bottom + LEVEL_AXIS_HEIGHT_PX;
        let height = body_bottom + page::caption_height_px(&caption);
        sheet(
            self.title,
            (WIDTH_PX as u32, height.ceil() as u32),
            |canvas| {
                page::titles(canvas, MARGIN_PX, self.title, self.question)?;
                legend::draw_flow(canvas, &legend, (MARGIN_PX, page::TITLES_BOTTOM_PX))?;
                self.axis(canvas, left, (top, bottom))?;
                if let Some(stamp) = stamp {
                    let width = WIDTH_PX - MARGIN_PX - left;
                    let size_px = page::stamp_px(stamp, width, bottom - top);
                    let place = (left + width / 2.0, top.midpoint(bottom));
                    page::stamp(canvas, stamp, place, size_px)?;
                }
                for line in &lines {
                    self.line(canvas, left, line)?;
                }
                page::caption(canvas, &caption, (MARGIN_PX, body_bottom))
            },
        )
    }

    fn legend(&self) -> Vec<Entry> {
        let runs = self.series.measured.iter().enumerate();
        let mut entries: Vec<Entry> = runs
            .map(|(index, run)| {
                Entry::of_one_line(Sample::Point(marker(index, Status::Ok)), &run.name)
            })
            .collect();
        let bands = self.series.bands.iter();
        entries.extend(bands.map(|band| Entry::of_one_line(Sample::Span, &band.label)));
        let points = self.series.measured.iter().flat_map(|run| &run.points);
        for status in legend::guards(points.map(|point| point.status)) {
            // One entry stands for every run, so it has no run's colour.
            let mut sample = marker(0, status);
            sample.colour = MUTED;
            entries.push(Entry::of_one_line(
                Sample::Point(sample),
                status_word(status),
            ));
        }
        entries
    }

    fn plot_left(&self) -> f64 {
        let widths = self.patterns.iter().map(|name| width_px(name, CAPTION_PX));
        MARGIN_PX + widths.fold(0.0, f64::max).min(LABEL_MAX_PX).ceil() + 1.0 + LABEL_GAP_PX
    }

    /// A line for each pattern that has a figure, from `top` on.
    fn lines(&self, left: f64, top: f64) -> Vec<Line> {
        let mut places = self.series.xs();
        places.extend(
            self.series
                .bands
                .iter()
                .flat_map(|band| &band.points)
                .map(|point| point.0),
        );
        places.sort_by(f64::total_cmp);
        places.dedup();
        let levels_px = self.series.measured.len() as f64 * LEVEL_PX;
        let mut bottom = top;
        let line = |place: f64| {
            let name = self.patterns.get(place as usize).map_or("", String::as_str);
            let room_px = left - LABEL_GAP_PX - MARGIN_PX;
            let label = break_name(name, room_px, CAPTION_PX, LABEL_LINES_MAX);
            let height = levels_px.max(label.len() as f64 * TEXT_LINE_PX) + LINE_GAP_PX;
            bottom += height;
            Line {
                place,
                label,
                middle: bottom - height / 2.0,
                bottom,
            }
        };
        places.into_iter().map(line).collect()
    }

    /// The axis and a pale line above the plot.
    fn axis(
        &self,
        canvas: &Canvas,
        left: f64,
        (top, bottom): (f64, f64),
    ) -> Result<(), ChartError> {
        let right = WIDTH_PX - MARGIN_PX;
        level_axis(canvas, &self.x, self.x_label, (left, right), (top, bottom))?;
        canvas.line(&[(left, top), (right, top)], solid(GRID, 1.0))
    }

    /// Where `value` stands from the left of the sheet.
    fn across(&self, left: f64, value: f64) -> Option<f64> {
        let width = WIDTH_PX - MARGIN_PX - left;
        self.x
            .position(value)
            .map(|position| left + position * width)
    }

    fn line(&self, canvas: &Canvas, left: f64, line: &Line) -> Result<(), ChartError> {
        let right = WIDTH_PX - MARGIN_PX;
        canvas.line(
            &[(left, line.bottom), (right, line.bottom)],
            solid(GRID, 1.0),
        )?;
        let mut y = line.middle - (line.label.len() as f64 - 1.0) / 2.0 * TEXT_LINE_PX;
        for text in &line.label {
            canvas.text(
                text,
                (left - LABEL_GAP_PX, y),
                ink(CAPTION_PX, Align::Right),
            )?;
            y += TEXT_LINE_PX;
        }
        let bands = self.series.bands.iter().flat_map(|band| &band.points);
        for (_, low, high) in bands.filter(|point| point.0 == line.place) {
            if let Some(ends) = self.across(left, *low).zip(self.across(left, *high)) {
                span(canvas, ends, line.middle)?;
            }
        }
        let levels = self.series.measured.len() as f64;
        for (index, run) in self.series.measured.iter().enumerate() {
            let y = line.middle + (index as f64 - (levels - 1.0) / 2.0) * LEVEL_PX;
            for point in run.points.iter().filter(|point| point.x == line.place) {
                self.point(canvas, left, index, point, y)?;
            }
        }
        Ok(())
    }

    fn point(
        &self,
        canvas: &Canvas,
        left: f64,
        index: usize,
        point: &Point,
        y: f64,
    ) -> Result<(), ChartError> {
        let Some(x) = self.across(left, point.gb_per_s) else {
            return Ok(());
        };
        if let Some((low, high)) = point.interval_gb_per_s {
            // An interval that reaches zero ends at the left of a log axis.
            let ends = (
                self.across(left, low).unwrap_or(left),
                self.across(left, high).unwrap_or(WIDTH_PX - MARGIN_PX),
            );
            whisker(canvas, ends, y)?;
        }
        canvas.marker((x, y), marker(index, point.status))
    }
}
