//! A second estimate that knows nothing of the first: at which offsets padded windows change their speed.
//!
//! A window that begins off a boundary touches one block more, at offsets that repeat with the size of the block. On a GPU these are
//! the slower ones; on a processor they may be faster. Only where they lie is used, not by how much they differ.

use crate::record::Row;
use crate::stats::median;
use crate::sweep::OFFSET;

use super::super::trusted_gb_per_s;

/// Blocks that are tried, in bytes.
const BLOCKS_BYTES: [u64; 6] = [16, 32, 64, 128, 256, 512];

/// So many offsets have to touch a block more, and so many not.
const OFFSETS_MIN: usize = 2;

/// The share of all variation that the two groups have to explain.
const EXPLAINED_MIN: f64 = 0.7;

/// The least difference between the groups that is a step.
const STEP_MIN: f64 = 0.05;

/// Steps in the bandwidth of padded windows over their offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OffsetSteps {
    /// Bytes after which the steps repeat.
    pub period_bytes: u64,
    /// Bandwidth of windows that touch one block more, over that of the others; above 1 where the sign is not the textbook's.
    pub ratio: f64,
    /// The share of the variation, in logarithms, that the steps explain.
    pub explained: f64,
}

/// The steps that the padded loads of the suite `offset` show with one element width; `None` where there are none.
pub fn offset_steps(rows: &[&Row], element_bytes: u32) -> Option<OffsetSteps> {
    let mine = rows.iter().filter(|row| {
        row.suite == OFFSET
            && row.element_bytes == element_bytes
            && row.op == "load"
            && row.layout == "padded"
            && row.pattern == "offset"
    });
    let points: Vec<(u64, f64)> = mine
        .clone()
        .filter_map(|row| Some((row.offset_bytes?, trusted_gb_per_s(row)?.ln())))
        .collect();
    let window_bytes = mine
        .map(|row| u64::from(row.lanes) * u64::from(element_bytes))
        .next()?;
    if window_bytes == 0 {
        return None;
    }
    BLOCKS_BYTES
        .into_iter()
        .filter_map(|block| steps(&points, window_bytes, block))
        .max_by(|a, b| a.explained.total_cmp(&b.explained))
}

/// The steps of blocks of one size, where offsets fall into two groups by it that differ.
fn steps(points: &[(u64, f64)], window_bytes: u64, block_bytes: u64) -> Option<OffsetSteps> {
    let least = window_bytes.div_ceil(block_bytes);
    // Rows may come from anybody's table.
    let touched = |offset: u64| {
        let last = offset.saturating_add(window_bytes - 1);
        last / block_bytes - offset / block_bytes + 1
    };
    let (aligned, straddling): (Vec<_>, Vec<_>) = points
        .iter()
        .partition(|(offset, _)| touched(*offset) == least);
    if aligned.len().min(straddling.len()) < OFFSETS_MIN {
        return None;
    }
    let values =
        |points: &[&(u64, f64)]| -> Vec<f64> { points.iter().map(|point| point.1).collect() };
    let (aligned, straddling) = (values(&aligned), values(&straddling));
    let all: Vec<f64> = points.iter().map(|point| point.1).collect();
    let varied = spread(&all).filter(|varied| *varied > 0.0)?;
    let explained = 1.0 - (spread(&aligned)? + spread(&straddling)?) / varied;
    let ratio = (median(&straddling)? - median(&aligned)?).exp();
    (explained >= EXPLAINED_MIN && ratio.ln().abs() >= STEP_MIN).then_some(OffsetSteps {
        period_bytes: block_bytes,
        ratio,
        explained,
    })
}

/// Sum of the distances from the median: one wild offset hides no step. `None` for no values.
fn spread(values: &[f64]) -> Option<f64> {
    let middle = median(values)?;
    Some(values.iter().map(|value| (value - middle).abs()).sum())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Status;

    fn rows(lanes: u32, useful: impl Fn(u64) -> f64) -> Vec<Row> {
        let offsets = (0..=128).step_by(8);
        offsets
            .map(|offset| Row {
                suite: OFFSET.to_owned(),
                pattern: "offset".to_owned(),
                op: "load".to_owned(),
                layout: "padded".to_owned(),
                lanes,
                element_bytes: 4,
                offset_bytes: Some(offset),
                status: Status::Ok,
                useful_gb_per_s: Some(useful(offset)),
                ..Row::default()
            })
            .collect()
    }

    fn found(rows: &[Row]) -> Option<(u64, f64)> {
        let rows: Vec<&Row> = rows.iter().collect();
        offset_steps(&rows, 4)
            .map(|steps| (steps.period_bytes, (steps.ratio * 100.0).round() / 100.0))
    }

    #[test]
    fn the_textbook_loss_names_the_block() {
        for block in [32, 64, 128] {
            let units = |offset: u64| ((offset + 127) / block - offset / block + 1) as f64;
            let aligned = units(0);
            let expected = aligned / (aligned + 1.0);
            let of_block = rows(32, |offset| 300.0 * aligned / units(offset));
            assert_eq!(
                found(&of_block),
                Some((block, (expected * 100.0).round() / 100.0))
            );
        }
    }

    #[test]
    fn a_step_of_the_other_sign_names_it_too() {
        // As eight lanes behave in a processor's lines of 64 bytes.
        let straddles = |offset: u64| offset % 64 > 32;
        let of_line = rows(8, |offset| if straddles(offset) { 2.5 } else { 1.85 });
        assert_eq!(found(&of_line), Some((64, 1.35)));
    }

    #[test]
    fn no_step_is_seen_where_there_is_none() {
        assert_eq!(found(&rows(32, |_| 200.0)), None);
        assert_eq!(
            found(&rows(32, |offset| 200.0 + (offset * 7 % 13) as f64)),
            None
        );
        assert_eq!(
            found(&rows(32, |offset| if offset == 56 { 100.0 } else { 200.0 })),
            None
        );
        assert_eq!(found(&[]), None);
    }
}
