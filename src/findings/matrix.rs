//! What walking down columns costs, and what a tile in workgroup memory saves of a transpose.

use super::{Finding, left_out, ratio, span};
use crate::fit::{MatrixSpeedUps, Ratio, speed_ups};
use crate::record::Row;

/// What `rows`, those of the suite, say; `None` where it was not run.
pub(super) fn finding(rows: &[&Row]) -> Option<Finding> {
    let speed_ups = speed_ups(rows);
    let lines: Vec<Vec<String>> = speed_ups.iter().flat_map(lines).collect();
    let mut remarks = Vec::new();
    if !rows.is_empty() && lines.is_empty() {
        remarks.push(
            "no speed-up can be given: no two cases of the same matrix have figures to trust"
                .to_owned(),
        );
    }
    remarks.extend(left_out(rows));
    (!rows.is_empty()).then(|| Finding {
        heading: "What does walking down columns cost, and what does a tile save of a transpose?",
        header: vec![
            "width",
            "element (B)",
            "case",
            "÷ row",
            "÷ row copy",
            "÷ naive",
        ],
        lines,
        remarks,
        notes: note(&speed_ups).into_iter().collect(),
    })
}

/// A line for each way that something is known of.
fn lines(of: &MatrixSpeedUps) -> Vec<Vec<String>> {
    [
        ("column", [of.column_over_row, None, None]),
        ("naive transpose", [None, of.naive_over_copy, None]),
        (
            "through a tile",
            [None, of.tiled_over_copy, of.tiled_over_naive],
        ),
        (
            "through a padded tile",
            [None, of.padded_over_copy, of.padded_over_naive],
        ),
    ]
    .into_iter()
    .filter(|(_, ratios)| ratios.iter().any(Option::is_some))
    .map(|(case, ratios)| {
        let named = [
            of.matrix_width.to_string(),
            of.element_bytes.to_string(),
            case.to_owned(),
        ];
        named.into_iter().chain(ratios.map(ratio)).collect()
    })
    .collect()
}

/// The range of each speed-up over all matrices.
fn note(speed_ups: &[MatrixSpeedUps]) -> Option<String> {
    let range = |of: fn(&MatrixSpeedUps) -> Option<Ratio>| {
        span(
            speed_ups
                .iter()
                .filter_map(move |line| Some(of(line)?.value)),
        )
    };
    let transposes: Vec<String> = [
        ("through a tile", range(|line| line.tiled_over_copy)),
        ("through a padded tile", range(|line| line.padded_over_copy)),
    ]
    .into_iter()
    .filter_map(|(way, range)| Some(format!("{way} {}", range?)))
    .collect();
    let transposes = match (range(|line| line.naive_over_copy), transposes.is_empty()) {
        (Some(naive), true) => Some(format!(
            "a naive transpose reaches {naive} of a row copy's bandwidth"
        )),
        (Some(naive), false) => Some(format!(
            "a naive transpose reaches {naive} of a row copy's bandwidth, {}",
            transposes.join(", ")
        )),
        (None, false) => Some(format!(
            "a transpose reaches, of a row copy's bandwidth, {}",
            transposes.join(", ")
        )),
        (None, true) => None,
    };
    let column = range(|line| line.column_over_row)
        .map(|range| format!("walking down columns reaches {range} of walking along rows"));
    let parts: Vec<String> = transposes.into_iter().chain(column).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

#[cfg(test)]
mod tests {
    use super::super::made_up::{borrowed, row};
    use super::*;
    use crate::record::Status;

    fn case(pattern: &str, op: &str, tile: &str, width: u64, useful: f64) -> Row {
        Row {
            op: op.to_owned(),
            tile: tile.to_owned(),
            matrix_width: Some(width),
            ..row(pattern, &format!("{pattern}:{width}"), useful)
        }
    }

    fn suite() -> Vec<Row> {
        vec![
            case("row", "load", "", 1024, 9.9),
            case("column", "load", "", 1024, 1.98),
            case("row", "copy", "", 1024, 10.0),
            case("transpose", "copy", "", 1024, 4.0),
            case("transpose", "copy", "plain", 1024, 6.0),
            case("transpose", "copy", "padded", 1024, 8.0),
            case("row", "load", "", 1000, 9.0),
            case("column", "load", "", 1000, 4.5),
        ]
    }

    #[test]
    fn every_way_is_held_against_its_bases_with_an_interval() {
        let found = finding(&borrowed(&suite())).expect("a finding");
        let cells: Vec<&[String]> = found.lines.iter().map(|line| &line[..]).collect();
        assert_eq!(
            cells[0],
            ["1024", "4", "column", "0.200 (0.164 to 0.244)", "-", "-"]
        );
        assert_eq!(
            cells[1][2..],
            ["naive transpose", "-", "0.400 (0.327 to 0.489)", "-"]
        );
        assert_eq!(
            cells[2][3..],
            ["-", "0.600 (0.491 to 0.733)", "1.50 (1.23 to 1.83)"]
        );
        assert_eq!(cells[4][..3], ["1000", "4", "column"]);
        assert!(
            found
                .lines
                .iter()
                .all(|line| line.len() == found.header.len())
        );
        assert_eq!(
            found.notes,
            [
                "a naive transpose reaches 0.400 of a row copy's bandwidth, through a tile 0.600, through a padded tile 0.800; \
                 walking down columns reaches 0.200 to 0.500 of walking along rows"
            ]
        );
    }

    #[test]
    fn what_is_not_trusted_is_in_no_ratio() {
        let mut rows = suite();
        rows[2].status = Status::OverPeak;
        rows[7].useful_low_gb_per_s = None;
        let found = finding(&borrowed(&rows)).expect("a finding");
        let cases: Vec<&str> = found.lines.iter().map(|line| line[2].as_str()).collect();
        assert_eq!(
            cases,
            [
                "column",
                "through a tile",
                "through a padded tile",
                "column"
            ]
        );
        assert_eq!(found.lines[1][4], "-");
        assert_eq!(found.lines[3][3], "0.500", "no interval");
        assert_eq!(found.remarks, ["left out: 1 over-peak"]);
    }

    #[test]
    fn why_there_is_no_table_is_said() {
        let mut rows = suite();
        for row in &mut rows {
            row.status = Status::CacheResident;
        }
        let found = finding(&borrowed(&rows)).expect("a finding");
        assert!(found.lines.is_empty() && found.notes.is_empty());
        assert!(
            found.remarks[0].starts_with("no speed-up"),
            "{:?}",
            found.remarks
        );
        assert_eq!(found.remarks[1], "left out: 8 cache-resident");
        assert_eq!(finding(&[]), None);
    }
}
