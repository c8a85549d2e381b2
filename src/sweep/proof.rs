//! Proving kernels exact: addresses against the Rust twin, and the checksum of every slice.

use super::prepare::{Obstacle, place, proven_part, verified, verify_stores, wrong_checksum};
use super::suite::Planned;
use crate::executor::{Case, CaseId, Executor, ExecutorError, Visit};
use crate::pattern::spatter::{Access, Config, Kernel};
use crate::pattern::{Side, Spec};

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
    /// It could not be run, so nothing is known of it.
    Failed(ExecutorError),
}

impl Proof {
    /// The `status` column of `verify`.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Exact { .. } => "exact",
            Self::Wrong { .. } => "wrong",
            Self::Skipped(_) => "skipped",
            Self::Failed(_) => "failed",
        }
    }

    /// Why it is not exact; empty where it is.
    pub fn reason(&self) -> String {
        match self {
            Self::Exact { .. } => String::new(),
            Self::Wrong { reason, .. } | Self::Skipped(reason) => reason.clone(),
            Self::Failed(error) => error.to_string(),
        }
    }

    /// Expected and summed checksums of the whole footprint.
    pub fn sums(&self) -> Option<(u32, u32)> {
        match self {
            Self::Exact { expected, got } => Some((*expected, *got)),
            Self::Wrong { sums, .. } => *sums,
            Self::Skipped(_) | Self::Failed(_) => None,
        }
    }
}

/// Patterns whose elements may have any width. Lists are read through an index buffer, some of them with idle lanes.
const ANY_WIDTH: [&str; 29] = [
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
    "permuted",
    "interleaved:2",
    "interleaved:3",
    "broadcast",
    "soa",
    "struct:16B",
    "struct:48B+16B",
    "struct:48B+all",
    "row:1000",
    "column:1000",
    "column:1024",
    "mixed",
    "list:0,7,7,8",
    "list:5,4,3,2,1,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,99",
    "UNIFORM:256:3:NR",
    "MS1:40:4,9:32",
    "LAPLACIAN:3:1:50",
    "random",
];

/// Patterns that are also stored to and copied, at any width.
const STORED: [&str; 15] = [
    "stride:1",
    "stride:0",
    "stride:-3",
    "stride:33",
    "offset:5",
    "reversed",
    "permuted",
    "interleaved:3",
    "broadcast",
    "struct:48B+16B",
    "struct:48B+all",
    "column:1000",
    "mixed",
    "list:0,7,7,8",
    "random",
];

/// WGSL aligns a wide field by its size, so structs of other sizes hold words alone.
const NARROW: [&str; 7] = [
    "struct:4B",
    "struct:12B+4B",
    "struct:12B+all",
    "struct:20B+16B",
    "struct:20B+all",
    "struct:24B+20B",
    "struct:64B+60B",
];

/// Matrices of a width that tiles divide, and of one that leaves odd rows and columns over.
const TRANSPOSED: [&str; 2] = ["transpose:256", "transpose:257"];

/// What is verified: a case, and how it is called.
#[derive(Clone, Debug, PartialEq)]
pub struct Verified {
    /// Its spec, or the name of its configuration.
    pub kernel: String,
    /// The case.
    pub planned: Planned,
}

/// Cases that together run every kernel at every element width and layout that WGSL can address.
pub fn verification_cases() -> Vec<Verified> {
    let widths = ["4B", "8B", "16B"];
    let loads = widths
        .into_iter()
        .flat_map(|element| ANY_WIDTH.map(|pattern| format!("{pattern},element={element}")));
    let stores = widths.into_iter().flat_map(|element| {
        STORED.into_iter().flat_map(move |pattern| {
            ["store", "copy"].map(|op| format!("{pattern},element={element},op={op}"))
        })
    });
    let transposes = widths.into_iter().flat_map(|element| {
        TRANSPOSED.into_iter().flat_map(move |pattern| {
            ["none", "plain", "padded"]
                .map(|tile| format!("{pattern},element={element},tile={tile}"))
        })
    });
    let specs = loads
        .chain(NARROW.map(str::to_owned))
        .chain(stores)
        .flat_map(|spec| [spec.clone(), format!("{spec},layout=padded")])
        // A permutation of the memory has one layout.
        .filter_map(|spec| spec.parse::<Spec>().ok())
        .chain(transposes.filter_map(|spec| spec.parse().ok()));
    let configurations = widths.into_iter().flat_map(configurations);
    specs
        .map(|spec| Verified {
            kernel: spec.to_string(),
            planned: spec.into(),
        })
        .chain(configurations)
        .collect()
}

/// Configurations of Spatter's, whose readings share subgroups, as those of no spec do: one that loads, one that stores,
/// and one that loads through one list and stores through another.
fn configurations(element: &str) -> [Verified; 3] {
    let access = |side, indices: &[u64], delta| Access {
        side,
        indices: indices.to_vec(),
        delta,
    };
    let scattered = access(Side::Store, &[3, 3, 11, 0, 15], 16);
    [
        (Kernel::Gather, vec![access(Side::Load, &[0, 1, 2, 3], 4)]),
        (Kernel::Scatter, vec![scattered.clone()]),
        (
            Kernel::GatherScatter,
            vec![access(Side::Load, &[0, 5, 5, 9, 2], 16), scattered],
        ),
    ]
    .map(|(kernel, accesses)| {
        let config = Config {
            index: 0,
            name: String::new(),
            kernel,
            accesses,
            wrap: 1,
            count: u64::MAX,
        };
        let spec: Spec = format!("@{},element={element}", kernel.name())
            .parse()
            .unwrap_or_else(|error| unreachable!("{error}"));
        Verified {
            kernel: format!("{},element={element}", kernel.name()),
            planned: Planned {
                config: Some(Ok(config)),
                ..spec.into()
            },
        }
    })
}

/// Verifies a case over every slice of the executor's memory, once in each of two phases if it has them.
pub fn prove(planned: &Planned, lanes: u32, executor: &mut dyn Executor) -> Proof {
    let case = match place(planned, lanes, executor.footprint()) {
        Ok(case) => case,
        Err(reason) => return Proof::Skipped(reason.to_string()),
    };
    let id = match verified(&case, executor) {
        Ok(id) => id,
        Err(obstacle) => return of_obstacle(obstacle),
    };
    let proof = prove_slices(&case, id, executor);
    executor.release(id);
    proof
}

fn of_obstacle(obstacle: Obstacle) -> Proof {
    match obstacle {
        Obstacle::Executor(ExecutorError::Unsupported(reason)) | Obstacle::NotPlaced(reason) => {
            Proof::Skipped(reason)
        }
        Obstacle::Executor(error) => Proof::Failed(error),
        Obstacle::Malformed(_) | Obstacle::Wrong(_) => Proof::Wrong {
            sums: None,
            reason: obstacle.to_string(),
        },
    }
}

/// The stores of the last slice, and the checksums of all.
fn prove_slices(case: &Case, id: CaseId, executor: &mut dyn Executor) -> Proof {
    let slices = executor.footprint().slices();
    let buffers = executor.footprint().buffers;
    // A shuffled buffer takes a processor some seconds, so of those only the first and the last.
    let is_visited = |slice: &u32| {
        let buffer = slice % buffers;
        !case.is_shuffled() || buffer == 0 || buffer == buffers - 1
    };
    let visits: Vec<Visit> = (0..case.phases.min(2))
        .flat_map(|phase| {
            let visited = (0..slices).filter(is_visited);
            visited.map(move |slice| Visit::whole(slice, phase))
        })
        .collect();
    // The first slice's stores are proven by now; the last one's lie at the other end of the memory.
    if let Err(obstacle) = verify_stores(case, id, proven_part(case, slices - 1), executor) {
        return of_obstacle(obstacle);
    }
    let sample = match executor.sample(id, &visits) {
        Ok(sample) => sample,
        Err(error) => return Proof::Failed(error),
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
