//! Charts of a run's rows: measured bandwidth with the model's prediction and their ratio on one sheet.
//!
//! [`series`] turns rows into plain numbers, `prediction` asks the model, one file a chart says which numbers and axes it has,
//! and `figure` draws every chart in the same frame. Only this room names plotters and resvg. The same rows always give the same bytes, and no font of the system
//! is used: text is measured and rasterised with one that is compiled in.

mod axis;
pub mod bandwidth_vs_offset;
pub mod bandwidth_vs_stride;
pub mod bandwidth_vs_struct;
pub mod bandwidth_vs_working_set;
mod canvas;
mod caption;
mod figure;
mod legend;
mod marks;
mod overlay;
mod prediction;
mod raster;
pub mod series;
mod text;
mod theme;

use crate::record::Row;

pub use overlay::overlay;

pub use axis::{Axis, Tick};
pub use caption::Card;
use figure::Figure;
use series::{Mark, Series, grouped};

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

/// One kind of chart: whose rows it draws, what they show and how it is framed.
struct Kind {
    suite: &'static str,
    has_place: fn(&Row) -> bool,
    series: fn(&[&Row]) -> Series,
    marks: fn(&[&Row], &Card) -> Vec<Mark>,
    figure: for<'a> fn(&'a Series, u32) -> Figure<'a>,
}

const KINDS: [Kind; 4] = [
    Kind {
        suite: bandwidth_vs_stride::SUITE,
        has_place: |row| row.stride_elements.is_some(),
        series: bandwidth_vs_stride::series,
        marks: no_marks,
        figure: bandwidth_vs_stride::figure,
    },
    Kind {
        suite: bandwidth_vs_offset::SUITE,
        has_place: |row| row.offset_bytes.is_some(),
        series: bandwidth_vs_offset::series,
        marks: no_marks,
        figure: bandwidth_vs_offset::figure,
    },
    Kind {
        suite: bandwidth_vs_struct::SUITE,
        has_place: bandwidth_vs_struct::has_place,
        series: bandwidth_vs_struct::series,
        marks: no_marks,
        figure: bandwidth_vs_struct::figure,
    },
    Kind {
        suite: bandwidth_vs_working_set::SUITE,
        has_place: |row| row.footprint_bytes > 0,
        series: bandwidth_vs_working_set::series,
        marks: bandwidth_vs_working_set::marks,
        figure: bandwidth_vs_working_set::figure,
    },
];

fn no_marks(_: &[&Row], _: &Card) -> Vec<Mark> {
    Vec::new()
}

/// Every chart that `rows` have a suite for.
///
/// Element widths and operations never share a chart, because each has a ceiling of its own: the first gets the plain name, the
/// others a suffix such as `-16b-load`.
///
/// # Errors
/// Where drawing fails; no row makes it fail.
pub fn charts(rows: &[Row], card: &Card) -> Result<Vec<Chart>, ChartError> {
    let mut charts = Vec::new();
    for kind in &KINDS {
        let mine: Vec<&Row> = rows
            .iter()
            .filter(|row| row.suite == kind.suite && (kind.has_place)(row))
            .collect();
        let sheets = grouped(&mine, |row| (row.element_bytes, row.op.clone()));
        for (number, ((element_bytes, op), members)) in (0..).zip(sheets) {
            let series = Series {
                marks: (kind.marks)(&members, card),
                ..(kind.series)(&members)
            };
            let figure = (kind.figure)(&series, element_bytes);
            let mut name = format!("bandwidth-vs-{}", kind.suite);
            if number > 0 {
                name.push_str(&format!("-{element_bytes}b-{}", slug(&op)));
            }
            let caption = caption::lines(card, &members, figure.remark);
            let svg = figure.draw(&caption, card.stamp())?;
            charts.push(Chart { name, svg });
        }
    }
    Ok(charts)
}

/// `text` as part of a file's name: rows may come from anybody's table.
fn slug(text: &str) -> String {
    let letters = text.chars().filter(char::is_ascii_alphanumeric);
    letters.take(16).collect::<String>().to_ascii_lowercase()
}
