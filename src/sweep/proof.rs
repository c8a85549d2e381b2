//! Proving kernels exact: addresses against the Rust twin, and the checksum of every slice.

use super::prepare::{Obstacle, verified, verify_stores, wrong_checksum};
use crate::executor::{Case, Executor, ExecutorError, Visit};
use crate::pattern::Spec;

/// What came of verifying a kernel over a whole footprint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Proof {
    /// Every address and every checksum was as expected; the checksums added up, modulo 2^32.
    Exact {
        /// What the model expects.
        expected: u32,
        /// What the kernel summed.
        got: u32,
    },
    /// Something was wrong.
    Wrong {
        /// Expected and summed checksums added up, where they were computed.
        sums: Option<(u32, u32)>,
        /// What was wrong first.
        reason: String,
    },
    /// The kernel does not exist on this adapter, for a documented reason.
    Skipped(String),
}

impl Proof {
    /// The word for an exact kernel.
    pub const EXACT: &'static str = "exact";

    /// The `status` column of `verify`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Exact { .. } => Self::EXACT,
            Self::Wrong { .. } => "wrong",
            Self::Skipped(_) => "skipped",
        }
    }

    /// Why it is not exact; empty where it is.
    pub fn reason(&self) -> &str {
        match self {
            Self::Exact { .. } => "",
            Self::Wrong { reason, .. } | Self::Skipped(reason) => reason,
        }
    }

    /// Expected and summed checksums of the whole footprint.
    pub fn sums(&self) -> Option<(u32, u32)> {
        match self {
            Self::Exact { expected, got } => Some((*expected, *got)),
            Self::Wrong { sums, .. } => *sums,
            Self::Skipped(_) => None,
        }
    }
}

/// Specs that together run every kernel at every element width and layout that WGSL can address.
pub fn verification_specs() -> Vec<Spec> {
    let patterns = [
        "stride:1",
        "stride:0",
        "stride:2",
        "stride:7",
        "stride:-3",
        "stride:33",
        "stride:256",
        "offset:0",
        "offset:1",
        "offset:5",
        "reversed",
        "broadcast",
        "soa",
        "struct:16B",
        "struct:48B+16B",
    ];
    // WGSL aligns a wide field by its size, so structs of other sizes hold words alone.
    let narrow = [
        "struct:4B",
        "struct:12B+4B",
        "struct:20B+16B",
        "struct:24B+20B",
        "struct:64B+60B",
    ];
    let wide = ["4B", "8B", "16B"]
        .into_iter()
        .flat_map(|element| patterns.map(|pattern| (pattern, element)));
    wide.chain(narrow.map(|pattern| (pattern, "4B")))
        .flat_map(|(pattern, element)| {
            ["packed", "padded"]
                .map(|layout| format!("{pattern},element={element},layout={layout}"))
        })
        .filter_map(|spec| spec.parse().ok())
        .collect()
}

/// Verifies `spec` over every slice of the executor's memory, once in each phase that it has.
pub fn prove(spec: &Spec, lanes: u32, executor: &mut dyn Executor) -> Proof {
    let case = match Case::new(spec.clone(), lanes, executor.footprint()) {
        Ok(case) => case,
        Err(reason) => return Proof::Skipped(reason.to_string()),
    };
    let wrong = |reason: String| Proof::Wrong { sums: None, reason };
    let id = match verified(&case, executor) {
        Ok(id) => id,
        Err(Obstacle::Executor(ExecutorError::Unsupported(reason))) => {
            return Proof::Skipped(reason);
        }
        Err(obstacle) => return wrong(obstacle.to_string()),
    };
    let slices = executor.footprint().slices();
    let visits: Vec<Visit> = (0..case.phases.min(2))
        .flat_map(|phase| (0..slices).map(move |slice| Visit::whole(slice, phase)))
        .collect();
    // The first slice is proven before; of the others one more, which lies at the other end.
    if let Err(obstacle) = verify_stores(&case, id, Visit::whole(slices - 1, 0), executor) {
        return wrong(obstacle.to_string());
    }
    let sample = match executor.sample(id, &visits) {
        Ok(sample) => sample,
        Err(error) => return wrong(error.to_string()),
    };
    let sum = |of: fn(&crate::executor::Checksum) -> u32| {
        sample
            .checksums
            .iter()
            .map(of)
            .fold(0_u32, u32::wrapping_add)
    };
    let (expected, got) = (
        sum(|checksum| checksum.expected),
        sum(|checksum| checksum.got),
    );
    match wrong_checksum(&sample) {
        None => Proof::Exact { expected, got },
        Some(reason) => Proof::Wrong {
            sums: Some((expected, got)),
            reason,
        },
    }
}
