//! The executor on a virtual GPU.

use std::collections::HashMap;

use crate::executor::{
    Adapter, Case, CaseId, Checksum, Counted, Executor, ExecutorError, Footprint, KernelVariant,
    Plan, Sample, Steps, StoreProof, Submission, Visit, Walk,
};
use crate::units::readable;

use super::cache::{Cache, Touch};
use super::disturbance::Disturber;
use super::faults::{Skipping, means};
use super::memory::Demand;
use super::settings::Settings;

/// Dispatches of one submission, as on a real adapter.
const SUBMISSION_DISPATCHES: usize = 64;

/// Time of the host beside a submission's dispatches; some of it by chance, so that not all times are multiples of each
/// other.
const SUBMIT_NS: u64 = 12_000;
const SUBMIT_CHANCE_NS: u64 = 997;

/// Time that compiling a kernel takes, and reading back what it echoes.
const COMPILE_NS: u64 = 20_000_000;
const READ_BACK_NS: u64 = 500_000;

/// How much longer the kernel with every runtime check takes.
const CHECKED_TIMES: f64 = 1.06;

/// A hanging dispatch is given up after so long.
const TIMEOUT_S: u64 = 10;

/// A model of a GPU, ready to measure.
#[derive(Debug)]
pub struct VirtualGpu {
    settings: Settings,
    adapter: Adapter,
    footprint: Footprint,
    runtime_checks: bool,
    stores_allocated: bool,
    cases: Vec<Option<Prepared>>,
    cache: Cache,
    disturber: Disturber,
    now_ns: u64,
    samples: u64,
    lost: bool,
}

/// A case that can be run, with what was counted of it.
#[derive(Debug)]
struct Prepared {
    case: Case,
    variant: KernelVariant,
    demands: HashMap<Steps, Demand>,
    expected: HashMap<Visit, u32>,
}

impl VirtualGpu {
    /// A device with `footprint` allocated on it; timed kernels keep runtime checks if so wanted.
    ///
    /// # Errors
    /// If the footprint is more than its memory.
    pub fn open(
        settings: Settings,
        footprint: Footprint,
        runtime_checks: bool,
    ) -> Result<Self, ExecutorError> {
        let gpu = Self {
            adapter: settings.adapter(),
            cache: Cache::new(settings.memory.l2.0),
            disturber: Disturber::new(settings.disturbance),
            settings,
            footprint,
            runtime_checks,
            stores_allocated: false,
            cases: Vec::new(),
            now_ns: 0,
            samples: 0,
            lost: false,
        };
        gpu.check_capacity(1)?;
        Ok(gpu)
    }

    /// Allocates the memory that cases store to, unless it is there.
    ///
    /// # Errors
    /// If it is more than what is left.
    pub fn allocate_stores(&mut self) -> Result<(), ExecutorError> {
        self.check_capacity(2)?;
        self.stores_allocated = true;
        Ok(())
    }

    /// Whether so many times the footprint can be allocated.
    fn check_capacity(&self, times: u64) -> Result<(), ExecutorError> {
        let (capacity, asked) = (self.settings.capacity.0, self.footprint.total_bytes());
        if asked.saturating_mul(times) <= capacity {
            return Ok(());
        }
        Err(ExecutorError::OutOfMemory {
            asked_bytes: self.footprint.buffer_bytes,
            reason: format!("the virtual GPU has {}", readable(capacity)),
        })
    }

    fn check_presence(&self) -> Result<(), ExecutorError> {
        match self.lost {
            false => Ok(()),
            true => Err(ExecutorError::DeviceLost("as its settings want".to_owned())),
        }
    }

    fn prepared(&mut self, id: CaseId) -> Result<&mut Prepared, ExecutorError> {
        let known = self.cases.get_mut(id.0).and_then(Option::as_mut);
        known.ok_or_else(|| ExecutorError::Refused(format!("case {} is not prepared", id.0)))
    }

    /// Raises the faults that are due at the next sample.
    fn fail_on_time(&mut self) -> Result<(), ExecutorError> {
        self.samples += 1;
        self.lost |= self.settings.faults.lost == Some(self.samples);
        self.check_presence()?;
        if self.settings.faults.hang == Some(self.samples) {
            self.now_ns += TIMEOUT_S * 1_000_000_000;
            return Err(ExecutorError::Timeout { seconds: TIMEOUT_S });
        }
        Ok(())
    }

    /// Undisturbed nanoseconds of one dispatch, which leaves its memory in the cache.
    fn dispatch_ns(&mut self, id: CaseId, visit: Visit) -> Result<f64, ExecutorError> {
        let launch_ns = self.settings.launch.0 as f64;
        let memory = self.settings.memory;
        let runtime_checks = self.runtime_checks;
        let prepared = self.prepared(id)?;
        let (case, variant) = (&prepared.case, prepared.variant);
        let counted = case.counted_alike(visit);
        let demand = match prepared.demands.get(&counted) {
            Some(demand) => *demand,
            None => {
                let demand = Demand::count(case, counted, &memory)
                    .map_err(|error| ExecutorError::Unsupported(error.to_string()))?;
                prepared.demands.insert(counted, demand);
                demand
            }
        };
        let passes = f64::from(visit.repeats);
        if variant == KernelVariant::IndexOnly {
            return Ok(launch_ns + passes * demand.issue_ns(&memory));
        }
        let runs = runs(case, visit);
        let held_bytes = demand.held_bytes / runs.len().max(1) as u64;
        let touches = runs.into_iter().map(|run| Touch {
            of: (id.0, visit.phase),
            run,
            held_bytes,
        });
        let touches: Vec<Touch> = touches.collect();
        let shares = touches.iter().map(|touch| self.cache.resident_share(touch));
        let resident = shares.sum::<f64>() / touches.len().max(1) as f64;
        touches
            .into_iter()
            .for_each(|touch| self.cache.touch(touch));
        let again = match self.cache.holds(demand.held_bytes) {
            true => demand.ns(&memory, 1.0),
            false => demand.ns(&memory, 0.0),
        };
        let ns = demand.ns(&memory, resident) + (passes - 1.0).max(0.0) * again;
        let is_checked = variant == KernelVariant::Checked || runtime_checks;
        Ok(launch_ns + ns * if is_checked { CHECKED_TIMES } else { 1.0 })
    }

    /// The clocks of a submission of so many dispatches that would take `ns` undisturbed.
    fn submit(&mut self, dispatches: usize, ns: f64) -> Submission {
        let factors = self.disturber.next(self.now_ns);
        let device_ns = (ns * factors.device).round() as u64;
        let submit_ns = SUBMIT_NS + self.disturber.below(SUBMIT_CHANCE_NS);
        let host_ns = submit_ns + (device_ns as f64 * factors.host).round() as u64;
        let begin_ns = self.now_ns + submit_ns / 2;
        self.now_ns += host_ns;
        Submission {
            dispatches: dispatches as u32,
            stamps: self.settings.clock.stamps(begin_ns, device_ns, host_ns),
            host_ns,
        }
    }

    /// The checksum of a dispatch, with its last step left out if a fault wants so.
    fn checksum(&mut self, id: CaseId, visit: Visit) -> Result<Checksum, ExecutorError> {
        let skipping = self.settings.faults.skip_loads.clone();
        let skips = match skipping {
            None => false,
            Some(Skipping::All) => true,
            Some(Skipping::Share(share)) => self.disturber.chance(share),
            Some(Skipping::Of(named)) => means(&named, &self.prepared(id)?.case.spec),
        };
        let Prepared { case, expected, .. } = self.prepared(id)?;
        let mut sum = |visit| {
            *expected
                .entry(visit)
                .or_insert_with(|| case.expected_checksum(visit))
        };
        let fewer = Visit {
            steps_max: case.steps(visit).count.saturating_sub(1) as u32,
            ..visit
        };
        Ok(Checksum {
            visit,
            expected: sum(visit),
            got: sum(if skips { fewer } else { visit }),
        })
    }
}

impl Executor for VirtualGpu {
    fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    fn footprint(&self) -> &Footprint {
        &self.footprint
    }

    fn now_ns(&self) -> u64 {
        self.now_ns
    }

    fn prepare(&mut self, case: &Case, variant: KernelVariant) -> Result<CaseId, ExecutorError> {
        self.check_presence()?;
        let refused = self.settings.faults.refuse.as_deref();
        if refused.is_some_and(|named| means(named, &case.spec)) {
            let reason = format!("the kernel of '{}', as its settings want", case.spec);
            return Err(ExecutorError::Refused(reason));
        }
        if case.action.stores() && !self.stores_allocated {
            self.allocate_stores()?;
        }
        self.now_ns += COMPILE_NS;
        self.cases.push(Some(Prepared {
            case: case.clone(),
            variant,
            demands: HashMap::new(),
            expected: HashMap::new(),
        }));
        Ok(CaseId(self.cases.len() - 1))
    }

    fn release(&mut self, case: CaseId) {
        if let Some(prepared) = self.cases.get_mut(case.0) {
            *prepared = None;
        }
    }

    fn echo(&mut self, id: CaseId, most: usize) -> Result<Vec<Option<u64>>, ExecutorError> {
        self.check_presence()?;
        self.now_ns += READ_BACK_NS;
        let case = &self.prepared(id)?.case;
        let Plan::Walk { walk, .. } = &case.plan else {
            return Ok(Vec::new());
        };
        let (_, base) = case.base(Visit::whole(0, 0));
        let windows = (most as u64 / u64::from(case.lanes)).min(case.windows_per_slice());
        Ok((0..windows)
            .flat_map(|window| walk.addresses(case.lanes, window))
            .map(|address| address.map(|address| base + address))
            .collect())
    }

    fn prove_stores(&mut self, id: CaseId, visit: Visit) -> Result<StoreProof, ExecutorError> {
        self.check_presence()?;
        self.now_ns += READ_BACK_NS;
        let case = &self.prepared(id)?.case;
        if !case.action.stores() {
            return Err(ExecutorError::Unsupported(format!(
                "'{}' stores nothing",
                case.spec
            )));
        }
        Ok(StoreProof {
            checksum: self.checksum(id, visit)?,
            // There is no memory around the stores that could be wrong.
            untouched_expected: 0,
            untouched_got: 0,
        })
    }

    fn sample(&mut self, id: CaseId, visits: &[Visit]) -> Result<Sample, ExecutorError> {
        self.check_presence()?;
        self.fail_on_time()?;
        let mut submissions = Vec::new();
        for visits in visits.chunks(SUBMISSION_DISPATCHES) {
            let times = visits.iter().map(|&visit| self.dispatch_ns(id, visit));
            let ns = times.sum::<Result<f64, _>>()?;
            submissions.push(self.submit(visits.len(), ns));
        }
        self.now_ns += READ_BACK_NS;
        let checksums = visits.iter().map(|&visit| self.checksum(id, visit));
        Ok(Sample {
            submissions,
            checksums: checksums.collect::<Result<_, _>>()?,
        })
    }

    fn empty(&mut self, dispatches: u32) -> Result<Submission, ExecutorError> {
        self.check_presence()?;
        let ns = f64::from(dispatches) * self.settings.launch.0 as f64;
        Ok(self.submit(dispatches as usize, ns))
    }
}

/// The runs of memory that one pass of `visit` touches: in the footprint, and beyond it where it stores.
fn runs(case: &Case, visit: Visit) -> Vec<std::ops::Range<u64>> {
    let stores_begin = case.footprint().total_bytes();
    let base = case.base_in_footprint(visit);
    let steps = case.steps(visit);
    let of_walk = |walk: &Walk| match walk.counted {
        Counted::Shuffled { .. } => base..base + case.span_bytes(),
        Counted::List { .. } => {
            let pitch = walk.pitch_bytes();
            let last = base + steps.end().saturating_sub(1) * pitch;
            base + steps.first * pitch..last + walk.extent_bytes()
        }
    };
    let sides = match &case.plan {
        Plan::Walk { walk, scatter } => {
            let stored = scatter.as_ref().unwrap_or(walk);
            [of_walk(walk), of_walk(stored)]
        }
        Plan::Transpose(_) => {
            let bytes = case.step_bytes();
            let run = base + steps.first * bytes..base + steps.end() * bytes;
            [run.clone(), run]
        }
    };
    let [loaded, stored] = sides;
    let stored = stored.start + stores_begin..stored.end + stores_begin;
    let mut runs = Vec::new();
    if case.action.reads() {
        runs.push(loaded);
    }
    if case.action.stores() {
        runs.push(stored);
    }
    runs
}
