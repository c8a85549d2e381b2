//! Campaigns on the virtual GPU: what goes into its model comes out of the measurement.

#[path = "common/card.rs"]
mod card;
#[path = "common/nobody.rs"]
mod nobody;

use coalescope::executor::{Case, Executor as _, ExecutorError, Footprint, KernelVariant, Visit};
use coalescope::fit::{Policy, store_policy};
use coalescope::record::{Row, RunCard, rows, set_levels};
use coalescope::sweep::{
    Campaign, Ending, Settings, Status, TimingMethod, by_names, prove, verification_cases,
};
use coalescope::units::Bytes;
use coalescope::virtual_gpu::{self, VirtualGpu};
use nobody::Nobody;

const MIB: u64 = 1 << 20;

/// A campaign that is over.
struct Measured {
    campaign: Campaign,
    ending: Ending,
    rows: Vec<Row>,
}

impl Measured {
    fn row(&self, spec: &str) -> &Row {
        let found = self.rows.iter().find(|row| row.spec == spec);
        found.unwrap_or_else(|| panic!("no row of {spec}"))
    }
}

/// Suites on the virtual GPU that `text` describes; their rows know the cache if `cache_is_told`.
fn measure(text: &str, suites: &str, cache_is_told: bool) -> Measured {
    let settings: virtual_gpu::Settings = text.parse().expect("settings");
    let lanes = settings.lanes;
    let cache = settings.memory.l2.0;
    let footprint = Footprint::cut(Bytes(256 * MIB), 128 * MIB, 16 * MIB).expect("it fits");
    let mut gpu = VirtualGpu::open(settings, footprint, false).expect("it opens");
    let suites = by_names(&suites.split(' ').collect::<Vec<_>>(), &[]).expect("suites");
    let planned = suites
        .iter()
        .map(|suite| (suite.name, suite.within(footprint.total_bytes())));
    let mut campaign = Campaign::new(Settings::default(), lanes, planned);
    let Ok(ending) = campaign.run(&mut gpu, &mut Nobody);
    let card = RunCard {
        suites: suites.iter().map(|suite| suite.name.to_owned()).collect(),
        adapter: gpu.adapter().clone(),
        lanes,
        footprint,
        empty_dispatch_ns: campaign.empty_dispatch_ns,
        last_level_cache_bytes: cache_is_told.then_some(cache),
        ..card::blank()
    };
    let rows = rows(&campaign, &card);
    Measured {
        campaign,
        ending,
        rows,
    }
}

fn case(spec: &str, footprint: &Footprint) -> Case {
    Case::new(spec.parse().expect("a spec"), 32, footprint).expect("it fits")
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
        let Measured { rows, ending, .. } = measure(&device, "stride", true);
        assert_eq!(ending, Ending::Complete);
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

#[test]
fn the_working_sets_show_the_cache_as_a_step() {
    let device = "virtual:sector=64B,bandwidth=90GB/s,issue=900GB/s,l2=8MiB,l2-bandwidth=300GB/s,launch=100ns";
    let Measured { rows, .. } = measure(device, "working-set", false);
    let levels = set_levels(&rows);
    let [cache, memory] = &levels[..] else {
        panic!("{levels:?}");
    };
    assert_eq!(cache.last_bytes, 8 * MIB);
    assert!(
        (270.0..310.0).contains(&cache.fetched_gb_per_s),
        "{cache:?}"
    );
    assert!(
        (85.0..91.0).contains(&memory.fetched_gb_per_s),
        "{memory:?}"
    );
}

/// The guard takes four caches; here they are more than the footprint, and small slices come back soon.
#[test]
fn a_footprint_that_the_cache_holds_is_served_from_it_and_said_to_be() {
    let device =
        "virtual:bandwidth=90GB/s,issue=9000GB/s,l2=512MiB,l2-bandwidth=300GB/s,launch=100ns";
    let measured = measure(device, "stride", true);
    let row = measured.row("stride:16");
    assert_eq!(row.status, Status::CacheResident, "{}", row.reason);
    let fetched = row.fetched_gb_per_s_64b.expect("a figure");
    assert!(fetched > 200.0, "{fetched}");
}

#[test]
fn the_policy_of_stores_is_found_again() {
    for (policy, expected) in [
        ("write", Policy::WriteTouched),
        ("fill", Policy::FillPartial),
        ("allocate", Policy::AllocateAlways),
    ] {
        let device =
            format!("virtual:bandwidth=90GB/s,issue=900GB/s,l2=1MiB,launch=100ns,stores={policy}");
        let Measured { rows, .. } = measure(&device, "stride store", true);
        let found = store_policy(&rows.iter().collect::<Vec<_>>());
        assert_eq!(found.policy, Some(expected), "{policy}: {}", found.reason);
    }
}

#[test]
fn clocks_that_lie_are_not_believed() {
    for clock in ["none", "zero", "backward", "wrapped", "longer"] {
        let measured = measure(&format!("virtual:clock={clock}"), "order", true);
        let method = Some(TimingMethod::HostClock);
        assert_eq!(measured.campaign.method(), method, "{clock}");
        assert!(measured.rows.iter().all(|row| row.timing_method == method));
    }
    let measured = measure("virtual", "order", true);
    let method = Some(TimingMethod::PassTimestamps);
    assert_eq!(measured.campaign.method(), method);
}

#[test]
fn a_lost_device_ends_the_campaign_and_leaves_what_was_measured() {
    let measured = measure("virtual:lost=60", "stride", true);
    assert_eq!(measured.ending, Ending::DeviceLost);
    let is_measured = |row: &&Row| row.samples > 0;
    assert!(measured.rows.iter().filter(is_measured).count() > 3);
    assert!(measured.rows.iter().any(|row| row.status == Status::Failed));
}

#[test]
fn faults_fail_the_cases_that_they_hit() {
    let hung = measure("virtual:hang=60", "stride", true);
    assert_eq!(hung.ending, Ending::Complete);
    let failed: Vec<&Row> = hung
        .rows
        .iter()
        .filter(|row| row.status == Status::Failed)
        .collect();
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert!(
        failed[0].reason.contains("did not finish"),
        "{}",
        failed[0].reason
    );

    let skipping = measure(
        "virtual:skip-loads=stride:7,refuse=stride:9",
        "stride",
        true,
    );
    for row in &skipping.rows {
        let status = match row.spec.as_str() {
            "stride:7" | "stride:9" => Status::Failed,
            _ => row.status,
        };
        assert_eq!(row.status, status, "{}", row.spec);
        assert_eq!(
            row.checksum == "wrong",
            row.spec == "stride:7",
            "{}",
            row.spec
        );
        assert_eq!(row.status == Status::Failed, row.useful_gb_per_s.is_none());
    }
}

#[test]
fn a_share_of_dispatches_skips_by_chance() {
    let footprint = Footprint::cut(Bytes(MIB), MIB, MIB).expect("it fits");
    let settings = "virtual:skip-loads=10%".parse().expect("settings");
    let mut gpu = VirtualGpu::open(settings, footprint, false).expect("it opens");
    let id = gpu.prepare(&case("stride:1", &footprint), KernelVariant::Timed);
    let visits = vec![Visit::whole(0, 0); 1000];
    let sample = gpu.sample(id.expect("prepared"), &visits).expect("sampled");
    assert_eq!(sample.submissions.len(), 16);
    let wrong = sample
        .checksums
        .iter()
        .filter(|checksum| !checksum.is_exact());
    let wrong = wrong.count();
    assert!((60..150).contains(&wrong), "{wrong} wrong");
}

#[test]
fn memory_that_is_not_there_is_refused() {
    let footprint = Footprint::cut(Bytes(256 * MIB), 128 * MIB, 16 * MIB).expect("it fits");
    let open = |memory: &str| {
        let text = format!("virtual:memory={memory}");
        VirtualGpu::open(text.parse().expect("settings"), footprint, false)
    };
    let refused =
        |result: Result<_, ExecutorError>| matches!(result, Err(ExecutorError::OutOfMemory { .. }));
    assert!(refused(open("255MiB").map(|_| ())));
    let mut gpu = open("511MiB").expect("it fits without stores");
    assert!(refused(gpu.allocate_stores()));
    let mut prepare = |spec| {
        gpu.prepare(&case(spec, &footprint), KernelVariant::Timed)
            .map(|_| ())
    };
    assert!(refused(prepare("stride:1,op=store")));
    assert_eq!(prepare("stride:1"), Ok(()));
    assert_eq!(open("512MiB").expect("it fits").allocate_stores(), Ok(()));
}

#[test]
fn a_seed_gives_the_same_samples_and_another_seed_others() {
    let samples = |text: &str| {
        let measured = measure(text, "order", true);
        let cases = measured.campaign.cases.into_iter();
        cases.map(|case| case.samples).collect::<Vec<_>>()
    };
    assert_eq!(samples("virtual:seed=3"), samples("virtual:seed=3"));
    assert_ne!(samples("virtual:seed=3"), samples("virtual:seed=4"));
}

#[test]
fn kernels_that_skip_do_not_pass_for_proven() {
    let footprint = Footprint::cut(Bytes(64 * MIB), 64 * MIB, 32 * MIB).expect("it fits");
    let proofs = |text: &str| -> Vec<&'static str> {
        let mut gpu =
            VirtualGpu::open(text.parse().expect("settings"), footprint, false).expect("it opens");
        verification_cases()
            .iter()
            .step_by(7)
            .map(|case| prove(&case.planned, 32, &mut gpu).word())
            .collect()
    };
    assert!(
        proofs("virtual")
            .iter()
            .all(|word| ["exact", "skipped"].contains(word))
    );
    assert!(
        proofs("virtual:skip-loads")
            .iter()
            .all(|word| ["wrong", "skipped"].contains(word))
    );
}
