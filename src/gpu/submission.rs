//! Submissions of an executor: dispatches of one case, timed, their checksums read back, and what they stored looked at.

use std::time::Instant;

use super::executor::{GpuExecutor, Prepared, SLOTS, SUMS_OFFSET};
use super::slot::SUMS_BYTES;
use super::timer::Timer;
use crate::executor::{CaseId, Checksum, ExecutorError, Sample, Submission, Visit};

/// A submission is cut to about this long, in nanoseconds, so that no watchdog of a driver fires (it may be off by the
/// spread between dispatches; watchdogs wait for seconds).
const SUBMISSION_NS: f64 = 80e6;

/// Which of a case's kernels a submission runs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Measured,
    Audit,
}

impl GpuExecutor {
    /// Runs one dispatch of `case` a visit, in one submission.
    fn submit(
        &mut self,
        case: CaseId,
        visits: &[Visit],
        role: Role,
        addend: u32,
    ) -> Result<(Submission, Vec<u32>), ExecutorError> {
        let prepared = self.prepared(case)?;
        let mut encoder = self
            .device
            .device
            .create_command_encoder(&Default::default());
        let mut workgroups = Vec::with_capacity(visits.len());
        for (visit, slot) in visits.iter().zip(&self.slots) {
            let dispatch = prepared.dispatcher.dispatch(
                &prepared.case,
                &self.adapter,
                *visit,
                u64::MAX,
                addend,
            );
            self.device
                .queue
                .write_buffer(&slot.params, 0, bytemuck::bytes_of(&dispatch.params));
            encoder.clear_buffer(&slot.sums, 0, None);
            workgroups.push(dispatch.workgroups);
        }
        let mut pass = self.begin_pass(&mut encoder);
        pass.set_pipeline(match role {
            Role::Measured => &prepared.pipeline,
            Role::Audit => prepared.audit.as_ref().ok_or_else(|| {
                ExecutorError::Refused(format!("'{}' stores nothing", prepared.case.spec))
            })?,
        });
        pass.set_bind_group(2, &prepared.lists, &[]);
        for ((visit, slot), (across, down)) in visits.iter().zip(&self.slots).zip(&workgroups) {
            let (buffer, _) = prepared.case.base(*visit);
            match (&self.stores, role) {
                (Some(stores), Role::Audit) => pass.set_bind_group(0, stores.read(buffer), &[]),
                (Some(stores), Role::Measured) if prepared.audit.is_some() => {
                    pass.set_bind_group(0, self.memory.bind_group(buffer), &[]);
                    pass.set_bind_group(3, stores.written(buffer), &[]);
                }
                _ => pass.set_bind_group(0, self.memory.bind_group(buffer), &[]),
            }
            pass.set_bind_group(1, &slot.bind_group, &[]);
            pass.dispatch_workgroups(*across, *down, 1);
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

    /// Adds to `sums` how many of the words that `visits` stored with `addend` are there.
    fn audit(
        &mut self,
        case: CaseId,
        visits: &[Visit],
        sums: &mut [u32],
        addend: u32,
    ) -> Result<(), ExecutorError> {
        if self.prepared(case)?.audit.is_none() {
            return Ok(());
        }
        let size = self.dispatches_per_submission(case)?;
        for (visits, sums) in visits.chunks(size).zip(sums.chunks_mut(size)) {
            let once: Vec<Visit> = visits
                .iter()
                .map(|visit| Visit {
                    repeats: 1,
                    ..*visit
                })
                .collect();
            let (_, found) = self.submit(case, &once, Role::Audit, addend)?;
            for (sum, words) in sums.iter_mut().zip(found) {
                *sum = sum.wrapping_add(words);
            }
        }
        Ok(())
    }

    pub(super) fn begin_pass<'encoder>(
        &self,
        encoder: &'encoder mut wgpu::CommandEncoder,
    ) -> wgpu::ComputePass<'encoder> {
        encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: None,
            timestamp_writes: self.timer.as_ref().map(Timer::writes),
        })
    }

    /// Submits what is encoded, waits for it on the host clock, and reads back stamps and `sums_bytes` of sums.
    pub(super) fn finish(
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

    /// Runs `visits` timed, and then looks at what they stored.
    pub(super) fn run(
        &mut self,
        case: CaseId,
        visits: &[Visit],
        addend: u32,
    ) -> Result<Sample, ExecutorError> {
        let reads = self.prepared(case)?.case.action.reads();
        for visit in visits {
            let (buffer, _) = self.prepared(case)?.case.base(*visit);
            if reads {
                self.memory.fill(&self.device, &self.layouts, buffer)?;
            }
        }
        let (mut submissions, mut sums) = (Vec::new(), Vec::new());
        let mut rest = visits;
        while !rest.is_empty() {
            let (now, later) = rest.split_at(self.dispatches_per_submission(case)?.min(rest.len()));
            let (submission, of_submission) = self.submit(case, now, Role::Measured, addend)?;
            let dispatch_ns = submission.host_ns as f64 / now.len() as f64;
            let known = &mut self.prepared_mut(case)?.dispatch_ns;
            // The first dispatch may compile; later ones bring the estimate down, a slow one up at once.
            *known = Some(known.map_or(dispatch_ns, |ns| dispatch_ns.max(ns * 0.9)));
            sums.extend(of_submission);
            submissions.push(submission);
            rest = later;
        }
        self.audit(case, visits, &mut sums, addend)?;
        let checksums = checksums(self.prepared_mut(case)?, visits, &sums);
        Ok(Sample {
            submissions,
            checksums,
        })
    }
}

/// Checksums of `visits`, each beside what it must be.
fn checksums(prepared: &mut Prepared, visits: &[Visit], sums: &[u32]) -> Vec<Checksum> {
    let mut checksum = |(&visit, &got): (&Visit, &u32)| {
        let exact = || prepared.case.expected_checksum(visit);
        let expected = *prepared.expected.entry(visit).or_insert_with(exact);
        Checksum {
            visit,
            expected,
            got,
        }
    };
    visits.iter().zip(sums).map(&mut checksum).collect()
}
