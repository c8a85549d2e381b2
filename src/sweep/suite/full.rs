//! The suites that only the group `full` has: matrices, mixed windows, wide elements, working sets, stores and gathers.

use super::Definition;
use super::axes::{Axes, AxisFault, planned};
use crate::executor::contents::MAX_FOOTPRINT_BYTES;
use crate::pattern::ElementBytes;
use crate::sweep::suite::{Planned, WORKING_SET};

/// The smallest working set: less than one workgroup on every core of a large device.
const WORKING_SET_MIN: i64 = 256 << 10;

pub(super) const MATRIX: Definition = Definition {
    name: "matrix",
    question: "What do walking down columns and transposing cost, and what does a tile win back?",
    analysis: "Lanes along a row (row) are consecutive; lanes down a column (column) are a whole row apart, so each has a \
               block of its own, and only if a cache keeps it until the walk comes to the next column is the rest of it \
               used. A transpose is at best as fast as a copy along rows (op=copy); the plain one writes down columns. \
               Through a tile in workgroup memory both sides go along rows, and a tile whose rows are one element longer \
               (padded) keeps a column of it out of one bank. Widths of 1024 and 2048 put the rows of a column at equal \
               places of the caches, 1000 and 2000 do not.",
    axes: &["matrix"],
    cases: |axes| {
        let widths = axes.elements("matrix", [1000, 1024, 2000, 2048]);
        planned(widths.iter().flat_map(|width| {
            [
                format!("row:{width}"),
                format!("column:{width}"),
                format!("row:{width},op=copy"),
                format!("transpose:{width}"),
                format!("transpose:{width},tile=plain"),
                format!("transpose:{width},tile=padded"),
            ]
        }))
    },
};

pub(super) const MIXED: Definition = Definition {
    name: "mixed",
    question: "Do consecutive lanes rescue a subgroup in which others scatter, and what does an index list cost?",
    analysis: "Half of the lanes of mixed are consecutive, the others 64 elements apart: the scattered half decides how \
               many blocks a window costs, and the good half does not make up for it. UNIFORM:256:1:NR reads the addresses \
               of stride:1 through an index list: what it lacks to stride:1 is what the list costs, which all specs with \
               a list pay. random visits every element once in a random order, so that hardly two lanes share a block: \
               what is left is close to the worst that this memory gives. Elements of 16 bytes use more of each block.",
    axes: &[],
    cases: |_| {
        planned([
            "stride:1",
            "UNIFORM:256:1:NR",
            "mixed",
            "mixed,element=16B",
            "list:0,7,7,8",
            "random",
            "random,element=16B",
        ])
    },
};

pub(super) const WIDTH: Definition = Definition {
    name: "width",
    question: "What do wider loads of 8 and 16 bytes change?",
    analysis: "A wider load asks for more bytes with each instruction: where issue limits, useful bandwidth rises with \
               the width; where fetching does, the curves of all widths meet at the same bytes apart. A stride counts \
               elements, so the knee comes at a quarter of the stride with elements four times as wide, and at the same \
               distance in bytes. Offsets are the same in bytes for every width.",
    axes: &["element", "stride", "offset"],
    cases: |axes| {
        let elements = axes.bytes("element", [4, 8, 16]);
        planned(elements.iter().flat_map(|element| {
            let key = format!("element={}B", element.amount);
            let strides = axes.elements("stride", [1, 2, 3, 4, 6, 8, 12, 16, 24, 32]);
            let strides = strides.into_iter().map(|stride| format!("stride:{stride}"));
            let offsets = axes.bytes("offset", [0, 16, 32, 48, 64, 96, 128]);
            let offsets = offsets.into_iter().map(|offset| format!("offset:{offset}"));
            let patterns = strides.chain(offsets);
            patterns.map(move |pattern| format!("{pattern},{key}"))
        }))
    },
};

pub(super) const WORKING_SETS: Definition = Definition {
    name: WORKING_SET,
    question: "How large a working set do the caches hold?",
    analysis: "Each lane of stride:16 fetches a 64-byte line of its own, and the same lines are visited again and again. \
               While a cache holds them all, it delivers them; where the working set outgrows it, the bandwidth steps \
               down to what the next cache, and at last memory, delivers. The last step is the cache that every other \
               suite has to keep out of. A cache of one core's own ends where it cannot hold what that core visits, \
               which is less than the working set where cores divide it. Steps are less sharp than caches are: what \
               is left in one from the pass before still answers.",
    axes: &[WORKING_SET],
    cases: working_sets,
};

fn working_sets(axes: Axes<'_>) -> Result<Vec<Planned>, AxisFault> {
    let octaves = WORKING_SET_MIN.ilog2()..=MAX_FOOTPRINT_BYTES.ilog2();
    let sizes = axes.bytes(WORKING_SET, octaves.map(|octave| 1 << octave));
    let mut cases = Vec::new();
    for size in sizes {
        let bytes = u64::try_from(size.amount).ok().filter(|&bytes| bytes > 0);
        let bytes = bytes.ok_or_else(|| AxisFault::NoSize {
            value: size.to_string(),
        })?;
        cases.extend(planned(["stride:16"])?.into_iter().map(|case| Planned {
            working_set_bytes: Some(bytes),
            ..case
        }));
    }
    Ok(cases)
}

pub(super) const STORE: Definition = Definition {
    name: "store",
    question: "What do stores and copies cost against loads of the same shape?",
    analysis: "A store of whole blocks can be written as it is; of a block that is written in part, the rest has to be \
               kept, and a memory that fetches it first moves it twice. So stores at a stride lose more than loads do \
               where blocks are fetched before they are written, and as much where only the bytes written move. A copy \
               pays both ways. Several lanes of a broadcast store to one element: one of them wins, and all write the \
               same.",
    axes: &["stride"],
    cases: |axes| {
        let stores = axes.elements("stride", [1, 2, 3, 4, 6, 8, 12, 16, 24, 32]);
        let copies = axes.elements("stride", [1, 2, 4, 8, 16, 32]);
        let stores = stores
            .iter()
            .map(|stride| format!("stride:{stride},op=store"));
        let others = [
            "stride:1,op=store,layout=padded",
            "reversed,op=store",
            "broadcast,op=store",
            "stride:1,op=store,element=16B",
        ];
        let copies = copies
            .iter()
            .map(|stride| format!("stride:{stride},op=copy"));
        planned(stores.chain(others.map(str::to_owned)).chain(copies))
    },
};

pub(super) const GATHER: Definition = Definition {
    name: "gather",
    question: "What do gathers and scatters through index lists deliver?",
    analysis: "Patterns of Spatter's generators, of 8-byte elements as Spatter has them. UNIFORM is a stride through an \
               index list, read on without reuse (NR); with a delta of 1, UNIFORM:8:1:1 is a window that slides by one \
               element, so that eight readings in turn ask for the same bytes. MS1 is mostly consecutive, with gaps; \
               LAPLACIAN is the star of a stencil in two and three dimensions. Where readings overlap, useful bandwidth \
               counts each byte once, and counted_gb_per_s every access of the pattern, as Spatter does.",
    axes: &["stride"],
    cases: |axes| {
        let element = ElementBytes::B8;
        let uniform = |own: &[i64], keys: &'static str| {
            let strides = axes.elements("stride", own.iter().copied());
            strides.into_iter().map(move |stride| {
                format!(
                    "UNIFORM:256:{}:NR,element={element}{keys}",
                    stride.length(element)
                )
            })
        };
        let others = [
            "UNIFORM:8:1:1",
            "MS1:256:32,64,96,128,160,192,224:20",
            "LAPLACIAN:2:1:1000",
            "LAPLACIAN:3:1:100",
        ];
        let others = others.map(|pattern| format!("{pattern},element={element}"));
        planned(
            uniform(&[1, 2, 4, 8, 16, 32], "")
                .chain(others)
                .chain(uniform(&[1, 8], ",op=store")),
        )
    },
};
