//! From a campaign to rows: figures of the model beside those measured.

use super::card::RunCard;
use super::guards;
use super::predicted::predict;
use super::row::{Row, SCHEMA_VERSION};
use super::spatter;
use super::working_set::last_step_bytes;
use crate::pattern::Tile;
use crate::stats::{MedianInterval, median};
use crate::sweep::{Campaign, CaseState, Drift, Estimate, Failure, Status, StopReason};

/// A row for every case that has a sample or a reason to have none, in the order of the suites.
pub fn rows(campaign: &Campaign, card: &RunCard) -> Vec<Row> {
    let drift = campaign.drift();
    let mut known: Vec<Known> = campaign
        .cases
        .iter()
        .filter(|case| {
            case.failure.is_some() || !case.samples.is_empty() || case.stop != StopReason::Pending
        })
        .map(|case| known(case, card, &drift, campaign.reference.failure.as_ref()))
        .collect();
    let cache_bytes = card
        .last_level_cache_bytes
        .or_else(|| last_step_bytes(&in_suites(&known, card)));
    for Known { case, row, figure } in &mut known {
        if let Some(estimate) = figure {
            (row.status, row.reason) =
                guards::status(row, case, estimate, card, cache_bytes, drift.method);
        }
    }
    let mut rows = in_suites(&known, card);
    guards::compare_with_plateau(&mut rows);
    rows
}

/// A case with its row, but for its suite and its share of the fetch bandwidth.
struct Known<'a> {
    case: &'a CaseState,
    row: Row,
    /// What the figure rests on, where there is one: its status is still to be told.
    figure: Option<Estimate>,
}

/// A row of every case for each suite that asks for it.
fn in_suites(known: &[Known], card: &RunCard) -> Vec<Row> {
    card.suites
        .iter()
        .flat_map(|suite| {
            known
                .iter()
                .filter(move |known| known.case.suites.contains(suite))
                .map(move |known| Row {
                    suite: suite.clone(),
                    ..known.row.clone()
                })
        })
        .collect()
}

fn known<'a>(
    state: &'a CaseState,
    card: &RunCard,
    drift: &Drift,
    no_reference: Option<&Failure>,
) -> Known<'a> {
    let mut row = blank(state, card);
    let mut figure = None;
    if let (Some(case), Some(prediction)) = (&state.case, &state.prediction) {
        predict(&mut row, prediction);
        spatter::count(&mut row, case, state);
        if state.failure.is_none() {
            figure = measure(&mut row, state, drift, no_reference);
            spatter::rate(&mut row);
        }
    }
    Known {
        case: state,
        row,
        figure,
    }
}

/// What is known of a case without a model or a measurement.
fn blank(state: &CaseState, card: &RunCard) -> Row {
    let spec = &state.spec;
    let (status, reason) = match &state.failure {
        Some(failure) => (failure.status, failure.reason.clone()),
        None => (Status::Skipped, "not sampled".to_owned()),
    };
    let mut row = Row {
        schema_version: SCHEMA_VERSION,
        suite: String::new(),
        spec: spec.to_string(),
        status,
        reason,
        stop_reason: state.stop,
        adapter: card.adapter.name.clone(),
        adapter_kind: card.adapter.kind,
        backend: card.adapter.backend.clone(),
        driver: card.adapter.driver.clone(),
        software: card.adapter.is_software(),
        simulated: card.adapter.is_simulated(),
        debug_build: card.debug_build,
        validation: card.validation,
        pattern: spec.family().to_owned(),
        op: spec.op.to_string(),
        layout: spec.layout.to_string(),
        lanes: card.lanes,
        workgroup_size: card.workgroup_size,
        element_bytes: spec.element.bytes(),
        stride_elements: spec.stride_elements(),
        offset_bytes: spec.shift_bytes(),
        struct_bytes: spec.struct_bytes(),
        field_bytes: spec.field_bytes(),
        footprint_bytes: state
            .working_set_bytes
            .unwrap_or(card.footprint.total_bytes()),
        runtime_checks: card.runtime_checks,
        dispatches_per_sample: state.dispatches,
        parts_per_slice: state.parts,
        checksum: state.checksum.word().to_owned(),
        tile: match spec.tile() {
            None | Some(Tile::None) => String::new(),
            Some(tile) => tile.to_string(),
        },
        matrix_width: spec.matrix_width(),
        ..Row::default()
    };
    if let Some(config) = &state.config {
        spatter::describe(&mut row, config);
    }
    row
}

/// The measured figures: the ratio to the reference, and that ratio times the reference's median.
///
/// There are none where the reference failed: what was divided by it is as doubtful as it is.
fn measure(
    row: &mut Row,
    state: &CaseState,
    drift: &Drift,
    no_reference: Option<&Failure>,
) -> Option<Estimate> {
    row.samples = state.samples.len() as u32;
    row.samples_dropped = state.dropped(drift.method) as u32;
    row.timing_method = Some(drift.method);
    row.dispatch_ms_median = guards::dispatch_ns(state, drift.method).map(|ns| ns / 1e6);
    row.bytes_fetched_between_visits = guards::bytes_between_visits(state);
    row.self_test_half_over_whole = state.self_test.map(|test| test.half_over_whole);
    let (Some(estimate), Some(reference), None) = (
        drift.estimate(state),
        drift.reference_gb_per_s(),
        no_reference,
    ) else {
        (row.status, row.reason) = no_figure(state, no_reference);
        return None;
    };
    let rates: Vec<f64> = state
        .samples
        .iter()
        .filter_map(|sample| sample.gb_per_s(drift.method))
        .collect();
    let estimate = within_own_samples(estimate, &rates, reference);
    let ratio = estimate.ratio;
    row.samples_disturbed = estimate.disturbed as u32;
    row.ratio_to_reference = Some(ratio.median);
    row.ratio_low = ratio.interval.map(|(low, _)| low);
    row.ratio_high = ratio.interval.map(|(_, high)| high);
    let useful = ratio.median * reference;
    row.useful_gb_per_s = Some(useful);
    row.useful_low_gb_per_s = row.ratio_low.map(|low| low * reference);
    row.useful_high_gb_per_s = row.ratio_high.map(|high| high * reference);
    row.requested_gb_per_s = Some(useful * row.reuse);
    let fetched = |efficiency: f64| (efficiency > 0.0).then(|| useful / efficiency);
    [
        row.fetched_gb_per_s_32b,
        row.fetched_gb_per_s_64b,
        row.fetched_gb_per_s_128b,
    ] = row.efficiency_compulsory().map(fetched);
    let ms = |gb_per_s: f64| row.bytes_used as f64 / gb_per_s / 1e6;
    row.time_per_footprint_ms_median = median(&rates).map(ms);
    row.time_per_footprint_ms_min = rates.iter().copied().max_by(f64::total_cmp).map(ms);
    Some(estimate)
}

/// The estimate, or the median of the case's own samples where it has no interval and would lie above all of them.
///
/// With a few samples, a reference that jumps puts any figure anywhere.
fn within_own_samples(estimate: Estimate, rates: &[f64], reference_gb_per_s: f64) -> Estimate {
    let fastest = rates.iter().copied().fold(0.0, f64::max);
    match median(rates) {
        Some(middle)
            if estimate.ratio.interval.is_none()
                && estimate.ratio.median * reference_gb_per_s > fastest =>
        {
            Estimate {
                ratio: MedianInterval {
                    median: middle / reference_gb_per_s,
                    interval: None,
                },
                overshoots: true,
                ..estimate
            }
        }
        _ => estimate,
    }
}

/// Why a case that did not fail has no figure.
fn no_figure(state: &CaseState, no_reference: Option<&Failure>) -> (Status, String) {
    if let Some(failure) = no_reference {
        (
            Status::Failed,
            format!("the reference failed: {}", failure.reason),
        )
    } else if state.samples.is_empty() {
        (
            Status::Skipped,
            "the budget ended before its first sample; raise --budget".to_owned(),
        )
    } else {
        (
            Status::Failed,
            "no sample of it, or of the reference, has a clock that can be used".to_owned(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(median: f64, interval: Option<(f64, f64)>) -> Estimate {
        Estimate {
            ratio: MedianInterval { median, interval },
            used: 2,
            disturbed: 0,
            overshoots: false,
            is_settled: true,
        }
    }

    #[test]
    fn a_figure_without_an_interval_is_never_above_all_of_its_samples() {
        let jumped = within_own_samples(estimate(3.0, None), &[1.0, 1.2], 1.0);
        assert!(jumped.overshoots);
        assert!((jumped.ratio.median - 1.1).abs() < 1e-12, "{jumped:?}");
        let plausible = estimate(1.15, None);
        assert_eq!(within_own_samples(plausible, &[1.0, 1.2], 1.0), plausible);
        // Sampled while memory was slow, as its interval shows: that is what the correction is for.
        let corrected = estimate(3.0, Some((2.9, 3.1)));
        assert_eq!(within_own_samples(corrected, &[1.0, 1.2], 1.0), corrected);
    }
}
