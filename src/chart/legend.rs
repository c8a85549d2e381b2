//! The legend, in a column of its own beside the plot.

use crate::record::Status;

use super::ChartError;
use super::canvas::{Align, Canvas, ink};
use super::marks;
use super::series::Series;
use super::text::{width_px, wrap};
use super::theme::{
    BAND, CAPTION_PX, MUTED, Marker, Stroke, curve_stroke, level_stroke, mark_stroke, marker,
    status_word,
};

const LINE_PX: f64 = 17.0;
const ENTRY_GAP_PX: f64 = 9.0;
const SWATCH_PX: f64 = 34.0;

/// An entry of the legend: its sample and its words, one string a line.
pub(super) struct Entry {
    sample: Sample,
    lines: Vec<String>,
}

enum Sample {
    Mark(Marker),
    Line(Stroke),
    Upright(Stroke),
    Band,
}

/// The entries for everything that `series` draws, wrapped to a column of `width_px`.
pub(super) fn entries(series: &Series, width_px: f64) -> Vec<Entry> {
    let room_px = width_px - SWATCH_PX - 8.0;
    let entry = |sample, words: &str| Entry {
        sample,
        lines: broken(words, room_px),
    };
    let mut entries = Vec::new();
    for (index, measured) in series.measured.iter().enumerate() {
        let words = match measured.name.as_str() {
            "" => "measured, 95 % interval".to_owned(),
            name => format!("measured, {name}: 95 % interval"),
        };
        entries.push(entry(Sample::Mark(marker(index, Status::Ok)), &words));
    }
    for status in guards(series) {
        // One entry stands for every series, so it has no series' colour.
        let sample = Sample::Mark(Marker {
            colour: MUTED,
            ..marker(0, status)
        });
        entries.push(entry(sample, status_word(status)));
    }
    for index in 0..series.measured.len() {
        let curves = series.curves.iter().filter(|c| c.measured == index);
        entries.extend(curves.map(|c| entry(Sample::Line(curve_stroke(c)), &c.label)));
        let bands = series.bands.iter().filter(|b| b.measured == index);
        entries.extend(bands.map(|b| entry(Sample::Band, &b.label)));
    }
    if let Some(level) = &series.level {
        entries.push(entry(Sample::Line(level_stroke()), &level.label));
    }
    for mark in &series.marks {
        entries.push(entry(Sample::Upright(mark_stroke(mark.kind)), &mark.label));
    }
    entries
}

/// The distinct statuses of drawn points other than `ok`, in the order in which they appear.
fn guards(series: &Series) -> Vec<Status> {
    let points = series.measured.iter().flat_map(|measured| &measured.points);
    let mut guards: Vec<Status> = Vec::new();
    for point in points {
        if point.status != Status::Ok && !guards.contains(&point.status) {
            guards.push(point.status);
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
        let middle = (left + SWATCH_PX / 2.0, y);
        match entry.sample {
            Sample::Mark(marker) => {
                marks::interval(canvas, middle.0, (y - 8.0, y + 8.0), marker.colour)?;
                canvas.marker(middle, marker)?;
            }
            Sample::Line(stroke) => canvas.line(&[(left, y), (left + SWATCH_PX, y)], stroke)?,
            Sample::Upright(stroke) => {
                canvas.line(&[(middle.0, y - 8.0), (middle.0, y + 8.0)], stroke)?;
            }
            Sample::Band => {
                let (right, top, bottom) = (left + SWATCH_PX, y - 6.0, y + 6.0);
                let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
                canvas.area(&corners, BAND)?;
            }
        }
        for line in &entry.lines {
            canvas.text(
                line,
                (left + SWATCH_PX + 8.0, y),
                ink(CAPTION_PX, Align::Left),
            )?;
            y += LINE_PX;
        }
        y += ENTRY_GAP_PX;
    }
    Ok(())
}
