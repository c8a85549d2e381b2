//! `coalescope fit`: the granule and the ceilings that a table of a stride sweep shows, without any adapter.

use std::path::PathBuf;

use super::exit::{Outcome, Usage};
use super::format::{
    Format, print_finding, print_json_object, print_line, print_object_as_csv, print_table,
};
use super::runs;
use crate::findings::cell;
use crate::findings::granule::{self, MemoryOf};
use crate::fit::{FittedCurve, StrideCurve, infer, infer_rows, inferred, table_curve};
use crate::record::{Inferred, Row, SweepTable, Table, read_table};
use crate::units::{Bytes, significant};

/// The largest element that a table may be of.
const ELEMENT_BYTES_MAX: u64 = 64;

/// What elements are taken for where nobody says.
const ELEMENT_BYTES: u32 = 4;

/// A table for people lists so many strides.
const STRIDES_LISTED_MAX: usize = 64;

/// Infer from a table of a stride sweep what memory fetches at once, with a confidence, without any adapter.
///
/// Prints the verdict, or that the data cannot tell, with the fetch bandwidth, the issue ceiling and the reasons.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// A table with the columns stride_elements and useful_gb_per_s, measurements.csv of a run, or the run's folder
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Bytes of an element, such as 8B: a power of two [default: the run's first, 4B of another table]
    #[arg(long, value_name = "BYTES", value_parser = element_bytes)]
    element: Option<u32>,
    /// How to print: csv is one row, json one object
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// A sweep with what it says.
struct Fitted {
    curve: StrideCurve,
    /// The curve that fits best.
    fitted: Option<FittedCurve>,
    verdict: Inferred,
    of: MemoryOf,
}

pub(super) fn run(args: &Args) -> anyhow::Result<Outcome> {
    let refused = |reason: String| {
        Usage(format!(
            "'{}' cannot be used: {reason}",
            args.file.display()
        ))
    };
    let table = read_table(&args.file)
        .map_err(|error| refused(format!("{:#}", anyhow::Error::from(error))))?;
    let fitted = match &table {
        Table::Run(rows) => of_run(rows, args.element).map_err(refused)?,
        Table::Foreign(table) => of_table(table, args.element),
    };
    match args.format {
        Format::Table => print(&fitted)?,
        Format::Csv => print_object_as_csv(&fitted.verdict)?,
        Format::Json => print_json_object(&fitted.verdict)?,
    }
    Ok(Outcome::Done)
}

fn element_bytes(text: &str) -> Result<u32, String> {
    let bytes = text.parse().ok().map(|Bytes(bytes)| bytes);
    let element = bytes.filter(|bytes| bytes.is_power_of_two() && *bytes <= ELEMENT_BYTES_MAX);
    element
        .and_then(|bytes| u32::try_from(bytes).ok())
        .ok_or_else(|| {
            format!("expected a power of two from 1B to {ELEMENT_BYTES_MAX}B, such as 8B")
        })
}

/// The sweep of a run that is meant, or why there is none.
fn of_run(rows: &[Row], element: Option<u32>) -> Result<Fitted, String> {
    runs::of_this_version(rows)?;
    let of = MemoryOf::rows(rows);
    let rows: Vec<&Row> = rows.iter().collect();
    let widths = crate::fit::swept_element_bytes(&rows);
    let listed: Vec<String> = widths.iter().map(|width| format!("{width}B")).collect();
    let listed = listed.join(", ");
    let Some(&first) = widths.first() else {
        return Err("the run has no suite stride with two trusted strides or more".to_owned());
    };
    let width = element.unwrap_or(first);
    let absent =
        || format!("the run has no stride sweep of {width}-byte elements, but of {listed}");
    if element.is_none() && widths.len() > 1 {
        tell!("note: of elements of {first} B; --element chooses another of {listed}");
    }
    let curve = StrideCurve::of_rows(&rows, width).ok_or_else(absent)?;
    let verdict = granule::inferred_of_width(&rows, width).ok_or_else(absent)?;
    if of == MemoryOf::Model {
        tell!("note: simulated: a model's memory; nothing was measured");
    }
    Ok(Fitted {
        curve,
        fitted: infer_rows(&rows, width).and_then(|inference| inference.curve),
        verdict,
        of,
    })
}

/// The sweep of anybody's table.
fn of_table(table: &SweepTable, element: Option<u32>) -> Fitted {
    let element_bytes = element.unwrap_or_else(|| {
        tell!("note: assuming elements of {ELEMENT_BYTES} B; --element 8B says otherwise");
        ELEMENT_BYTES
    });
    let curve = table_curve(table, element_bytes);
    let inference = infer(&curve, None);
    let mut verdict = inferred(&curve, &inference);
    if table.left_out.faulty > 0 {
        tell!("note: {}", table.left_out);
    }
    if !table.left_out.is_empty() {
        verdict.reasons.push(table.left_out.to_string());
    }
    let strides = table.rows.iter().map(|row| row.stride_elements);
    if let Some(told) = granule::thinned(&curve, strides) {
        tell!("note: {told}");
        verdict.reasons.push(told);
    }
    Fitted {
        curve,
        fitted: inference.curve,
        verdict,
        of: MemoryOf::Device,
    }
}

/// The finding as `run` prints it, then every stride beside the curve.
fn print(sweep: &Fitted) -> anyhow::Result<()> {
    if let Some(finding) = granule::finding(std::slice::from_ref(&sweep.verdict), sweep.of) {
        print_finding(&finding)?;
    }
    let Some(fitted) = sweep.fitted else {
        return Ok(());
    };
    let points = sweep.curve.points();
    let lines = points.iter().take(STRIDES_LISTED_MAX).map(|point| {
        let expected = fitted.useful_gb_per_s(point.stride_elements as f64);
        let off_percent = (point.useful_gb_per_s / expected - 1.0) * 100.0;
        vec![
            point.stride_elements.to_string(),
            cell(Some(point.useful_gb_per_s), significant),
            cell(Some(expected), significant),
            cell(Some(off_percent), |percent| format!("{percent:+.1} %")),
        ]
    });
    print_line("")?;
    print_table(
        &["stride", "measured GB/s", "fitted GB/s", "residual"],
        lines,
    )?;
    if points.len() > STRIDES_LISTED_MAX {
        print_line(&format!(
            " and {} more strides",
            points.len() - STRIDES_LISTED_MAX
        ))?;
    }
    Ok(())
}
