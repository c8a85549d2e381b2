//! What run.json says of a run: filled in at its beginning, after its first round and at its end.

use super::device::Opened;
use super::{host, target};
use crate::record::{RunCard, RunState, SCHEMA_VERSION, TimingMethod};
use crate::stats::median;
use crate::sweep::{Campaign, Ending, Suite};
use crate::units::{Bytes, BytesPerSecond};

/// The card of a run that is about to begin.
pub(super) fn begin(
    target: &target::Target,
    opened: &Opened,
    campaign: &Campaign,
    suites: &[Suite],
    started: &str,
    peak: Option<BytesPerSecond>,
) -> RunCard {
    RunCard {
        schema_version: SCHEMA_VERSION,
        program_version: env!("CARGO_PKG_VERSION").to_owned(),
        debug_build: cfg!(debug_assertions),
        validation: host::validation_layers(),
        state: RunState::Incomplete,
        started_utc: started.to_owned(),
        command_line: std::env::args().collect(),
        suites: suites.iter().map(|suite| suite.name.to_owned()).collect(),
        adapter: opened.executor.adapter().clone(),
        adapter_choice: target.choice.clone(),
        lanes: target.lanes,
        lanes_source: target.lanes_source.clone(),
        workgroup_size: opened.workgroup_size,
        runtime_checks: target.runtime_checks,
        footprint: *opened.executor.footprint(),
        footprint_bytes_asked: target.footprint_asked.0,
        settings: campaign.settings.clone(),
        host: host::describe(),
        timing_method: None,
        last_level_cache_bytes: target.last_level_cache_bytes(),
        peak_gb_per_s: peak.map(BytesPerSecond::gb_per_s),
        empty_dispatch_ns: None,
        overheads: None,
        sampling_s: 0.0,
        share_inside_dispatches_percent: None,
        reference_spec: campaign.reference.spec.to_string(),
        reference_gb_per_s: None,
        reference_drift_percent: None,
        notes: Vec::new(),
    }
}

/// Completes the card with what is known at the end.
pub(super) fn finish(card: &mut RunCard, campaign: &Campaign, ending: Ending) {
    let drift = campaign.drift();
    card.state = match ending {
        Ending::Complete => RunState::Complete,
        Ending::Interrupted | Ending::DeviceLost => RunState::Stopped,
    };
    card.sampling_s = campaign.sampling_ns as f64 / 1e9;
    card.share_inside_dispatches_percent = (campaign.sampling_ns > 0)
        .then(|| campaign.busy_ns as f64 / campaign.sampling_ns as f64 * 100.0);
    card.reference_gb_per_s = drift.reference_gb_per_s();
    card.reference_drift_percent = spread_percent(&drift.gb_per_s());
    complete(card, campaign);
    card.notes = notes(card, campaign);
}

/// What a campaign knows once its first round is over.
pub(super) fn complete(card: &mut RunCard, campaign: &Campaign) {
    card.timing_method = campaign.method();
    card.empty_dispatch_ns = campaign.empty_dispatch_ns;
    card.overheads = campaign.overheads;
}

/// What a reader of the figures has to know.
fn notes(card: &RunCard, campaign: &Campaign) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(failure) = &campaign.reference.failure {
        notes.push(format!(
            "the reference failed, so nothing could be measured: {}",
            failure.reason
        ));
    }
    if card.adapter.is_simulated() {
        notes.push(
            "simulated: nothing was measured; the figures are those of a model of a GPU".to_owned(),
        );
    }
    if card.adapter.is_software() {
        notes.push(
            "software adapter: the figures are those of this processor and its memory".to_owned(),
        );
    }
    if card.debug_build {
        notes.push("debug build: build with --release for figures that count".to_owned());
    }
    if card.validation {
        notes.push(
            "validation layers are on: they cost time that is measured with the pattern".to_owned(),
        );
    }
    if campaign.method() == Some(TimingMethod::HostClock) {
        let why = if card.adapter.timestamps {
            "too many device timestamps cannot be used"
        } else {
            "the adapter has no timestamps"
        };
        notes.push(format!(
            "timed by the host's clock, submission included, because {why}"
        ));
    }
    if card.footprint.total_bytes() < card.footprint_bytes_asked / 100 * 99 {
        notes.push(format!(
            "footprint: {} asked, {} granted",
            Bytes(card.footprint_bytes_asked),
            Bytes(card.footprint.total_bytes())
        ));
    }
    notes
}

/// How far the reference moved over the run: the span of its middle nine tenths, as a share of its median.
fn spread_percent(rates: &[f64]) -> Option<f64> {
    let mut sorted = rates.to_vec();
    sorted.sort_by(f64::total_cmp);
    let cut = sorted.len() / 20;
    let (low, high) = (sorted.get(cut)?, sorted.get(sorted.len() - 1 - cut)?);
    median(&sorted).map(|middle| (high - low) / middle * 100.0)
}
