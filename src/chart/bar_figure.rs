//! The frame of charts that have patterns along their upright axis: a bar each, its name at the left, its figure and a remark at the
//! right.
//!
//! Nothing can overlap: columns are as wide as what stands in them up to a limit, then their text is broken, and rows grow with it.

use super::ChartError;
use super::axis::Axis;
use super::bars::{Bar, Bars};
use super::canvas::{Align, Canvas, Style, ink, sheet};
use super::frame::{LEVEL_AXIS_HEIGHT_PX, level_axis};
use super::legend::{self, Entry, Sample};
use super::page::{self, MARGIN_PX, WIDTH_PX};
use super::text::{break_name, width_px, wrap_facts};
use super::theme::{
    BAR, CAPTION_PX, FORESEEN, Fill, GUARDED_BAR, INK, LABEL_PX, MUTED, PAPER, SPAN,
    counted_marker, marker, solid, status_word,
};
use crate::record::Status;

const LABEL_MAX_PX: f64 = 265.0;
const LABEL_LINES_MAX: usize = 3;
const REMARK_MAX_PX: f64 = 190.0;
const REMARK_MIN_PX: f64 = 90.0;
const COLUMN_GAP_PX: f64 = 12.0;

const TEXT_LINE_PX: f64 = 16.0;
const ROW_GAP_PX: f64 = 15.0;
pub(super) const HEADING_PX: f64 = 32.0;
/// The height of a plot without bars.
pub(super) const EMPTY_PX: f64 = 150.0;
pub(super) const COLUMN_HEADS_PX: f64 = 24.0;

const BAR_HALF_PX: f64 = 5.5;
const SPAN_HALF_PX: f64 = 10.5;
const CAP_HALF_PX: f64 = 3.5;
/// Predictions closer than this are one mark.
const SPAN_MIN_PX: f64 = 3.0;

/// A chart of bars before it is drawn.
pub(super) struct BarFigure<'a> {
    pub title: &'static str,
    pub question: &'static str,
    pub x_label: &'static str,
    pub x: Axis,
    /// Above the column of figures: their unit.
    pub figure_heading: &'static str,
    /// Above the column of remarks.
    pub remark_heading: &'static str,
    /// The legend's words for a bar, for a span of predictions and for a figure of another tool.
    pub measured: &'static str,
    pub predicted: &'static str,
    pub counted: &'static str,
    pub remark: &'static str,
    pub bars: &'a Bars,
}

/// The places of the columns from the left of the sheet.
struct Columns {
    plot_left: f64,
    plot_right: f64,
    figure_right: f64,
    remark_left: f64,
}

/// A line of the chart: a heading or a bar with its broken text, and the middle of its height.
struct Line<'a> {
    middle: f64,
    content: Content<'a>,
}

enum Content<'a> {
    Heading(&'a str),
    Bar {
        bar: &'a Bar,
        label: Vec<String>,
        remark: Vec<String>,
    },
}

impl BarFigure<'_> {
    /// The chart as SVG, with the lines of `caption` under it and `stamp` across it.
    pub(super) fn draw(
        &self,
        caption: &[String],
        stamp: Option<&str>,
    ) -> Result<String, ChartError> {
        let legend = legend::flow(self.legend(), WIDTH_PX - 2.0 * MARGIN_PX);
        let heads_top = page::TITLES_BOTTOM_PX + legend::flow_height_px(&legend);
        let top = heads_top + COLUMN_HEADS_PX;
        let columns = self.columns();
        let (lines, bottom) = self.lines(&columns, top);
        let caption = page::caption_lines(MARGIN_PX, caption, &self.bars.notes);
        let body_bottom = bottom + LEVEL_AXIS_HEIGHT_PX;
        let height = body_bottom + page::caption_height_px(&caption);
        sheet(
            self.title,
            (WIDTH_PX as u32, height.ceil() as u32),
            |canvas| {
                page::titles(canvas, MARGIN_PX, self.title, self.question)?;
                legend::draw_flow(canvas, &legend, (MARGIN_PX, page::TITLES_BOTTOM_PX))?;
                self.column_heads(canvas, &columns, heads_top)?;
                self.axis(canvas, &columns, (top, bottom))?;
                for line in &lines {
                    self.line(canvas, &columns, line)?;
                }
                if let Some(stamp) = stamp {
                    let width = columns.plot_right - columns.plot_left;
                    let size_px = page::stamp_px(stamp, width, bottom - top);
                    let place = (columns.plot_left + width / 2.0, top.midpoint(bottom));
                    page::stamp(canvas, stamp, place, size_px)?;
                }
                page::caption(canvas, &caption, (MARGIN_PX, body_bottom))
            },
        )
    }

    fn legend(&self) -> Vec<Entry> {
        let bars = || self.bars.bars();
        let mut entries = vec![Entry::of_one_line(Sample::Bar, self.measured)];
        let mut predicted = bars().filter_map(|bar| bar.predicted).peekable();
        if predicted.peek().is_some() {
            let agree = predicted.all(|(low, high)| low == high);
            let sample = if agree { Sample::Tick } else { Sample::Span };
            entries.push(Entry::of_one_line(sample, self.predicted));
        }
        if bars().any(|bar| bar.counted.is_some()) {
            entries.push(Entry::of_one_line(
                Sample::Point(counted_marker()),
                self.counted,
            ));
        }
        for status in legend::guards(bars().map(|bar| bar.status)) {
            let sample = Sample::Point(marker(0, status));
            entries.push(Entry::of_one_line(sample, status_word(status)));
        }
        entries
    }

    fn columns(&self) -> Columns {
        let widest = |texts: &mut dyn Iterator<Item = &str>| {
            texts
                .map(|text| width_px(text, CAPTION_PX))
                .fold(0.0, f64::max)
        };
        let bars = || self.bars.bars();
        let label = widest(&mut bars().map(|bar| bar.label.as_str()))
            .min(LABEL_MAX_PX)
            .ceil()
            + 1.0;
        let heading = std::iter::once(self.figure_heading);
        let figure = widest(&mut bars().map(|bar| bar.figure.as_str()).chain(heading));
        let heading = std::iter::once(self.remark_heading);
        let remark = widest(&mut bars().map(|bar| bar.remark.as_str()).chain(heading))
            .clamp(REMARK_MIN_PX, REMARK_MAX_PX)
            .ceil()
            + 1.0;
        let remark_left = WIDTH_PX - MARGIN_PX - remark;
        let figure_right = remark_left - 1.5 * COLUMN_GAP_PX;
        Columns {
            plot_left: MARGIN_PX + label + COLUMN_GAP_PX,
            plot_right: figure_right - figure - COLUMN_GAP_PX,
            figure_right,
            remark_left,
        }
    }

    /// The lines from `top` on, and where the last ends.
    fn lines(&self, columns: &Columns, top: f64) -> (Vec<Line<'_>>, f64) {
        let label_px = columns.plot_left - COLUMN_GAP_PX - MARGIN_PX;
        let remark_px = WIDTH_PX - MARGIN_PX - columns.remark_left;
        let mut lines = Vec::new();
        let mut y = top;
        let mut add = |content, height: f64| {
            lines.push(Line {
                middle: y + height / 2.0,
                content,
            });
            y += height;
        };
        for group in &self.bars.groups {
            if !group.heading.is_empty() {
                add(Content::Heading(&group.heading), HEADING_PX);
            }
            for bar in &group.bars {
                let label = break_name(&bar.label, label_px, CAPTION_PX, LABEL_LINES_MAX);
                let remark = wrap_facts(&bar.remark, remark_px, CAPTION_PX);
                let text_lines = label.len().max(remark.len()).max(1);
                let height = text_lines as f64 * TEXT_LINE_PX + ROW_GAP_PX;
                add(Content::Bar { bar, label, remark }, height);
            }
        }
        if lines.is_empty() {
            y += EMPTY_PX;
        }
        (lines, y)
    }

    fn column_heads(&self, canvas: &Canvas, columns: &Columns, top: f64) -> Result<(), ChartError> {
        let y = top + COLUMN_HEADS_PX / 2.0;
        let place = (columns.figure_right, y);
        canvas.text(self.figure_heading, place, muted(Align::Right))?;
        let place = (columns.remark_left, y);
        canvas.text(self.remark_heading, place, muted(Align::Left))
    }

    /// The axis and the line at zero.
    fn axis(
        &self,
        canvas: &Canvas,
        columns: &Columns,
        (top, bottom): (f64, f64),
    ) -> Result<(), ChartError> {
        let middle = columns.plot_left.midpoint(columns.plot_right);
        if self.bars.groups.is_empty() {
            let place = (middle, top + 0.3 * (bottom - top));
            return canvas.text("no figures to draw", place, ink(LABEL_PX, Align::Middle));
        }
        let ends = (columns.plot_left, columns.plot_right);
        level_axis(canvas, &self.x, self.x_label, ends, (top, bottom))?;
        if let Some(x) = self.across(columns, 0.0) {
            canvas.line(&[(x, top), (x, bottom)], solid(INK, 1.0))?;
        }
        Ok(())
    }

    /// Where `value` stands from the left of the sheet.
    fn across(&self, columns: &Columns, value: f64) -> Option<f64> {
        let width = columns.plot_right - columns.plot_left;
        self.x
            .position(value)
            .map(|position| columns.plot_left + position * width)
    }

    fn line(&self, canvas: &Canvas, columns: &Columns, line: &Line) -> Result<(), ChartError> {
        let y = line.middle;
        match &line.content {
            Content::Heading(words) => heading(canvas, words, columns.plot_right, y),
            Content::Bar { bar, label, remark } => {
                let right = columns.plot_left - COLUMN_GAP_PX;
                paragraph(canvas, label, (right, y), ink(CAPTION_PX, Align::Right))?;
                self.bar(canvas, columns, bar, y)?;
                let place = (columns.figure_right, y);
                canvas.text(&bar.figure, place, ink(CAPTION_PX, Align::Right))?;
                paragraph(canvas, remark, (columns.remark_left, y), muted(Align::Left))
            }
        }
    }

    /// The prediction behind, the bar before it, the interval and the other tool's figure on top.
    fn bar(&self, canvas: &Canvas, columns: &Columns, bar: &Bar, y: f64) -> Result<(), ChartError> {
        let at = |value| self.across(columns, value);
        let predicted = bar.predicted.and_then(|(low, high)| at(low).zip(at(high)));
        if let Some(ends) = predicted {
            span(canvas, ends, y)?;
        }
        let (Some(zero), Some(end)) = (at(0.0), at(bar.value)) else {
            return Ok(());
        };
        let fill = match bar.status {
            Status::Ok => BAR,
            _ => GUARDED_BAR,
        };
        block(canvas, (zero, end), y, BAR_HALF_PX, fill)?;
        if let Some(ends) = predicted {
            foreseen(canvas, ends, y)?;
        }
        if let Some((low, high)) = bar.interval {
            let ends = (
                at(low).unwrap_or(columns.plot_left),
                at(high).unwrap_or(columns.plot_right),
            );
            whisker(canvas, ends, y)?;
        }
        if bar.status != Status::Ok {
            canvas.marker((end, y), marker(0, bar.status))?;
        }
        if let Some(counted) = bar.counted {
            match at(counted) {
                Some(x) => canvas.marker((x, y), counted_marker())?,
                None => off_the_scale(canvas, columns.plot_right, y)?,
            }
        }
        Ok(())
    }
}

/// What the bars below have in common; nothing of an axis that ends at `right` runs through it.
pub(super) fn heading(canvas: &Canvas, words: &str, right: f64, y: f64) -> Result<(), ChartError> {
    let half = HEADING_PX / 2.0;
    let (left, right) = (MARGIN_PX, right + 1.0);
    let corners = [
        (left, y - half),
        (right, y - half),
        (right, y + half),
        (left, y + half),
    ];
    canvas.area(&corners, PAPER)?;
    // Nearer to what it heads than to what is above it.
    canvas.text(words, (MARGIN_PX, y + 3.0), ink(LABEL_PX, Align::Left))
}

/// The room between two predictions.
pub(super) fn span(canvas: &Canvas, (low, high): (f64, f64), y: f64) -> Result<(), ChartError> {
    if high - low < SPAN_MIN_PX {
        return Ok(());
    }
    block(canvas, (low, high), y, SPAN_HALF_PX, SPAN)
}

/// The ends of the predictions, visible over a bar; one mark where they agree.
pub(super) fn foreseen(canvas: &Canvas, (low, high): (f64, f64), y: f64) -> Result<(), ChartError> {
    let ends = if high - low < SPAN_MIN_PX {
        vec![low.midpoint(high)]
    } else {
        vec![low, high]
    };
    for x in ends {
        let places = [(x, y - SPAN_HALF_PX), (x, y + SPAN_HALF_PX)];
        canvas.line(&places, solid(FORESEEN, 2.0))?;
    }
    Ok(())
}

/// A bar that tells of a figure from `left` to `right`.
pub(super) fn block(
    canvas: &Canvas,
    (left, right): (f64, f64),
    y: f64,
    half_px: f64,
    fill: Fill,
) -> Result<(), ChartError> {
    let (top, bottom) = (y - half_px, y + half_px);
    let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
    canvas.area(&corners, fill.inside)?;
    let outline = [&corners[..], &corners[..1]].concat();
    canvas.line(&outline, solid(fill.edge, 1.0))
}

/// A level interval with caps.
pub(super) fn whisker(
    canvas: &Canvas,
    (left, right): (f64, f64),
    y: f64,
) -> Result<(), ChartError> {
    canvas.line(&[(left, y), (right, y)], solid(INK, 1.2))?;
    for x in [left, right] {
        let cap = [(x, y - CAP_HALF_PX), (x, y + CAP_HALF_PX)];
        canvas.line(&cap, solid(INK, 1.2))?;
    }
    Ok(())
}

/// An arrow at the plot's right edge: the figure lies beyond it.
fn off_the_scale(canvas: &Canvas, right: f64, y: f64) -> Result<(), ChartError> {
    let corners = [
        (right + 1.0, y - 6.0),
        (right + 9.0, y),
        (right + 1.0, y + 6.0),
    ];
    let outline = [&corners[..], &corners[..1]].concat();
    canvas.line(&outline, solid(counted_marker().colour, 1.5))
}

/// Small text that is less than a figure.
pub(super) fn muted(align: Align) -> Style {
    Style {
        colour: MUTED,
        ..ink(CAPTION_PX, align)
    }
}

/// Lines of text, centred about `y`.
fn paragraph(
    canvas: &Canvas,
    lines: &[String],
    (x, y): (f64, f64),
    style: Style,
) -> Result<(), ChartError> {
    let mut line_y = y - (lines.len() as f64 - 1.0) / 2.0 * TEXT_LINE_PX;
    for line in lines {
        canvas.text(line, (x, line_y), style)?;
        line_y += TEXT_LINE_PX;
    }
    Ok(())
}
