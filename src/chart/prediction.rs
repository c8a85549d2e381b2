//! What the model says along an axis: at every swept value as its row has it, and between them as the model counts it.

use crate::fit::fetch_plateau_gb_per_s;
use crate::model::{Ceiling, count_dispatch};
use crate::pattern::Spec;
use crate::record::{Row, TRANSACTION_BYTES};
use crate::units::{BYTES_PER_GB, BytesPerSecond, significant};

use super::series::{Curve, Look, Sharing};

/// Subgroups beyond this many lanes, which no GPU has, are predicted only where they were swept.
const COUNTED_LANES_MAX: u32 = 1024;

/// Efficiencies of a dispatch at each of [`TRANSACTION_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Efficiencies {
    pub compulsory: [f64; 3],
    pub unshared: [f64; 3],
}

/// What the model says of one place on the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Predicted {
    pub x: f64,
    pub efficiencies: Efficiencies,
    /// Requested over used bytes.
    pub reuse: f64,
}

/// The figure for transactions of 64 bytes among those of all sizes.
pub(super) fn at_64_bytes<T: Copy>(of_sizes: [T; 3]) -> T {
    of_sizes[1]
}

/// B at 64 bytes as `rows` show it.
pub(super) fn fetch_plateau_at_64_bytes(rows: &[&Row]) -> Option<f64> {
    fetch_plateau_gb_per_s(rows, at_64_bytes([0, 1, 2]))
}

/// The model along the axis by rising x: each row at its `place`, and the patterns `between`, written as specs without keys, each
/// at the x before it, for lanes, element and layout of the first row.
pub(super) fn along(
    rows: &[&Row],
    place: impl Fn(&Row) -> Option<f64>,
    between: impl IntoIterator<Item = (f64, String)>,
) -> Vec<Predicted> {
    let swept = rows.iter().filter_map(|row| {
        Some(Predicted {
            x: place(row)?,
            efficiencies: Efficiencies {
                compulsory: row.efficiency_compulsory(),
                unshared: row.efficiency_unshared(),
            },
            reuse: row.reuse.max(1.0),
        })
    });
    let mut along: Vec<Predicted> = swept.collect();
    if let Some(row) = rows.first() {
        let counted = between
            .into_iter()
            .filter_map(|(x, pattern)| counted(row, x, &pattern));
        along.extend(counted);
    }
    // Stable: where a row knows the efficiency, it comes before the one counted here.
    along.sort_by(|a, b| a.x.total_cmp(&b.x));
    along.dedup_by(|a, b| a.x == b.x);
    along
}

/// What the model counts for `pattern` over the footprint of `row`.
fn counted(row: &Row, x: f64, pattern: &str) -> Option<Predicted> {
    if row.lanes > COUNTED_LANES_MAX {
        return None;
    }
    let (element_bytes, layout) = (row.element_bytes, &row.layout);
    let spec: Spec = format!("{pattern},element={element_bytes}B,layout={layout}")
        .parse()
        .ok()?;
    let window = spec.window(row.lanes).ok()?;
    let windows = row.footprint_bytes.checked_div(window.pitch_bytes)?;
    let [Ok(a), Ok(b), Ok(c)] =
        TRANSACTION_BYTES.map(|size| count_dispatch(&window, windows, size))
    else {
        return None;
    };
    let counts = [a, b, c];
    Some(Predicted {
        x,
        efficiencies: Efficiencies {
            compulsory: counts.map(|counts| counts.efficiency_compulsory()),
            unshared: counts.map(|counts| counts.efficiency_unshared()),
        },
        reuse: a.reuse().max(1.0),
    })
}

/// min(C, B × compulsory efficiency) for each transaction size that `rows` have a plateau for; `measured` is the index of the
/// series that it predicts.
pub(super) fn bounded_curves(
    rows: &[&Row],
    along: &[Predicted],
    measured: usize,
    issue_gb_per_s: Option<f64>,
) -> Vec<Curve> {
    let curve = |(index, transaction_bytes): (usize, u64)| {
        let fetch_gb_per_s = fetch_plateau_gb_per_s(rows, index)?;
        let rate = |gb_per_s: f64| BytesPerSecond(gb_per_s * BYTES_PER_GB);
        let ceiling = Ceiling {
            fetch: rate(fetch_gb_per_s),
            issue: issue_gb_per_s.map(rate),
        };
        let places = along.iter().filter_map(|at| {
            let efficiency = at.efficiencies.compulsory[index];
            (efficiency > 0.0).then_some((at.x, efficiency, at.reuse))
        });
        Some(Curve {
            transaction_bytes: vec![transaction_bytes],
            label: format!(
                "model, {transaction_bytes} B transactions: B = {} GB/s",
                significant(fetch_gb_per_s)
            ),
            measured,
            sharing: Sharing::Everything,
            look: Look::Blocks,
            points: below(ceiling, places),
        })
    };
    (0..).zip(TRANSACTION_BYTES).filter_map(curve).collect()
}

/// The useful bandwidth at every (x, efficiency, reuse), with a point added wherever issuing takes over from fetching.
pub(super) fn below(
    ceiling: Ceiling,
    places: impl Iterator<Item = (f64, f64, f64)>,
) -> Vec<(f64, f64)> {
    // Where both limit alike at reuse 1.
    let even = ceiling.issue.map(|issue| issue.0 / ceiling.fetch.0);
    let mut points = Vec::new();
    let mut before: Option<(f64, f64)> = None;
    for (x, efficiency, reuse) in places {
        if let (Some((previous_x, previous)), Some(even)) = (before, even)
            && (previous - even) * (efficiency - even) < 0.0
        {
            let share = (previous / even).ln() / (previous / efficiency).ln();
            let corner: f64 = previous_x * (x / previous_x).powf(share);
            points.push((corner, ceiling.useful(even, 1.0).gb_per_s()));
        }
        points.push((x, ceiling.useful(efficiency, reuse).gb_per_s()));
        // Stride 0 stands apart: no line leads to or from it.
        before = (x > 0.0).then_some((x, efficiency));
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(lanes: u32, layout: &str) -> Row {
        Row {
            lanes,
            layout: layout.to_owned(),
            element_bytes: 4,
            footprint_bytes: 64 << 20,
            ..Row::default()
        }
    }

    #[test]
    fn a_shifted_window_costs_the_textbook_loss() {
        let at = |layout, pattern: &str| {
            let found = counted(&row(32, layout), 0.0, pattern).expect("countable");
            let [compulsory, unshared] =
                [found.efficiencies.compulsory, found.efficiencies.unshared]
                    .map(|three| three.map(|eta| (eta * 1000.0).round() / 1000.0));
            (compulsory, unshared)
        };
        let loss = [0.8, 0.667, 0.5];
        assert_eq!(at("padded", "offset:4B"), (loss, loss));
        assert_eq!(at("packed", "offset:4B"), ([1.0; 3], loss));
        assert_eq!(at("packed", "offset:128B"), ([1.0; 3], [1.0; 3]));
    }

    #[test]
    fn what_cannot_be_counted_is_left_out() {
        for (row, pattern) in [
            (row(32, "diagonal"), "stride:1"),
            (row(0, "packed"), "stride:1"),
            (row(u32::MAX, "packed"), "stride:1"),
            (row(32, "packed"), "stride:x"),
        ] {
            assert_eq!(counted(&row, 1.0, pattern), None, "{pattern}");
        }
    }

    #[test]
    fn the_bounds_meet_between_two_places() {
        let ceiling = Ceiling {
            fetch: BytesPerSecond(16e9),
            issue: Some(BytesPerSecond(4e9)),
        };
        let places = [(1.0, 1.0, 1.0), (2.0, 0.5, 1.0), (8.0, 0.125, 1.0)];
        assert_eq!(
            below(ceiling, places.into_iter()),
            [(1.0, 4.0), (2.0, 4.0), (4.0, 4.0), (8.0, 2.0)]
        );
        let fetch_alone = Ceiling::of_fetch(BytesPerSecond(3e9));
        assert_eq!(below(fetch_alone, places.into_iter().take(1)), [(1.0, 3.0)]);
    }
}
