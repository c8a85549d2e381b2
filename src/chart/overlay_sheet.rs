//! One sweep of several runs with its axes, its caption and its frame.

use crate::fit::is_trusted;

use super::ChartError;
use super::axis::Axis;
use super::caption;
use super::dot_figure::DotFigure;
use super::figure::{Figure, USEFUL};
use super::overlay::Line;
use super::series::{Band, Measured, Series};
use super::theme::SERIES_MAX;

const USEFUL_SHARE: &str = "Useful bandwidth (% of B)";

/// What bandwidths are drawn in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    GbPerS,
    /// Percent of the run's own fetch bandwidth.
    ShareOfFetch,
}

impl Unit {
    pub(super) const ALL: [Self; 2] = [Self::GbPerS, Self::ShareOfFetch];

    /// The end of a chart's name.
    pub(super) fn suffix(self) -> &'static str {
        match self {
            Self::GbPerS => "",
            Self::ShareOfFetch => "-share",
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::GbPerS => "as measured",
            Self::ShareOfFetch => "as a share of each run's own fetch bandwidth B",
        }
    }
}

/// What several runs show of one sweep, before it has axes.
pub(super) struct Sheet<'a> {
    unit: Unit,
    lines: &'a [Line<'a>],
    /// The runs that have a look of their own: all, or where a band stands for the many others the first of `lines`. That is the
    /// base unless it lacks figures of this sweep.
    own: &'a [Line<'a>],
    notes: Vec<String>,
}

impl<'a> Sheet<'a> {
    pub(super) fn new(lines: &'a [Line], unit: Unit, notes: Vec<String>) -> Self {
        let own = match lines.len() > SERIES_MAX {
            true => &lines[..1],
            false => lines,
        };
        Self {
            unit,
            lines,
            own,
            notes,
        }
    }

    /// Every run, for axes on which all have a place.
    fn all(&self) -> Series {
        Series {
            measured: measured(self.lines),
            ..Series::default()
        }
    }

    /// What is drawn.
    fn series(&self, is_apart: impl Fn(f64) -> bool) -> Series {
        let others = &self.lines[self.own.len()..];
        Series {
            measured: measured(self.own),
            bands: band(others, is_apart).into_iter().collect(),
            notes: self.notes.clone(),
            ..Series::default()
        }
    }

    fn question(&self, sweep: &str) -> String {
        let sweep = match sweep {
            "" => String::new(),
            name => format!(", {name}"),
        };
        format!("{} runs{sweep}, {}", self.lines.len(), self.unit.words())
    }

    fn caption(&self, marks: &str) -> Vec<String> {
        let of_run = |line: &Line| caption::of_run(&line.run.name, &line.run.card, &line.rows);
        let mut caption = vec![caption::of_sheet(&self.lines[0].rows)];
        caption.extend(self.own.iter().map(of_run));
        caption.push(self.remark(marks));
        caption
    }

    /// What bars, `marks` and B are.
    fn remark(&self, marks: &str) -> String {
        let mut bars: Vec<&str> = self.own.iter().map(|line| line.measured.bar).collect();
        bars.sort_unstable();
        bars.dedup();
        let share = match self.unit {
            Unit::GbPerS => "",
            Unit::ShareOfFetch => {
                " B: that of the curve fitted to the suite stride; where issue limits all of it, the median of the upper quarter of its \
                 bandwidths fetched in 64 B transactions."
            }
        };
        format!("Bars: {}. {marks}{share}", bars.join("; "))
    }

    /// What is written across the plot: what holds for every run.
    fn stamp(&self) -> Option<&'static str> {
        let mut stamps = self.lines.iter().map(|line| line.run.card.stamp());
        let first = stamps.next()??;
        stamps.all(|stamp| stamp == Some(first)).then_some(first)
    }

    /// The sweep in the frame of its own chart.
    pub(super) fn curves(
        &self,
        sweep: &str,
        figure: for<'s> fn(&'s Series, u32) -> Figure<'s>,
    ) -> Result<String, ChartError> {
        let all = self.all();
        let element_bytes = self.lines[0]
            .rows
            .first()
            .map_or(0, |row| row.element_bytes);
        let figure = figure(&all, element_bytes);
        let figure = Figure {
            question: &self.question(sweep),
            y_label: match (self.unit, figure.y_label) {
                (Unit::GbPerS, label) => label,
                (Unit::ShareOfFetch, USEFUL) => USEFUL_SHARE,
                (Unit::ShareOfFetch, _) => "Fetched bandwidth (% of B), 64 B lines",
            },
            series: &self.series(|x| figure.x.is_apart(x)),
            ..figure
        };
        let caption = self.caption("Lines join points without a guard.");
        figure.draw(&caption, self.stamp())
    }

    /// The patterns in a column, on a log axis so that devices of unlike speed have room.
    pub(super) fn dots(
        &self,
        title: &'static str,
        patterns: &[String],
    ) -> Result<String, ChartError> {
        let figure = DotFigure {
            title,
            question: &self.question(""),
            x_label: match self.unit {
                Unit::GbPerS => USEFUL,
                Unit::ShareOfFetch => USEFUL_SHARE,
            },
            x: Axis::bandwidths_log(&self.all().bandwidths_gb_per_s()),
            patterns,
            series: &self.series(|_| false),
        };
        let caption = self.caption("The runs of a pattern stand in the order of the legend.");
        figure.draw(&caption, self.stamp())
    }
}

fn measured(lines: &[Line]) -> Vec<Measured> {
    lines.iter().map(|line| line.measured.clone()).collect()
}

/// The room from the lowest to the highest trusted figure of `lines` at each place of the axis.
fn band(lines: &[Line], is_apart: impl Fn(f64) -> bool) -> Option<Band> {
    let mut places: Vec<(f64, f64)> = lines
        .iter()
        .flat_map(|line| &line.measured.points)
        .filter(|point| is_trusted(point.status) && !is_apart(point.x))
        .map(|point| (point.x, point.gb_per_s))
        .collect();
    places.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    let ends = |of_x: &[(f64, f64)]| (of_x[0].0, of_x[0].1, of_x[of_x.len() - 1].1);
    let points: Vec<_> = places.chunk_by(|a, b| a.0 == b.0).map(ends).collect();
    (!points.is_empty()).then(|| Band {
        label: format!("{} other runs, from the lowest to the highest", lines.len()),
        measured: 0,
        points,
    })
}
