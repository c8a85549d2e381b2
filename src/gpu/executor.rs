//! The executor on a real adapter.

use std::collections::HashMap;
use std::time::Instant;

use super::adapter::FoundAdapter;
use super::device::Device;
use super::grid::workgroup_size;
use super::kernel::{Layouts, pipeline, unchecked_pipeline};
use super::memory::Memory;
use super::params::{Dispatch, Dispatcher};
use super::slot::{SUMS_BYTES, Slot};
use super::source::{self, Access};
use super::stores::Stores;
use super::timer::Timer;
use crate::executor::{
    Adapter, Case, CaseId, Executor, ExecutorError, Footprint, IDLE, KernelVariant, Plan, Sample,
    StoreProof, Submission, Visit, Walk,
};
use crate::units::readable;

/// Most dispatches of one submission.
pub(super) const SLOTS: usize = 64;

/// Readback: the two stamps, then the partial sums of each dispatch.
pub(super) const SUMS_OFFSET: u64 = 256;

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
    pub(super) adapter: Adapter,
    pub(super) device: Device,
    pub(super) footprint: Footprint,
    pub(super) settings: GpuSettings,
    pub(super) workgroup_size: u32,
    pub(super) layouts: Layouts,
    pub(super) memory: Memory,
    /// Made before the first case that stores, at the latest.
    pub(super) stores: Option<Stores>,
    pub(super) no_lists: wgpu::BindGroup,
    pub(super) slots: Vec<Slot>,
    pub(super) readback: wgpu::Buffer,
    pub(super) timer: Option<Timer>,
    pub(super) pipelines: HashMap<(String, bool), wgpu::ComputePipeline>,
    pub(super) empty: wgpu::ComputePipeline,
    /// What is prepared, until it is released.
    pub(super) cases: Vec<Option<Prepared>>,
    pub(super) started: Instant,
}

/// A case whose kernels are compiled.
#[derive(Debug)]
pub(super) struct Prepared {
    pub(super) case: Case,
    pub(super) dispatcher: Dispatcher,
    pub(super) pipeline: wgpu::ComputePipeline,
    /// Looks at what was stored; of cases that store.
    pub(super) audit: Option<wgpu::ComputePipeline>,
    /// Bind group 2: the index lists, if there are any.
    pub(super) lists: wgpu::BindGroup,
    pub(super) expected: HashMap<Visit, u32>,
    /// Longest time of a dispatch so far, which sizes submissions; `None` before the first.
    pub(super) dispatch_ns: Option<f64>,
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
        let nothing = device.buffer("no index list", 4, wgpu::BufferUsages::STORAGE)?;
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
            no_lists: layouts.group(&device, &layouts.lists_group, &[&nothing, &nothing]),
            device,
            footprint,
            settings,
            layouts,
            memory,
            stores: None,
            pipelines: HashMap::new(),
            cases: Vec::new(),
            started: Instant::now(),
        })
    }

    /// Allocates the memory that cases store to, unless it is there.
    pub fn allocate_stores(&mut self) -> Result<(), ExecutorError> {
        if self.stores.is_none() {
            let stores = Stores::allocate(&self.device, &self.layouts, &self.footprint)?;
            self.stores = Some(stores);
        }
        Ok(())
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
        self.check_workgroup_memory(case)?;
        let dispatcher = Dispatcher::new(case, &self.settings, self.workgroup_size)?;
        let pipeline = self.compile(wgsl, runtime_checks)?;
        let audit = match case.action.stores() {
            false => None,
            true => {
                self.allocate_stores()?;
                let wgsl =
                    source::compose(case, Access::Audit).map_err(ExecutorError::Unsupported)?;
                Some(self.compile(&wgsl, true)?)
            }
        };
        let lists = self.lists(case)?;
        self.cases.push(Some(Prepared {
            case: case.clone(),
            dispatcher,
            pipeline,
            audit,
            lists,
            expected: HashMap::new(),
            dispatch_ns: None,
        }));
        Ok(CaseId(self.cases.len() - 1))
    }

    fn check_workgroup_memory(&self, case: &Case) -> Result<(), ExecutorError> {
        let Plan::Transpose(transpose) = &case.plan else {
            return Ok(());
        };
        let limit = u64::from(
            self.device
                .device
                .limits()
                .max_compute_workgroup_storage_size,
        );
        let needed = transpose.tile_bytes();
        if needed > limit {
            return Err(ExecutorError::Unsupported(format!(
                "a tile takes {} of workgroup memory, but '{}' has {}",
                readable(needed),
                self.adapter.name,
                readable(limit)
            )));
        }
        Ok(())
    }

    /// The index lists of `case` in buffers of their own.
    fn lists(&self, case: &Case) -> Result<wgpu::BindGroup, ExecutorError> {
        let Plan::Walk { walk, scatter } = &case.plan else {
            return Ok(self.no_lists.clone());
        };
        if !case.reads_indexes() {
            return Ok(self.no_lists.clone());
        }
        let list = |walk: &Walk| {
            let usage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST;
            let content = bytemuck::cast_slice(&walk.indexes);
            let buffer = self
                .device
                .buffer("index list", content.len() as u64, usage)?;
            self.device.queue.write_buffer(&buffer, 0, content);
            Ok(buffer)
        };
        let first = list(walk)?;
        let second = match scatter {
            Some(scatter) => list(scatter)?,
            None => first.clone(),
        };
        let layout = &self.layouts.lists_group;
        Ok(self.layouts.group(&self.device, layout, &[&first, &second]))
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
        let layout = match source::writes(wgsl) {
            true => &self.layouts.writing,
            false => &self.layouts.reading,
        };
        let constants = [("WORKGROUP_SIZE", f64::from(self.workgroup_size))];
        let compiled = compile(&self.device, "measure", wgsl, layout, &constants)?;
        self.pipelines.insert(key, compiled.clone());
        Ok(compiled)
    }

    pub(super) fn prepared(&self, case: CaseId) -> Result<&Prepared, ExecutorError> {
        let known = self.cases.get(case.0).and_then(Option::as_ref);
        known.ok_or_else(|| unknown(case))
    }

    pub(super) fn prepared_mut(&mut self, case: CaseId) -> Result<&mut Prepared, ExecutorError> {
        let known = self.cases.get_mut(case.0).and_then(Option::as_mut);
        known.ok_or_else(|| unknown(case))
    }
}

fn unknown(case: CaseId) -> ExecutorError {
    ExecutorError::Refused(format!("case {} is not prepared", case.0))
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
            KernelVariant::Timed => (Access::Measured, self.settings.runtime_checks),
            KernelVariant::Checked => (Access::Measured, true),
            KernelVariant::IndexOnly => (Access::IndexOnly, self.settings.runtime_checks),
        };
        let wgsl = source::compose(case, access).map_err(ExecutorError::Unsupported)?;
        self.prepare_wgsl(case, &wgsl, runtime_checks)
    }

    fn release(&mut self, case: CaseId) {
        if let Some(prepared) = self.cases.get_mut(case.0) {
            *prepared = None;
        }
    }

    fn echo(&mut self, case: CaseId, most: usize) -> Result<Vec<Option<u64>>, ExecutorError> {
        let Plan::Walk { walk, .. } = &self.prepared(case)?.case.plan else {
            return Ok(Vec::new());
        };
        let (unit_bytes, field_bytes) = (walk.unit_bytes, walk.field_bytes);
        let wgsl = source::compose(&self.prepared(case)?.case, Access::Echo)
            .map_err(ExecutorError::Unsupported)?;
        // With every check, since it is what shows a wrong address.
        let pipeline = self.compile(&wgsl, true)?;
        let prepared = self.prepared(case)?;
        let lanes = u64::from(self.settings.lanes);
        let windows = (most as u64 / lanes).min(prepared.case.windows_per_slice());
        let bytes = (windows * lanes * 4).max(4);
        let storage = wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_SRC;
        let indexes = self.device.buffer("echo", bytes, storage)?;
        let readback = wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST;
        let readback = self.device.buffer("echo readback", bytes, readback)?;
        let group = self
            .layouts
            .group(&self.device, &self.layouts.out_group, &[&indexes]);
        let visit = Visit::whole(0, 0);
        let Dispatch { params, workgroups } =
            prepared
                .dispatcher
                .dispatch(&prepared.case, &self.adapter, visit, windows, 0);
        self.device
            .queue
            .write_buffer(&self.slots[0].params, 0, bytemuck::bytes_of(&params));
        let mut encoder = self
            .device
            .device
            .create_command_encoder(&Default::default());
        let mut pass = encoder.begin_compute_pass(&Default::default());
        pass.set_pipeline(&pipeline);
        pass.set_bind_group(0, self.memory.bind_group(0), &[]);
        pass.set_bind_group(1, &self.slots[0].bind_group, &[]);
        pass.set_bind_group(2, &prepared.lists, &[]);
        pass.set_bind_group(3, &group, &[]);
        pass.dispatch_workgroups(workgroups.0, workgroups.1, 1);
        drop(pass);
        encoder.copy_buffer_to_buffer(&indexes, 0, &readback, 0, bytes);
        self.device
            .wait(self.device.queue.submit([encoder.finish()]))?;
        let content = self.device.read(&readback, bytes)?;
        let address = |index: u32| u64::from(index) * unit_bytes + field_bytes;
        Ok(content
            .chunks_exact(4)
            .take((windows * lanes) as usize)
            .map(bytemuck::pod_read_unaligned::<u32>)
            .map(|index| (index != IDLE).then(|| address(index)))
            .collect())
    }

    fn prove_stores(&mut self, case: CaseId, visit: Visit) -> Result<StoreProof, ExecutorError> {
        let placed = self.prepared(case)?.case.clone();
        let (Some(stores), true) = (&mut self.stores, placed.action.stores()) else {
            return Err(ExecutorError::Unsupported(format!(
                "'{}' stores nothing",
                placed.spec
            )));
        };
        let addend = stores.next_addend();
        stores.plant(&self.device, &self.layouts, &placed, visit)?;
        let checksum = self.run(case, &[visit], addend)?.checksums[0];
        let Some(stores) = &self.stores else {
            return Err(ExecutorError::Refused(
                "the memory for stores is gone".to_owned(),
            ));
        };
        Ok(StoreProof {
            checksum,
            untouched_expected: stores.untouched_words(&placed, visit, addend),
            untouched_got: stores.count(&self.device, &self.layouts, &placed, visit)?,
        })
    }

    fn sample(&mut self, case: CaseId, visits: &[Visit]) -> Result<Sample, ExecutorError> {
        let addend = self.stores.as_mut().map_or(0, Stores::next_addend);
        self.run(case, visits, addend)
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
