//! The executor on a real adapter.

use std::collections::HashMap;
use std::time::Instant;

use super::adapter::FoundAdapter;
use super::device::Device;
use super::grid::{windows_per_workgroup, workgroup_size};
use super::kernel::{Layouts, pipeline, unchecked_pipeline};
use super::memory::Memory;
use super::slot::{Params, SUMS_BYTES, Slot};
use super::source::{self, Access, Indexing};
use super::timer::Timer;
use crate::executor::{
    Adapter, Case, CaseId, Checksum, Executor, ExecutorError, Footprint, KernelVariant, Sample,
    Submission, Visit,
};

/// Most dispatches of one submission.
const SLOTS: usize = 64;

/// A submission is cut to about this long, in nanoseconds, so that no watchdog of a driver fires (it may be off by the
/// spread between dispatches; watchdogs wait for seconds).
const SUBMISSION_NS: f64 = 80e6;

/// Readback: the two stamps, then the partial sums of each dispatch.
const SUMS_OFFSET: u64 = 256;

/// How a run asks for its kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GpuSettings {
    /// Lanes of a window.
    pub lanes: u32,
    /// Invocations of a workgroup, where the user asks for a number.
    pub workgroup_size: Option<u32>,
    /// Whether timed kernels keep the runtime checks that WGSL prescribes.
    pub runtime_checks: bool,
}

/// A device with its memory filled, ready to measure.
#[derive(Debug)]
pub struct GpuExecutor {
    adapter: Adapter,
    device: Device,
    footprint: Footprint,
    settings: GpuSettings,
    workgroup_size: u32,
    layouts: Layouts,
    memory: Memory,
    slots: Vec<Slot>,
    readback: wgpu::Buffer,
    timer: Option<Timer>,
    pipelines: HashMap<(String, bool), wgpu::ComputePipeline>,
    echoes: HashMap<String, wgpu::ComputePipeline>,
    empty: wgpu::ComputePipeline,
    cases: Vec<Prepared>,
    started: Instant,
}

/// A case whose kernel is compiled.
#[derive(Debug)]
struct Prepared {
    case: Case,
    indexing: Indexing,
    pipeline: wgpu::ComputePipeline,
    expected: HashMap<Visit, u32>,
    /// Longest time of a dispatch so far, which sizes submissions; `None` before the first.
    dispatch_ns: Option<f64>,
}

impl GpuExecutor {
    /// Opens `found` and allocates `footprint`.
    pub fn open(
        found: &FoundAdapter,
        footprint: Footprint,
        settings: GpuSettings,
    ) -> Result<Self, ExecutorError> {
        let device = Device::open(found, wgpu::Features::TIMESTAMP_QUERY)?;
        let layouts = Layouts::new(&device);
        let memory = Memory::allocate(&device, &layouts, &footprint)?;
        let readback_usage = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        Ok(Self {
            workgroup_size: workgroup_size(&found.description, &settings)?,
            slots: (0..SLOTS)
                .map(|_| Slot::new(&device, &layouts))
                .collect::<Result<_, _>>()?,
            readback: device.buffer(
                "readback",
                SUMS_OFFSET + SLOTS as u64 * SUMS_BYTES,
                readback_usage,
            )?,
            timer: Timer::new(&device)?,
            empty: pipeline(&device, "empty", source::EMPTY, &layouts.empty, &[])?,
            adapter: found.description.clone(),
            device,
            footprint,
            settings,
            layouts,
            memory,
            pipelines: HashMap::new(),
            echoes: HashMap::new(),
            cases: Vec::new(),
            started: Instant::now(),
        })
    }

    /// Invocations of a workgroup: a whole number of windows.
    pub fn workgroup_size(&self) -> u32 {
        self.workgroup_size
    }

    /// Prepares `case` with WGSL other than its own, for tests that inject faults.
    pub fn prepare_source(&mut self, case: &Case, wgsl: &str) -> Result<CaseId, ExecutorError> {
        self.prepare_wgsl(case, wgsl, self.settings.runtime_checks)
    }

    fn prepare_wgsl(
        &mut self,
        case: &Case,
        wgsl: &str,
        runtime_checks: bool,
    ) -> Result<CaseId, ExecutorError> {
        let indexing = Indexing::of(&case.spec).map_err(ExecutorError::Unsupported)?;
        let pipeline = self.compile(wgsl, runtime_checks)?;
        self.cases.push(Prepared {
            case: case.clone(),
            indexing,
            pipeline,
            expected: HashMap::new(),
            dispatch_ns: None,
        });
        Ok(CaseId(self.cases.len() - 1))
    }

    /// The pipeline of `wgsl`, compiled once with runtime checks and once without.
    fn compile(
        &mut self,
        wgsl: &str,
        runtime_checks: bool,
    ) -> Result<wgpu::ComputePipeline, ExecutorError> {
        let key = (wgsl.to_owned(), runtime_checks);
        if let Some(compiled) = self.pipelines.get(&key) {
            return Ok(compiled.clone());
        }
        let compile = if runtime_checks {
            pipeline
        } else {
            unchecked_pipeline
        };
        let constants = self.constants();
        let compiled = compile(
            &self.device,
            "measure",
            wgsl,
            &self.layouts.measure,
            &constants,
        )?;
        self.pipelines.insert(key, compiled.clone());
        Ok(compiled)
    }

    /// The pipeline of an echo, compiled once and with every check, since it is what shows a wrong address.
    fn echo_pipeline(&mut self, wgsl: String) -> Result<wgpu::ComputePipeline, ExecutorError> {
        if let Some(compiled) = self.echoes.get(&wgsl) {
            return Ok(compiled.clone());
        }
        let compiled = pipeline(
            &self.device,
            "measure",
            &wgsl,
            &self.layouts.echo,
            &self.constants(),
        )?;
        self.echoes.insert(wgsl, compiled.clone());
        Ok(compiled)
    }

    fn constants(&self) -> [(&'static str, f64); 1] {
        [("WORKGROUP_SIZE", f64::from(self.workgroup_size))]
    }

    fn prepared(&self, case: CaseId) -> Result<&Prepared, ExecutorError> {
        let unknown = || ExecutorError::Refused(format!("case {} was never prepared", case.0));
        self.cases.get(case.0).ok_or_else(unknown)
    }

    /// Parameters and workgroups of one pass over `windows` windows.
    fn params(&self, prepared: &Prepared, visit: Visit, windows: u64) -> (Params, u32) {
        let Prepared { case, indexing, .. } = prepared;
        let (_, base_byte) = case.base(visit);
        let abreast = self.workgroup_size / self.settings.lanes;
        let windows_per_workgroup =
            windows_per_workgroup(&self.adapter, windows, visit.repeats, u64::from(abreast));
        let params = Params {
            base: (base_byte / indexing.unit_bytes + indexing.shift_units) as u32,
            pitch: (case.window.pitch_bytes / indexing.unit_bytes) as u32,
            windows: windows as u32,
            windows_per_workgroup: windows_per_workgroup as u32,
            lanes: self.settings.lanes,
            abreast,
            argument: indexing.argument,
        };
        (params, windows.div_ceil(windows_per_workgroup) as u32)
    }

    /// Runs one dispatch of `case` a visit, in one submission.
    fn submit(
        &mut self,
        case: CaseId,
        visits: &[Visit],
    ) -> Result<(Submission, Vec<u32>), ExecutorError> {
        let prepared = self.prepared(case)?;
        let mut encoder = self
            .device
            .device
            .create_command_encoder(&Default::default());
        let mut workgroups = Vec::with_capacity(visits.len());
        for (visit, slot) in visits.iter().zip(&self.slots) {
            let (params, groups) = self.params(prepared, *visit, prepared.case.windows(*visit));
            self.device
                .queue
                .write_buffer(&slot.params, 0, bytemuck::bytes_of(&params));
            encoder.clear_buffer(&slot.sums, 0, None);
            workgroups.push(groups);
        }
        let mut pass = self.begin_pass(&mut encoder);
        pass.set_pipeline(&prepared.pipeline);
        for ((visit, slot), groups) in visits.iter().zip(&self.slots).zip(&workgroups) {
            let (buffer, _) = prepared.case.base(*visit);
            pass.set_bind_group(0, self.memory.bind_group(buffer), &[]);
            pass.set_bind_group(1, &slot.bind_group, &[]);
            pass.dispatch_workgroups(*groups, visit.repeats, 1);
        }
        drop(pass);
        for (slot, place) in self.slots[..visits.len()].iter().zip(0_u64..) {
            encoder.copy_buffer_to_buffer(
                &slot.sums,
                0,
                &self.readback,
                SUMS_OFFSET + place * SUMS_BYTES,
                SUMS_BYTES,
            );
        }
        let (submission, content) = self.finish(
            encoder,
            visits.len() as u32,
            visits.len() as u64 * SUMS_BYTES,
        )?;
        let sums = content[SUMS_OFFSET as usize..]
            .chunks_exact(SUMS_BYTES as usize)
            .map(|partial| {
                partial.chunks_exact(4).fold(0_u32, |sum, word| {
                    sum.wrapping_add(bytemuck::pod_read_unaligned(word))
                })
            })
            .collect();
        Ok((submission, sums))
    }

    fn begin_pass<'encoder>(
        &self,
        encoder: &'encoder mut wgpu::CommandEncoder,
    ) -> wgpu::ComputePass<'encoder> {
        encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: None,
            timestamp_writes: self.timer.as_ref().map(Timer::writes),
        })
    }

    /// Submits what is encoded, waits for it on the host clock, and reads back stamps and `sums_bytes` of sums.
    fn finish(
        &self,
        mut encoder: wgpu::CommandEncoder,
        dispatches: u32,
        sums_bytes: u64,
    ) -> Result<(Submission, Vec<u8>), ExecutorError> {
        if let Some(timer) = &self.timer {
            timer.resolve(&mut encoder, &self.readback);
        }
        let commands = encoder.finish();
        let begin = Instant::now();
        self.device.wait(self.device.queue.submit([commands]))?;
        let host_ns = begin.elapsed().as_nanos() as u64;
        let content = self.device.read(&self.readback, SUMS_OFFSET + sums_bytes)?;
        let stamps = self.timer.as_ref().map(|timer| timer.stamps(&content));
        Ok((
            Submission {
                dispatches,
                stamps,
                host_ns,
            },
            content,
        ))
    }

    /// How many dispatches of `case` go into one submission.
    fn dispatches_per_submission(&self, case: CaseId) -> Result<usize, ExecutorError> {
        let fitting = self
            .prepared(case)?
            .dispatch_ns
            .map_or(1, |ns| (SUBMISSION_NS / ns.max(1.0)) as usize);
        Ok(fitting.clamp(1, SLOTS))
    }

    /// Checksums of `visits`, each beside the sum that the case must have there.
    fn checksums(&mut self, case: CaseId, visits: &[Visit], sums: &[u32]) -> Vec<Checksum> {
        let prepared = &mut self.cases[case.0];
        visits
            .iter()
            .zip(sums)
            .map(|(&visit, &got)| {
                let exact = || prepared.case.expected_checksum(visit);
                let expected = *prepared.expected.entry(visit).or_insert_with(exact);
                Checksum {
                    visit,
                    expected,
                    got,
                }
            })
            .collect()
    }
}

impl Executor for GpuExecutor {
    fn adapter(&self) -> &Adapter {
        &self.adapter
    }

    fn footprint(&self) -> &Footprint {
        &self.footprint
    }

    fn now_ns(&self) -> u64 {
        self.started.elapsed().as_nanos() as u64
    }

    fn prepare(&mut self, case: &Case, variant: KernelVariant) -> Result<CaseId, ExecutorError> {
        let (access, runtime_checks) = match variant {
            KernelVariant::Timed => (Access::Load, self.settings.runtime_checks),
            KernelVariant::Checked => (Access::Load, true),
            KernelVariant::IndexOnly => (Access::IndexOnly, self.settings.runtime_checks),
        };
        let wgsl = source::compose(&case.spec, access).map_err(ExecutorError::Unsupported)?;
        self.prepare_wgsl(case, &wgsl, runtime_checks)
    }

    fn echo(&mut self, case: CaseId, most: usize) -> Result<Vec<u64>, ExecutorError> {
        let wgsl = source::compose(&self.prepared(case)?.case.spec, Access::Echo)
            .map_err(ExecutorError::Unsupported)?;
        let echo = self.echo_pipeline(wgsl)?;
        let prepared = self.prepared(case)?;
        let lanes = u64::from(self.settings.lanes);
        let windows = (most as u64 / lanes).min(prepared.case.windows_per_slice);
        let bytes = (windows * lanes * 4).max(4);
        let storage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
        let indexes = self.device.buffer("echo", bytes, storage)?;
        let readback = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let readback = self.device.buffer("echo readback", bytes, readback)?;
        let group = self
            .layouts
            .group(&self.device, &self.layouts.echo_group, &[&indexes]);
        let visit = Visit::whole(0, 0);
        let (params, groups) = self.params(prepared, visit, windows);
        self.device
            .queue
            .write_buffer(&self.slots[0].params, 0, bytemuck::bytes_of(&params));
        let mut encoder = self
            .device
            .device
            .create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&echo);
        pass.set_bind_group(0, self.memory.bind_group(0), &[]);
        pass.set_bind_group(1, &self.slots[0].bind_group, &[]);
        pass.set_bind_group(2, &group, &[]);
        pass.dispatch_workgroups(groups, 1, 1);
        drop(pass);
        encoder.copy_buffer_to_buffer(&indexes, 0, &readback, 0, bytes);
        self.device
            .wait(self.device.queue.submit([encoder.finish()]))?;
        let Indexing {
            unit_bytes,
            field_bytes,
            ..
        } = prepared.indexing;
        let content = self.device.read(&readback, bytes)?;
        Ok(content
            .chunks_exact(4)
            .map(|index| {
                u64::from(bytemuck::pod_read_unaligned::<u32>(index)) * unit_bytes + field_bytes
            })
            .collect())
    }

    fn sample(&mut self, case: CaseId, visits: &[Visit]) -> Result<Sample, ExecutorError> {
        let mut sample = Sample {
            submissions: Vec::new(),
            checksums: Vec::new(),
        };
        for visit in visits {
            let (buffer, _) = self.prepared(case)?.case.base(*visit);
            self.memory.fill(&self.device, &self.layouts, buffer)?;
        }
        let mut rest = visits;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(self.dispatches_per_submission(case)?.min(rest.len()));
            let (submission, sums) = self.submit(case, now)?;
            let dispatch_ns = submission.host_ns as f64 / now.len() as f64;
            let known = &mut self.cases[case.0].dispatch_ns;
            // The first dispatch may compile; later ones bring the estimate down, a slow one up at once.
            *known = Some(known.map_or(dispatch_ns, |ns| dispatch_ns.max(ns * 0.9)));
            sample.checksums.extend(self.checksums(case, now, &sums));
            sample.submissions.push(submission);
            rest = later;
        }
        Ok(sample)
    }

    fn empty(&mut self, dispatches: u32) -> Result<Submission, ExecutorError> {
        let mut encoder = self
            .device
            .device
            .create_command_encoder(&Default::default());
        let mut pass = self.begin_pass(&mut encoder);
        pass.set_pipeline(&self.empty);
        for _ in 0..dispatches {
            pass.dispatch_workgroups(1, 1, 1);
        }
        drop(pass);
        Ok(self.finish(encoder, dispatches, 0)?.0)
    }
}
