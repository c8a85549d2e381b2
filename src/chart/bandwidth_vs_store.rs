//! Useful bandwidth of stores and copies against stride, with what three policies of writing a block predict.

use crate::fit::{Policy, StorePolicy, store_efficiency, touches_each_byte_once, write_policy};
use crate::model::Ceiling;
use crate::record::{Row, TRANSACTION_BYTES};
use crate::units::{BYTES_PER_GB, BytesPerSecond, significant};

use super::axis::Axis;
use super::bandwidth_vs_stride::place;
use super::figure::{Figure, USEFUL};
use super::prediction::below;
use super::series::{
    Curve, Level, Look, Measured, Series, Sharing, grouped, measured_points, notes_of_missing,
    useful_gb_per_s,
};

/// The suite whose rows this chart draws; also the stem of its file's name after `bandwidth-vs-`.
pub(super) const SUITE: &str = "store";

/// What the chart of `rows`, all of one element width and operation, shows.
pub fn series(rows: &[&Row]) -> Series {
    let (swept, others): (Vec<&Row>, Vec<&Row>) =
        rows.iter().partition(|row| row.stride_elements.is_some());
    let groups = grouped(&swept, |row| {
        (row.layout.clone(), row.stride_elements < Some(0))
    });
    let several = groups.len() > 1;
    let fit = write_policy(rows);
    let mut series = Series {
        verdict: verdict(&fit),
        notes: vec![format!("Policy: {}.", fit.reason)],
        ..Series::default()
    };
    series.notes.extend(fit.issue_gb_per_s.map(ceiling_note));
    series.notes.extend(strided_note(&swept));
    series
        .notes
        .extend(others.iter().filter_map(|row| apart_note(row)));
    series.notes.extend(notes_of_missing(
        rows,
        |row| row.spec.clone(),
        |figure| figure > 0.0,
    ));
    for ((layout, descending), members) in groups {
        let index = series.measured.len();
        if layout == "packed" && !descending {
            series.curves = curves(&members, &fit, index);
            series
                .levels
                .extend(fit.issue_gb_per_s.map(Level::issue_ceiling));
        }
        let mut points = measured_points(&members, place);
        points.retain(|point| point.gb_per_s > 0.0);
        let order = if descending { ", descending" } else { "" };
        let name = if several {
            format!("{layout}{order}")
        } else {
            String::new()
        };
        series.measured.push(Measured::new(name, points));
    }
    series
}

pub(super) fn figure(series: &Series, element_bytes: u32) -> Figure<'_> {
    Figure {
        title: "Bandwidth of stores and copies against stride",
        question: "What does memory move when a block is written, wholly or in part?",
        x_label: format!("Stride (elements of {element_bytes} B)"),
        x: Axis::strides(&series.xs()).with_end_room(),
        y_label: USEFUL,
        y: Axis::bandwidths_log(&series.bandwidths_gb_per_s()),
        remark: if series.curves.is_empty() {
            "No model: too few rows of packed, ascending strides can be compared. A copy counts what it reads and what it writes."
        } else {
            "Model: B × used bytes over moved bytes, and no more than C where rows that move different amounts run equally fast. A \
             touched block is written; besides, nothing is read, or the blocks that the whole dispatch leaves partly unwritten are, \
             or every block is. A copy also reads, and counts what it reads and what it writes."
        },
        series,
    }
}

/// The ceiling that the model is cut at.
fn ceiling_note(gb_per_s: f64) -> String {
    format!(
        "C = {} GB/s: rows that move different amounts are as fast as this.",
        significant(gb_per_s)
    )
}

/// The words above the legend.
fn verdict(fit: &StorePolicy) -> String {
    match fit.policy {
        Some(policy) => format!(
            "Fits best: {policy}, in blocks of {} B",
            fit.transaction_bytes
        ),
        None => "Policy: undetermined (see below)".to_owned(),
    }
}

/// Which side strides, where a copy does.
fn strided_note(rows: &[&Row]) -> Option<String> {
    let sides = grouped(rows, |row| row.strided_side.clone());
    let words: Vec<&str> = sides
        .iter()
        .map(|(side, _)| side.as_str())
        .filter(|side| !side.is_empty())
        .collect();
    let copies = rows.iter().any(|row| row.op == "copy");
    (copies && !words.is_empty()).then(|| match words.as_slice() {
        ["both"] => "Both sides of the copy stride, the loads and the stores.".to_owned(),
        sides => format!("The side of the copy that strides: {}.", sides.join(" or ")),
    })
}

/// What a pattern without a stride delivers.
fn apart_note(row: &Row) -> Option<String> {
    let useful = significant(useful_gb_per_s(row)?);
    let requested = row.requested_gb_per_s.filter(|figure| figure.is_finite())?;
    Some(if touches_each_byte_once(row) {
        format!("{} has no stride: {useful} GB/s.", row.spec)
    } else {
        format!(
            "{} has no stride: {useful} GB/s of distinct bytes, {} GB/s requested.",
            row.spec,
            significant(requested)
        )
    })
}

/// What each policy predicts, in blocks of the size that fits best; nothing where too few rows can be held against it.
fn curves(rows: &[&Row], fit: &StorePolicy, measured: usize) -> Vec<Curve> {
    if !fit.has_enough_rows() {
        return Vec::new();
    }
    let transaction_bytes = fit.transaction_bytes;
    let Some(index) = TRANSACTION_BYTES
        .iter()
        .position(|size| *size == transaction_bytes)
    else {
        return Vec::new();
    };
    let curve = |policy: Policy| {
        let moved_gb_per_s = fit.candidate(policy)?.moved_gb_per_s;
        let fetch_gb_per_s = fit.at_gb_per_s.or(moved_gb_per_s)?;
        let rate = |gb_per_s: f64| BytesPerSecond(gb_per_s * BYTES_PER_GB);
        let ceiling = Ceiling {
            fetch: rate(fetch_gb_per_s),
            issue: fit.issue_gb_per_s.map(rate),
        };
        let mut places: Vec<(f64, f64, f64)> = rows
            .iter()
            .filter_map(|row| {
                let efficiency = store_efficiency(row, policy, index)?;
                Some((place(row)?, efficiency, row.reuse.max(1.0)))
            })
            .collect();
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        Some(Curve {
            transaction_bytes: vec![transaction_bytes],
            label: format!(
                "{policy}, in blocks of {transaction_bytes} B: B = {} GB/s",
                significant(fetch_gb_per_s)
            ),
            measured,
            sharing: Sharing::Everything,
            look: Look::Policy(policy),
            points: below(ceiling, places.into_iter()),
        })
    };
    Policy::ALL.into_iter().filter_map(curve).collect()
}
