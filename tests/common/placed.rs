//! Cases on the adapter that tests run on: placed, visited all over, and compared sum by sum.

use coalescope::executor::{Case, CaseError, Checksum, Executor, Footprint, KernelVariant, Visit};
use coalescope::gpu::{GpuExecutor, GpuSettings};
use coalescope::pattern::Spec;

use super::adapter;

pub(crate) const MIB: u64 = 1 << 20;

/// Two buffers of three slices, none of which is a power of two.
pub(crate) const ODD: Footprint = Footprint {
    buffers: 2,
    buffer_bytes: 3 * 13 * (64 << 10),
    slice_bytes: 13 * (64 << 10),
};

pub(crate) fn settings(lanes: u32) -> GpuSettings {
    GpuSettings {
        lanes,
        workgroup_size: None,
        runtime_checks: false,
    }
}

pub(crate) fn visits(case: &Case) -> Vec<Visit> {
    let phases = case.phases;
    (0..case.footprint().slices())
        .flat_map(|slice| (0..phases).map(move |phase| Visit::whole(slice, phase)))
        // Parts too, of which not all have as many windows.
        .chain((0..3).map(|part| Visit {
            part,
            parts: 3,
            ..Visit::whole(0, 0)
        }))
        .collect()
}

pub(crate) fn place(spec: &Spec, lanes: u32, footprint: &Footprint) -> Option<Case> {
    match Case::new(spec.clone(), lanes, footprint) {
        Ok(case) => Some(case),
        Err(CaseError::TooLarge { needed, .. }) => {
            assert!(needed.0 > footprint.slice_bytes / 2, "{spec} would fit");
            None
        }
        Err(error) => panic!("{spec}, {lanes} lanes: {error}"),
    }
}

pub(crate) fn assert_exact(
    executor: &mut GpuExecutor,
    case: &Case,
    visits: &[Visit],
) -> Vec<Checksum> {
    let spec = &case.spec;
    let id = executor
        .prepare(case, KernelVariant::Timed)
        .unwrap_or_else(|error| panic!("{spec}: {error}"));
    let sample = executor
        .sample(id, visits)
        .unwrap_or_else(|error| panic!("{spec}: {error}"));
    assert_eq!(sample.checksums.len(), visits.len(), "{spec}");
    for (checksum, visit) in sample.checksums.iter().zip(visits) {
        assert_eq!(
            (checksum.visit, checksum.expected),
            (*visit, case.expected_checksum(*visit))
        );
        assert!(checksum.is_exact(), "{spec}: {checksum:x?}");
    }
    sample.checksums
}

pub(crate) const FAULT_LANES: u32 = 8;

/// Two buffers of two slices of 8 MiB: a base may shift by a whole slice and stay in its buffer.
pub(crate) const PLAIN: Footprint = Footprint {
    buffers: 2,
    buffer_bytes: 16 * MIB,
    slice_bytes: 8 * MIB,
};

/// One workgroup a window wide, so that every adapter runs the unrolled loop on these slices.
pub(crate) fn fault_executor() -> adapter::Opened {
    let settings = GpuSettings {
        workgroup_size: Some(FAULT_LANES),
        ..settings(FAULT_LANES)
    };
    adapter::open(PLAIN, settings)
}
