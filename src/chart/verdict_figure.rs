//! The frame of the chart of verdicts: a bar a group, divided into right, undetermined and wrong, with its figures at the right.
//!
//! Wrong is what matters most and what is rarest, so it is the darkest, never narrower than can be seen, and also written.

use super::ChartError;
use super::axis::Axis;
use super::bar_figure::{COLUMN_HEADS_PX, EMPTY_PX, HEADING_PX, block, heading, muted};
use super::canvas::{Align, Canvas, ink, sheet};
use super::frame::{LEVEL_AXIS_HEIGHT_PX, level_axis};
use super::legend::{self, Entry, Sample};
use super::page::{self, MARGIN_PX, WIDTH_PX};
use super::text::{plain, shorten, width_px};
use super::theme::{BAR_EDGE, CAPTION_PX, LABEL_PX, RIGHT, Stroke, UNDETERMINED, WRONG, solid};
use super::verdicts::{VerdictBlock, VerdictCounts};

const TITLE: &str = "Verdicts of the inference on virtual GPUs whose granule is known";
const QUESTION: &str = "How often is the inferred granule right, and how often wrong?";
const REMARK: &str = "A knee is visible where two strides or more show the fall before it and three the floor behind it. Wrong \
                      verdicts are drawn some pixels wide even where they are fewer.";

/// Over the columns of figures.
const HEADS: [&str; 4] = ["right", "undetermined", "wrong", "right where visible"];

const LABEL_MAX_PX: f64 = 200.0;
const COLUMN_GAP_PX: f64 = 18.0;
const ROW_PX: f64 = 31.0;
const BAR_HALF_PX: f64 = 7.0;
/// From the middle of a row up to that of its bar, and down to the line of those whose knee is visible.
const BAR_UP_PX: f64 = 3.0;
const VISIBLE_DOWN_PX: f64 = 8.5;
const WRONG_MIN_PX: f64 = 4.0;

/// What a row holds.
enum Content<'a> {
    Heading(&'a str),
    Group {
        label: String,
        counts: &'a VerdictCounts,
        cells: [String; 4],
    },
}

/// A row of the chart and the middle of its height.
struct Row<'a> {
    middle: f64,
    content: Content<'a>,
}

/// The places of the columns from the left of the sheet.
struct Columns {
    plot: (f64, f64),
    /// The right ends of the columns of figures.
    figures: [f64; 4],
}

/// The chart as SVG, with `caption` under it.
pub(super) fn draw(blocks: &[VerdictBlock], caption: &str) -> Result<String, ChartError> {
    let legend = legend::flow(legend(), WIDTH_PX - 2.0 * MARGIN_PX);
    let heads_top = page::TITLES_BOTTOM_PX + legend::flow_height_px(&legend);
    let top = heads_top + COLUMN_HEADS_PX;
    let (rows, bottom) = rows(blocks, top);
    let columns = Columns::of(&rows);
    let caption = page::caption_lines(MARGIN_PX, &[caption.to_owned(), REMARK.to_owned()], &[]);
    let body_bottom = bottom + LEVEL_AXIS_HEIGHT_PX;
    let height = body_bottom + page::caption_height_px(&caption);
    sheet(TITLE, (WIDTH_PX as u32, height.ceil() as u32), |canvas| {
        page::titles(canvas, MARGIN_PX, TITLE, QUESTION)?;
        legend::draw_flow(canvas, &legend, (MARGIN_PX, page::TITLES_BOTTOM_PX))?;
        for (head, right) in HEADS.iter().zip(columns.figures) {
            let place = (right, heads_top + COLUMN_HEADS_PX / 2.0);
            canvas.text(head, place, muted(Align::Right))?;
        }
        if rows.is_empty() {
            let place = (
                columns.plot.0.midpoint(columns.plot.1),
                top.midpoint(bottom),
            );
            canvas.text("no figures to draw", place, ink(LABEL_PX, Align::Middle))?;
        } else {
            let label = "Share of the verdicts (%)";
            level_axis(
                canvas,
                &Axis::shares_percent(),
                label,
                columns.plot,
                (top, bottom),
            )?;
        }
        for row in &rows {
            row.draw(canvas, &columns)?;
        }
        page::caption(canvas, &caption, (MARGIN_PX, body_bottom))
    })
}

fn legend() -> Vec<Entry> {
    let entry = |fill, words| Entry::of_one_line(Sample::Part(fill), words);
    vec![
        entry(RIGHT, "right"),
        entry(UNDETERMINED, "undetermined"),
        entry(WRONG, "wrong"),
        Entry::of_one_line(
            Sample::Line(visible_stroke()),
            "right, of those whose knee is visible",
        ),
    ]
}

fn visible_stroke() -> Stroke {
    solid(BAR_EDGE, 3.0)
}

/// The rows of `blocks` from `top` on, and where the last ends.
fn rows(blocks: &[VerdictBlock], top: f64) -> (Vec<Row<'_>>, f64) {
    let mut rows = Vec::new();
    let mut y = top;
    let mut add = |content, height: f64| {
        let middle = y + height / 2.0;
        rows.push(Row { middle, content });
        y += height;
    };
    for block in blocks.iter().filter(|block| !block.groups.is_empty()) {
        add(Content::Heading(&block.heading), HEADING_PX);
        for group in &block.groups {
            let content = Content::Group {
                label: shorten(&plain(&group.label), LABEL_MAX_PX, CAPTION_PX),
                counts: &group.counts,
                cells: cells(&group.counts),
            };
            add(content, ROW_PX);
        }
    }
    if rows.is_empty() {
        y += EMPTY_PX;
    }
    (rows, y)
}

/// What stands beside a bar, a text for each of [`HEADS`].
fn cells(counts: &VerdictCounts) -> [String; 4] {
    let of_all = |count: usize| match count {
        0 => "0".to_owned(),
        _ => format!("{count} · {:.2} %", counts.percent(count)),
    };
    let VerdictCounts {
        visible,
        visible_right,
        ..
    } = counts;
    let of_visible = match counts.right_of_visible_percent() {
        Some(percent) => format!("{visible_right} of {visible} · {percent:.2} %"),
        None => "none visible".to_owned(),
    };
    [
        of_all(counts.right),
        of_all(counts.undetermined),
        of_all(counts.wrong),
        of_visible,
    ]
}

impl Columns {
    /// As wide as what stands in them; the plot has the rest.
    fn of(rows: &[Row]) -> Self {
        let mut label_px: f64 = 0.0;
        let mut widths_px = HEADS.map(|head| width_px(head, CAPTION_PX));
        for row in rows {
            if let Content::Group { label, cells, .. } = &row.content {
                label_px = label_px.max(width_px(label, CAPTION_PX));
                for (column, cell) in widths_px.iter_mut().zip(cells) {
                    *column = column.max(width_px(cell, CAPTION_PX));
                }
            }
        }
        let mut right = WIDTH_PX - MARGIN_PX;
        let mut figures = [0.0; 4];
        for (place, width) in figures.iter_mut().zip(widths_px).rev() {
            *place = right;
            right -= width + COLUMN_GAP_PX;
        }
        Self {
            plot: (MARGIN_PX + label_px + COLUMN_GAP_PX, right),
            figures,
        }
    }

    /// Where a share in percent stands from the left of the sheet.
    fn across(&self, percent: f64) -> f64 {
        let (left, right) = self.plot;
        left + (right - left) * percent / 100.0
    }
}

impl Row<'_> {
    fn draw(&self, canvas: &Canvas, columns: &Columns) -> Result<(), ChartError> {
        let y = self.middle;
        match &self.content {
            Content::Heading(words) => heading(canvas, words, columns.plot.1, y),
            Content::Group {
                label,
                counts,
                cells,
            } => {
                let place = (columns.plot.0 - COLUMN_GAP_PX / 2.0, y);
                canvas.text(label, place, ink(CAPTION_PX, Align::Right))?;
                bar(canvas, columns, counts, y)?;
                for (cell, right) in cells.iter().zip(columns.figures) {
                    canvas.text(cell, (right, y), ink(CAPTION_PX, Align::Right))?;
                }
                Ok(())
            }
        }
    }
}

/// The divided bar, and under it the line of those whose knee is visible.
fn bar(
    canvas: &Canvas,
    columns: &Columns,
    counts: &VerdictCounts,
    y: f64,
) -> Result<(), ChartError> {
    let (left, right) = columns.plot;
    let right_end = columns.across(counts.percent(counts.right));
    let wrong_px = right - columns.across(100.0 - counts.percent(counts.wrong));
    let wrong_start = right - wrong_px.max(WRONG_MIN_PX);
    // Wrong comes last: where it had to be widened, it covers what is beside it.
    let parts = [
        (counts.right, (left, right_end), RIGHT),
        (
            counts.undetermined,
            (right_end, right - wrong_px),
            UNDETERMINED,
        ),
        (counts.wrong, (wrong_start, right), WRONG),
    ];
    for (_, ends, fill) in parts.into_iter().filter(|(count, ..)| *count > 0) {
        block(canvas, ends, y - BAR_UP_PX, BAR_HALF_PX, fill)?;
    }
    let Some(percent) = counts.right_of_visible_percent() else {
        return Ok(());
    };
    let y = y + VISIBLE_DOWN_PX;
    canvas.line(&[(left, y), (columns.across(percent), y)], visible_stroke())
}
