//! The rows of `predict` for a terminal of 100 columns, or more where a spec is long: the main figures only.

use std::io;

use super::super::format::print_table;
use super::row::{Figure, Row};
use crate::findings::naming::shortened;
use crate::pattern::Side;
use crate::pattern::spatter::Kernel;
use crate::units::significant;

/// So that a row fits the width of most terminals.
const SPEC_CHARS_MAX: usize = 40;

/// Prints the table; columns that no row fills are left out.
pub(super) fn print(rows: &[Row]) -> io::Result<()> {
    let has_dispatch = rows.iter().any(|row| row.efficiency_unshared.is_some());
    let has_bandwidth = rows.iter().any(|row| row.useful_gb_per_s.is_some());
    let has_sides = rows.iter().any(tells_side);
    let mut header = vec!["spec"];
    if has_sides {
        header.push("side");
    }
    header.extend(["T (B)", "trans-\nactions", "effi-\nciency", "reuse"]);
    // Either the bytes of a subgroup or the dispatch: both would not fit.
    if has_dispatch {
        header.extend(["unshared\neff.", "compulsory\neff."]);
    } else {
        header.extend(["used\nbytes", "fetched\nbytes"]);
    }
    if has_bandwidth {
        header.extend(["useful\nGB/s", "requested\nGB/s"]);
    }
    let cells = |row: &Row| {
        let mut cells = vec![name(row)];
        if has_sides {
            cells.push(row.side.clone());
        }
        cells.extend([
            row.transaction_bytes.to_string(),
            figure(row.transactions),
            percent(Some(row.efficiency)),
            times(row.reuse),
        ]);
        if has_dispatch {
            cells.extend([row.efficiency_unshared, row.efficiency_compulsory].map(percent));
        } else {
            cells.extend([row.bytes_used.to_string(), figure(row.bytes_fetched)]);
        }
        if has_bandwidth {
            let rate = |rate: Option<f64>| rate.map_or_else(String::new, significant);
            cells.extend([row.useful_gb_per_s, row.requested_gb_per_s].map(rate));
        }
        cells
    };
    print_table(&header, rows.iter().map(cells))
}

/// The spec, shortened, with what tells the configurations of a file apart.
fn name(row: &Row) -> String {
    let name = shortened(&row.spec, SPEC_CHARS_MAX);
    match (row.config, row.kernel) {
        (Some(config), Some(kernel)) => format!("{name} #{config} {kernel}"),
        _ => name,
    }
}

/// Whether neither the spec nor the kernel's name says all of what `row` does.
fn tells_side(row: &Row) -> bool {
    match row.kernel {
        // The only kernel with two sparse sides.
        Some(kernel) => kernel == Kernel::GatherScatter.name(),
        None => row.side != Side::Load.to_string(),
    }
}

fn figure(figure: Figure) -> String {
    match figure {
        Figure::Exact(count) => count.to_string(),
        Figure::Expected(expected) => format!("~{}", significant(expected)),
    }
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(String::new, |share| {
        format!("{} %", significant(100.0 * share))
    })
}

fn times(reuse: f64) -> String {
    format!("{}x", significant(reuse))
}
