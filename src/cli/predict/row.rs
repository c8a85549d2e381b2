//! One row of `predict`: a pattern at one transaction size.

use anyhow::Context;
use serde::Serialize;

use crate::model::{
    Ceiling, DispatchCounts, Sequence, SequenceCounts, Window, count_columns, count_sequence,
    expected_random_transactions,
};
use crate::pattern::spatter::{Access, Config};
use crate::pattern::{Layout, Pattern, PatternError, Side, Spec};
use crate::units::{Bytes, BytesPerSecond};

/// Footprint of `random` where none is given: beyond any cache.
const RANDOM_FOOTPRINT: Bytes = Bytes(1 << 30);

/// What is asked about every spec.
#[derive(Clone, Debug)]
pub(super) struct Request {
    /// Lanes of a subgroup.
    pub(super) lanes: u32,
    /// Sizes of a transaction in bytes.
    pub(super) transaction_bytes: Vec<u64>,
    /// Memory that a dispatch covers.
    pub(super) footprint: Option<Bytes>,
    /// What can be fetched per second.
    pub(super) bandwidth: Option<BytesPerSecond>,
}

/// The columns in their order, which never changes; new ones are added at the end. `None` is an empty cell.
///
/// Columns up to `reuse` are of the subgroups; `transactions` is their sum where there are several.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Row {
    pub(super) spec: String,
    pub(super) lanes: u32,
    pub(super) element_bytes: u32,
    pub(super) transaction_bytes: u64,
    pub(super) transactions: Figure,
    pub(super) bytes_requested: u64,
    pub(super) bytes_used: u64,
    pub(super) bytes_fetched: Figure,
    pub(super) efficiency: f64,
    pub(super) load_instructions: u64,
    pub(super) transactions_min: Option<u64>,
    pub(super) transactions_max: Option<u64>,
    pub(super) count_kind: CountKind,
    pub(super) reuse: f64,
    pub(super) pitch_bytes: Option<u64>,
    pub(super) footprint_bytes: Option<u64>,
    pub(super) windows: Option<u64>,
    pub(super) load_instructions_dispatch: Option<u64>,
    pub(super) bytes_requested_dispatch: Option<u64>,
    pub(super) bytes_used_dispatch: Option<u64>,
    pub(super) transactions_unshared: Option<Figure>,
    pub(super) transactions_compulsory: Option<u64>,
    pub(super) efficiency_unshared: Option<f64>,
    pub(super) efficiency_compulsory: Option<f64>,
    pub(super) useful_gb_per_s: Option<f64>,
    pub(super) requested_gb_per_s: Option<f64>,
    pub(super) useful_unshared_gb_per_s: Option<f64>,
    pub(super) useful_compulsory_gb_per_s: Option<f64>,
    pub(super) reuse_dispatch: Option<f64>,
    pub(super) side: String,
    pub(super) config: Option<usize>,
    pub(super) config_name: Option<String>,
    pub(super) kernel: Option<&'static str>,
    pub(super) bytes_counted: Option<u64>,
}

/// A count, or the expectation of one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub(super) enum Figure {
    /// Counted.
    Exact(u64),
    /// Expected over the random draws.
    Expected(f64),
}

/// Whether the transactions of a row are counted or expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum CountKind {
    /// Counted.
    Exact,
    /// The expectation over random draws.
    Expected,
}

/// The rows of a spec whose window is the same everywhere: for each side and transaction size.
pub(super) fn of_spec(text: &str, spec: &Spec, request: &Request) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for &side in spec.sides() {
        let mut sequence = spec.sequence(side, request.lanes, 1)?;
        if let Some(footprint) = request.footprint {
            sequence.repeats =
                repeats_within(footprint, &sequence).with_context(|| format!("'{text}'"))?;
        }
        let side = match spec.sides() {
            [_] => spec.op.to_string(),
            _ => side.to_string(),
        };
        for &transaction_bytes in &request.transaction_bytes {
            let counts = count_sequence(&sequence, transaction_bytes)
                .with_context(|| format!("'{text}'"))?;
            let mut row = Row::new(text, spec, request, &sequence, &counts);
            row.side.clone_from(&side);
            if let Some(footprint) = request.footprint {
                let dispatch = match spec.pattern {
                    Pattern::Column { width } if spec.layout == Layout::Packed => {
                        columns(&sequence.list, width, footprint, transaction_bytes)
                            .with_context(|| format!("'{text}'"))?
                    }
                    _ => counts.dispatch,
                };
                let windows = match sequence.list.lanes() > u64::from(request.lanes) {
                    true => sequence.repeats,
                    false => dispatch.windows,
                };
                row.add_dispatch(footprint.0, windows, &dispatch, request);
            }
            rows.push(row);
        }
    }
    Ok(rows)
}

/// The rows of one Spatter configuration: for each sparse side and transaction size.
pub(super) fn of_config(
    text: &str,
    spec: &Spec,
    config: &Config,
    request: &Request,
) -> anyhow::Result<Vec<Row>> {
    let mut rows = Vec::new();
    for access in &config.accesses {
        let sequence = access.sequence(spec.element, request.lanes, config.count);
        let footprint_bytes = footprint_of(access, spec, config, request)?;
        for &transaction_bytes in &request.transaction_bytes {
            let counts = count_sequence(&sequence, transaction_bytes)
                .with_context(|| format!("'{text}', configuration {}", config.index))?;
            let mut row = Row::new(text, spec, request, &sequence, &counts);
            row.side = access.side.to_string();
            row.config = Some(config.index);
            row.config_name = Some(config.name.clone()).filter(|name| !name.is_empty());
            row.kernel = Some(config.kernel.name());
            row.bytes_counted = config.bytes_counted(spec.element, config.count);
            row.add_dispatch(footprint_bytes, config.count, &counts.dispatch, request);
            rows.push(row);
        }
    }
    Ok(rows)
}

fn footprint_of(
    access: &Access,
    spec: &Spec,
    config: &Config,
    request: &Request,
) -> Result<u64, PatternError> {
    access
        .footprint_bytes(spec.element, config.count)
        .ok_or_else(|| PatternError::AddressTooHigh {
            spec: spec.to_string(),
            lanes: request.lanes,
        })
}

/// The rows of `random`: expected counts of a subgroup, from which those of the dispatch follow.
pub(super) fn of_random(text: &str, spec: &Spec, request: &Request) -> anyhow::Result<Vec<Row>> {
    let footprint = request.footprint.unwrap_or(RANDOM_FOOTPRINT);
    let element_bytes = u64::from(spec.element.bytes());
    let elements = footprint.0 / element_bytes;
    anyhow::ensure!(
        elements >= u64::from(request.lanes),
        "'{text}': a footprint of {footprint} has fewer elements than a subgroup lanes, {}",
        request.lanes
    );
    let lanes = u64::from(request.lanes);
    let (windows, bytes) = (elements.div_ceil(lanes), elements * element_bytes);
    let rows = request.transaction_bytes.iter().map(|&transaction_bytes| {
        let expected = |accesses| {
            expected_random_transactions(accesses, elements, element_bytes, transaction_bytes)
        };
        let transactions = expected(lanes);
        let fetched = transactions * transaction_bytes as f64;
        let efficiency = (lanes * element_bytes) as f64 / fetched;
        let unshared = transactions * (elements / lanes) as f64 + expected(elements % lanes);
        let compulsory = bytes.div_ceil(transaction_bytes);
        let efficiency_of =
            |transactions: f64| (bytes as f64 / (transactions * transaction_bytes as f64)).min(1.0);
        let mut row = Row {
            transactions: Figure::Expected(transactions),
            bytes_requested: lanes * element_bytes,
            bytes_used: lanes * element_bytes,
            bytes_fetched: Figure::Expected(fetched),
            efficiency,
            load_instructions: 1,
            count_kind: CountKind::Expected,
            reuse: 1.0,
            footprint_bytes: Some(bytes),
            windows: Some(windows),
            load_instructions_dispatch: Some(windows),
            bytes_requested_dispatch: Some(bytes),
            bytes_used_dispatch: Some(bytes),
            transactions_unshared: Some(Figure::Expected(unshared)),
            transactions_compulsory: Some(compulsory),
            efficiency_unshared: Some(efficiency_of(unshared)),
            efficiency_compulsory: Some(efficiency_of(compulsory as f64)),
            reuse_dispatch: Some(1.0),
            side: spec.op.to_string(),
            ..Row::empty(text, spec, request, transaction_bytes)
        };
        row.add_bandwidths(request);
        row
    });
    Ok(rows.collect())
}

/// All columns of the matrix of as many rows as fit a footprint, in whole windows.
fn columns(
    window: &Window,
    width: u64,
    footprint: Bytes,
    transaction_bytes: u64,
) -> anyhow::Result<DispatchCounts> {
    // A window's pitch is the rows that it reaches over.
    let windows = footprint.0 / window.pitch_bytes.max(1);
    anyhow::ensure!(
        windows > 0,
        "a footprint of {footprint} holds no window; it takes at least {}",
        Bytes(window.pitch_bytes)
    );
    Ok(count_columns(window, windows, width, transaction_bytes)?)
}

/// How often the pattern fits a footprint, wherever a shift puts it.
fn repeats_within(footprint: Bytes, sequence: &Sequence) -> anyhow::Result<u64> {
    let list = &sequence.list;
    let lowest = list.addresses.iter().min().copied().unwrap_or(0);
    // Windows that do not overlap take a pitch each; of those that do, the first takes its whole span.
    let first_bytes = (list.extent_bytes() - lowest).max(list.pitch_bytes).max(1);
    let others_bytes = footprint.0.checked_sub(first_bytes).with_context(|| {
        let least = Bytes(first_bytes);
        format!("a footprint of {footprint} holds no window; it takes at least {least}")
    })?;
    Ok(1 + others_bytes / list.pitch_bytes.max(1))
}

impl Row {
    fn new(
        text: &str,
        spec: &Spec,
        request: &Request,
        sequence: &Sequence,
        counts: &SequenceCounts,
    ) -> Self {
        let own = &counts.subgroups;
        let mut row = Self {
            transactions: Figure::Exact(own.transactions),
            bytes_requested: own.bytes_requested,
            bytes_used: own.bytes_used,
            bytes_fetched: Figure::Exact(own.bytes_fetched),
            efficiency: own.efficiency(),
            load_instructions: counts.load_instructions,
            transactions_min: Some(counts.transactions_min),
            transactions_max: Some(counts.transactions_max),
            reuse: own.reuse(),
            pitch_bytes: Some(sequence.list.pitch_bytes),
            ..Self::empty(text, spec, request, counts.dispatch.transaction_bytes)
        };
        row.add_bandwidths(request);
        row
    }

    fn empty(text: &str, spec: &Spec, request: &Request, transaction_bytes: u64) -> Self {
        Self {
            spec: text.to_owned(),
            lanes: request.lanes,
            element_bytes: spec.element.bytes(),
            transaction_bytes,
            transactions: Figure::Exact(0),
            bytes_requested: 0,
            bytes_used: 0,
            bytes_fetched: Figure::Exact(0),
            efficiency: 0.0,
            load_instructions: 0,
            transactions_min: None,
            transactions_max: None,
            count_kind: CountKind::Exact,
            reuse: 0.0,
            pitch_bytes: None,
            footprint_bytes: None,
            windows: None,
            load_instructions_dispatch: None,
            bytes_requested_dispatch: None,
            bytes_used_dispatch: None,
            transactions_unshared: None,
            transactions_compulsory: None,
            efficiency_unshared: None,
            efficiency_compulsory: None,
            useful_gb_per_s: None,
            requested_gb_per_s: None,
            useful_unshared_gb_per_s: None,
            useful_compulsory_gb_per_s: None,
            reuse_dispatch: None,
            side: Side::Load.to_string(),
            config: None,
            config_name: None,
            kernel: None,
            bytes_counted: None,
        }
    }

    fn add_dispatch(
        &mut self,
        footprint_bytes: u64,
        windows: u64,
        counts: &DispatchCounts,
        request: &Request,
    ) {
        self.footprint_bytes = Some(footprint_bytes);
        self.windows = Some(windows);
        self.load_instructions_dispatch = Some(counts.windows);
        self.bytes_requested_dispatch = Some(counts.bytes_requested);
        self.bytes_used_dispatch = Some(counts.bytes_used);
        self.transactions_unshared = Some(Figure::Exact(counts.unshared));
        self.transactions_compulsory = Some(counts.compulsory);
        self.efficiency_unshared = Some(counts.efficiency_unshared());
        self.efficiency_compulsory = Some(counts.efficiency_compulsory());
        self.reuse_dispatch = Some(counts.reuse());
        self.add_bandwidths(request);
    }

    /// B times each efficiency that the row has.
    fn add_bandwidths(&mut self, request: &Request) {
        let Some(memory) = request.bandwidth.map(Ceiling::of_fetch) else {
            return;
        };
        // Only the requested bandwidth depends on the reuse where issuing does not limit.
        let useful = |efficiency: f64| memory.useful(efficiency, 1.0).gb_per_s();
        self.useful_gb_per_s = Some(useful(self.efficiency));
        self.requested_gb_per_s = Some(memory.requested(self.efficiency, self.reuse).gb_per_s());
        self.useful_unshared_gb_per_s = self.efficiency_unshared.map(useful);
        self.useful_compulsory_gb_per_s = self.efficiency_compulsory.map(useful);
    }
}
