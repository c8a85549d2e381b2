//! Fetched bandwidth against the working set, with the places where it steps down and the last-level cache marked.

use crate::record::{Row, Status, set_levels};
use crate::units::{readable, significant};

use super::axis::Axis;
use super::caption::Card;
use super::figure::Figure;
use super::series::{
    Mark, MarkKind, Measured, Point, Series, grouped, measured_points, notes_of_missing,
};

/// The suite whose rows this chart draws; also the stem of its file's name after `bandwidth-vs-`.
pub(super) const SUITE: &str = crate::sweep::WORKING_SET;

/// What the chart of `rows`, all of one element width and operation, shows.
pub fn series(rows: &[&Row]) -> Series {
    let measured = grouped(rows, |row| row.spec.clone());
    let several = measured.len() > 1;
    let of_spec = |(spec, members): (String, Vec<&Row>)| {
        let name = if several { spec } else { String::new() };
        Measured::new(name, fetched_points(&members))
    };
    Series {
        measured: measured.into_iter().map(of_spec).collect(),
        notes: notes_of_missing(rows, |row| readable(row.footprint_bytes), |_| true),
        ..Series::default()
    }
}

/// Where a cache ends: as the system tells it, and as the rows show it.
pub(super) fn marks(rows: &[&Row], card: &Card) -> Vec<Mark> {
    let largest = rows.iter().map(|row| row.footprint_bytes).max();
    let smallest = rows.iter().map(|row| row.footprint_bytes).min();
    let cache = card
        .last_level_cache_bytes
        .filter(|bytes| Some(*bytes) >= smallest && Some(*bytes) <= largest)
        .map(|bytes| Mark {
            x: bytes as f64,
            kind: MarkKind::Told,
            label: format!("last-level cache, as the system tells: {}", readable(bytes)),
        });
    let levels = set_levels(rows.iter().copied());
    let steps = levels.windows(2).map(|pair| Mark {
        // Half an octave on, since the next size is an octave on at most: between the two, not through either.
        x: pair[0].last_bytes as f64 * std::f64::consts::SQRT_2,
        kind: MarkKind::Found,
        label: format!(
            "step after {}: {} to {} GB/s",
            readable(pair[0].last_bytes),
            significant(pair[0].fetched_gb_per_s),
            significant(pair[1].fetched_gb_per_s)
        ),
    });
    cache.into_iter().chain(steps).collect()
}

pub(super) fn figure(series: &Series, _element_bytes: u32) -> Figure<'_> {
    Figure {
        title: "Bandwidth against working set",
        question: "How large a working set do the caches hold?",
        x_label: "Working set, visited again and again".to_owned(),
        x: Axis::sizes(&series.xs()).with_end_room(),
        y_label: "Fetched bandwidth (GB/s), 64 B lines",
        y: Axis::bandwidths_linear(&series.bandwidths_gb_per_s()),
        remark: "Every lane fetches a line of 64 bytes of its own. Each sample follows a pass over the same set that is not timed, \
                 so what a cache can hold is in it: that caches answer is what this chart is for. A step is a fall by more than a \
                 tenth that the next size confirms; its line stands right after the last size before it.",
        series,
    }
}

/// The fetched bandwidths at 64 bytes. That a cache may have answered is no fault here, so no mark of one either.
fn fetched_points(rows: &[&Row]) -> Vec<Point> {
    let fetched = |row: &&&Row| row.efficiency_compulsory_64b > 0.0;
    let rows: Vec<&Row> = rows.iter().filter(fetched).copied().collect();
    let mut points = measured_points(&rows, |row| Some(row.footprint_bytes as f64));
    for point in &mut points {
        let of_point = rows
            .iter()
            .find(|row| row.footprint_bytes as f64 == point.x);
        let lines = of_point.map_or(1.0, |row| row.efficiency_compulsory_64b);
        point.gb_per_s /= lines;
        point.interval_gb_per_s = point
            .interval_gb_per_s
            .map(|(low, high)| (low / lines, high / lines));
        if point.status == Status::CacheResident {
            point.status = Status::Ok;
        }
    }
    points
}
