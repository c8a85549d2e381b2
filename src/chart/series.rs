//! From rows to what a chart shows, as plain numbers: measured points, analytic curves and their residuals.
//!
//! A row without a figure never becomes a point; [`Series::notes`] names it instead.

use crate::fit::{Policy, is_trusted};
use crate::record::{Row, Status};
use crate::units::significant;

use super::text::plain;
use super::theme::status_word;

/// A note names this many rows, then counts the rest.
const NOTED_ROWS_MAX: usize = 4;
/// A reason in a note is cut after this many characters.
const REASON_MAX_CHARS: usize = 60;

/// A measured figure.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Where it stands: a stride in elements, an offset or a size in bytes.
    pub x: f64,
    /// The bandwidth that the chart shows, useful or fetched, in GB/s.
    pub gb_per_s: f64,
    /// The two ends of the 95 % interval in GB/s, where there is one.
    pub interval_gb_per_s: Option<(f64, f64)>,
    /// How the case ended.
    pub status: Status,
}

/// Measured figures that belong together.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// What sets the series apart from the others of the chart; empty where there is one.
    pub name: String,
    /// What the upright bar of a point spans.
    pub bar: &'static str,
    /// Whether a line joins the points that are trusted, as where runs are compared.
    pub joined: bool,
    /// The figures, by rising x.
    pub points: Vec<Point>,
}

impl Measured {
    /// Figures with their 95 % intervals.
    pub(super) fn new(name: String, points: Vec<Point>) -> Self {
        Self {
            name,
            bar: "95 % interval",
            joined: false,
            points,
        }
    }
}

/// How much of a block that several windows touch is fetched once for all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sharing {
    /// Each window fetches it again: unshared transactions.
    Nothing,
    /// One fetch serves all: compulsory transactions.
    Everything,
}

/// What the lines of a chart's predictions are told by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// The transaction sizes.
    Blocks,
    /// The measured series that each predicts.
    Series,
    /// What is moved when a block is written.
    Policy(Policy),
    /// The transaction sizes, behind a curve that was fitted.
    Backdrop,
}

/// What the model predicts for one measured series.
#[derive(Clone, Debug, PartialEq)]
pub struct Curve {
    /// The transaction sizes in bytes that predict this curve; several where they predict the same.
    pub transaction_bytes: Vec<u64>,
    /// The legend's words.
    pub label: String,
    /// The index of the measured series that it predicts.
    pub measured: usize,
    /// Which count of transactions it is made of.
    pub sharing: Sharing,
    /// What it is told from the others by.
    pub look: Look,
    /// Predicted useful bandwidth in GB/s by rising x: a value at every x that was swept and at every corner between.
    pub points: Vec<(f64, f64)>,
}

/// The room between two predictions.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// The legend's words.
    pub label: String,
    /// The index of the measured series that belongs in it.
    pub measured: usize,
    /// (x, lower end, upper end) in GB/s by rising x.
    pub points: Vec<(f64, f64, f64)>,
}

/// A bandwidth that holds along the whole axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// The legend's words.
    pub label: String,
    /// The index of the measured series that it is the level of; `None` where it is that of all.
    pub measured: Option<usize>,
    /// The bandwidth.
    pub gb_per_s: f64,
}

impl Level {
    /// C, the bandwidth that issuing loads limits.
    pub(super) fn issue_ceiling(gb_per_s: f64) -> Self {
        Self {
            label: format!(
                "issue ceiling, as measured: C = {} GB/s",
                significant(gb_per_s)
            ),
            measured: None,
            gb_per_s,
        }
    }
}

/// Who says that something ends or begins at a mark.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MarkKind {
    /// The system.
    Told,
    /// The rows.
    Found,
}

/// A place on the axis that an upright line marks.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// Where it stands.
    pub x: f64,
    /// Who says so.
    pub kind: MarkKind,
    /// The legend's words.
    pub label: String,
}

/// A place on the axis that words above the plot name.
#[derive(Clone, Debug, PartialEq)]
pub struct Landmark {
    /// Where it stands.
    pub x: f64,
    /// The words.
    pub label: String,
}

/// How far a figure lies from the curve that was fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Residual {
    /// Where it stands.
    pub x: f64,
    /// Measured over fitted, less 1, in percent.
    pub percent: f64,
    /// How the case ended.
    pub status: Status,
    /// Whether the figure is one of those that the curve was fitted to.
    pub is_fitted: bool,
}

/// The curve that was fitted to one measured series.
#[derive(Clone, Debug, PartialEq)]
pub struct Fit {
    /// The legend's words.
    pub label: String,
    /// Whether it is told from its rivals, or only the best of them.
    pub is_determined: bool,
    /// The index of the measured series that it was fitted to.
    pub measured: usize,
    /// Fitted useful bandwidth in GB/s by rising x.
    pub points: Vec<(f64, f64)>,
    /// What it leaves, by rising x.
    pub residuals: Vec<Residual>,
}

/// Everything that a chart shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// Measured figures.
    pub measured: Vec<Measured>,
    /// Predictions.
    pub curves: Vec<Curve>,
    /// The room between predictions, where they leave some.
    pub bands: Vec<Band>,
    /// Level lines.
    pub levels: Vec<Level>,
    /// What the rows say, in a line or two above the legend; empty where nothing is inferred.
    pub verdict: String,
    /// Upright lines.
    pub marks: Vec<Mark>,
    /// The curve that was fitted, where one was.
    pub fit: Option<Fit>,
    /// Places named above the plot.
    pub landmarks: Vec<Landmark>,
    /// What the rows say, in full, first of all that stands under the plot.
    pub conclusions: Vec<String>,
    /// What is not drawn, and why.
    pub notes: Vec<String>,
}

impl Series {
    /// The x of every measured point.
    pub fn xs(&self) -> Vec<f64> {
        self.points().map(|point| point.x).collect()
    }

    /// Every bandwidth that is drawn, in GB/s: figures, ends of intervals, curves, the fit and levels.
    pub fn bandwidths_gb_per_s(&self) -> Vec<f64> {
        let figures = self.points().flat_map(|point| {
            let (low, high) = point
                .interval_gb_per_s
                .unwrap_or((point.gb_per_s, point.gb_per_s));
            [low, point.gb_per_s, high]
        });
        let curves = self.curves.iter().flat_map(|curve| &curve.points);
        let fit = self.fit.iter().flat_map(|fit| &fit.points);
        figures
            .chain(curves.chain(fit).map(|(_, y)| *y))
            .chain(self.levels.iter().map(|level| level.gb_per_s))
            .collect()
    }

    /// Measured over predicted along `curve`, at every point with a trusted figure.
    pub fn residuals(&self, curve: &Curve) -> Vec<(f64, f64)> {
        let Some(measured) = self.measured.get(curve.measured) else {
            return Vec::new();
        };
        let trusted = measured.points.iter().filter(|p| is_trusted(p.status));
        trusted
            .filter_map(|point| {
                let (_, predicted) = curve.points.iter().find(|(x, _)| *x == point.x)?;
                let ratio = point.gb_per_s / predicted;
                (ratio.is_finite() && ratio > 0.0).then_some((point.x, ratio))
            })
            .collect()
    }

    fn points(&self) -> impl Iterator<Item = &Point> {
        self.measured.iter().flat_map(|measured| &measured.points)
    }
}

/// Rows split by a key, in the order in which the keys appear.
pub(super) fn grouped<'a, K: PartialEq>(
    rows: &[&'a Row],
    key: impl Fn(&Row) -> K,
) -> Vec<(K, Vec<&'a Row>)> {
    let mut groups: Vec<(K, Vec<&Row>)> = Vec::new();
    for row in rows {
        let key = key(row);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, members)) => members.push(row),
            None => groups.push((key, vec![row])),
        }
    }
    groups
}

/// The rows that have a figure, as points of useful bandwidth by rising x; `x` gives a row's place on the axis.
pub(super) fn measured_points(rows: &[&Row], x: impl Fn(&Row) -> Option<f64>) -> Vec<Point> {
    let mut points: Vec<Point> = rows
        .iter()
        .filter_map(|row| {
            let gb_per_s = useful_gb_per_s(row)?;
            let interval = row.useful_low_gb_per_s.zip(row.useful_high_gb_per_s);
            Some(Point {
                x: x(row)?,
                gb_per_s,
                interval_gb_per_s: interval
                    .filter(|(low, high)| low.is_finite() && high.is_finite()),
                status: row.status,
            })
        })
        .collect();
    points.sort_by(|a, b| a.x.total_cmp(&b.x));
    points
}

/// The useful bandwidth of a row in GB/s, if it is a number that can be drawn.
pub(super) fn useful_gb_per_s(row: &Row) -> Option<f64> {
    row.useful_gb_per_s
        .filter(|figure| figure.is_finite() && *figure >= 0.0)
}

/// Notes of the rows that no point stands for: those without a figure, and those whose figure `has_place` refuses: a zero on
/// a log axis.
pub(super) fn notes_of_missing(
    rows: &[&Row],
    name: impl Fn(&Row) -> String,
    has_place: impl Fn(f64) -> bool,
) -> Vec<String> {
    let mut named = missing(rows, name, has_place);
    if named.is_empty() {
        return Vec::new();
    }
    let rest = named.len().saturating_sub(NOTED_ROWS_MAX);
    named.truncate(NOTED_ROWS_MAX);
    let mut note = format!("Not drawn: {}", named.join(", "));
    if rest > 0 {
        note.push_str(&format!(" and {rest} more"));
    }
    note.push('.');
    vec![note]
}

/// The note of all rows without a figure, however many, where there are some.
pub(super) fn note_of_every_missing(
    rows: &[&Row],
    name: impl Fn(&Row) -> String,
) -> Option<String> {
    let named = missing(rows, name, |_| true);
    (!named.is_empty()).then(|| format!("Not drawn: {}.", named.join(", ")))
}

/// The name of each row that no point stands for, and why.
fn missing(
    rows: &[&Row],
    name: impl Fn(&Row) -> String,
    has_place: impl Fn(f64) -> bool,
) -> Vec<String> {
    rows.iter()
        .filter_map(|row| match useful_gb_per_s(row) {
            Some(figure) if has_place(figure) => None,
            Some(figure) => Some(format!(
                "{} ({figure} GB/s has no place on a log axis)",
                name(row)
            )),
            None => Some(format!("{} ({})", name(row), why_blank(row))),
        })
        .collect()
}

fn why_blank(row: &Row) -> String {
    let reason = plain(&row.reason);
    let word = match row.status {
        Status::Ok => "no figure",
        other => status_word(other),
    };
    if reason.is_empty() {
        return word.to_owned();
    }
    let mut short: String = reason.chars().take(REASON_MAX_CHARS).collect();
    if short.len() < reason.len() {
        short.push('…');
    }
    format!("{word}: {short}")
}
