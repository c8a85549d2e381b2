//! Charts of a run's rows: measured bandwidth with the model's prediction and their ratio on one sheet. And one of something else:
//! [`verdicts`], how often an inference was right.
//!
//! [`series`] turns rows into plain numbers, `prediction` asks the model and `fitted` the inference, one file a chart says which
//! numbers and axes it has, and one of these frames draws it: `figure` where a number runs along the axis, `bar_figure` where
//! patterns stand in a column. [`overlays`] lays several runs over each other, in `figure` or, where patterns stand in a column, in
//! `dot_figure`. Only this room names plotters and resvg. The same rows always give the same bytes, and no font of the system is
//! used: text is measured and rasterised with one that is compiled in.

mod axis;
pub mod bandwidth_vs_gather;
pub mod bandwidth_vs_matrix;
pub mod bandwidth_vs_mixed;
pub mod bandwidth_vs_offset;
pub mod bandwidth_vs_order;
pub mod bandwidth_vs_store;
pub mod bandwidth_vs_stride;
pub mod bandwidth_vs_struct;
pub mod bandwidth_vs_width;
pub mod bandwidth_vs_working_set;
mod bar_figure;
pub mod bars;
mod canvas;
mod caption;
mod dot_figure;
mod figure;
mod fitted;
mod frame;
mod landmarks;
mod legend;
mod marks;
mod overlay;
mod overlay_sheet;
mod page;
mod prediction;
mod raster;
pub mod series;
mod strip;
mod text;
mod theme;
mod verdict_figure;
mod verdicts;

use crate::record::Row;

pub use overlay::{Run, overlays};
pub use verdicts::{VerdictBlock, VerdictCounts, VerdictGroup, verdicts};

pub use axis::{Axis, Tick};
use bar_figure::BarFigure;
use bars::Bars;
pub use caption::Card;
use figure::Figure;
use series::{Series, grouped};

/// A drawn chart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chart {
    /// The stem of its file's name, such as `bandwidth-vs-stride`.
    pub name: String,
    /// The drawing as an SVG document.
    pub svg: String,
}

impl Chart {
    /// The same drawing as PNG, two pixels to each pixel of the SVG.
    ///
    /// # Errors
    /// Where the SVG is not one that this module drew.
    pub fn png(&self) -> Result<Vec<u8>, ChartError> {
        raster::png(&self.svg)
    }
}

/// Why a chart could not be drawn.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChartError {
    /// The font that is compiled in could not be read.
    #[error("the compiled-in font could not be read")]
    Font,
    /// The drawing library refused an element.
    #[error("a chart could not be drawn: {0}")]
    Draw(String),
    /// The SVG could not be read back.
    #[error("a chart's SVG could not be read back: {0}")]
    Svg(String),
    /// The picture could not be made.
    #[error("a chart could not be turned into a picture: {0}")]
    Png(String),
}

/// One kind of chart: whose rows it draws, which of them share a sheet, and how it is framed.
struct Kind {
    /// The stem of its file's name after `bandwidth-vs-`.
    name: &'static str,
    /// Whose rows may have a place on it.
    suites: &'static [&'static str],
    has_place: fn(&Row) -> bool,
    /// The suffix of the sheet that a row belongs to; the first sheet goes without.
    sheet: fn(&Row) -> String,
    frame: Frame,
}

/// The two frames: numbers along the axis, or patterns.
enum Frame {
    Curves {
        series: fn(&[&Row]) -> Series,
        /// Adds what the rows of the sheet alone do not tell.
        add: fn(&mut Series, &Sources),
        figure: for<'a> fn(&'a Series, u32) -> Figure<'a>,
    },
    Bars {
        bars: fn(&[&Row]) -> Bars,
        figure: for<'a> fn(&'a Bars) -> BarFigure<'a>,
    },
}

/// What a sheet is drawn from.
struct Sources<'a> {
    /// The rows that stand on it.
    sheet: &'a [&'a Row],
    /// Every row of the run.
    run: &'a [&'a Row],
    card: &'a Card,
}

const KINDS: [Kind; 11] = [
    Kind {
        name: bandwidth_vs_stride::SUITE,
        suites: &[bandwidth_vs_stride::SUITE],
        has_place: |row| row.stride_elements.is_some(),
        sheet: of_width_and_op,
        frame: Frame::Curves {
            series: bandwidth_vs_stride::series,
            add: |series, of| bandwidth_vs_stride::add_fit(series, of.sheet, of.run),
            figure: bandwidth_vs_stride::figure,
        },
    },
    Kind {
        name: bandwidth_vs_offset::SUITE,
        suites: &[bandwidth_vs_offset::SUITE],
        has_place: |row| row.offset_bytes.is_some(),
        sheet: of_width_and_op,
        frame: Frame::Curves {
            series: bandwidth_vs_offset::series,
            add: nothing,
            figure: bandwidth_vs_offset::figure,
        },
    },
    Kind {
        name: bandwidth_vs_order::SUITE,
        suites: &[bandwidth_vs_order::SUITE],
        has_place: |_| true,
        sheet: of_width_and_op,
        frame: Frame::Bars {
            bars: bandwidth_vs_order::bars,
            figure: bandwidth_vs_order::figure,
        },
    },
    Kind {
        name: bandwidth_vs_struct::SUITE,
        suites: &[bandwidth_vs_struct::SUITE],
        has_place: bandwidth_vs_struct::has_place,
        sheet: of_width_and_op,
        frame: Frame::Curves {
            series: bandwidth_vs_struct::series,
            add: nothing,
            figure: bandwidth_vs_struct::figure,
        },
    },
    Kind {
        name: bandwidth_vs_matrix::SUITE,
        suites: &[bandwidth_vs_matrix::SUITE],
        has_place: |row| row.matrix_width.is_some(),
        sheet: of_width,
        frame: Frame::Bars {
            bars: bandwidth_vs_matrix::bars,
            figure: bandwidth_vs_matrix::figure,
        },
    },
    Kind {
        name: bandwidth_vs_mixed::SUITE,
        suites: &[bandwidth_vs_mixed::SUITE],
        has_place: |_| true,
        sheet: one_for_all,
        frame: Frame::Bars {
            bars: bandwidth_vs_mixed::bars,
            figure: bandwidth_vs_mixed::figure,
        },
    },
    Kind {
        name: bandwidth_vs_gather::SUITE,
        // Configurations of a file that the user named.
        suites: &[bandwidth_vs_gather::SUITE, "custom"],
        has_place: bandwidth_vs_gather::has_place,
        sheet: one_for_all,
        frame: Frame::Bars {
            bars: bandwidth_vs_gather::bars,
            figure: bandwidth_vs_gather::figure,
        },
    },
    Kind {
        name: bandwidth_vs_width::SUITE,
        suites: &[bandwidth_vs_width::SUITE],
        has_place: bandwidth_vs_width::has_distance,
        sheet: of_op,
        frame: Frame::Curves {
            series: bandwidth_vs_width::series,
            add: nothing,
            figure: bandwidth_vs_width::figure,
        },
    },
    Kind {
        name: bandwidth_vs_width::OFFSET_NAME,
        suites: &[bandwidth_vs_width::SUITE],
        has_place: |row| row.offset_bytes.is_some(),
        sheet: of_op,
        frame: Frame::Curves {
            series: bandwidth_vs_width::offset_series,
            add: nothing,
            figure: bandwidth_vs_width::offset_figure,
        },
    },
    Kind {
        name: bandwidth_vs_store::SUITE,
        suites: &[bandwidth_vs_store::SUITE],
        has_place: |_| true,
        sheet: of_width_and_op,
        frame: Frame::Curves {
            series: bandwidth_vs_store::series,
            add: nothing,
            figure: bandwidth_vs_store::figure,
        },
    },
    Kind {
        name: bandwidth_vs_working_set::SUITE,
        suites: &[bandwidth_vs_working_set::SUITE],
        has_place: |row| row.footprint_bytes > 0,
        sheet: of_width_and_op,
        frame: Frame::Curves {
            series: bandwidth_vs_working_set::series,
            add: |series, of| series.marks = bandwidth_vs_working_set::marks(of.sheet, of.card),
            figure: bandwidth_vs_working_set::figure,
        },
    },
];

fn nothing(_: &mut Series, _: &Sources) {}

/// Where element widths and operations have ceilings of their own that would hide what the chart is about.
fn of_width_and_op(row: &Row) -> String {
    format!("-{}b-{}", row.element_bytes, slug(&row.op))
}

/// Where element widths are compared, on a sheet for each operation.
fn of_op(row: &Row) -> String {
    format!("-{}", slug(&row.op))
}

/// Where operations are compared, on a sheet for each element width.
fn of_width(row: &Row) -> String {
    format!("-{}b", row.element_bytes)
}

/// Where everything is compared.
fn one_for_all(_: &Row) -> String {
    String::new()
}

/// Every chart that `rows` have a suite for.
///
/// Of a kind that has several sheets, such as one for each element width and operation, the first gets the plain name, the others
/// a suffix such as `-16b-load`. No further sheet is drawn for a single row along an axis: a point alone compares nothing.
///
/// # Errors
/// Where drawing fails; no row makes it fail.
pub fn charts(rows: &[Row], card: &Card) -> Result<Vec<Chart>, ChartError> {
    let mut charts = Vec::new();
    let run: Vec<&Row> = rows.iter().collect();
    for kind in &KINDS {
        let sheets = grouped(&kind.rows(rows), kind.sheet);
        for (number, (suffix, members)) in (0..).zip(sheets) {
            let is_alone = members.len() == 1 && matches!(kind.frame, Frame::Curves { .. });
            if number > 0 && is_alone {
                continue;
            }
            let mut name = format!("bandwidth-vs-{}", kind.name);
            if number > 0 {
                name.push_str(&suffix);
            }
            let sources = Sources {
                sheet: &members,
                run: &run,
                card,
            };
            let svg = kind.frame.draw(&sources)?;
            charts.push(Chart { name, svg });
        }
    }
    Ok(charts)
}

impl Kind {
    /// Those of `rows` that have a place on it.
    fn rows<'a>(&self, rows: &'a [Row]) -> Vec<&'a Row> {
        rows.iter()
            .filter(|row| self.suites.contains(&row.suite.as_str()) && (self.has_place)(row))
            .collect()
    }
}

impl Frame {
    /// The chart of one sheet as SVG.
    fn draw(&self, sources: &Sources) -> Result<String, ChartError> {
        let Sources { sheet, card, .. } = *sources;
        match self {
            Self::Curves {
                series,
                add,
                figure,
            } => {
                let mut series = series(sheet);
                add(&mut series, sources);
                let element_bytes = sheet.first().map_or(0, |row| row.element_bytes);
                let figure = figure(&series, element_bytes);
                figure.draw(&caption::lines(card, sheet, figure.remark), card.stamp())
            }
            Self::Bars { bars, figure } => {
                let bars = bars(sheet);
                let figure = figure(&bars);
                figure.draw(&caption::lines(card, sheet, figure.remark), card.stamp())
            }
        }
    }
}

/// `text` as part of a file's name: rows may come from anybody's table.
fn slug(text: &str) -> String {
    let letters = text.chars().filter(char::is_ascii_alphanumeric);
    letters.take(16).collect::<String>().to_ascii_lowercase()
}
