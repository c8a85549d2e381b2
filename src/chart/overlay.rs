//! Several runs on one sheet, without the model: every suite that two of them have in common, in GB/s and as a share of each run's own
//! fetch bandwidth.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::fit::fetch_bandwidth_gb_per_s;
use crate::record::Row;
use crate::units::significant;

use super::bars::Bars;
use super::caption::Card;
use super::overlay_sheet::{Sheet, Unit};
use super::series::{Measured, grouped, measured_points, useful_gb_per_s};
use super::text::{plain, shorten};
use super::theme::CAPTION_PX;
use super::{Chart, ChartError, Frame, KINDS, Kind, slug};

/// The longest that a name in the legend may be: about three lines.
const NAME_MAX_PX: f64 = 520.0;

/// A run that is drawn beside others.
#[derive(Clone, Debug)]
pub struct Run<'a> {
    /// What tells it from the others in the legend.
    pub name: String,
    /// Its facts.
    pub card: Card,
    /// Its rows.
    pub rows: &'a [Row],
}

/// What is drawn of one sheet in the runs that have it: a sweep, or figures of named patterns.
struct Sweep<'a> {
    /// The suffix of its sheet among those of its kind.
    sheet: String,
    /// What sets it apart from other sweeps of the sheet; empty where there is one.
    name: String,
    lines: Vec<Line<'a>>,
}

/// A sweep of one run.
#[derive(Clone)]
pub(super) struct Line<'a> {
    pub(super) run: &'a Run<'a>,
    /// B of the run in GB/s.
    fetch_gb_per_s: Option<f64>,
    /// The rows of its sheet.
    pub(super) rows: Vec<&'a Row>,
    /// In GB/s, or in percent where shares are drawn.
    pub(super) measured: Measured,
}

/// Draws the suites of `runs`, the first of which is the base. What one run alone has is not drawn.
///
/// # Errors
/// Where drawing fails; no row makes it fail.
pub fn overlays(runs: &[Run]) -> Result<Vec<Chart>, ChartError> {
    let mut charts = Vec::new();
    let bandwidths = runs.iter().map(|run| fetch_bandwidth_gb_per_s(run.rows));
    let runs_and_b: Vec<(&Run, Option<f64>)> = runs.iter().zip(bandwidths).collect();
    for kind in &KINDS {
        let patterns = Patterns::of(kind, runs);
        let sweeps = match kind.frame {
            Frame::Curves { series, .. } => sweeps(kind, &runs_and_b, |rows| series(rows).measured),
            Frame::Bars { .. } => sweeps(kind, &runs_and_b, |rows| vec![patterns.measured(rows)]),
        };
        for sweep in &sweeps {
            let name = sweep.chart_name(kind, &sweeps);
            for unit in Unit::ALL {
                let lines = sweep.in_unit(unit);
                if lines.len() < 2 {
                    continue;
                }
                let sheet = Sheet::new(&lines, unit, notes(&lines, runs, unit));
                let svg = match kind.frame {
                    Frame::Curves { figure, .. } => sheet.curves(&sweep.name, figure)?,
                    Frame::Bars { figure, .. } => {
                        sheet.dots(figure(&Bars::default()).title, &patterns.names)?
                    }
                };
                let name = format!("{name}{}", unit.suffix());
                charts.push(Chart { name, svg });
            }
        }
    }
    Ok(charts)
}

/// The patterns of a kind that names them, whatever run they are in, each with a number: its place in a column.
struct Patterns<'a> {
    names: Vec<String>,
    numbers: HashMap<&'a str, usize>,
}

impl<'a> Patterns<'a> {
    fn of(kind: &Kind, runs: &[Run<'a>]) -> Self {
        let mut patterns = Self {
            names: Vec::new(),
            numbers: HashMap::new(),
        };
        for row in runs.iter().flat_map(|run| kind.rows(run.rows)) {
            let number = patterns.names.len();
            if let Entry::Vacant(vacant) = patterns.numbers.entry(&row.spec) {
                vacant.insert(number);
                patterns.names.push(row.spec.clone());
            }
        }
        patterns
    }

    fn measured(&self, rows: &[&Row]) -> Measured {
        let number = |row: &Row| self.numbers.get(row.spec.as_str()).map(|n| *n as f64);
        let mut points = measured_points(rows, number);
        points.retain(|point| point.gb_per_s > 0.0);
        Measured::new(String::new(), points)
    }
}

/// The sweeps of a kind in `runs`, each with its B, in the order in which they appear; `measured` is what is drawn of the rows of one sheet.
fn sweeps<'a>(
    kind: &Kind,
    runs: &[(&'a Run<'a>, Option<f64>)],
    measured: impl Fn(&[&Row]) -> Vec<Measured>,
) -> Vec<Sweep<'a>> {
    let mut sweeps: Vec<Sweep> = Vec::new();
    for &(run, fetch_gb_per_s) in runs {
        for (sheet, rows) in grouped(&kind.rows(run.rows), kind.sheet) {
            for measured in measured(&rows) {
                let line = Line {
                    run,
                    fetch_gb_per_s,
                    rows: rows.clone(),
                    measured,
                };
                let name = &line.measured.name;
                let mut known = sweeps.iter_mut();
                match known.find(|sweep| (&sweep.sheet, &sweep.name) == (&sheet, name)) {
                    Some(sweep) => sweep.lines.push(line),
                    None => sweeps.push(Sweep {
                        sheet: sheet.clone(),
                        name: name.clone(),
                        lines: vec![line],
                    }),
                }
            }
        }
    }
    sweeps
}

impl<'a> Sweep<'a> {
    /// The stem of the file's name: with the sheet but for the first, and with the sweep where its sheet has several.
    fn chart_name(&self, kind: &Kind, all: &[Sweep]) -> String {
        let mut name = format!("compare-{}", kind.name);
        if all.first().is_some_and(|first| first.sheet != self.sheet) {
            name.push_str(&self.sheet);
        }
        if all.iter().filter(|other| other.sheet == self.sheet).count() > 1 {
            for word in self.name.split_whitespace() {
                name.push('-');
                name.push_str(&slug(word));
            }
        }
        name
    }

    /// The lines that have something to draw, in `unit`.
    fn in_unit(&self, unit: Unit) -> Vec<Line<'a>> {
        let has_points = |line: &&Line| !line.measured.points.is_empty();
        let drawn = self.lines.iter().filter(has_points);
        drawn.filter_map(|line| line.in_unit(unit)).collect()
    }
}

impl Line<'_> {
    /// `None` for shares where B is not known.
    fn in_unit(&self, unit: Unit) -> Option<Self> {
        let mut line = self.clone();
        line.measured.joined = true;
        line.measured.name = shorten(&plain(&self.run.name), NAME_MAX_PX, CAPTION_PX);
        if unit == Unit::GbPerS {
            return Some(line);
        }
        let fetch_gb_per_s = self.fetch_gb_per_s?;
        let percent = |gb_per_s: f64| gb_per_s / fetch_gb_per_s * 100.0;
        for point in &mut line.measured.points {
            point.gb_per_s = percent(point.gb_per_s);
            let interval = point.interval_gb_per_s;
            point.interval_gb_per_s = interval.map(|(low, high)| (percent(low), percent(high)));
        }
        let told = format!(": B = {} GB/s", significant(fetch_gb_per_s));
        line.measured.name.push_str(&told);
        Some(line)
    }
}

/// Which runs, or cases of them, are not drawn.
fn notes(lines: &[Line], runs: &[Run], unit: Unit) -> Vec<String> {
    let drawn = |run: &Run| lines.iter().any(|line| std::ptr::eq(line.run, run));
    let absent: Vec<&str> = runs
        .iter()
        .filter(|run| !drawn(run))
        .map(|run| run.name.as_str())
        .collect();
    let why = match unit {
        Unit::GbPerS => "they have no such figures",
        Unit::ShareOfFetch => "they have no such figures, or no fetch bandwidth",
    };
    let absent = listed(&absent).map(|names| format!("Not drawn, as {why}: {names}."));
    let blank = |row: &&&Row| useful_gb_per_s(row).is_none_or(|figure| figure == 0.0);
    let blanks: Vec<String> = lines
        .iter()
        .map(|line| (line, line.rows.iter().filter(blank).count()))
        .filter(|(_, blanks)| *blanks > 0)
        .map(|(line, blanks)| format!("{blanks} of {}", line.run.name))
        .collect();
    let blanks: Vec<&str> = blanks.iter().map(String::as_str).collect();
    let blanks =
        listed(&blanks).map(|names| format!("Cases without a figure above zero: {names}."));
    absent.into_iter().chain(blanks).collect()
}

/// Up to four of `names`, then how many more.
fn listed(names: &[&str]) -> Option<String> {
    const NAMED_MAX: usize = 4;
    let mut list = names[..names.len().min(NAMED_MAX)].join("; ");
    if names.len() > NAMED_MAX {
        list.push_str(&format!(" and {} more", names.len() - NAMED_MAX));
    }
    (!names.is_empty()).then_some(list)
}
