//! Useful bandwidth of Spatter's configurations, beside what Spatter itself would count.

use crate::record::Row;
use crate::units::{readable, significant};

use super::axis::Axis;
use super::bar_figure::BarFigure;
use super::bars::{Bar, Bars, Group, bandwidth_bar, note_of_predictions};
use super::series::note_of_every_missing;
use super::text::plain;

/// The suite whose rows this chart draws; also the stem of its file's name after `bandwidth-vs-`.
pub(super) const SUITE: &str = "gather";

/// Spatter's figure closer to the bar than this share is the same: its mark would only hide the bar's end.
const SAME_FIGURE: f64 = 0.005;
/// Spatter's figure may widen the axis by this factor; beyond it, the bars would be too short to compare.
const WIDENED_MAX: f64 = 2.5;
/// A file may hold hundreds of configurations; a sheet shows so many.
const BARS_MAX: usize = 60;
/// Rows whose note is printed; the column `note` has them all.
const NOTED_ROWS_MAX: usize = 4;

/// Whether `row` is one of Spatter's configurations: also one that was never placed in memory is, and is to be named.
pub(super) fn has_place(row: &Row) -> bool {
    let is_configuration = |spec: &str| spec.starts_with(|c: char| c == '@' || c.is_uppercase());
    row.suite == SUITE || row.bytes_counted.is_some() || is_configuration(&row.spec)
}

/// What the chart of `rows` shows.
pub fn bars(rows: &[&Row]) -> Bars {
    let mut bars: Vec<Bar> = rows.iter().filter_map(|row| bar(row)).collect();
    let mut notes: Vec<String> = note_of_every_missing(rows, name).into_iter().collect();
    if bars.len() > BARS_MAX {
        let rest: Vec<String> = bars.drain(BARS_MAX..).map(|bar| bar.label).collect();
        notes.push(format!(
            "Not drawn for want of room, but in measurements.csv: {}.",
            rest.join(", ")
        ));
    }
    if rows.iter().any(|row| row.reuse <= 1.0) {
        notes.push(note_of_predictions(rows));
    }
    let noted: Vec<_> = rows.iter().filter(|row| !row.note.is_empty()).collect();
    let printed = noted.iter().take(NOTED_ROWS_MAX);
    notes.extend(printed.map(|row| format!("{}: {}", name(row), plain(&row.note))));
    if noted.len() > NOTED_ROWS_MAX {
        let rest = noted.len() - NOTED_ROWS_MAX;
        notes.push(format!("{rest} more have a note; see measurements.csv."));
    }
    Bars {
        groups: Group::of_all(bars),
        notes,
    }
}

pub(super) fn figure(bars: &Bars) -> BarFigure<'_> {
    BarFigure {
        title: "Bandwidth of Spatter's patterns",
        question: "What do gathers and scatters really move, and what would Spatter report?",
        x_label: "Useful bandwidth (GB/s)",
        x: Axis::bandwidths_linear(&axis_values(bars)),
        figure_heading: "GB/s",
        remark_heading: "pattern",
        measured: "measured, 95 % interval",
        predicted: "model, where each byte is asked for once",
        counted: "as Spatter counts it (an arrow: beyond the axis)",
        remark: "A bar counts each byte once, however often it is asked for. Spatter counts every reading: its figure is larger by the \
                 reuse, and where the distinct bytes fit a cache it is a cache's bandwidth, not the memory's.",
        bars,
    }
}

/// All figures, and those of Spatter that leave the bars long enough.
fn axis_values(bars: &Bars) -> Vec<f64> {
    let mut values = bars.values();
    let longest = values.iter().copied().fold(0.0, f64::max);
    let counted = bars.bars().filter_map(|bar| bar.counted);
    values.extend(counted.filter(|counted| *counted <= longest * WIDENED_MAX));
    values
}

fn bar(row: &Row) -> Option<Bar> {
    let counted = row
        .counted_gb_per_s
        .filter(|counted| counted.is_finite() && *counted > 0.0);
    let bar = bandwidth_bar(row, remark(row, counted))?;
    Some(Bar {
        label: name(row),
        // What comes back to the same bytes may find them in a cache: B says nothing of it.
        predicted: bar.predicted.filter(|_| row.reuse <= 1.0),
        counted: counted.filter(|counted| (counted - bar.value).abs() > SAME_FIGURE * counted),
        ..bar
    })
}

fn name(row: &Row) -> String {
    match row.config_name.as_str() {
        "" => row.spec.clone(),
        name => format!("{} ({})", row.spec, plain(name)),
    }
}

/// `gather, reuse 16, 3.05 KiB distinct, counts 79.1 GB/s`.
fn remark(row: &Row, counted: Option<f64>) -> String {
    let mut facts = Vec::new();
    if !row.kernel.is_empty() {
        facts.push(plain(&row.kernel));
    }
    if row.reuse > 0.0 {
        facts.push(format!("reuse {}", reuse(row.reuse)));
    }
    if row.bytes_used > 0 {
        facts.push(format!("{} distinct", readable(row.bytes_used)));
    }
    if let Some(counted) = counted {
        facts.push(format!("counts {} GB/s", significant(counted)));
    }
    facts.join(", ")
}

/// A reuse without decimals where it is whole.
fn reuse(reuse: f64) -> String {
    if (reuse - reuse.round()).abs() < 0.005 {
        format!("{reuse:.0}")
    } else {
        significant(reuse)
    }
}
