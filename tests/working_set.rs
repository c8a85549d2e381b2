//! The suite of working sets on a scripted device with two caches: what is planned, what is recorded and what the guard
//! makes of it.

#[path = "common/card.rs"]
mod card;
#[path = "common/measured.rs"]
mod measured;

use std::convert::Infallible;

use coalescope::executor::{
    Adapter, AdapterKind, Case, CaseId, Checksum, Executor, ExecutorError, Footprint,
    KernelVariant, Limits, Sample, StoreProof, Submission, Visit,
};
use coalescope::record::{Row, RunCard, SampleRow, Status, rows, working_set_notes};
use coalescope::sweep::{Campaign, CaseState, Ending, Observer, SampleRecord, Settings, by_names};

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;

/// Slices of 1664 KiB, so that no working set is whole slices.
const FOOTPRINT: Footprint = Footprint {
    buffers: 4,
    buffer_bytes: 4 * 1664 * KIB,
    slice_bytes: 1664 * KIB,
};

/// GB/s of a set of `bytes` that has just been visited: from a cache of 1 MiB, one of 4 MiB, or memory.
fn cached(bytes: u64) -> f64 {
    if bytes <= MIB {
        60.0
    } else if bytes <= 4 * MIB {
        30.0
    } else {
        20.0
    }
}

/// A device with caches that hold what was visited last.
struct Scripted {
    adapter: Adapter,
    cases: Vec<Case>,
    now_ns: u64,
    /// Slices and windows of the last sample: what caches hold.
    last: Vec<(u32, u64)>,
}

impl Scripted {
    fn new() -> Self {
        Self {
            adapter: Adapter {
                name: "scripted".to_owned(),
                kind: AdapterKind::Discrete,
                backend: "vulkan".to_owned(),
                driver: String::new(),
                vendor_id: 0,
                device_id: 0,
                pci_bus: String::new(),
                limits: Limits {
                    storage_binding_bytes: 1 << 30,
                    buffer_bytes: 1 << 30,
                    workgroup_invocations: 256,
                    workgroups_per_dimension: 65_535,
                },
                timestamps: false,
                subgroups: false,
            },
            cases: Vec::new(),
            now_ns: 1,
            last: Vec::new(),
        }
    }

    /// Nanoseconds of `visits` by `case`.
    fn ns(&mut self, case: &Case, visits: &[Visit]) -> f64 {
        let mut set: Vec<(u32, u64)> = visits
            .iter()
            .map(|visit| (visit.slice, case.steps(*visit).count))
            .collect();
        set.dedup();
        let bytes = |steps: u64| steps * case.step_bytes();
        let set_bytes: u64 = set.iter().map(|(_, steps)| bytes(*steps)).sum();
        let again = visits[0].repeats > 1 || self.last == set;
        let gb_per_s = if again { cached(set_bytes) } else { 20.0 };
        self.last = set;
        visits
            .iter()
            .map(|visit| {
                (bytes(case.steps(*visit).count) * u64::from(visit.repeats)) as f64 / gb_per_s
            })
            .sum()
    }
}

impl Executor for Scripted {
    fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    fn footprint(&self) -> &Footprint {
        &FOOTPRINT
    }

    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn prepare(&mut self, case: &Case, _: KernelVariant) -> Result<CaseId, ExecutorError> {
        self.cases.push(case.clone());
        Ok(CaseId(self.cases.len() - 1))
    }

    fn echo(&mut self, case: CaseId, most: usize) -> Result<Vec<Option<u64>>, ExecutorError> {
        Ok(measured::echoed(&self.cases[case.0], most))
    }

    fn release(&mut self, _: CaseId) {}

    fn prove_stores(&mut self, _: CaseId, _: Visit) -> Result<StoreProof, ExecutorError> {
        Err(ExecutorError::Unsupported("it only loads".to_owned()))
    }

    fn sample(&mut self, case: CaseId, visits: &[Visit]) -> Result<Sample, ExecutorError> {
        let case = self.cases[case.0].clone();
        let host_ns = self.ns(&case, visits) as u64;
        self.now_ns += host_ns;
        let checksum = |&visit: &Visit| {
            let expected = case.expected_checksum(visit);
            Checksum {
                visit,
                expected,
                got: expected,
            }
        };
        Ok(Sample {
            submissions: vec![Submission {
                dispatches: visits.len() as u32,
                stamps: None,
                host_ns,
            }],
            checksums: visits.iter().map(checksum).collect(),
        })
    }

    fn empty(&mut self, dispatches: u32) -> Result<Submission, ExecutorError> {
        Ok(Submission {
            dispatches,
            stamps: None,
            host_ns: u64::from(dispatches) * 100,
        })
    }
}

/// Keeps the rows of samples.csv.
#[derive(Default)]
struct Keeper {
    samples: Vec<SampleRow>,
}

impl Observer for Keeper {
    type Error = Infallible;

    fn prepared(&mut self, _: &Campaign, _: usize) -> Result<(), Infallible> {
        Ok(())
    }

    fn sampled(
        &mut self,
        state: &CaseState,
        sample: &SampleRecord,
        is_reference: bool,
    ) -> Result<(), Infallible> {
        self.samples
            .push(SampleRow::new(state, sample, is_reference));
        Ok(())
    }

    fn round_ended(&mut self, _: &Campaign, _: u32) -> Result<(), Infallible> {
        Ok(())
    }

    fn stop_requested(&self) -> bool {
        false
    }
}

fn card(cache_bytes: Option<u64>, campaign: &Campaign, suites: &[&str]) -> RunCard {
    RunCard {
        suites: suites.iter().map(ToString::to_string).collect(),
        adapter: Scripted::new().adapter,
        lanes: 8,
        workgroup_size: 8,
        footprint: FOOTPRINT,
        footprint_bytes_asked: FOOTPRINT.total_bytes(),
        settings: campaign.settings.clone(),
        timing_method: campaign.method(),
        last_level_cache_bytes: cache_bytes,
        empty_dispatch_ns: campaign.empty_dispatch_ns,
        ..card::blank()
    }
}

/// A campaign over `names` that has ended, with its samples.
fn measured(names: &[&str]) -> (Campaign, Vec<SampleRow>) {
    let suites = by_names(names, &[]).expect("suites");
    let planned = suites
        .iter()
        .map(|suite| (suite.name, suite.within(FOOTPRINT.total_bytes())));
    let settings = Settings {
        sample_cap: 30,
        ..Settings::default()
    };
    let mut campaign = Campaign::new(settings, 8, planned);
    let mut keeper = Keeper::default();
    let ending = campaign.run(&mut Scripted::new(), &mut keeper);
    assert_eq!(ending, Ok(Ending::Complete));
    (campaign, keeper.samples)
}

fn sets(rows: &[Row]) -> Vec<&Row> {
    rows.iter()
        .filter(|row| row.suite == "working-set")
        .collect()
}

#[test]
fn levels_of_the_caches_come_out_with_the_set_in_every_row_and_sample() {
    let (campaign, samples) = measured(&["working-set"]);
    let rows = rows(&campaign, &card(Some(4 * MIB), &campaign, &["working-set"]));
    let whole = FOOTPRINT.total_bytes();
    let octaves = (18..=24).map(|octave| 1_u64 << octave);
    let planned: Vec<u64> = octaves.chain([whole]).collect();
    let of_rows: Vec<u64> = rows.iter().map(|row| row.footprint_bytes).collect();
    assert_eq!(of_rows, planned);
    for row in &rows {
        let bytes = row.footprint_bytes;
        assert_eq!(row.spec, "stride:16");
        assert_eq!((row.windows, row.bytes_used), (bytes / 512, bytes / 16));
        assert_eq!(row.bytes_fetched_between_visits, Some(bytes));
        let expected = cached(bytes);
        let fetched = row.fetched_gb_per_s_64b.expect("a figure");
        assert!(
            (fetched / expected - 1.0).abs() < 0.01,
            "{bytes}: {fetched}"
        );
        let status = match bytes < 16 * MIB {
            true => Status::CacheResident,
            false => Status::Ok,
        };
        assert_eq!((row.status, &*row.checksum), (status, "exact"), "{bytes}");
    }
    for bytes in planned {
        let mine = samples
            .iter()
            .filter(|sample| sample.working_set_bytes == Some(bytes));
        assert!(mine.count() >= 24, "{bytes}");
    }
    assert!(
        samples
            .iter()
            .all(|sample| sample.is_reference == sample.working_set_bytes.is_none())
    );
    // A small set is repeated until a dispatch is as long as a sample.
    let small = samples
        .iter()
        .find(|sample| sample.working_set_bytes == Some(256 * KIB))
        .expect("a sample");
    assert!((5_000_000..6_000_000).contains(&small.host_ns), "{small:?}");
    assert_eq!(
        working_set_notes(&rows, true),
        [
            "working sets: fetched 60.0 GB/s up to 1 MiB, falling to 30.0 from 2 MiB to 4 MiB, to 20.0 from 8 MiB on"
        ]
    );
}

#[test]
fn the_last_step_stands_in_for_a_cache_that_the_system_does_not_tell() {
    let (campaign, _) = measured(&["order", "working-set"]);
    let suites = ["order", "working-set"];
    let untold = rows(&campaign, &card(None, &campaign, &suites));
    for row in sets(&untold) {
        // Four times the last step, after 4 MiB.
        let resident = row.status == Status::CacheResident;
        assert_eq!(resident, row.footprint_bytes < 16 * MIB, "{row:?}");
    }
    // What the system tells goes before what the suite finds.
    let told = rows(&campaign, &card(Some(MIB), &campaign, &suites));
    for row in sets(&told) {
        let resident = row.status == Status::CacheResident;
        assert_eq!(resident, row.footprint_bytes < 4 * MIB, "{row:?}");
    }
    // Without the suite nothing is known.
    let others = rows(&campaign, &card(None, &campaign, &["order"]));
    assert!(others.iter().all(|row| row.status != Status::CacheResident));
}

#[test]
fn a_spec_that_is_swept_too_is_a_case_of_its_own() {
    let suites = by_names(&["stride", "working-set"], &[]).expect("suites");
    let planned = suites
        .iter()
        .map(|suite| (suite.name, suite.within(FOOTPRINT.total_bytes())));
    let campaign = Campaign::new(Settings::default(), 8, planned);
    let cases: Vec<_> = campaign
        .cases
        .iter()
        .filter(|case| case.spec.to_string() == "stride:16")
        .collect();
    assert_eq!(cases.len(), 1 + 8);
    assert!(cases.iter().all(|case| case.suites.len() == 1));
}
