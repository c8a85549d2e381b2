//! One status word a case: the guards that keep a figure from being taken for what it is not.

use super::card::RunCard;
use super::row::Row;
use crate::executor::TRANSACTION_BYTES;
use crate::stats::{median, plateau};
use crate::sweep::{CaseState, Estimate, LAUNCH_BOUND_EMPTIES, STRIDE, Status, TimingMethod};
use crate::units::readable;

/// An interval whose half-width is more than this share of its median makes a case noisy.
const NOISY_HALF_WIDTH: f64 = 0.05;

/// Fewer bytes fetched between two visits than this many last-level caches: a cache may have answered.
pub const CACHES_BETWEEN_VISITS: u64 = 4;

/// Fetched bandwidth beyond this share of the plateau is no memory's.
const OVER_PLATEAU: f64 = 1.05;

/// The transaction size that `share_of_fetch_percent` counts with, as an index of `TRANSACTION_BYTES`.
const SHARE_TRANSACTION: usize = 1;

/// The guard that a measured case raises, worst first, with the reason; [`Status::Ok`] and no reason if none does.
pub(super) fn status(
    row: &Row,
    state: &CaseState,
    estimate: &Estimate,
    card: &RunCard,
    cache_bytes: Option<u64>,
    method: TimingMethod,
) -> (Status, String) {
    loads_suspect(state)
        .or_else(|| over_peak(row, card))
        .or_else(|| cache_resident(row, state, cache_bytes))
        .or_else(|| launch_bound(state, card, method))
        .or_else(|| noisy(estimate))
        .unwrap_or((Status::Ok, String::new()))
}

/// Median bytes fetched by anyone between two visits of a slice by this case; `None` where none was visited twice.
///
/// What is shuffled comes back to a block from anywhere in its span: a cache that holds the span answers, however much
/// others fetched since the slice's turn.
pub(super) fn bytes_between_visits(state: &CaseState) -> Option<u64> {
    let between: Vec<f64> = state
        .samples
        .iter()
        .filter_map(|sample| sample.bytes_fetched_since)
        .map(|bytes| bytes as f64)
        .collect();
    let span_bytes = match &state.case {
        Some(case) if case.is_shuffled() => case.span_bytes(),
        _ => u64::MAX,
    };
    median(&between).map(|bytes| (bytes as u64).min(span_bytes))
}

/// Fills in the plateau of fetched bandwidth over the stride sweep and each row's share of it, and marks rows above it.
pub(super) fn compare_with_plateau(rows: &mut [Row]) {
    let plateaus: Vec<f64> = (0..TRANSACTION_BYTES.len())
        .filter_map(|size| plateau(&swept(rows, size)))
        .collect();
    let highest = plateaus.iter().copied().max_by(f64::total_cmp);
    let baseline = plateau(&swept(rows, SHARE_TRANSACTION));
    for row in rows.iter_mut().filter(|row| row.is_measured()) {
        row.fetch_plateau_gb_per_s = baseline;
        row.share_of_fetch_percent = row.fetched_gb_per_s()[SHARE_TRANSACTION]
            .zip(baseline)
            .map(|(fetched, plateau)| fetched / plateau * 100.0);
        // By the smallest transactions, of which surely no fewer are fetched, against the largest plateau, and surely:
        // by the lower end of the interval.
        let surely = row.useful_low_gb_per_s.zip(row.useful_gb_per_s);
        let surely = surely.map_or(1.0, |(low, median)| low / median);
        let above = row
            .fetched_gb_per_s_32b
            .map(|fetched| fetched * surely)
            .zip(highest)
            .filter(|(fetched, plateau)| *fetched > plateau * OVER_PLATEAU);
        if let (Some((fetched, plateau)), Status::Ok | Status::Noisy) = (above, row.status) {
            row.status = Status::OverPeak;
            row.reason =
                format!("at least {fetched:.1} GB/s fetched, but the plateau is {plateau:.1} GB/s");
        }
    }
}

/// Fetched bandwidths of the stride sweep that no guard keeps from being a baseline.
fn swept(rows: &[Row], size: usize) -> Vec<f64> {
    rows.iter()
        .filter(|row| row.suite == STRIDE && row.reuse == 1.0)
        .filter(|row| matches!(row.status, Status::Ok | Status::Noisy))
        .filter_map(|row| row.fetched_gb_per_s()[size])
        .collect()
}

fn loads_suspect(state: &CaseState) -> Option<(Status, String)> {
    let test = state.self_test.filter(|test| test.fails)?;
    let reason = format!(
        "half of its kernel's windows take {:.2} of the time of all, not 0.50: loads may not happen as written",
        test.half_over_whole
    );
    Some((Status::LoadsSuspect, reason))
}

fn over_peak(row: &Row, card: &RunCard) -> Option<(Status, String)> {
    let (useful, peak) = row.useful_gb_per_s.zip(card.peak_gb_per_s)?;
    (useful > peak).then(|| {
        let reason = format!("{useful:.1} GB/s useful, above the --peak of {peak:.1} GB/s");
        (Status::OverPeak, reason)
    })
}

fn cache_resident(
    row: &Row,
    state: &CaseState,
    cache_bytes: Option<u64>,
) -> Option<(Status, String)> {
    let (between, cache) = row.bytes_fetched_between_visits.zip(cache_bytes)?;
    let remedy = match state.working_set_bytes {
        None => "; raise --footprint",
        Some(_) => ", as this suite wants",
    };
    // Slices lose some bytes to alignment: four caches but for those are four caches.
    let slack = cache / 64;
    (between + slack < cache * CACHES_BETWEEN_VISITS).then(|| {
        let reason = format!(
            "{} fetched between two visits, less than {CACHES_BETWEEN_VISITS} times the last-level cache of {}{remedy}",
            readable(between),
            readable(cache)
        );
        (Status::CacheResident, reason)
    })
}

fn launch_bound(
    state: &CaseState,
    card: &RunCard,
    method: TimingMethod,
) -> Option<(Status, String)> {
    let dispatch_ns = dispatch_ns(state, method)?;
    let limit_ns = card.empty_dispatch_ns? * LAUNCH_BOUND_EMPTIES;
    // A dispatch that was divided is as long as its settings make it, not as its memory does.
    (state.parts == 1 && dispatch_ns < limit_ns).then(|| {
        let reason = format!(
            "a dispatch takes {:.0} us, less than {LAUNCH_BOUND_EMPTIES} empty ones; raise --footprint",
            dispatch_ns / 1e3
        );
        (Status::LaunchBound, reason)
    })
}

fn noisy(estimate: &Estimate) -> Option<(Status, String)> {
    match estimate.ratio.relative_half_width() {
        None if estimate.overshoots => Some((
            Status::Noisy,
            "too few samples, and the reference moved more than the case: the median of its own samples, \
             not corrected; raise --budget"
                .to_owned(),
        )),
        None => Some((
            Status::Noisy,
            "too few samples for an interval; raise --budget".to_owned(),
        )),
        Some(half_width) if half_width > NOISY_HALF_WIDTH => Some((
            Status::Noisy,
            format!(
                "the interval is {:.1} % of the figure on either side; raise --budget",
                half_width * 100.0
            ),
        )),
        Some(_) => None,
    }
}

/// Median time of one dispatch in nanoseconds.
pub(super) fn dispatch_ns(state: &CaseState, method: TimingMethod) -> Option<f64> {
    let times: Vec<f64> = state
        .samples
        .iter()
        .filter_map(|sample| Some(sample.ns(method)? / f64::from(sample.dispatches)))
        .collect();
    median(&times)
}
