//! A run's figures as a share of its own fetch bandwidth, so that devices of unlike speed can be compared.

use crate::record::Row;
use crate::sweep::{STRIDE, WORKING_SET};

use super::ceilings::fetch_plateau_gb_per_s;
use super::granule::infer_rows;
use super::inferred::swept_element_bytes;

/// The transactions of the plateau, as an index of [`TRANSACTION_BYTES`](crate::record::TRANSACTION_BYTES): 64 B, as in the column
/// `fetch_plateau_gb_per_s`.
const PLATEAU_TRANSACTION: usize = 1;

/// B of a run, its fetch bandwidth in GB/s: the one that its stride sweep shows, of the element width that was swept first. Where
/// fetching never limits that, or there is no curve, the column `fetch_plateau_gb_per_s`, and where it is blank the plateau of the
/// suite `stride`, which the column is made of. `None` where none is known.
pub fn fetch_bandwidth_gb_per_s(rows: &[Row]) -> Option<f64> {
    let borrowed: Vec<&Row> = rows.iter().collect();
    let inferred = || {
        let width = *swept_element_bytes(&borrowed).first()?;
        let inference = infer_rows(&borrowed, width)?;
        (!inference.fetch_is_lower_bound).then_some(inference.fetch_gb_per_s)
    };
    let told = || rows.iter().find_map(|row| row.fetch_plateau_gb_per_s);
    let swept = || {
        let is_swept = |row: &&&Row| row.suite == STRIDE;
        let sweep: Vec<&Row> = borrowed.iter().filter(is_swept).copied().collect();
        fetch_plateau_gb_per_s(&sweep, PLATEAU_TRANSACTION)
    };
    let is_rate = |gb_per_s: &f64| is_rate(*gb_per_s);
    inferred()
        .filter(is_rate)
        .or_else(|| told().filter(is_rate))
        .or_else(swept)
}

/// What `row` delivers as a percentage of `fetch_gb_per_s`: its useful bandwidth, as the charts of shares show it, and of a working
/// set the fetched one, in 64-byte transactions. `None` where it has no figure above zero.
///
/// It may exceed 100, where caches answer or where B was fetched in smaller blocks.
pub fn share_of_fetch_percent(row: &Row, fetch_gb_per_s: f64) -> Option<f64> {
    let gb_per_s = match row.suite == WORKING_SET {
        true => row.fetched_gb_per_s_64b,
        false => row.useful_gb_per_s,
    };
    let share = gb_per_s.filter(|gb_per_s| is_rate(*gb_per_s))? / fetch_gb_per_s * 100.0;
    share.is_finite().then_some(share)
}

fn is_rate(gb_per_s: f64) -> bool {
    gb_per_s.is_finite() && gb_per_s > 0.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Status;

    fn row(suite: &str, fetched: f64, plateau: Option<f64>) -> Row {
        Row {
            suite: suite.to_owned(),
            status: Status::Ok,
            reuse: 1.0,
            fetched_gb_per_s_64b: Some(fetched),
            fetch_plateau_gb_per_s: plateau,
            ..Row::default()
        }
    }

    /// A sweep whose B is 400 GB/s where its granule is 128 bytes, and whose column says something else.
    fn sweep(issue_gb_per_s: f64) -> Vec<Row> {
        let strides = (1..=64_i64).chain([128, 256]);
        let of = |stride: i64| Row {
            op: "load".to_owned(),
            layout: "packed".to_owned(),
            element_bytes: 4,
            stride_elements: Some(stride),
            useful_gb_per_s: Some(issue_gb_per_s.min(400.0 / (stride as f64).min(32.0))),
            ..row("stride", 200.0, Some(210.0))
        };
        strides.map(of).collect()
    }

    #[test]
    fn the_bandwidth_is_the_one_inferred_where_fetching_limits() {
        let found = fetch_bandwidth_gb_per_s(&sweep(150.0)).expect("a bandwidth");
        assert!((found / 400.0 - 1.0).abs() < 0.01, "{found}");
        // Limited by issue alone, the sweep shows no B.
        assert_eq!(fetch_bandwidth_gb_per_s(&sweep(1.0)), Some(210.0));
    }

    #[test]
    fn the_bandwidth_is_else_that_of_the_column_or_of_the_stride_sweep() {
        let mut rows = [row("struct", 90.0, None), row("stride", 20.0, None)];
        assert_eq!(fetch_bandwidth_gb_per_s(&rows), Some(20.0));
        rows[0].fetch_plateau_gb_per_s = Some(25.0);
        assert_eq!(fetch_bandwidth_gb_per_s(&rows), Some(25.0));
        assert_eq!(fetch_bandwidth_gb_per_s(&rows[..0]), None);
        assert_eq!(fetch_bandwidth_gb_per_s(&[row("struct", 90.0, None)]), None);
        for plateau in [0.0, f64::NAN, f64::INFINITY] {
            let rows = [row("stride", 20.0, Some(plateau))];
            assert_eq!(fetch_bandwidth_gb_per_s(&rows), Some(20.0));
        }
    }

    #[test]
    fn a_share_is_what_the_chart_of_the_suite_shows_over_the_bandwidth() {
        let of = |suite: &str, useful: f64, fetched: f64| {
            let row = Row {
                useful_gb_per_s: Some(useful),
                ..row(suite, fetched, None)
            };
            share_of_fetch_percent(&row, 20.0)
        };
        assert_eq!(of("stride", 2.0, 5.0), Some(10.0));
        assert_eq!(of(WORKING_SET, 2.0, 5.0), Some(25.0));
        for figure in [0.0, f64::NAN, f64::INFINITY] {
            assert_eq!(of("stride", figure, 5.0), None);
            assert_eq!(of(WORKING_SET, 2.0, figure), None);
        }
        assert_eq!(share_of_fetch_percent(&Row::default(), 20.0), None);
    }
}
