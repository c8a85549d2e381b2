//! The legend: in a column of its own beside a plot, or in lines above one.

use crate::record::Status;

use super::ChartError;
use super::bar_figure::{block, foreseen, span, whisker};
use super::canvas::{Align, Canvas, Place, ink};
use super::marks;
use super::series::Series;
use super::strip::CLOSE_PERCENT;
use super::text::{width_px, wrap};
use super::theme::{
    BAND, BAR, CAPTION_PX, Fill, MUTED, Marker, Stroke, curve_stroke, fit_stroke, joined_stroke,
    level_stroke, mark_stroke, marker, residual_marker, status_word,
};

const LINE_PX: f64 = 17.0;
const ENTRY_GAP_PX: f64 = 9.0;
const SWATCH_PX: f64 = 34.0;
const SWATCH_GAP_PX: f64 = 8.0;
/// Between two entries of one line, and from one line of entries to the next.
const FLOW_GAP_PX: f64 = 26.0;
const FLOW_LINE_PX: f64 = 24.0;

/// An entry of the legend: its sample and its words, one string a line.
pub(super) struct Entry {
    sample: Sample,
    lines: Vec<String>,
}

impl Entry {
    /// An entry that is not broken.
    pub(super) fn of_one_line(sample: Sample, words: &str) -> Self {
        Self {
            sample,
            lines: vec![words.to_owned()],
        }
    }

    /// The width of an entry of one line.
    fn width_px(&self) -> f64 {
        let words = self.lines.iter().map(|line| width_px(line, CAPTION_PX));
        SWATCH_PX + SWATCH_GAP_PX + words.fold(0.0, f64::max)
    }
}

/// What an entry explains.
pub(super) enum Sample {
    /// A measured point with its interval.
    Mark(Marker),
    /// A point.
    Point(Marker),
    /// A measured point with its interval on a line that joins it with others.
    Joined(Marker, Stroke),
    /// A line.
    Line(Stroke),
    /// An upright line.
    Upright(Stroke),
    /// The room between two curves.
    Band,
    /// A measured bar with its interval.
    Bar,
    /// A part of a divided bar.
    Part(Fill),
    /// The room between two predictions for a bar.
    Span,
    /// A prediction for a bar.
    Tick,
    /// Nothing: its words say all.
    Words,
}

/// The entries for everything that `series` draws, wrapped to a column of `width_px`.
pub(super) fn entries(series: &Series, width_px: f64) -> Vec<Entry> {
    let room_px = width_px - SWATCH_PX - SWATCH_GAP_PX;
    let entry = |sample, words: &str| Entry {
        sample,
        lines: broken(words, room_px),
    };
    let mut entries = Vec::new();
    if !series.verdict.is_empty() {
        entries.push(Entry {
            sample: Sample::Words,
            lines: broken(&series.verdict, width_px),
        });
    }
    for (index, measured) in series.measured.iter().enumerate() {
        if measured.joined {
            let sample = Sample::Joined(marker(index, Status::Ok), joined_stroke(index));
            entries.push(entry(sample, &measured.name));
            continue;
        }
        let words = match measured.name.as_str() {
            "" => format!("measured, {}", measured.bar),
            name => format!("measured, {name}: {}", measured.bar),
        };
        entries.push(entry(Sample::Mark(marker(index, Status::Ok)), &words));
    }
    let points = series.measured.iter().flat_map(|measured| &measured.points);
    for status in guards(points.map(|point| point.status)) {
        // One entry stands for every series, so it has no series' colour.
        let sample = Sample::Mark(Marker {
            colour: MUTED,
            ..marker(0, status)
        });
        entries.push(entry(sample, status_word(status)));
    }
    if let Some(fit) = &series.fit {
        let stroke = fit_stroke(fit.is_determined);
        entries.push(entry(Sample::Line(stroke), &fit.label));
    }
    for index in 0..series.measured.len() {
        let curves = series.curves.iter().filter(|c| c.measured == index);
        entries.extend(curves.map(|c| entry(Sample::Line(curve_stroke(c)), &c.label)));
        let bands = series.bands.iter().filter(|b| b.measured == index);
        entries.extend(bands.map(|b| entry(Sample::Band, &b.label)));
        let levels = series.levels.iter().filter(|l| l.measured == Some(index));
        entries.extend(levels.map(|l| entry(Sample::Line(level_stroke(l)), &l.label)));
    }
    let levels = series.levels.iter().filter(|l| l.measured.is_none());
    entries.extend(levels.map(|l| entry(Sample::Line(level_stroke(l)), &l.label)));
    for mark in &series.marks {
        entries.push(entry(Sample::Upright(mark_stroke(mark.kind)), &mark.label));
    }
    if let Some(fit) = &series.fit {
        let words = format!("strip: within {CLOSE_PERCENT:.0} % of the fit");
        entries.push(entry(Sample::Band, &words));
        if fit.residuals.iter().any(|residual| !residual.is_fitted) {
            let sample = Sample::Point(residual_marker(fit.measured, Status::Ok, false));
            entries.push(entry(sample, "strip: left out of the fit"));
        }
    }
    entries
}

/// The distinct statuses other than `ok`, in the order in which they appear.
pub(super) fn guards(statuses: impl Iterator<Item = Status>) -> Vec<Status> {
    let mut guards: Vec<Status> = Vec::new();
    for status in statuses {
        if status != Status::Ok && !guards.contains(&status) {
            guards.push(status);
        }
    }
    guards
}

/// `words` on one line, or broken after their colons before anywhere else: what stands behind one is a figure to be kept whole.
fn broken(words: &str, room_px: f64) -> Vec<String> {
    if width_px(words, CAPTION_PX) <= room_px {
        return vec![words.to_owned()];
    }
    let pieces = words.split_inclusive(": ");
    pieces
        .flat_map(|piece| wrap(piece, room_px, CAPTION_PX))
        .collect()
}

/// The height of the legend in pixels.
pub(super) fn height_px(entries: &[Entry]) -> f64 {
    entries
        .iter()
        .map(|entry| entry.lines.len() as f64 * LINE_PX + ENTRY_GAP_PX)
        .sum()
}

/// Draws the legend with its upper left corner at (`left`, `top`).
pub(super) fn draw(
    canvas: &Canvas,
    entries: &[Entry],
    left: f64,
    top: f64,
) -> Result<(), ChartError> {
    let mut y = top + LINE_PX / 2.0;
    for entry in entries {
        swatch(canvas, &entry.sample, (left, y))?;
        let words_left = match entry.sample {
            Sample::Words => left,
            _ => left + SWATCH_PX + SWATCH_GAP_PX,
        };
        for line in &entry.lines {
            canvas.text(line, (words_left, y), ink(CAPTION_PX, Align::Left))?;
            y += LINE_PX;
        }
        y += ENTRY_GAP_PX;
    }
    Ok(())
}

/// The sample of an entry, its left end in the middle of its height at `place`.
fn swatch(canvas: &Canvas, sample: &Sample, (left, y): Place) -> Result<(), ChartError> {
    let middle = (left + SWATCH_PX / 2.0, y);
    let right = left + SWATCH_PX;
    match sample {
        Sample::Mark(marker) => {
            marks::interval(canvas, middle.0, (y - 8.0, y + 8.0), marker.colour)?;
            canvas.marker(middle, *marker)
        }
        Sample::Joined(marker, stroke) => {
            canvas.line(&[(left, y), (right, y)], *stroke)?;
            marks::interval(canvas, middle.0, (y - 8.0, y + 8.0), marker.colour)?;
            canvas.marker(middle, *marker)
        }
        Sample::Point(marker) => canvas.marker(middle, *marker),
        Sample::Line(stroke) => canvas.line(&[(left, y), (right, y)], *stroke),
        Sample::Upright(stroke) => {
            canvas.line(&[(middle.0, y - 8.0), (middle.0, y + 8.0)], *stroke)
        }
        Sample::Band => {
            let (top, bottom) = (y - 6.0, y + 6.0);
            let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
            canvas.area(&corners, BAND)
        }
        Sample::Bar => {
            block(canvas, (left, right - 6.0), y, 5.5, BAR)?;
            whisker(canvas, (right - 12.0, right), y)
        }
        Sample::Part(fill) => block(canvas, (left, right), y, 7.0, *fill),
        Sample::Span => {
            let ends = (left + 6.0, right);
            span(canvas, ends, y)?;
            foreseen(canvas, ends, y)
        }
        Sample::Tick => foreseen(canvas, (middle.0, middle.0), y),
        Sample::Words => Ok(()),
    }
}

/// Entries of one line each, as many beside each other as `room_px` holds.
pub(super) fn flow(entries: Vec<Entry>, room_px: f64) -> Vec<Vec<Entry>> {
    let mut lines: Vec<Vec<Entry>> = Vec::new();
    let mut used_px = room_px;
    for entry in entries {
        let width_px = entry.width_px() + FLOW_GAP_PX;
        match lines.last_mut() {
            Some(line) if used_px + width_px - FLOW_GAP_PX <= room_px => {
                line.push(entry);
                used_px += width_px;
            }
            _ => {
                lines.push(vec![entry]);
                used_px = width_px;
            }
        }
    }
    lines
}

/// The height of lines of entries in pixels.
pub(super) fn flow_height_px(lines: &[Vec<Entry>]) -> f64 {
    lines.len() as f64 * FLOW_LINE_PX
}

/// Draws lines of entries with their upper left corner at (`left`, `top`).
pub(super) fn draw_flow(
    canvas: &Canvas,
    lines: &[Vec<Entry>],
    (left, top): Place,
) -> Result<(), ChartError> {
    let mut y = top + FLOW_LINE_PX / 2.0;
    for line in lines {
        let mut x = left;
        for entry in line {
            swatch(canvas, &entry.sample, (x, y))?;
            let place = (x + SWATCH_PX + SWATCH_GAP_PX, y);
            for words in &entry.lines {
                canvas.text(words, place, ink(CAPTION_PX, Align::Left))?;
            }
            x += entry.width_px() + FLOW_GAP_PX;
        }
        y += FLOW_LINE_PX;
    }
    Ok(())
}
