//! How results are printed on stdout: a table for people, CSV and JSON for programs.

use std::io::{self, Write as _};

use comfy_table::{ContentArrangement, Table, presets};
use serde::Serialize;
use serde_json::Value;
use terminal_size::{Width, terminal_size_of};

use crate::findings::Finding;

/// The value of `--format`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// Columns for people
    #[default]
    Table,
    /// Comma-separated values with a header
    Csv,
    /// JSON
    Json,
}

/// Prints `rows` under `header`, as wide as they are: a spec that is broken over lines cannot be copied.
pub(super) fn print_table(
    header: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> io::Result<()> {
    print_lines(&table(header, rows))
}

/// Prints `rows` under `header` with sentences broken over lines, where there is a terminal to say how wide they may be.
pub(super) fn print_wrapped_table(
    header: &[&str],
    rows: impl IntoIterator<Item = Vec<String>>,
) -> io::Result<()> {
    let mut table = table(header, rows);
    if let Some((Width(columns), _)) = terminal_size_of(io::stdout()) {
        table
            .set_content_arrangement(ContentArrangement::Dynamic)
            .set_width(columns);
    }
    print_lines(&table)
}

fn table(header: &[&str], rows: impl IntoIterator<Item = Vec<String>>) -> Table {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(header.to_vec());
    for row in rows {
        table.add_row(row);
    }
    table
}

fn print_lines(table: &Table) -> io::Result<()> {
    let text: String = table
        .lines()
        .flat_map(|line| [line.trim_end().to_owned(), "\n".to_owned()])
        .collect();
    print_bytes(text.as_bytes())
}

/// Prints `text` as a line.
pub(super) fn print_line(text: &str) -> io::Result<()> {
    print_bytes(format!("{text}\n").as_bytes())
}

/// Prints each finding under its heading and after an empty line.
pub(super) fn print_findings(findings: &[Finding]) -> io::Result<()> {
    findings.iter().try_for_each(|finding| {
        print_line("")?;
        print_finding(finding)
    })
}

/// Prints `finding` under its heading.
pub(super) fn print_finding(finding: &Finding) -> io::Result<()> {
    print_line(finding.heading)?;
    if !finding.lines.is_empty() {
        print_table(&finding.header, finding.lines.iter().cloned())?;
    }
    for remark in &finding.remarks {
        print_line(&format!(" {remark}"))?;
    }
    Ok(())
}

/// Prints `records` as CSV, with the names of their fields as the header.
pub(super) fn print_csv<T: Serialize>(records: &[T]) -> anyhow::Result<()> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for record in records {
        writer.serialize(record)?;
    }
    Ok(print_bytes(&writer.into_inner()?)?)
}

/// Prints `records` as a JSON array.
pub(super) fn print_json<T: Serialize>(records: &[T]) -> anyhow::Result<()> {
    print_json_object(records)
}

/// Prints `value`, of which there is one, as JSON.
pub(super) fn print_json_object<T: Serialize + ?Sized>(value: &T) -> anyhow::Result<()> {
    let mut text = serde_json::to_vec_pretty(value)?;
    text.push(b'\n');
    Ok(print_bytes(&text)?)
}

/// Prints `object` as a row of CSV with its keys as the header; a list of sentences is one cell.
pub(super) fn print_object_as_csv<T: Serialize>(object: &T) -> anyhow::Result<()> {
    let object = serde_json::to_value(object)?;
    let pairs = object.as_object().into_iter().flatten();
    let (header, cells): (Vec<&String>, Vec<String>) =
        pairs.map(|(key, value)| (key, csv_cell(value))).unzip();
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(header)?;
    writer.write_record(cells)?;
    Ok(print_bytes(&writer.into_inner()?)?)
}

/// No sentence holds it, as many do a semicolon.
const BETWEEN_SENTENCES: &str = " | ";

fn csv_cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(values) => {
            let cells: Vec<String> = values.iter().map(csv_cell).collect();
            cells.join(BETWEEN_SENTENCES)
        }
        other => other.to_string(),
    }
}

/// Prints in one piece, past the writers of the formats: their errors would hide that the reader closed the pipe.
///
/// That it did is no error: it has seen enough, and the verb still ends with the status that its cases give.
fn print_bytes(text: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    match out.write_all(text).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}
