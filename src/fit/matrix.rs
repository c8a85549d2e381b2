//! How much faster a matrix is walked or transposed in one way than in another.

use crate::record::Row;

use super::{Ratio, is_trusted};

/// One of the ways of the suite `matrix`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatrixCase {
    /// Lanes read along a row.
    Row,
    /// Lanes read down a column.
    Column,
    /// Lanes copy along a row.
    Copy,
    /// A transpose without a tile.
    Naive,
    /// A transpose through a tile in workgroup memory.
    Tiled,
    /// A transpose through a tile that is padded against bank conflicts.
    Padded,
}

/// Which way `row` is; `None` for any other.
pub fn matrix_case(row: &Row) -> Option<MatrixCase> {
    match (row.pattern.as_str(), row.op.as_str(), row.tile.as_str()) {
        ("row", "load", _) => Some(MatrixCase::Row),
        ("column", "load", _) => Some(MatrixCase::Column),
        ("row", "copy", _) => Some(MatrixCase::Copy),
        ("transpose", _, "") => Some(MatrixCase::Naive),
        ("transpose", _, "plain") => Some(MatrixCase::Tiled),
        ("transpose", _, "padded") => Some(MatrixCase::Padded),
        _ => None,
    }
}

/// The speed-ups of one width of matrix and of element, each of useful bandwidths and `None` where one of the two has no trusted
/// figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatrixSpeedUps {
    /// Elements of a row.
    pub matrix_width: u64,
    /// Width of an access in bytes.
    pub element_bytes: u32,
    /// Reading down a column over reading along a row.
    pub column_over_row: Option<Ratio>,
    /// The transpose without a tile over a copy along rows, which is what a transpose could reach.
    pub naive_over_copy: Option<Ratio>,
    /// The tile over the copy.
    pub tiled_over_copy: Option<Ratio>,
    /// The padded tile over the copy.
    pub padded_over_copy: Option<Ratio>,
    /// The tile over the transpose without one.
    pub tiled_over_naive: Option<Ratio>,
    /// The padded tile over the transpose without one.
    pub padded_over_naive: Option<Ratio>,
}

/// One line for each width of matrix and of element, in the order of `rows`.
pub fn speed_ups(rows: &[&Row]) -> Vec<MatrixSpeedUps> {
    let mut lines: Vec<MatrixSpeedUps> = Vec::new();
    for row in rows {
        let Some(width) = row.matrix_width else {
            continue;
        };
        let known = |line: &MatrixSpeedUps| {
            (line.matrix_width, line.element_bytes) == (width, row.element_bytes)
        };
        if !lines.iter().any(known) {
            lines.push(of_width(rows, width, row.element_bytes));
        }
    }
    lines
}

fn of_width(rows: &[&Row], matrix_width: u64, element_bytes: u32) -> MatrixSpeedUps {
    let of = |case| {
        rows.iter().copied().find(|row| {
            is_trusted(row.status)
                && (row.matrix_width, row.element_bytes) == (Some(matrix_width), element_bytes)
                && matrix_case(row) == Some(case)
        })
    };
    let ratio = |case, base| Ratio::of(of(case)?, of(base)?);
    MatrixSpeedUps {
        matrix_width,
        element_bytes,
        column_over_row: ratio(MatrixCase::Column, MatrixCase::Row),
        naive_over_copy: ratio(MatrixCase::Naive, MatrixCase::Copy),
        tiled_over_copy: ratio(MatrixCase::Tiled, MatrixCase::Copy),
        padded_over_copy: ratio(MatrixCase::Padded, MatrixCase::Copy),
        tiled_over_naive: ratio(MatrixCase::Tiled, MatrixCase::Naive),
        padded_over_naive: ratio(MatrixCase::Padded, MatrixCase::Naive),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Status;

    fn row(pattern: &str, op: &str, tile: &str, width: u64, useful: f64) -> Row {
        Row {
            pattern: pattern.to_owned(),
            op: op.to_owned(),
            tile: tile.to_owned(),
            matrix_width: Some(width),
            element_bytes: 4,
            status: Status::Ok,
            useful_gb_per_s: Some(useful),
            useful_low_gb_per_s: Some(useful * 0.5),
            useful_high_gb_per_s: Some(useful * 2.0),
            ..Row::default()
        }
    }

    #[test]
    fn each_way_is_held_against_its_base_of_the_same_width() {
        let mut rows = [
            row("row", "load", "", 1024, 8.0),
            row("column", "load", "", 1024, 2.0),
            row("row", "copy", "", 1024, 10.0),
            row("transpose", "copy", "", 1024, 4.0),
            row("transpose", "copy", "plain", 1024, 6.0),
            row("transpose", "copy", "padded", 1024, 8.0),
            row("column", "load", "", 1000, 3.0),
        ];
        rows[5].status = Status::LoadsSuspect;
        let lines = speed_ups(&rows.iter().collect::<Vec<_>>());
        let value = |ratio: Option<Ratio>| ratio.map(|ratio| ratio.value);
        assert_eq!(lines.len(), 2);
        assert_eq!(
            lines[0].column_over_row,
            Some(Ratio {
                value: 0.25,
                interval: Some((0.0625, 1.0))
            })
        );
        assert_eq!(value(lines[0].naive_over_copy), Some(0.4));
        assert_eq!(value(lines[0].tiled_over_copy), Some(0.6));
        assert_eq!(value(lines[0].tiled_over_naive), Some(1.5));
        assert_eq!(lines[0].padded_over_naive, None);
        assert_eq!(lines[1].column_over_row, None);
    }
}
