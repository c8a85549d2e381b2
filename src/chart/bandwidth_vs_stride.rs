//! Useful bandwidth against stride, with min(C, B * efficiency) for each transaction size laid over it.

use crate::record::{Row, TRANSACTION_BYTES};
use crate::units::significant;

use super::axis::Axis;
use super::figure::Figure;
use super::series::{
    Curve, Measured, Series, fetch_plateau_gb_per_s, grouped, issue_ceiling_gb_per_s,
    measured_points, notes_of_missing,
};

/// The suite whose rows this chart draws; also the stem of its file's name after `bandwidth-vs-`.
pub(super) const SUITE: &str = "stride";

/// What the chart of `rows`, all of one element width and operation, shows.
pub fn series(rows: &[&Row]) -> Series {
    let groups = grouped(rows, |row| {
        (row.layout.clone(), row.stride_elements < Some(0))
    });
    let several = groups.len() > 1;
    let mut series = Series {
        ceiling_gb_per_s: issue_ceiling_gb_per_s(rows),
        notes: notes_of_missing(rows, name, |figure| figure > 0.0),
        ..Series::default()
    };
    for ((layout, descending), members) in groups {
        let order = if descending { ", descending" } else { "" };
        let index = series.measured.len();
        // The model's B is that of windows that leave no gap: a padded pitch has no closed curve of its own here.
        if layout == "packed" && !descending {
            series.curves = curves(&members, index, series.ceiling_gb_per_s);
        }
        let mut points = measured_points(&members, place);
        points.retain(|point| point.useful_gb_per_s > 0.0);
        series.measured.push(Measured {
            name: if several {
                format!("{layout}{order}")
            } else {
                String::new()
            },
            points,
        });
    }
    series
}

pub(super) fn figure(series: &Series, element_bytes: u32) -> Figure<'_> {
    Figure {
        title: "Bandwidth against stride",
        question: "How does useful bandwidth fall as neighbouring lanes move apart?",
        x_label: format!("Stride (elements of {element_bytes} B)"),
        x: Axis::strides(&series.xs()).with_end_room(),
        y: Axis::bandwidths_log(&series.bandwidths_gb_per_s()),
        remark: "Model: the lower of C (highest useful bandwidth measured) and B × efficiency (compulsory transactions), B being the \
                 median of the upper quarter of fetched bandwidths. The footprint is constant: useful bytes fall as the stride grows.",
        series,
    }
}

/// A negative stride stands at its size: its lanes touch the same bytes in the opposite order.
fn place(row: &Row) -> Option<f64> {
    row.stride_elements
        .map(|stride| stride.unsigned_abs() as f64)
}

fn name(row: &Row) -> String {
    format!("stride {}", row.stride_elements.unwrap_or_default())
}

/// One curve for each transaction size that the sweep has a plateau for.
fn curves(rows: &[&Row], measured: usize, ceiling_gb_per_s: Option<f64>) -> Vec<Curve> {
    let ceiling_gb_per_s = ceiling_gb_per_s.unwrap_or(f64::INFINITY);
    let predict = |(index, transaction_bytes): (usize, u64)| {
        let plateau_gb_per_s = fetch_plateau_gb_per_s(rows, index)?;
        let efficiencies = efficiencies(rows, index, transaction_bytes);
        let mut points = Vec::new();
        for (stride, efficiency, reuse) in efficiencies {
            let fetch_bound = plateau_gb_per_s * efficiency;
            // C limits what is requested; a byte that is read again and again is useful once.
            points.push((stride, fetch_bound, ceiling_gb_per_s / reuse));
        }
        Some(Curve {
            transaction_bytes: vec![transaction_bytes],
            label: format!(
                "model, {transaction_bytes} B transactions: B = {} GB/s",
                significant(plateau_gb_per_s)
            ),
            measured,
            points: below_ceiling(&points),
        })
    };
    (0..).zip(TRANSACTION_BYTES).filter_map(predict).collect()
}

/// (stride, compulsory efficiency, reuse) by rising stride at every swept stride and at the knee.
///
/// Between these the efficiency of packed windows is max(1 / stride, element / transaction), two straight lines on log axes
/// that meet at the knee: joining the points draws the curve at every stride, swept or not.
fn efficiencies(rows: &[&Row], index: usize, transaction_bytes: u64) -> Vec<(f64, f64, f64)> {
    let mut known: Vec<(f64, f64, f64)> = rows
        .iter()
        .filter_map(|row| {
            Some((
                place(row)?,
                row.efficiency_compulsory()[index],
                row.reuse.max(1.0),
            ))
        })
        .filter(|(_, efficiency, _)| *efficiency > 0.0)
        .collect();
    known.sort_by(|a, b| a.0.total_cmp(&b.0));
    known.dedup_by(|a, b| a.0 == b.0);
    let knee = rows
        .first()
        .map(|row| transaction_bytes as f64 / f64::from(row.element_bytes.max(1)));
    if let Some(knee) = knee {
        let after = known.partition_point(|(stride, ..)| *stride < knee);
        let between = after > 0 && known.get(after).is_some_and(|(stride, ..)| *stride > knee);
        if between && known[after - 1].0 > 0.0 {
            known.insert(after, (knee, 1.0 / knee, 1.0));
        }
    }
    known
}

/// (stride, the lower of both bounds), with a point added wherever the bounds cross on log axes.
fn below_ceiling(points: &[(f64, f64, f64)]) -> Vec<(f64, f64)> {
    let mut lower = Vec::new();
    let mut before: Option<(f64, f64)> = None;
    for (stride, fetch_bound, ceiling) in points.iter().copied() {
        let excess = (fetch_bound / ceiling).ln();
        if let Some((previous, previous_excess)) = before.filter(|(_, e)| e * excess < 0.0) {
            let share = previous_excess / (previous_excess - excess);
            let crossing: f64 = previous * (stride / previous).powf(share);
            lower.push((crossing, ceiling));
        }
        lower.push((stride, fetch_bound.min(ceiling)));
        // Stride 0 stands apart: no line leads to or from it.
        before = (stride > 0.0).then_some((stride, excess));
    }
    lower
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bounds_meet_between_swept_strides() {
        let inf = f64::INFINITY;
        let points = [(1.0, 16.0, 4.0), (2.0, 8.0, 4.0), (8.0, 2.0, 4.0)];
        assert_eq!(
            below_ceiling(&points),
            [(1.0, 4.0), (2.0, 4.0), (4.0, 4.0), (8.0, 2.0)]
        );
        assert_eq!(below_ceiling(&[(1.0, 3.0, inf)]), [(1.0, 3.0)]);
    }
}
