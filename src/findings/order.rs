//! How far each order of lanes deviates from forward.

use super::status::word;
use super::{ABSENT, Finding, left_out};
use crate::fit::{OrderDeviation, is_forward, is_trusted, order_deviations};
use crate::record::Row;

/// What `rows`, those of the suite, say; `None` where there is nothing to compare.
pub(super) fn finding(rows: &[&Row]) -> Option<Finding> {
    let deviations = order_deviations(rows);
    let lines: Vec<Vec<String>> = deviations.iter().map(line).collect();
    let other_bytes: Vec<&str> = rows
        .iter()
        .filter(|row| !is_forward(row) && deviations.iter().all(|of| of.row != **row))
        .map(|row| row.spec.as_str())
        .collect();
    let mut remarks = Vec::new();
    if !other_bytes.is_empty() {
        remarks.push(format!(
            "not compared, since they touch other bytes than forward: {}",
            other_bytes.join(", ")
        ));
    }
    remarks.extend(left_out(rows));
    (!lines.is_empty()).then_some(Finding {
        heading: "Does the order of lanes matter? Useful bandwidth against forward (stride:1):",
        header: vec!["pattern", "deviation", "interval", "verdict"],
        lines,
        remarks,
        ..Finding::default()
    })
}

fn line(of: &OrderDeviation) -> Vec<String> {
    let spec = of.row.spec.clone();
    let (deviation, interval, verdict) = cells(of);
    vec![spec, deviation, interval, verdict]
}

fn cells(of: &OrderDeviation) -> (String, String, String) {
    let absent = || ABSENT.to_owned();
    if !is_trusted(of.status) {
        let whose = if of.row.status == of.status {
            String::new()
        } else {
            "forward is ".to_owned()
        };
        return (absent(), absent(), format!("{whose}{}", word(of.status)));
    }
    let Some(ratio) = of.over_forward else {
        return (absent(), absent(), "no figure of forward".to_owned());
    };
    // Without an interval a deviation says nothing, here and on the chart.
    let Some((low, high)) = ratio.interval else {
        return (absent(), absent(), "no interval".to_owned());
    };
    let deviation = format!("{} %", deviation_percent(ratio.value));
    let interval = format!(
        "{} to {} %",
        deviation_percent(low),
        deviation_percent(high)
    );
    let verdict = match ratio.may_be_one() {
        Some(true) => "within noise",
        _ if ratio.value < 1.0 => "slower",
        _ => "faster",
    };
    (deviation, interval, verdict.to_owned())
}

/// `+1.2` of a ratio of 1.012.
fn deviation_percent(ratio: f64) -> String {
    let tenths = (1000.0 * (ratio - 1.0)).round();
    // No negative zero.
    format!("{:+.1}", (tenths + 0.0) / 10.0)
}

#[cfg(test)]
mod tests {
    use super::super::made_up::{borrowed, row};
    use super::*;
    use crate::record::Status;

    fn suite() -> Vec<Row> {
        let mut rows = vec![
            row("stride", "stride:1", 5.0),
            row("reversed", "reversed", 4.9),
            row("permuted", "permuted", 2.5),
            row("broadcast", "broadcast", 0.6),
        ];
        rows[0].stride_elements = Some(1);
        rows[3].reuse = 8.0;
        rows
    }

    #[test]
    fn deviations_are_told_from_noise() {
        let found = finding(&borrowed(&suite())).expect("a finding");
        assert_eq!(
            found.lines,
            [
                ["reversed", "-2.0 %", "-19.8 to +19.8 %", "within noise"],
                ["permuted", "-50.0 %", "-59.1 to -38.9 %", "slower"],
            ]
        );
        assert_eq!(
            found.remarks,
            ["not compared, since they touch other bytes than forward: broadcast"]
        );
    }

    #[test]
    fn what_is_not_trusted_has_its_status_instead() {
        let mut rows = suite();
        rows[1].status = Status::LaunchBound;
        rows[2].useful_low_gb_per_s = None;
        let found = finding(&borrowed(&rows)).expect("a finding");
        assert_eq!(found.lines[0][1..], ["-", "-", "launch-bound"]);
        assert_eq!(found.lines[1][1..], ["-", "-", "no interval"]);
        assert_eq!(found.remarks[1], "left out: 1 launch-bound");
        rows[0].status = Status::CacheResident;
        let found = finding(&borrowed(&rows)).expect("a finding");
        assert_eq!(found.lines[1][1..], ["-", "-", "forward is cache-resident"]);
        let found = finding(&borrowed(&rows[1..])).expect("a finding");
        assert_eq!(found.lines[1][1..], ["-", "-", "no figure of forward"]);
    }

    #[test]
    fn no_deviation_is_a_negative_zero() {
        assert_eq!(deviation_percent(0.9999), "+0.0");
        assert_eq!(finding(&borrowed(&suite()[..1])), None);
    }
}
