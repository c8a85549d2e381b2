//! The suites of the group `quick`: what neighbouring lanes lose by distance, place, order and structs.

use super::Definition;
use super::axes::{Axes, AxisFault, planned};
use crate::sweep::suite::{OFFSET, Planned, STRIDE};

pub(super) const STRIDES: Definition = Definition {
    name: STRIDE,
    question: "How does useful bandwidth fall as neighbouring lanes move apart?",
    analysis: "Every stride touches the same footprint once, so useful bytes fall as the stride grows. Where issue \
               limits, the curve is flat; where fetching does, it falls as 1/stride until every lane has a transaction \
               of its own, and is flat again: the stride of that knee, in bytes, is what the memory fetches at once. \
               A further fall at large strides is pages and address translation, not transactions. Stride 0 is every \
               lane of a window at the same element.",
    axes: &["stride"],
    cases: |axes| {
        let strides = axes.elements("stride", (0..=32).chain([48, 64, 128, 256]));
        planned(strides.iter().map(|stride| format!("stride:{stride}")))
    },
};

pub(super) const OFFSETS: Definition = Definition {
    name: OFFSET,
    question: "What does it cost when a subgroup's consecutive loads begin off a boundary?",
    analysis: "Packed windows lie side by side, so the block that one window straddles is fetched by its neighbour \
               anyway: the per-subgroup loss of the model is mostly hidden by caches, and the chart shows how well. \
               Padded windows share nothing, so the loss of the textbook becomes visible: of 128 bytes that begin off \
               a boundary, 4/5 of the bandwidth are left where memory fetches 32 bytes at once, 2/3 at 64, and 1/2 at \
               128. On processors the sign may differ, and a window that straddles may even be the faster one; the \
               period of the steps still names the line.",
    axes: &["offset"],
    cases: |axes| {
        let packed = axes.bytes("offset", (0..=128).step_by(4));
        let padded = axes.bytes("offset", (0..=128).step_by(8));
        let packed = packed.iter().map(|offset| format!("offset:{offset}"));
        let padded = padded
            .iter()
            .map(|offset| format!("offset:{offset},layout=padded"));
        planned(packed.chain(padded))
    },
};

pub(super) const ORDER: Definition = Definition {
    name: "order",
    question: "Does the order of lanes inside a subgroup matter?",
    analysis: "Forward (stride:1), reversed, permuted and interleaved windows touch the same blocks, and the model \
               predicts the same for all of them: where one is slower, the order of its lanes is what it pays for. The \
               three permutations differ in their seed alone, so they should agree with each other. A broadcast loads \
               one element a window: its useful bandwidth is one lane's, its requested bandwidth what all lanes \
               receive.",
    axes: &[],
    cases: |_| {
        planned([
            "stride:1",
            "reversed",
            "permuted",
            "permuted:2",
            "permuted:3",
            "interleaved:2",
            "interleaved:4",
            "interleaved:8",
            "broadcast",
        ])
    },
};

pub(super) const STRUCT: Definition = Definition {
    name: "struct",
    question: "What does one field of an array of structs cost against the field as an array of its own?",
    analysis: "The size of the struct is the stride: the larger it is, the more of every block is some other field. \
               Which of the fields is read does not change how many blocks are touched, so they should agree. The \
               whole struct (+all) is read field by field, one strided load after another: each of them fetches what \
               the next ones need too, so that its useful bandwidth comes back to that of the array of its own (soa) \
               where a cache keeps the blocks that long.",
    axes: &["struct"],
    cases: structs,
};

fn structs(axes: Axes<'_>) -> Result<Vec<Planned>, AxisFault> {
    const FIELD_BYTES: usize = 4;
    let sizes = axes.bytes("struct", [8, 12, 16, 20, 24, 32, 48]);
    let of_size = |size: i64| {
        let fields = (0..=size - FIELD_BYTES as i64).step_by(FIELD_BYTES);
        fields
            .map(move |field| format!("struct:{size}B+{field}B"))
            .chain([format!("struct:{size}B+all")])
    };
    let sizes = sizes.into_iter().flat_map(|size| of_size(size.amount));
    planned(["soa".to_owned()].into_iter().chain(sizes))
}
