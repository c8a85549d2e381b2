//! Campaigns on the virtual GPU: what goes into its model comes out of the measurement.

#[path = "common/card.rs"]
mod card;

use std::convert::Infallible;

use coalescope::executor::{Executor as _, Footprint};
use coalescope::record::{Row, RunCard, rows};
use coalescope::sweep::{
    Campaign, CaseState, Ending, Observer, SampleRecord, Settings, Status, by_names,
};
use coalescope::units::Bytes;
use coalescope::virtual_gpu::{self, VirtualGpu};

const MIB: u64 = 1 << 20;

/// Looks on.
struct Nobody;

impl Observer for Nobody {
    type Error = Infallible;

    fn prepared(&mut self, _: &Campaign, _: usize) -> Result<(), Infallible> {
        Ok(())
    }

    fn sampled(&mut self, _: &CaseState, _: &SampleRecord, _: bool) -> Result<(), Infallible> {
        Ok(())
    }

    fn round_ended(&mut self, _: &Campaign, _: u32) -> Result<(), Infallible> {
        Ok(())
    }

    fn stop_requested(&self) -> bool {
        false
    }
}

/// The rows of a suite on the virtual GPU that `text` describes.
fn measured(text: &str, suite: &str) -> Vec<Row> {
    let settings: virtual_gpu::Settings = text.parse().expect("settings");
    let lanes = settings.lanes;
    let cache = settings.memory.l2.0;
    let footprint = Footprint::cut(Bytes(256 * MIB), 128 * MIB, 16 * MIB).expect("it fits");
    let mut gpu = VirtualGpu::open(settings, footprint, false).expect("it opens");
    let suites = by_names(&[suite], &[]).expect("a suite");
    let planned = suites
        .iter()
        .map(|suite| (suite.name, suite.within(footprint.total_bytes())));
    let mut campaign = Campaign::new(Settings::default(), lanes, planned);
    let Ok(ending) = campaign.run(&mut gpu, &mut Nobody);
    assert_eq!(ending, Ending::Complete);
    let card = RunCard {
        suites: suites.iter().map(|suite| suite.name.to_owned()).collect(),
        adapter: gpu.adapter().clone(),
        lanes,
        footprint,
        empty_dispatch_ns: campaign.empty_dispatch_ns,
        last_level_cache_bytes: Some(cache),
        ..card::blank()
    };
    rows(&campaign, &card)
}

/// Each figure over the reference's is what the model of the device has, whatever the drift.
fn assert_ratios(rows: &[Row], useful: impl Fn(f64) -> f64) {
    let level = |row: &Row| {
        let stride_bytes = row.stride_elements.expect("a stride").unsigned_abs() as f64 * 4.0;
        row.useful_gb_per_s.expect("a figure") / useful(stride_bytes)
    };
    let reference = rows.iter().find(|row| row.spec == "stride:8");
    let reference = level(reference.expect("the reference's pattern"));
    assert!((0.75..1.05).contains(&reference), "{reference}");
    for row in rows.iter().filter(|row| row.reuse == 1.0) {
        let ratio = level(row) / reference;
        assert!((ratio - 1.0).abs() < 0.05, "{}: {ratio}", row.spec);
    }
}

#[test]
fn a_stride_sweep_shows_the_smaller_of_issue_ceiling_and_share_of_bandwidth() {
    for granule in [32.0, 64.0, 128.0] {
        let device = format!(
            "virtual:bandwidth=90GB/s,issue=60GB/s,l2=1MiB,launch=100ns,drift=20%,noise=3%,granule={granule}B"
        );
        let rows = measured(&device, "stride");
        assert!(rows.len() > 30);
        for row in &rows {
            assert!(row.simulated);
            assert_eq!(row.status, Status::Ok, "{}: {}", row.spec, row.reason);
        }
        assert_ratios(&rows, |stride_bytes| {
            60_f64.min(90.0 * 4.0 / stride_bytes.min(granule))
        });
    }
}
