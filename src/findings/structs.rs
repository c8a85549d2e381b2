//! What one field of a struct costs, and what a structure of arrays would save.

use super::{Finding, cell, left_out, percent};
use crate::fit::{Loss, StructLine, is_array_alone, is_field, is_trusted, struct_table};
use crate::record::Row;
use crate::units::significant;

/// What `rows`, those of the suite, say; `None` where no field of a struct was asked for.
pub(super) fn finding(rows: &[&Row]) -> Option<Finding> {
    let table = struct_table(rows);
    let lines = table
        .iter()
        .map(|of| line(of, trusted_fields(rows, of)))
        .collect();
    let alone = |row: &&&Row| is_array_alone(row) && is_trusted(row.status);
    let mut remarks = Vec::new();
    if !rows.iter().any(|row| alone(&row)) {
        remarks.push(
            "no loss can be given: the field as an array of its own (soa) has no figure to trust"
                .to_owned(),
        );
    }
    remarks.extend(untrusted_sizes(rows, &table));
    remarks.extend(issue_bound(&table));
    remarks.extend(left_out(rows));
    (!table.is_empty()).then(|| Finding {
        heading: "What does one field of a struct cost, and what would a structure of arrays save?",
        header: vec![
            "struct (B)",
            "field size (B)",
            "fields trusted",
            "fetched/used (64 B)",
            "array alone/field\n(lowest to highest field)",
            "time saved: predicted",
            "measured",
            "all fields GB/s",
        ],
        lines,
        remarks,
        notes: table
            .chunk_by(|a, b| a.element_bytes == b.element_bytes)
            .filter_map(note)
            .collect(),
    })
}

/// Names the structs of which no field is trusted: their lines have no loss.
fn untrusted_sizes(rows: &[&Row], table: &[StructLine]) -> Option<String> {
    let untrusted = table.iter().filter(|of| trusted_fields(rows, of) == 0);
    let sizes = sizes(untrusted)?;
    Some(format!(
        "no loss (-) in structs of {sizes}: none of their fields has a figure to trust"
    ))
}

/// Names the structs whose predicted saving is nothing although more is fetched than used.
fn issue_bound(table: &[StructLine]) -> Option<String> {
    let nothing = |saved: f64| percent(saved) == percent(0.0);
    let bound = table.iter().filter(|of| {
        of.saved_predicted_percent.is_some_and(nothing)
            && of
                .saved_by_traffic_percent
                .is_some_and(|saved| !nothing(saved))
    });
    let sizes = sizes(bound)?;
    Some(format!(
        "0 % predicted in structs of {sizes}: issuing loads limits them, so fetching less saves no time"
    ))
}

/// `8, 16 B`; `None` where there are none.
fn sizes<'a>(of: impl Iterator<Item = &'a StructLine>) -> Option<String> {
    let mut bytes: Vec<u64> = of.map(|of| of.struct_bytes).collect();
    bytes.sort_unstable();
    bytes.dedup();
    let bytes: Vec<String> = bytes.iter().map(u64::to_string).collect();
    (!bytes.is_empty()).then(|| format!("{} B", bytes.join(", ")))
}

/// How many fields the loss of a struct rests on.
fn trusted_fields(rows: &[&Row], of: &StructLine) -> usize {
    let trusted = rows.iter().filter(|row| {
        is_field(row)
            && is_trusted(row.status)
            && (row.struct_bytes, row.element_bytes) == (Some(of.struct_bytes), of.element_bytes)
    });
    trusted.count()
}

fn line(of: &StructLine, trusted: usize) -> Vec<String> {
    vec![
        of.struct_bytes.to_string(),
        of.element_bytes.to_string(),
        format!("{trusted} of {}", of.fields),
        cell(of.fetched_over_used, significant),
        of.loss.map_or_else(|| cell(None, significant), loss),
        cell(of.saved_predicted_percent, percent),
        cell(of.saved_measured_percent, percent),
        cell(of.all_fields_gb_per_s, significant),
    ]
}

/// The median, and the range over the fields where there is one.
fn loss(of: Loss) -> String {
    let middle = significant(of.median);
    if of.lowest == of.highest {
        return middle;
    }
    format!(
        "{middle} ({} to {})",
        significant(of.lowest),
        significant(of.highest)
    )
}

/// The loss of the smallest and of the largest struct, of one width of field.
fn note(of_width: &[StructLine]) -> Option<String> {
    let mut losses = of_width
        .iter()
        .filter_map(|of| Some((of.struct_bytes, of.loss?.median)));
    let (small_bytes, small) = losses.next()?;
    let width = of_width.first()?.element_bytes;
    let mut note = format!(
        "one field of {width} B takes {} times as long as in an array of its own in structs of {small_bytes} B",
        significant(small)
    );
    if let Some((large_bytes, large)) = losses.next_back() {
        note.push_str(&format!(
            ", {} times in structs of {large_bytes} B",
            significant(large)
        ));
    }
    Some(note)
}

#[cfg(test)]
mod tests {
    use super::super::made_up::{borrowed, row};
    use super::*;
    use crate::record::Status;

    fn field(struct_bytes: u64, field_bytes: Option<u64>, useful: f64) -> Row {
        let efficiency = field_bytes.map_or(1.0, |_| 4.0 / struct_bytes as f64);
        Row {
            struct_bytes: Some(struct_bytes),
            field_bytes,
            efficiency_compulsory_64b: efficiency,
            fetched_gb_per_s_64b: Some(useful / efficiency),
            ..row("struct", &format!("struct:{struct_bytes}B"), useful)
        }
    }

    fn suite() -> Vec<Row> {
        let alone = Row {
            efficiency_compulsory_64b: 1.0,
            fetched_gb_per_s_64b: Some(8.0),
            ..row("soa", "soa", 8.0)
        };
        vec![
            alone,
            field(8, Some(0), 8.0),
            field(16, Some(0), 4.0),
            field(16, Some(4), 4.0),
            field(16, Some(8), 3.2),
            field(16, None, 15.0),
        ]
    }

    #[test]
    fn a_struct_is_a_line_with_what_it_costs_and_what_would_be_saved() {
        let found = finding(&borrowed(&suite())).expect("a finding");
        assert_eq!(
            found.lines,
            [
                ["8", "4", "1 of 1", "2.00", "1.00", "0 %", "0 %", "-"],
                [
                    "16",
                    "4",
                    "3 of 3",
                    "4.00",
                    "2.00 (2.00 to 2.50)",
                    "50 %",
                    "50 %",
                    "15.0"
                ],
            ]
        );
        assert!(
            found
                .lines
                .iter()
                .all(|line| line.len() == found.header.len())
        );
        assert_eq!(
            found.notes,
            [
                "one field of 4 B takes 1.00 times as long as in an array of its own in structs of 8 B, 2.00 times in structs of \
                 16 B"
            ]
        );
        assert_eq!(
            found.remarks,
            [
                "0 % predicted in structs of 8 B: issuing loads limits them, so fetching less saves no time"
            ]
        );
    }

    #[test]
    fn without_a_trusted_array_alone_there_is_no_loss() {
        let mut rows = suite();
        rows[0].status = Status::CacheResident;
        let found = finding(&borrowed(&rows)).expect("a finding");
        assert_eq!(
            found.lines,
            [
                ["8", "4", "1 of 1", "2.00", "-", "0 %", "-", "-"],
                ["16", "4", "3 of 3", "4.00", "-", "50 %", "-", "15.0"]
            ]
        );
        assert!(found.notes.is_empty());
        assert!(found.remarks[0].contains("soa"), "{:?}", found.remarks);
        assert_eq!(
            found.remarks.last().map(String::as_str),
            Some("left out: 1 cache-resident")
        );
    }

    #[test]
    fn a_size_of_which_no_field_is_trusted_keeps_its_line_and_is_named() {
        let mut rows = suite();
        rows[1].status = Status::CacheResident;
        let found = finding(&borrowed(&rows)).expect("a finding");
        assert_eq!(found.lines.len(), 2);
        assert_eq!(found.lines[0][..5], ["8", "4", "0 of 1", "2.00", "-"]);
        assert_eq!(
            found.remarks[0],
            "no loss (-) in structs of 8 B: none of their fields has a figure to trust"
        );
    }

    #[test]
    fn a_field_that_is_not_trusted_is_in_no_loss() {
        let mut rows = suite();
        rows[4].status = Status::LoadsSuspect;
        let found = finding(&borrowed(&rows)).expect("a finding");
        assert_eq!(found.lines[1][2..5], ["2 of 3", "4.00", "2.00"]);
        assert_eq!(
            found.remarks.last().map(String::as_str),
            Some("left out: 1 loads-suspect")
        );
        assert_eq!(finding(&borrowed(&rows[..1])), None);
    }
}
