//! Useful bandwidth against the offset of the first lane, between the losses predicted if neighbours share everything and nothing.

use crate::fit::trusted_gb_per_s;
use crate::record::{Row, TRANSACTION_BYTES};

use super::axis::Axis;
use super::figure::{Figure, USEFUL};
use super::prediction::{Efficiencies, Predicted, along};
use super::series::{
    Band, Curve, Look, Measured, Series, Sharing, grouped, measured_points, notes_of_missing,
};

/// The suite whose rows this chart draws; also the stem of its file's name after `bandwidth-vs-`.
pub(super) const SUITE: &str = crate::sweep::OFFSET;

/// Curves closer than this share of their value are one line to the eye.
const SAME_CURVE: f64 = 0.005;
/// Offsets between the swept ones are predicted at this many.
const PREDICTED_OFFSETS_MAX: usize = 2048;

/// What the chart of `rows`, all of one element width and operation, shows: a series for each layout of the windows.
pub fn series(rows: &[&Row]) -> Series {
    let mut series = Series {
        notes: notes_of_missing(rows, name, |_| true),
        ..Series::default()
    };
    for (layout, members) in grouped(rows, |row| row.layout.clone()) {
        let index = series.measured.len();
        let curves = curves(&members, &layout, index);
        if curves.is_empty() {
            series.notes.push(format!(
                "No prediction for {layout} windows: offset 0, which it starts from, has no trusted figure."
            ));
        }
        series.bands.extend(band(&curves));
        series.curves.extend(curves);
        let points = measured_points(&members, place);
        series.measured.push(Measured::new(layout, points));
    }
    series
}

pub(super) fn figure(series: &Series, _element_bytes: u32) -> Figure<'_> {
    Figure {
        title: "Bandwidth against offset",
        question: "What does a subgroup that starts off a transaction's boundary lose?",
        x_label: "Offset (bytes)".to_owned(),
        x: Axis::bytes(&series.xs()).with_end_room(),
        y_label: USEFUL,
        y: Axis::bandwidths_linear(&series.bandwidths_gb_per_s()),
        remark: "Model, for transactions of 32, 64 and 128 B: the figure at offset 0 × efficiency relative to offset 0. Packed windows straddle blocks that their neighbours \
                 need too: fetched once if all is shared (compulsory transactions), once for each window if nothing is \
                 (unshared). Padded windows have blocks of their own.",
        series,
    }
}

fn place(row: &Row) -> Option<f64> {
    row.offset_bytes.map(|offset| offset as f64)
}

fn name(row: &Row) -> String {
    format!(
        "{} offset {} B",
        row.layout,
        row.offset_bytes.unwrap_or_default()
    )
}

/// What each transaction size predicts from the figure at offset 0, with everything and with nothing shared; curves that agree
/// are one.
fn curves(rows: &[&Row], layout: &str, measured: usize) -> Vec<Curve> {
    let aligned = |row: &&&Row| row.offset_bytes == Some(0);
    let baseline = rows
        .iter()
        .filter(aligned)
        .find_map(|row| trusted_gb_per_s(row));
    let Some(baseline_gb_per_s) = baseline else {
        return Vec::new();
    };
    let along = along(rows, place, between(rows));
    let mut curves: Vec<Curve> = Vec::new();
    for sharing in [Sharing::Everything, Sharing::Nothing] {
        for (index, transaction_bytes) in (0..).zip(TRANSACTION_BYTES) {
            let points = relative(&along, baseline_gb_per_s, |at| match sharing {
                Sharing::Everything => at.compulsory[index],
                Sharing::Nothing => at.unshared[index],
            });
            // What agrees with the same size's prediction if everything is shared says nothing new.
            let twin = curves.iter_mut().find(|known| {
                let new = known.sharing == sharing;
                let mine = known.transaction_bytes.contains(&transaction_bytes);
                (new || mine) && is_same(&known.points, &points)
            });
            match twin {
                Some(known) if known.sharing == sharing => {
                    known.transaction_bytes.push(transaction_bytes);
                }
                Some(_) => {}
                None if points.is_empty() => {}
                None => curves.push(Curve {
                    transaction_bytes: vec![transaction_bytes],
                    label: String::new(),
                    measured,
                    sharing,
                    look: Look::Blocks,
                    points,
                }),
            }
        }
    }
    let can_share = curves.iter().any(|curve| curve.sharing == Sharing::Nothing);
    for curve in &mut curves {
        curve.label = label(curve, layout, can_share, baseline_gb_per_s);
    }
    curves
}

/// The legend's words with the largest loss; `can_share` says whether what is shared makes a difference for the layout.
fn label(curve: &Curve, layout: &str, can_share: bool, baseline_gb_per_s: f64) -> String {
    let sizes: Vec<String> = curve.transaction_bytes.iter().map(u64::to_string).collect();
    let sizes = sizes.join("/");
    let lowest = curve.points.iter().map(|(_, y)| *y);
    let lowest = lowest.fold(baseline_gb_per_s, f64::min);
    let percent = (100.0 * (1.0 - lowest / baseline_gb_per_s)).round();
    let loss = if percent > 0.0 {
        format!("loses up to {percent:.0} %")
    } else {
        "loses nothing".to_owned()
    };
    match curve.sharing {
        Sharing::Nothing => format!("if nothing is shared, {sizes} B: {loss}"),
        Sharing::Everything if can_share => {
            format!("model, {layout}, all shared, {sizes} B: {loss}")
        }
        Sharing::Everything => format!("model, {layout}, {sizes} B: {loss}"),
    }
}

/// Every offset of a whole element from the smallest to the largest, as a spec.
pub(super) fn between(rows: &[&Row]) -> impl Iterator<Item = (f64, String)> {
    let offsets = || rows.iter().filter_map(|row| row.offset_bytes);
    let element_bytes = rows
        .first()
        .map_or(1, |row| u64::from(row.element_bytes.max(1)));
    let (first, last) = (offsets().min().unwrap_or(0), offsets().max().unwrap_or(0));
    (first.div_ceil(element_bytes)..=last / element_bytes)
        .take(PREDICTED_OFFSETS_MAX)
        .map(move |n| n * element_bytes)
        .map(|offset| (offset as f64, format!("offset:{offset}B")))
}

/// (offset, bandwidth), the `efficiency` at offset 0 standing for the baseline.
fn relative(
    along: &[Predicted],
    baseline_gb_per_s: f64,
    efficiency: impl Fn(&Efficiencies) -> f64,
) -> Vec<(f64, f64)> {
    let aligned = along.iter().find(|at| at.x == 0.0);
    let aligned = aligned.map_or(0.0, |at| efficiency(&at.efficiencies));
    along
        .iter()
        .map(|at| {
            let relative = efficiency(&at.efficiencies) / aligned;
            (at.x, baseline_gb_per_s * relative)
        })
        .filter(|(_, predicted)| predicted.is_finite() && *predicted > 0.0)
        .collect()
}

/// From the lowest prediction if nothing is shared to the highest if everything is.
fn band(curves: &[Curve]) -> Option<Band> {
    let at = |sharing, x: f64| {
        curves
            .iter()
            .filter(move |curve| curve.sharing == sharing)
            .flat_map(|curve| &curve.points)
            .filter(move |(known, _)| *known == x)
            .map(|(_, y)| *y)
    };
    let far_side = curves
        .iter()
        .find(|curve| curve.sharing == Sharing::Nothing)?;
    let points = far_side.points.iter().filter_map(|(x, _)| {
        let low = at(Sharing::Nothing, *x).reduce(f64::min)?;
        let high = at(Sharing::Everything, *x).reduce(f64::max)?;
        Some((*x, low.min(high), high))
    });
    Some(Band {
        label: "between: some blocks are shared".to_owned(),
        measured: far_side.measured,
        points: points.collect(),
    })
}

fn is_same(one: &[(f64, f64)], other: &[(f64, f64)]) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|((x, y), (u, v))| x == u && (y - v).abs() <= SAME_CURVE * y.abs())
}
