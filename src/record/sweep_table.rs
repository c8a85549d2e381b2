//! Tables of stride sweeps: a run's own `measurements.csv`, or anybody's, whose columns are found by name.

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use csv::{Position, ReaderBuilder, StringRecord};

use super::row::Row;

/// The columns that a table has to have.
const STRIDE: &str = "stride_elements";
const USEFUL: &str = "useful_gb_per_s";

/// The ends of the 95 % interval, used where they are there.
const LOW: &str = "useful_low_gb_per_s";
const HIGH: &str = "useful_high_gb_per_s";

/// A table with these columns was written by a run.
const OF_A_RUN: [&str; 4] = ["schema_version", "suite", "spec", "status"];

/// What may stand between cells, the likeliest first.
const DELIMITERS: [u8; 3] = [b',', b';', b'\t'];

/// Larger files and longer tables are no stride sweeps.
const FILE_BYTES_MAX: u64 = 64 << 20;
const ROWS_MAX: usize = 1_000_000;

/// The largest stride that is read.
const STRIDE_MAX: f64 = u32::MAX as f64;

/// No memory delivers more, in GB/s: the column is in another unit.
const USEFUL_MAX_GB_PER_S: f64 = 1e6;

/// Columns beyond this number, and characters of a cell, are not repeated in messages.
const NAMED_COLUMNS_MAX: usize = 12;
const NAMED_CHARS_MAX: usize = 40;

/// Names less alike than this are not proposed.
const ALIKE_MIN: f64 = 0.6;

/// A table as it was read.
#[derive(Clone, Debug, PartialEq)]
pub enum Table {
    /// The rows of a run.
    Run(Vec<Row>),
    /// Anybody's table.
    Foreign(SweepTable),
}

/// A stride sweep as anybody's table tells it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SweepTable {
    /// The usable rows in the order of the file; at least one.
    pub rows: Vec<SweepRow>,
    /// The others.
    pub left_out: LeftOut,
}

/// A usable row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweepRow {
    /// Distance of neighbouring lanes' elements; from 1 to `u32::MAX`.
    pub stride_elements: u64,
    /// Useful bandwidth, finite and above zero.
    pub useful_gb_per_s: f64,
    /// Its 95 % interval, lower end first.
    pub interval_gb_per_s: Option<(f64, f64)>,
}

/// Rows that are not used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Rows with a stride of 0 or below: legitimate, and no part of the curve that is fitted.
    pub not_ascending: usize,
    /// Rows with a cell that is no stride or no bandwidth.
    pub faulty: usize,
    /// The line of the first of those, counted from 1, and what is wrong with it.
    pub first_fault: Option<(u64, String)>,
}

/// A table that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The file system refused.
    #[error("cannot read it")]
    Io(#[source] io::Error),
    /// More than a table of a sweep can be.
    #[error("it is larger than a stride sweep: {0} are read at most")]
    TooLarge(&'static str),
    /// UTF-16, or no text at all.
    #[error("it is no UTF-8 text")]
    NoText,
    /// No line but comments.
    #[error("it holds no table; expected a header with the columns {STRIDE} and {USEFUL}")]
    Empty,
    /// A column that has to be there is not, or is there more than once.
    #[error("{problem} column '{name}'; found {found}{nearest}")]
    Column {
        /// What is wrong.
        problem: &'static str,
        /// The column.
        name: &'static str,
        /// Those that are there.
        found: String,
        /// The one that may be meant, as a clause.
        nearest: String,
    },
    /// A quote that nothing closes.
    #[error("a quote that opens in line {line} is not closed")]
    Quote {
        /// Where its row begins, counted from 1.
        line: u64,
    },
    /// It has the columns of a run, but not its rows.
    #[error("its rows are not those of a run")]
    Rows(#[source] csv::Error),
    /// Nothing is left of it.
    #[error("it has no row with a positive stride and a bandwidth{}", because(.0))]
    NoUsableRow(LeftOut),
}

/// Reads the table at `path`, which may be the folder of a run.
///
/// # Errors
/// Where it cannot be read, is too large, lacks a column, or has no usable row.
pub fn read_table(path: &Path) -> Result<Table, TableError> {
    let file = match path.is_dir() {
        true => File::open(path.join("measurements.csv")),
        false => File::open(path),
    };
    let mut bytes = Vec::new();
    file.and_then(|file| file.take(FILE_BYTES_MAX + 1).read_to_end(&mut bytes))
        .map_err(TableError::Io)?;
    if bytes.len() as u64 > FILE_BYTES_MAX {
        return Err(TableError::TooLarge("64 MiB"));
    }
    // A comment or a name in another encoding does no harm.
    parse_table(&String::from_utf8_lossy(&bytes))
}

/// Reads the table in `text`: comments begin with `#`, cells are separated by commas, semicolons or tabs.
///
/// # Errors
/// As [`read_table`].
pub fn parse_table(text: &str) -> Result<Table, TableError> {
    if text.contains('\0') {
        return Err(TableError::NoText);
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let (delimiter, header) = header(text).ok_or(TableError::Empty)?;
    let has = |name: &&str| header.iter().any(|found| found == *name);
    if OF_A_RUN.iter().all(has) {
        return run_rows(text, delimiter).map(Table::Run);
    }
    let columns = Columns::of(&header)?;
    sweep(text, delimiter, &columns).map(Table::Foreign)
}

/// Reads records with cells as they stand, however many a line has.
fn reader(text: &str, delimiter: u8) -> csv::Reader<&[u8]> {
    ReaderBuilder::new()
        .delimiter(delimiter)
        .comment(Some(b'#'))
        .has_headers(false)
        .flexible(true)
        .from_reader(text.as_bytes())
}

/// The header's names in lower case, and the delimiter by which it has both columns, or else the most.
fn header(text: &str) -> Option<(u8, Vec<String>)> {
    let of = |delimiter: u8| {
        let mut records = reader(text, delimiter).into_records().map_while(Result::ok);
        let first = records.find(|record| !is_ignored(record))?;
        let names: Vec<String> = first.iter().map(|name| cell(name).to_lowercase()).collect();
        Some((delimiter, names))
    };
    // Of equals the last is taken.
    let candidates = DELIMITERS.into_iter().rev().filter_map(of);
    candidates.max_by_key(|(_, names)| {
        let wanted = [STRIDE, USEFUL].map(|name| names.iter().any(|found| found == name));
        (wanted == [true, true], names.len())
    })
}

/// Whether a record is blank, or a comment behind spaces.
fn is_ignored(record: &StringRecord) -> bool {
    record.iter().all(|text| cell(text).is_empty())
        || record
            .iter()
            .next()
            .is_some_and(|first| cell(first).starts_with('#'))
}

/// The content of a cell, without the spaces and quotes around it: behind a space a quote is none to the reader.
fn cell(text: &str) -> &str {
    text.trim().trim_matches('"').trim()
}

fn run_rows(text: &str, delimiter: u8) -> Result<Vec<Row>, TableError> {
    let mut reader = ReaderBuilder::new()
        .delimiter(delimiter)
        .comment(Some(b'#'))
        .from_reader(text.as_bytes());
    let mut rows = Vec::new();
    for row in reader.deserialize() {
        if rows.len() == ROWS_MAX {
            return Err(TableError::TooLarge("1,000,000 rows"));
        }
        rows.push(row.map_err(TableError::Rows)?);
    }
    Ok(rows)
}

/// Where in a record the columns stand.
struct Columns {
    stride: usize,
    useful: usize,
    interval: Option<(usize, usize)>,
}

impl Columns {
    fn of(header: &[String]) -> Result<Self, TableError> {
        let column = |name: &'static str| match places(header, name)[..] {
            [place] => Ok(place),
            [] => Err(refusal("it lacks the", name, header)),
            _ => Err(refusal("it has more than one", name, header)),
        };
        let interval = [LOW, HIGH].map(|name| places(header, name).first().copied());
        Ok(Self {
            stride: column(STRIDE)?,
            useful: column(USEFUL)?,
            interval: interval[0].zip(interval[1]),
        })
    }

    /// What is usable of `record`; `None` where its stride is 0 or below.
    fn read(&self, record: &StringRecord) -> Result<Option<SweepRow>, String> {
        let number = |place: usize| {
            record
                .get(place)
                .and_then(|text| cell(text).parse::<f64>().ok())
        };
        let fault = |place: usize, expected: &str| {
            let text = record.get(place).map_or("", cell);
            Err(format!("'{}' is no {expected}", shortened(text)))
        };
        let stride = match number(self.stride) {
            Some(stride) if stride.fract() == 0.0 && stride <= STRIDE_MAX => stride,
            _ => return fault(self.stride, "whole number of elements up to 4294967295"),
        };
        if stride < 1.0 {
            return Ok(None);
        }
        let is_bandwidth = |value: &f64| (f64::MIN_POSITIVE..=USEFUL_MAX_GB_PER_S).contains(value);
        let Some(useful_gb_per_s) = number(self.useful).filter(is_bandwidth) else {
            return fault(self.useful, "bandwidth in GB/s above 0 and up to 1000000");
        };
        let ends = self
            .interval
            .and_then(|(low, high)| number(low).zip(number(high)));
        Ok(Some(SweepRow {
            stride_elements: stride as u64,
            useful_gb_per_s,
            interval_gb_per_s: ends
                .filter(|(low, high)| is_bandwidth(low) && is_bandwidth(high) && low <= high),
        }))
    }
}

fn places(header: &[String], name: &str) -> Vec<usize> {
    let named = header
        .iter()
        .enumerate()
        .filter(|(_, found)| *found == name);
    named.map(|(place, _)| place).collect()
}

fn refusal(problem: &'static str, name: &'static str, header: &[String]) -> TableError {
    let named = header.iter().take(NAMED_COLUMNS_MAX);
    let mut found: Vec<String> = named.map(|name| format!("'{}'", shortened(name))).collect();
    if header.len() > NAMED_COLUMNS_MAX {
        found.push(format!("{} more", header.len() - NAMED_COLUMNS_MAX));
    }
    let alike = header
        .iter()
        .map(|found| (strsim::jaro_winkler(found, name), found))
        .filter(|(alike, found)| *alike >= ALIKE_MIN && *found != name)
        .max_by(|a, b| a.0.total_cmp(&b.0));
    TableError::Column {
        problem,
        name,
        found: found.join(", "),
        nearest: alike.map_or_else(String::new, |(_, found)| {
            format!("; the nearest is '{}'", shortened(found))
        }),
    }
}

fn shortened(text: &str) -> String {
    let mut short: String = text.chars().take(NAMED_CHARS_MAX).collect();
    if short.len() < text.len() {
        short.push_str("...");
    }
    short
}

fn sweep(text: &str, delimiter: u8, columns: &Columns) -> Result<SweepTable, TableError> {
    let mut table = SweepTable::default();
    let records = reader(text, delimiter).into_records();
    // Cells are text already, and lines may be of any length: nothing is left that reading could refuse.
    let records = records
        .map_while(Result::ok)
        .filter(|record| !is_ignored(record));
    for (number, record) in records.skip(1).enumerate() {
        if number == ROWS_MAX {
            return Err(TableError::TooLarge("1,000,000 rows"));
        }
        if is_unclosed(&record, text) {
            let line = record.position().map_or(0, |position| line(text, position));
            return Err(TableError::Quote { line });
        }
        match columns.read(&record) {
            Ok(Some(row)) => table.rows.push(row),
            Ok(None) => table.left_out.not_ascending += 1,
            Err(fault) => {
                table.left_out.faulty += 1;
                let line = record.position().map_or(0, |position| line(text, position));
                table.left_out.first_fault.get_or_insert((line, fault));
            }
        }
    }
    match table.rows.is_empty() {
        true => Err(TableError::NoUsableRow(table.left_out)),
        false => Ok(table),
    }
}

/// Whether the last cell of `record` opens a quote that swallows the rest of `text`.
fn is_unclosed(record: &StringRecord, text: &str) -> bool {
    let last = record.iter().next_back().unwrap_or_default();
    last.contains('\n') && text.ends_with(last)
}

/// The line of the record that is read from `position` on: comments and blank lines before it are skipped.
fn line(text: &str, position: &Position) -> u64 {
    let begin = usize::try_from(position.byte()).unwrap_or(usize::MAX);
    let lines = text.get(begin..).unwrap_or_default().split('\n');
    let skipped = lines.take_while(|line| line.trim().is_empty() || line.starts_with('#'));
    position.line() + skipped.count() as u64
}

impl LeftOut {
    /// Whether every row is used.
    pub fn is_empty(&self) -> bool {
        self.not_ascending + self.faulty == 0
    }
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rows = |count: usize| if count == 1 { "row" } else { "rows" };
        let Self {
            not_ascending,
            faulty,
            ..
        } = *self;
        let mut parts = Vec::new();
        if not_ascending > 0 {
            parts.push(format!(
                "{not_ascending} {} with a stride of 0 or below",
                rows(not_ascending)
            ));
        }
        if faulty > 0 {
            let first = self
                .first_fault
                .as_ref()
                .map_or_else(String::new, |(line, fault)| {
                    format!(", the first on line {line}: {fault}")
                });
            parts.push(format!(
                "{faulty} {} without usable figures{first}",
                rows(faulty)
            ));
        }
        write!(f, "left out: {}", parts.join("; "))
    }
}

/// What was left out as a clause; empty where nothing was.
fn because(left_out: &LeftOut) -> String {
    match left_out.is_empty() {
        true => String::new(),
        false => format!("; {left_out}"),
    }
}
