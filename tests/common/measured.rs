//! Specs of every family that has a kernel, and their addresses from the public twins alone.

use coalescope::pattern::{Pattern, Spec, offset, reversed, soa, stride, structure};

/// Patterns whose elements may be of any width; structs of multiples of 16 bytes.
const ANY_WIDTH: [&str; 21] = [
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
    "struct:16B",
    "struct:48B+32B",
    "struct:64B+16B",
];

/// Structs whose words WGSL aligns by 4 or by 8 bytes, with the widths that their fields may have.
const NARROW: [(&str, &str); 8] = [
    ("struct:4B", "4B"),
    ("struct:12B+4B", "4B"),
    ("struct:20B+16B", "4B"),
    ("struct:28B", "4B"),
    ("struct:64B+60B", "4B"),
    ("struct:8B", "8B"),
    ("struct:24B+16B", "8B"),
    ("struct:40B+8B", "8B"),
];

/// Patterns shifted by the key `offset`; the structs' fields move within the struct, or on to a later one.
const SHIFTED: [(&str, &str); 8] = [
    ("stride:2,offset=4B", "4B"),
    ("stride:-2,offset=48B", "16B"),
    ("offset:3,offset=8B", "8B"),
    ("reversed,offset=16B", "4B"),
    ("broadcast,offset=128B", "4B"),
    ("soa,offset=512B", "8B"),
    ("struct:12B,offset=8B", "4B"),
    ("struct:16B+4B,offset=40B", "4B"),
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
        .map(|text| text.parse().unwrap_or_else(|error| panic!("{error}")))
        .collect()
}

/// Byte that `lane` reads, from its window's base, by the family's public address function.
#[allow(
    dead_code,
    reason = "not every test that shares the specs asks for addresses"
)]
pub(crate) fn twin_address(spec: &Spec, lane: u64, lanes: u64) -> u64 {
    let element_bytes = u64::from(spec.element.bytes());
    let pattern = match &spec.pattern {
        Pattern::Stride(length) => {
            let elements = length.elements(spec.element).expect("whole elements");
            stride::lane_index(elements, lane, lanes) * element_bytes
        }
        Pattern::Offset(length) => {
            let elements = length.elements(spec.element).expect("whole elements");
            offset::lane_index(elements as u64, lane) * element_bytes
        }
        Pattern::Reversed => reversed::lane_index(lane, lanes) * element_bytes,
        Pattern::Broadcast => coalescope::pattern::broadcast::lane_index(lane) * element_bytes,
        Pattern::Soa => soa::lane_index(lane) * element_bytes,
        Pattern::Struct(field) => {
            structure::lane_index(lane) * field.struct_bytes + field.field_bytes
        }
        other => panic!("{other} has no kernel"),
    };
    pattern + spec.offset_bytes
}
