//! A run's figures as a share of its own fetch bandwidth, so that devices of unlike speed can be compared.

use crate::record::Row;

use super::ceilings::fetch_plateau_gb_per_s;

/// The transactions that shares are counted in, as an index of [`TRANSACTION_BYTES`](crate::record::TRANSACTION_BYTES): 64 B, as in
/// the column `share_of_fetch_percent`.
const SHARE_TRANSACTION: usize = 1;

/// B of a run, its fetch bandwidth in GB/s: the column `fetch_plateau_gb_per_s`, or where that is blank the plateau of the suite
/// `stride`, which the column is made of. `None` where neither is known.
pub fn fetch_bandwidth_gb_per_s(rows: &[Row]) -> Option<f64> {
    let told = rows.iter().find_map(|row| row.fetch_plateau_gb_per_s);
    let swept = || {
        let sweep: Vec<&Row> = rows.iter().filter(|row| row.suite == "stride").collect();
        fetch_plateau_gb_per_s(&sweep, SHARE_TRANSACTION)
    };
    told.filter(|gb_per_s| is_rate(*gb_per_s)).or_else(swept)
}

/// What `row` fetches in 64-byte transactions as a percentage of `fetch_gb_per_s`; `None` where it has no figure above zero.
///
/// It may exceed 100, as the column `share_of_fetch_percent` may.
pub fn share_of_fetch_percent(row: &Row, fetch_gb_per_s: f64) -> Option<f64> {
    let fetched = row.fetched_gb_per_s()[SHARE_TRANSACTION].filter(|fetched| is_rate(*fetched))?;
    let share = fetched / fetch_gb_per_s * 100.0;
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

    #[test]
    fn the_bandwidth_is_that_of_the_column_or_else_of_the_stride_sweep() {
        let mut rows = [row("struct", 90.0, None), row("stride", 20.0, None)];
        assert_eq!(fetch_bandwidth_gb_per_s(&rows), Some(20.0));
        rows[0].fetch_plateau_gb_per_s = Some(25.0);
        assert_eq!(fetch_bandwidth_gb_per_s(&rows), Some(25.0));
        assert_eq!(fetch_bandwidth_gb_per_s(&rows[..0]), None);
        assert_eq!(fetch_bandwidth_gb_per_s(&[row("struct", 90.0, None)]), None);
    }

    #[test]
    fn nothing_is_divided_by_what_is_no_rate() {
        for plateau in [0.0, f64::NAN, f64::INFINITY] {
            let rows = [row("stride", 20.0, Some(plateau))];
            assert_eq!(fetch_bandwidth_gb_per_s(&rows), Some(20.0));
        }
        assert_eq!(
            share_of_fetch_percent(&row("stride", 5.0, None), 20.0),
            Some(25.0)
        );
        for fetched in [0.0, f64::NAN, f64::INFINITY] {
            assert_eq!(
                share_of_fetch_percent(&row("stride", fetched, None), 20.0),
                None
            );
        }
        assert_eq!(share_of_fetch_percent(&Row::default(), 20.0), None);
    }
}
