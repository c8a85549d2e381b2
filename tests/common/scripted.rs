//! An executor that follows a script: no adapter, no wall clock, the same times on every machine.

use std::collections::HashMap;
use std::convert::Infallible;

use coalescope::executor::{
    Adapter, AdapterKind, Case, CaseId, Checksum, Executor, ExecutorError, Footprint,
    KernelVariant, Limits, Sample, Stamps, StoreProof, Submission, Visit,
};
use coalescope::pattern::Spec;
use coalescope::record::{Row, RunCard, rows};
use coalescope::sweep::{
    Campaign, CaseState, Ending, Observer, Planned, SampleRecord, Settings, StopReason,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::measured;

pub(crate) const LANES: u32 = 32;
pub(crate) const REFERENCE: &str = "stride:8";
pub(crate) const MIB: u64 = 1 << 20;
pub(crate) const MS: u64 = 1_000_000;

/// Where a sample stands among all of the script: what its faults are decided by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At<'a> {
    /// Spec as a user types it.
    pub(crate) spec: &'a str,
    /// Timed samples of all cases before this one.
    pub(crate) sample: u64,
    /// Samples of the same prepared kernel before this one.
    pub(crate) of_case: u64,
    /// Time at its beginning.
    pub(crate) now_ns: u64,
}

/// What goes wrong with one sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    WrongSum,
    DeviceLost,
    Refused,
}

type Cost = Box<dyn Fn(&Case, Visit) -> f64>;
type OfMoment<T> = Box<dyn Fn(At) -> T>;
type OfStamps = Box<dyn Fn(At, Stamps) -> Option<Stamps>>;
type OfSpec<T> = Box<dyn Fn(&str) -> T>;

/// What the executor plays. Every part may be replaced; the defaults are an undisturbed device at 0.16 GB/s fetched.
pub(crate) struct Script {
    pub(crate) footprint: Footprint,
    /// Of the noise.
    pub(crate) seed: u64,
    /// Nanoseconds of one undisturbed dispatch.
    pub(crate) cost: Cost,
    /// What the moment multiplies it by.
    pub(crate) pace: OfMoment<f64>,
    /// What the slice multiplies it by.
    pub(crate) slice_pace: Box<dyn Fn(u32) -> f64>,
    /// Standard deviation of a sample's time, as a share of it.
    pub(crate) noise: f64,
    /// Share of samples that take up to three times as long.
    pub(crate) outliers: f64,
    /// Host time that a submission takes beside its dispatches.
    pub(crate) host_overhead_ns: u64,
    /// Host time between two calls.
    pub(crate) between_ns: u64,
    pub(crate) ns_per_tick: f64,
    /// The device's clock moves in steps of so many ticks.
    pub(crate) ticks_per_step: u64,
    /// What becomes of a submission's good stamps.
    pub(crate) stamps: OfStamps,
    pub(crate) empty_ns: f64,
    pub(crate) fault: OfMoment<Option<Fault>>,
    pub(crate) refuses: OfSpec<Option<ExecutorError>>,
    /// Spec whose kernel reads one byte beside the first.
    pub(crate) echo_lies_of: &'static str,
}

impl Default for Script {
    fn default() -> Self {
        Self {
            footprint: Footprint {
                buffers: 2,
                buffer_bytes: 4 * MIB,
                slice_bytes: MIB,
            },
            seed: 11,
            cost: Box::new(|case, visit| 6.25 * fetched_bytes(case, visit) as f64),
            pace: Box::new(|_| 1.0),
            slice_pace: Box::new(|_| 1.0),
            noise: 0.01,
            outliers: 0.0,
            host_overhead_ns: 20_011,
            between_ns: 0,
            ns_per_tick: 1.0,
            ticks_per_step: 1,
            stamps: Box::new(|_, stamps| Some(stamps)),
            empty_ns: 1000.0,
            fault: Box::new(|_| None),
            refuses: Box::new(|_| None),
            echo_lies_of: "",
        }
    }
}

/// Bytes of the 64-byte lines that a visit touches, where lanes lie apart by a fixed step.
pub(crate) fn fetched_bytes(case: &Case, visit: Visit) -> u64 {
    let walk = case.walk().expect("the script plays no transposes");
    let addresses = walk.addresses(case.lanes, 0).flatten();
    let lines: std::collections::HashSet<u64> = addresses.map(|byte| byte / 64).collect();
    let of_window = (lines.len() as u64 * 64).min(walk.pitch_bytes().max(64));
    case.steps(visit).count * of_window
}

/// The script on its way, with a record of what was asked of it.
pub(crate) struct Scripted {
    pub(crate) script: Script,
    /// Each sample: the spec, its visits and the undisturbed time of the device.
    pub(crate) log: Vec<(String, Vec<Visit>, f64)>,
    adapter: Adapter,
    cases: Vec<(Case, KernelVariant, u64)>,
    sums: HashMap<(usize, Visit), u32>,
    now_ns: u64,
    lost: bool,
    generator: ChaCha8Rng,
}

impl Scripted {
    pub(crate) fn new(script: Script) -> Self {
        Self {
            generator: ChaCha8Rng::seed_from_u64(script.seed),
            script,
            log: Vec::new(),
            adapter: adapter(),
            cases: Vec::new(),
            sums: HashMap::new(),
            now_ns: 1_000_003,
            lost: false,
        }
    }

    /// Sum of twelve uniform values: normal enough.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.generator.random::<f64>()).sum::<f64>() - 6.0
    }

    fn submit(&mut self, at: Option<(usize, u64)>, ns: f64, dispatches: u32) -> Submission {
        let began = self.now_ns;
        // A jitter that no script asks for: without it all times would be multiples of each other.
        let overhead = self.script.host_overhead_ns + self.generator.random::<u64>() % 97;
        let host_ns = overhead + ns.ceil() as u64;
        self.now_ns += host_ns + self.script.between_ns;
        let tick = |ns: f64| {
            let step = self.script.ns_per_tick * self.script.ticks_per_step as f64;
            (ns / step) as u64 * self.script.ticks_per_step
        };
        let begin_ns = 7e12 + began as f64 + overhead as f64 / 2.0;
        let stamps = Stamps {
            begin: tick(begin_ns),
            end: tick(begin_ns + ns),
            ns_per_tick: self.script.ns_per_tick,
        };
        let (spec, of_case) = match at {
            Some((case, of_case)) => (self.cases[case].0.spec.to_string(), of_case),
            None => ("empty".to_owned(), 0),
        };
        let at = At {
            spec: &spec,
            sample: self.log.len() as u64,
            of_case,
            now_ns: began,
        };
        Submission {
            dispatches,
            stamps: (self.script.stamps)(at, stamps),
            host_ns,
        }
    }

    fn lost() -> ExecutorError {
        ExecutorError::DeviceLost("as the script has it".to_owned())
    }

    fn checksums(&mut self, case: usize, visits: &[Visit], wrong: bool) -> Vec<Checksum> {
        let geometry = &self.cases[case].0;
        visits
            .iter()
            .map(|&visit| {
                let expected = *self
                    .sums
                    .entry((case, visit))
                    .or_insert_with(|| geometry.expected_checksum(visit));
                Checksum {
                    visit,
                    expected,
                    got: expected.wrapping_add(u32::from(wrong)),
                }
            })
            .collect()
    }
}

impl Executor for Scripted {
    fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    fn footprint(&self) -> &Footprint {
        &self.script.footprint
    }

    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn prepare(&mut self, case: &Case, variant: KernelVariant) -> Result<CaseId, ExecutorError> {
        if self.lost {
            return Err(Self::lost());
        }
        if let Some(error) = (self.script.refuses)(&case.spec.to_string()) {
            self.lost = matches!(error, ExecutorError::DeviceLost(_));
            return Err(error);
        }
        self.cases.push((case.clone(), variant, 0));
        Ok(CaseId(self.cases.len() - 1))
    }

    fn echo(&mut self, id: CaseId, most: usize) -> Result<Vec<Option<u64>>, ExecutorError> {
        let case = &self.cases[id.0].0;
        let lie = u64::from(case.spec.to_string() == self.script.echo_lies_of);
        let echoed = measured::echoed(case, most).into_iter();
        Ok(echoed.map(|byte| byte.map(|byte| byte + lie)).collect())
    }

    fn release(&mut self, _: CaseId) {}

    fn prove_stores(&mut self, id: CaseId, visit: Visit) -> Result<StoreProof, ExecutorError> {
        let sum = self.cases[id.0].0.expected_checksum(visit);
        Ok(StoreProof {
            checksum: Checksum {
                visit,
                expected: sum,
                got: sum,
            },
            untouched_expected: 0,
            untouched_got: 0,
        })
    }

    fn sample(&mut self, id: CaseId, visits: &[Visit]) -> Result<Sample, ExecutorError> {
        if self.lost {
            return Err(Self::lost());
        }
        let (case, variant, of_case) = self.cases[id.0].clone();
        self.cases[id.0].2 += 1;
        let spec = case.spec.to_string();
        let at = At {
            spec: &spec,
            sample: self.log.len() as u64,
            of_case,
            now_ns: self.now_ns,
        };
        let fault = (self.script.fault)(at);
        match fault {
            Some(Fault::DeviceLost) => {
                self.lost = true;
                return Err(Self::lost());
            }
            Some(Fault::Refused) => return Err(ExecutorError::Refused("no".to_owned())),
            _ => {}
        }
        let of_variant = match variant {
            KernelVariant::Timed => 1.0,
            KernelVariant::Checked => 1.2,
            KernelVariant::IndexOnly => 0.1,
        };
        let undisturbed: f64 = visits
            .iter()
            .map(|&visit| (self.script.cost)(&case, visit) * (self.script.slice_pace)(visit.slice))
            .sum();
        let pace = (self.script.pace)(at);
        let noise = 1.0 + self.script.noise * self.normal();
        let slow = if self.generator.random::<f64>() < self.script.outliers {
            1.0 + 2.0 * self.generator.random::<f64>()
        } else {
            1.0
        };
        let ns = undisturbed * of_variant * pace * noise.max(0.1) * slow;
        let submission = self.submit(Some((id.0, of_case)), ns, visits.len() as u32);
        self.log.push((spec, visits.to_vec(), undisturbed));
        Ok(Sample {
            submissions: vec![submission],
            checksums: self.checksums(id.0, visits, fault == Some(Fault::WrongSum)),
        })
    }

    fn empty(&mut self, dispatches: u32) -> Result<Submission, ExecutorError> {
        if self.lost {
            return Err(Self::lost());
        }
        let ns = self.script.empty_ns * f64::from(dispatches);
        Ok(self.submit(None, ns, dispatches))
    }
}

/// Sees every sample, and may ask to stop.
#[derive(Default)]
pub(crate) struct Seen {
    /// Spec, whether it was the reference's, and the record of each sample.
    pub(crate) samples: Vec<(String, bool, SampleRecord)>,
    /// How every case stood after each round.
    pub(crate) stops: Vec<Vec<StopReason>>,
    pub(crate) prepared: usize,
    pub(crate) stop_after: Option<usize>,
}

impl Observer for Seen {
    type Error = Infallible;

    fn prepared(&mut self, _: &Campaign, index: usize) -> Result<(), Infallible> {
        assert_eq!(index, self.prepared, "cases come in plan order");
        self.prepared += 1;
        Ok(())
    }

    fn sampled(
        &mut self,
        state: &CaseState,
        sample: &SampleRecord,
        is_reference: bool,
    ) -> Result<(), Infallible> {
        assert_eq!(
            state.samples.last(),
            Some(sample),
            "the sample is the state's last"
        );
        self.samples
            .push((state.spec.to_string(), is_reference, *sample));
        Ok(())
    }

    fn round_ended(&mut self, campaign: &Campaign, round: u32) -> Result<(), Infallible> {
        self.stops
            .push(campaign.cases.iter().map(|case| case.stop).collect());
        assert_eq!(self.stops.len(), round as usize, "rounds count from 1");
        Ok(())
    }

    fn stop_requested(&self) -> bool {
        self.stop_after
            .is_some_and(|most| self.samples.len() >= most)
    }
}

/// What came of a campaign.
pub(crate) struct Outcome {
    pub(crate) campaign: Campaign,
    pub(crate) ending: Ending,
    pub(crate) seen: Seen,
    pub(crate) executor: Scripted,
    pub(crate) card: RunCard,
    /// Checked: no row has a figure that is no number, nor an efficiency above 1.
    pub(crate) rows: Vec<Row>,
}

impl Outcome {
    pub(crate) fn row(&self, spec: &str) -> &Row {
        let found = self.rows.iter().find(|row| row.spec == spec);
        found.unwrap_or_else(|| panic!("no row of {spec}"))
    }

    pub(crate) fn case(&self, spec: &str) -> &CaseState {
        let mut cases = self.campaign.cases.iter();
        cases
            .find(|case| case.spec.to_string() == spec)
            .unwrap_or_else(|| panic!("no case {spec}"))
    }

    /// Useful bandwidth of `spec` in GB/s where nothing disturbs it: the whole footprint once.
    pub(crate) fn truth_gb_per_s(&self, spec: &str) -> f64 {
        let script = &self.executor.script;
        let case = place(spec, &script.footprint);
        let ns: f64 = (0..script.footprint.slices())
            .map(|slice| (script.cost)(&case, Visit::whole(slice, 0)) * (script.slice_pace)(slice))
            .sum();
        let row = self.row(spec);
        row.bytes_used as f64 / ns
    }

    /// The rows again, with a card of another mind.
    pub(crate) fn rows_with(&self, change: impl FnOnce(&mut RunCard)) -> Vec<Row> {
        let mut card = self.card.clone();
        change(&mut card);
        checked(rows(&self.campaign, &card))
    }
}

pub(crate) fn place(spec: &str, footprint: &Footprint) -> Case {
    let spec: Spec = spec.parse().expect("a valid spec");
    Case::new(spec, LANES, footprint).expect("it fits")
}

/// Plays `script` to `specs`, all of the suite `stride`.
pub(crate) fn play(script: Script, settings: Settings, specs: &[&str]) -> Outcome {
    play_to(script, settings, &[("stride", specs)], Seen::default())
}

pub(crate) fn play_to(
    script: Script,
    settings: Settings,
    suites: &[(&str, &[&str])],
    mut seen: Seen,
) -> Outcome {
    let parse = |specs: &[&str]| -> Vec<Planned> {
        specs
            .iter()
            .map(|spec| spec.parse::<Spec>().expect("a valid spec").into())
            .collect()
    };
    let mut executor = Scripted::new(script);
    let planned = suites.iter().map(|(suite, specs)| (*suite, parse(specs)));
    let mut campaign = Campaign::new(settings, LANES, planned);
    let Ok(ending) = campaign.run(&mut executor, &mut seen);
    let suites = suites.iter().map(|(suite, _)| (*suite).to_owned());
    let card = card(&executor, &campaign, suites.collect());
    Outcome {
        rows: checked(rows(&campaign, &card)),
        campaign,
        ending,
        seen,
        executor,
        card,
    }
}

/// No cell of any row is infinite or no number, and no efficiency is above 1.
fn checked(rows: Vec<Row>) -> Vec<Row> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    for row in &rows {
        writer.serialize(row).expect("a row can be written");
    }
    let text = String::from_utf8(writer.into_inner().expect("written")).expect("UTF-8");
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().expect("a header").clone();
    for record in reader.records() {
        for (name, cell) in header.iter().zip(&record.expect("a record")) {
            let lower = cell.trim_start_matches('-').to_lowercase();
            assert!(
                !["inf", "infinity", "nan"].contains(&lower.as_str()),
                "{name} is {cell}"
            );
            if name.starts_with("efficiency") && !cell.is_empty() {
                let value: f64 = cell.parse().expect("a number");
                assert!(value > 0.0 && value <= 1.0, "{name} is {cell}");
            }
        }
    }
    rows
}

fn adapter() -> Adapter {
    Adapter {
        name: "Scripted".to_owned(),
        kind: AdapterKind::Discrete,
        backend: "virtual".to_owned(),
        driver: String::new(),
        vendor_id: 0,
        device_id: 0,
        pci_bus: String::new(),
        limits: Limits {
            storage_binding_bytes: 1 << 30,
            buffer_bytes: 1 << 30,
            workgroup_invocations: 256,
            workgroups_per_dimension: 65535,
        },
        timestamps: true,
        subgroups: true,
    }
}

fn card(executor: &Scripted, campaign: &Campaign, suites: Vec<String>) -> RunCard {
    RunCard {
        suites,
        adapter: executor.adapter().clone(),
        lanes: LANES,
        workgroup_size: 64,
        footprint: *executor.footprint(),
        footprint_bytes_asked: executor.footprint().total_bytes(),
        settings: campaign.settings.clone(),
        timing_method: campaign.method(),
        empty_dispatch_ns: campaign.empty_dispatch_ns,
        overheads: campaign.overheads,
        sampling_s: campaign.sampling_ns as f64 / 1e9,
        reference_spec: campaign.reference.spec.to_string(),
        reference_gb_per_s: campaign.drift().reference_gb_per_s(),
        ..crate::card::blank()
    }
}
