//! Useful bandwidth against the offset of the first lane, with the loss that each transaction size predicts.

use crate::record::{Row, TRANSACTION_BYTES};

use super::axis::Axis;
use super::figure::Figure;
use super::series::{
    Curve, Measured, Series, grouped, is_trusted, measured_points, notes_of_missing,
};

/// The suite whose rows this chart draws; also the stem of its file's name after `bandwidth-vs-`.
pub(super) const SUITE: &str = "offset";

/// Curves closer than this share of their value are one line to the eye.
const SAME_CURVE: f64 = 0.005;
/// Offsets between the swept ones are filled in up to this many.
const FILLED_OFFSETS_MAX: u64 = 2048;

/// What the chart of `rows`, all of one element width and operation, shows: a series for each layout of the windows.
pub fn series(rows: &[&Row]) -> Series {
    let mut series = Series {
        notes: notes_of_missing(rows, name, |_| true),
        ..Series::default()
    };
    for (layout, members) in grouped(rows, |row| row.layout.clone()) {
        let index = series.measured.len();
        let mut curves = curves(&members, &layout, index);
        if curves.is_empty() {
            series.notes.push(format!(
                "No prediction for {layout} windows: offset 0, which it starts from, has no trusted figure."
            ));
        }
        series.curves.append(&mut curves);
        series.measured.push(Measured {
            name: layout,
            points: measured_points(&members, place),
        });
    }
    series
}

pub(super) fn figure(series: &Series, _element_bytes: u32) -> Figure<'_> {
    Figure {
        title: "Bandwidth against offset",
        question: "What does a subgroup that starts off a transaction's boundary lose?",
        x_label: "Offset (bytes)".to_owned(),
        x: Axis::offsets(&series.xs()).with_end_room(),
        y: Axis::bandwidths_linear(&series.bandwidths_gb_per_s()),
        remark: "Model: the figure at offset 0 × efficiency relative to offset 0 (compulsory transactions). Packed: neighbouring windows \
                 share the straddled block. Padded: each window has blocks of its own.",
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

/// What each transaction size predicts from the figure at offset 0: that figure times the efficiency relative to offset 0.
fn curves(rows: &[&Row], layout: &str, measured: usize) -> Vec<Curve> {
    let baseline = rows.iter().find_map(|row| {
        let trusted = row.offset_bytes == Some(0) && is_trusted(row.status);
        let figure = row.useful_gb_per_s.filter(|v| trusted && *v > 0.0)?;
        Some((*row, figure))
    });
    let Some((aligned, baseline_gb_per_s)) = baseline else {
        return Vec::new();
    };
    let mut curves: Vec<Curve> = Vec::new();
    for (index, transaction_bytes) in (0..).zip(TRANSACTION_BYTES) {
        let points: Vec<(f64, f64)> = efficiencies(rows, layout, index, transaction_bytes)
            .into_iter()
            .map(|(offset, efficiency)| {
                let relative = efficiency / aligned.efficiency_compulsory()[index];
                (offset, baseline_gb_per_s * relative)
            })
            .filter(|(_, predicted)| predicted.is_finite())
            .collect();
        match curves
            .iter_mut()
            .find(|known| is_same(&known.points, &points))
        {
            Some(known) => known.transaction_bytes.push(transaction_bytes),
            None => curves.push(Curve {
                transaction_bytes: vec![transaction_bytes],
                label: String::new(),
                measured,
                points,
            }),
        }
    }
    for curve in &mut curves {
        let sizes: Vec<String> = curve.transaction_bytes.iter().map(u64::to_string).collect();
        curve.label = format!("model, {layout}: {} B transactions", sizes.join("/"));
    }
    curves
}

/// (offset, compulsory efficiency) by rising offset: from the rows where one was swept, and for padded windows, whose efficiency
/// jumps between them, at every offset that an element can have.
fn efficiencies(
    rows: &[&Row],
    layout: &str,
    index: usize,
    transaction_bytes: u64,
) -> Vec<(f64, f64)> {
    let mut known: Vec<(u64, f64)> = rows
        .iter()
        .filter_map(|row| Some((row.offset_bytes?, row.efficiency_compulsory()[index])))
        .collect();
    let last = known.iter().map(|(offset, _)| *offset).max().unwrap_or(0);
    let first = known.iter().map(|(offset, _)| *offset).min().unwrap_or(0);
    if let Some(row) = rows.first().filter(|_| layout == "padded") {
        let element_bytes = u64::from(row.element_bytes.max(1));
        let span_bytes = u64::from(row.lanes) * element_bytes;
        let filled = (first.div_ceil(element_bytes)..=last / element_bytes)
            .take(FILLED_OFFSETS_MAX as usize)
            .map(|n| n * element_bytes)
            .map(|offset| {
                (
                    offset,
                    padded_efficiency(offset, span_bytes, transaction_bytes),
                )
            });
        known.extend(filled);
    }
    // Stable: where a row knows the efficiency, it comes before the one filled in.
    known.sort_by_key(|(offset, _)| *offset);
    known.dedup_by_key(|(offset, _)| *offset);
    known
        .into_iter()
        .map(|(offset, efficiency)| (offset as f64, efficiency))
        .collect()
}

/// Used over fetched for one window of `span_bytes` consecutive bytes that begins `offset_bytes` past a boundary and shares no
/// block with its neighbours.
fn padded_efficiency(offset_bytes: u64, span_bytes: u64, transaction_bytes: u64) -> f64 {
    let transactions = (offset_bytes % transaction_bytes + span_bytes).div_ceil(transaction_bytes);
    span_bytes as f64 / (transactions * transaction_bytes) as f64
}

fn is_same(one: &[(f64, f64)], other: &[(f64, f64)]) -> bool {
    one.len() == other.len()
        && one
            .iter()
            .zip(other)
            .all(|((x, y), (u, v))| x == u && (y - v).abs() <= SAME_CURVE * y.abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shifted_window_costs_the_textbook_loss() {
        let loss = TRANSACTION_BYTES.map(|t| padded_efficiency(4, 128, t));
        assert_eq!(loss, [4.0 / 5.0, 2.0 / 3.0, 1.0 / 2.0]);
        assert_eq!(
            TRANSACTION_BYTES.map(|t| padded_efficiency(128, 128, t)),
            [1.0; 3]
        );
    }
}
