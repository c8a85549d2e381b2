//! Specs of every family that has a kernel, and their addresses from the public twins alone.

use coalescope::executor::{Case, Visit};
use coalescope::pattern::{
    Layout, Length, Op, Pattern, Side, Spec, broadcast, interleaved, list, matrix, mixed, offset,
    permuted, random, reversed, soa, stride, structure,
};

/// Patterns whose elements may be of any width; structs of multiples of 16 bytes.
const ANY_WIDTH: [&str; 40] = [
    "stride:0",
    "stride:1",
    "stride:2",
    "stride:3",
    "stride:8",
    "stride:33",
    "stride:-1",
    "stride:-3",
    "stride:-32",
    "stride:256",
    "stride:1024",
    "offset:0",
    "offset:1",
    "offset:5",
    "offset:1000",
    "reversed",
    "broadcast",
    "soa",
    "permuted",
    "permuted:7",
    "interleaved:2",
    "interleaved:3",
    "interleaved:1000",
    "row:100",
    "column:1",
    "column:7",
    "column:64",
    "column:100",
    "mixed",
    "list:5",
    "list:0,7,7,8",
    "list:9,3,3,0,1,2,100,4,8,8,8,8,8,12,11,10,17,16,15,14,13,99,98",
    "UNIFORM:16:3",
    "MS1:40:4,9:32",
    "LAPLACIAN:2:2:50",
    "random:3",
    "struct:16B",
    "struct:48B+32B",
    "struct:64B+16B",
    "struct:48B+all",
];

/// Structs whose words WGSL aligns by 4 or by 8 bytes, with the widths that their fields may have.
const NARROW: [(&str, &str); 11] = [
    ("struct:4B", "4B"),
    ("struct:12B+4B", "4B"),
    ("struct:20B+16B", "4B"),
    ("struct:28B", "4B"),
    ("struct:64B+60B", "4B"),
    ("struct:8B", "8B"),
    ("struct:24B+16B", "8B"),
    ("struct:40B+8B", "8B"),
    ("struct:12B+all", "4B"),
    ("struct:20B+all", "4B"),
    ("struct:24B+all", "8B"),
];

/// Patterns shifted by the key `offset`; the structs' fields move within the struct, or on to a later one.
const SHIFTED: [(&str, &str); 13] = [
    ("stride:2,offset=4B", "4B"),
    ("stride:-2,offset=48B", "16B"),
    ("offset:3,offset=8B", "8B"),
    ("reversed,offset=16B", "4B"),
    ("broadcast,offset=128B", "4B"),
    ("soa,offset=512B", "8B"),
    ("struct:12B,offset=8B", "4B"),
    ("struct:16B+4B,offset=40B", "4B"),
    ("permuted,offset=12B", "4B"),
    ("interleaved:2,offset=8B", "8B"),
    ("column:33,offset=32B", "16B"),
    ("list:0,7,7,8,offset=20B", "4B"),
    ("row:7,offset=4B", "4B"),
];

/// Every family at every width, in both layouts.
pub(crate) fn specs() -> Vec<Spec> {
    let any = ["4B", "8B", "16B"]
        .into_iter()
        .flat_map(|width| ANY_WIDTH.map(|pattern| (pattern, width)));
    any.chain(NARROW)
        .chain(SHIFTED)
        .flat_map(|(pattern, width)| {
            ["packed", "padded"].map(|layout| format!("{pattern},element={width},layout={layout}"))
        })
        // A permutation of the footprint has one layout.
        .filter(|text| !(text.starts_with("random") && text.ends_with("padded")))
        .map(|text| text.replace(",layout=packed", ""))
        .map(|text| text.parse().unwrap_or_else(|error| panic!("{error}")))
        .collect()
}

/// What is loaded of [`specs`], stored and copied as well, of one layout; and transposes.
#[allow(dead_code, reason = "not every test that shares the specs stores")]
pub(crate) fn storing_specs() -> Vec<Spec> {
    let stored = specs()
        .into_iter()
        .filter(|spec| spec.layout == Layout::Packed);
    let stored =
        stored.flat_map(|spec| [Op::Store, Op::Copy].map(|op| Spec { op, ..spec.clone() }));
    let transposes = [1, 5, 31, 32, 33, 64, 100].into_iter().flat_map(|width| {
        ["4B", "8B", "16B"].into_iter().flat_map(move |element| {
            ["", ",tile=plain", ",tile=padded"].map(|tile| {
                let text = format!("transpose:{width},element={element}{tile}");
                text.parse().unwrap_or_else(|error| panic!("{error}"))
            })
        })
    });
    stored.chain(transposes).collect()
}

/// What an executor echoes whose kernels compute what they should.
#[allow(
    dead_code,
    reason = "not every test that shares the specs plays an executor"
)]
pub(crate) fn echoed(case: &Case, most: usize) -> Vec<Option<u64>> {
    let walk = case.walk().expect("only walks are echoed");
    let (_, base) = case.base(Visit::whole(0, 0));
    let windows = (most as u64 / u64::from(case.lanes)).min(case.windows_per_slice());
    (0..windows)
        .flat_map(|window| walk.addresses(case.lanes, window))
        .map(|address| address.map(|address| base + address))
        .collect()
}

/// Byte that `lane` of window `window` of a slice accesses, by the family's public address function and the pitch of the
/// design; `None` where it accesses nothing.
#[allow(
    dead_code,
    reason = "not every test that shares the specs asks for addresses"
)]
pub(crate) fn twin_address(case: &Case, window: u64, lane: u64) -> Option<u64> {
    let (spec, lanes) = (&case.spec, u64::from(case.lanes));
    let element_bytes = u64::from(spec.element.bytes());
    let elements = |length: &Length| length.elements(spec.element).expect("whole elements");
    // That of the spec, whose own tests compare it with the design.
    let sequence = spec.sequence(Side::Load, case.lanes, 1);
    let pitch = |window: u64| window * sequence.as_ref().expect("a window").list.pitch_bytes;
    let of_element = |index: u64| pitch(window) + index * element_bytes;
    let list = |entries: &[u64]| {
        let windows = (entries.len() as u64).div_ceil(lanes);
        let entry = window % windows * lanes + lane;
        let index = list::lane_index(entries, entry)?;
        Some(pitch(window / windows) + index * element_bytes)
    };
    let address = match &spec.pattern {
        Pattern::Stride(length) => of_element(stride::lane_index(elements(length), lane, lanes)),
        Pattern::Offset(length) => of_element(offset::lane_index(elements(length) as u64, lane)),
        Pattern::Reversed => of_element(reversed::lane_index(lane, lanes)),
        Pattern::Permuted { seed } => {
            of_element(permuted::lane_indices(*seed, lanes)[lane as usize])
        }
        Pattern::Interleaved { runs } => of_element(interleaved::lane_index(*runs, lane, lanes)),
        Pattern::Broadcast => of_element(broadcast::lane_index(lane)),
        Pattern::Soa => of_element(soa::lane_index(lane)),
        Pattern::Row { .. } => of_element(matrix::row_lane_index(lane)),
        Pattern::Column { width } if spec.layout == Layout::Padded => {
            of_element(matrix::column_lane_index(*width, lane))
        }
        Pattern::Column { width } => {
            // Windows go down a column of as many rows as whole windows fit, then down the next.
            let windows = case.windows_per_slice() / width;
            let (column, place) = (window / windows, window % windows);
            let row = matrix::column_lane_index(*width, place * lanes + lane);
            (row + column) * element_bytes
        }
        Pattern::Struct(field) => {
            let index = structure::lane_index(lane);
            pitch(window) + index * field.struct_bytes + field.field_bytes
        }
        Pattern::WholeStruct { struct_bytes } => {
            pitch(window) + structure::lane_index(lane) * struct_bytes
        }
        Pattern::Mixed => of_element(mixed::lane_index(lane, lanes)),
        Pattern::List(entries) => list(entries)?,
        Pattern::Generated(generator) => list(&generator.indices())?,
        Pattern::Random { seed } => {
            let footprint = case.footprint();
            let room = footprint.buffer_bytes / element_bytes;
            let shares = u64::from(footprint.slices_per_buffer());
            let elements = room / lanes / shares * shares * lanes;
            let shuffle = random::Shuffle::new(*seed, elements);
            shuffle.lane_index(window * lanes + lane) * element_bytes
        }
        other => panic!("{other} is not walked"),
    };
    Some(address + spec.offset_bytes)
}
