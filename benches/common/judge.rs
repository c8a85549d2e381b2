//! A whole campaign of the stride sweep on a virtual GPU, and the verdict on what it measured.

#[path = "../../tests/common/nobody.rs"]
mod nobody;

use coalescope::executor::{Executor, Footprint};
use coalescope::fit::infer_rows;
use coalescope::pattern::Spec;
use coalescope::record::{Row, RunCard, rows};
use coalescope::sweep::{Campaign, Planned, Settings};
use coalescope::units::Bytes;
use coalescope::virtual_gpu::VirtualGpu;

use crate::card;
use crate::drawn::{Drawn, strides};
use nobody::Nobody;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Right,
    Undetermined,
    Wrong,
}

/// What was said of a virtual GPU.
pub(crate) struct Verdict {
    pub(crate) outcome: Outcome,
    pub(crate) confidence: f64,
    /// Whether the curve that fits best, named or not, is that of a granule which may be said.
    pub(crate) fits_best_rightly: bool,
    pub(crate) text: String,
}

/// Runs the stride sweep on the virtual GPU as `run` does, and fits its rows.
pub(crate) fn judge(drawn: &Drawn) -> Verdict {
    let rows = measured(drawn);
    let rows: Vec<&Row> = rows.iter().collect();
    let found = infer_rows(&rows, drawn.element_bytes).expect("a sweep");
    let best = found.curve.map(|curve| curve.shape);
    Verdict {
        outcome: match found.granule_bytes {
            None => Outcome::Undetermined,
            Some(granule) if drawn.accepts(granule) => Outcome::Right,
            Some(_) => Outcome::Wrong,
        },
        confidence: found.confidence,
        // A curve of lines with a part of their pairs is that of no one granule.
        fits_best_rightly: best
            .is_some_and(|best| best.pair_share == 0.0 && drawn.accepts(best.line_bytes as u64)),
        text: format!(
            "{} ({:.2}; {})",
            found.verdict(),
            found.confidence,
            found.reasons.join("; ")
        ),
    }
}

fn measured(drawn: &Drawn) -> Vec<Row> {
    const MIB: u64 = 1 << 20;
    let footprint = Footprint::cut(Bytes(64 * MIB), 32 * MIB, 8 * MIB).expect("a footprint");
    let mut gpu = VirtualGpu::open(drawn.gpu.clone(), footprint, false).expect("memory");
    let spec = |stride: u32| -> Planned {
        let spec: Spec = format!("stride:{stride},element={}B", drawn.element_bytes)
            .parse()
            .expect("a spec");
        spec.into()
    };
    let planned = strides().into_iter().map(spec).collect();
    let settings = Settings {
        seed: drawn.gpu.disturbance.seed,
        // Slices of 8 MiB are small, so that their checksums cost little; samples are as short.
        sample_ms: 0.1,
        dispatch_cap: 16,
        sample_cap: 24,
        ..Settings::default()
    };
    let mut campaign = Campaign::new(settings, drawn.gpu.lanes, [("stride", planned)]);
    let Ok(_) = campaign.run(&mut gpu, &mut Nobody);
    let card = RunCard {
        suites: vec!["stride".to_owned()],
        adapter: gpu.adapter().clone(),
        lanes: drawn.gpu.lanes,
        footprint,
        empty_dispatch_ns: campaign.empty_dispatch_ns,
        last_level_cache_bytes: Some(drawn.gpu.memory.l2.0),
        ..card::blank()
    };
    rows(&campaign, &card)
}
