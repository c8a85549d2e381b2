//! What stands around every plot, whatever its frame: the sheet's width, titles, the caption, the stamp.

use super::ChartError;
use super::canvas::{Align, Canvas, Place, Style, ink};
use super::text::{width_px, wrap};
use super::theme::{CAPTION_PX, Colour, INK, MUTED, SUBTITLE_PX, TITLE_PX};

pub(super) const WIDTH_PX: f64 = 1000.0;
pub(super) const MARGIN_PX: f64 = 20.0;
/// Where the titles end.
pub(super) const TITLES_BOTTOM_PX: f64 = 74.0;

const CAPTION_LINE_PX: f64 = 18.0;
const CONCLUSIONS_GAP_PX: f64 = 8.0;
const STAMP_PX: f64 = 54.0;

/// The title and the question that the chart answers, from `left` on.
pub(super) fn titles(
    canvas: &Canvas,
    left: f64,
    title: &str,
    question: &str,
) -> Result<(), ChartError> {
    canvas.text(title, (left, 26.0), ink(TITLE_PX, Align::Left))?;
    let style = Style {
        colour: MUTED,
        ..ink(SUBTITLE_PX, Align::Left)
    };
    canvas.text(question, (left, 53.0), style)
}

/// The caption and what is missing from the plot, wrapped to the room from `left` on.
pub(super) fn caption_lines(left: f64, caption: &[String], notes: &[String]) -> Vec<String> {
    let room = WIDTH_PX - MARGIN_PX - left;
    let lines = caption.iter().chain(notes);
    lines
        .flat_map(|line| wrap(line, room, CAPTION_PX))
        .collect()
}

/// The height of so many lines of conclusions, with the gap under them.
pub(super) fn conclusions_height_px(lines: &[String]) -> f64 {
    if lines.is_empty() {
        return 0.0;
    }
    lines.len() as f64 * CAPTION_LINE_PX + CONCLUSIONS_GAP_PX
}

/// The height of a caption of so many lines, with the margin under it.
pub(super) fn caption_height_px(lines: &[String]) -> f64 {
    lines.len() as f64 * CAPTION_LINE_PX + MARGIN_PX
}

/// The caption, its upper left corner at `place`.
pub(super) fn caption(canvas: &Canvas, lines: &[String], place: Place) -> Result<(), ChartError> {
    self::lines(canvas, lines, place, MUTED)
}

/// What the rows say, its upper left corner at `place`: like a caption, but in ink.
pub(super) fn conclusions(
    canvas: &Canvas,
    lines: &[String],
    place: Place,
) -> Result<(), ChartError> {
    self::lines(canvas, lines, place, INK)
}

fn lines(
    canvas: &Canvas,
    lines: &[String],
    (left, top): Place,
    colour: Colour,
) -> Result<(), ChartError> {
    let style = Style {
        colour,
        ..ink(CAPTION_PX, Align::Left)
    };
    let mut y = top + CAPTION_LINE_PX / 2.0;
    for line in lines {
        canvas.text(line, (left, y), style)?;
        y += CAPTION_LINE_PX;
    }
    Ok(())
}

/// The size at which `stamp` fits a plot.
pub(super) fn stamp_px(stamp: &str, width: f64, height: f64) -> f64 {
    (0.86 * width / width_px(stamp, 1.0))
        .min(STAMP_PX)
        .min(0.8 * height)
}

/// A pale line of large text, centred at `place`.
pub(super) fn stamp(
    canvas: &Canvas,
    stamp: &str,
    place: Place,
    size_px: f64,
) -> Result<(), ChartError> {
    let style = Style {
        size_px,
        colour: INK,
        opacity: 0.17,
        align: Align::Middle,
    };
    canvas.text(stamp, place, style)
}
