//! WGSL, composed of the files of `shaders/` and the few lines that WGSL cannot take as a parameter.

use std::fmt::Write as _;

use crate::pattern::{Length, Op, Pattern, Spec};

/// `shaders/fill.wgsl`.
pub const FILL: &str = include_str!("../../shaders/fill.wgsl");
/// `shaders/empty.wgsl`.
pub const EMPTY: &str = include_str!("../../shaders/empty.wgsl");
/// `shaders/subgroup_size.wgsl`.
pub const SUBGROUP_SIZE: &str = include_str!("../../shaders/subgroup_size.wgsl");

const HARNESS: &str = include_str!("../../shaders/harness.wgsl");

/// What a kernel does at each address that it computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Reads it.
    Load,
    /// Computes it and loads nothing.
    IndexOnly,
    /// Records it, so that it can be compared with the Rust twin.
    Echo,
}

/// How a spec's byte addresses become indexes of a WGSL array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Indexing {
    /// Bytes of one array element: the element itself, or the struct that holds it.
    pub unit_bytes: u64,
    /// Byte of the loaded field in the array element.
    pub field_bytes: u64,
    /// Array elements by which the whole pattern is shifted (`offset=` in whole array elements).
    pub shift_units: u64,
    /// The pattern's own number, as the shader takes it.
    pub argument: u32,
}

impl Indexing {
    /// The indexing of `spec`, or why WGSL has none.
    pub fn of(spec: &Spec) -> Result<Self, String> {
        if spec.op != Op::Load {
            return Err(unmeasured(spec));
        }
        let element_bytes = u64::from(spec.element.bytes());
        let elements = |length: &Length| length.elements(spec.element).ok_or_else(|| too_far(spec));
        let (unit_bytes, first_byte, argument) = match &spec.pattern {
            Pattern::Stride(stride) => (
                element_bytes,
                0,
                i32::try_from(elements(stride)?).map_err(|_| too_far(spec))? as u32,
            ),
            Pattern::Offset(offset) => (
                element_bytes,
                0,
                u32::try_from(elements(offset)?).map_err(|_| too_far(spec))?,
            ),
            Pattern::Struct(field) => (field.struct_bytes, field.field_bytes, 0),
            Pattern::Reversed | Pattern::Broadcast | Pattern::Soa => (element_bytes, 0, 0),
            _ => return Err(unmeasured(spec)),
        };
        let first_byte = first_byte + spec.offset_bytes;
        let field_bytes = first_byte % unit_bytes;
        if field_bytes + element_bytes > unit_bytes {
            return Err(format!(
                "'{spec}' reads across the end of its struct, which no field of WGSL does"
            ));
        }
        Ok(Self {
            unit_bytes,
            field_bytes,
            shift_units: first_byte / unit_bytes,
            argument,
        })
    }
}

fn unmeasured(spec: &Spec) -> String {
    format!("'{spec}' is predicted, but not measured yet")
}

fn too_far(spec: &Spec) -> String {
    format!("'{spec}' reaches beyond what a 32-bit index addresses")
}

/// The WGSL of `spec`, with `measure` as its entry point.
pub fn compose(spec: &Spec, access: Access) -> Result<String, String> {
    let pattern = match &spec.pattern {
        Pattern::Stride(_) => include_str!("../../shaders/stride.wgsl"),
        Pattern::Offset(_) => include_str!("../../shaders/offset.wgsl"),
        Pattern::Reversed => include_str!("../../shaders/reversed.wgsl"),
        Pattern::Broadcast => include_str!("../../shaders/broadcast.wgsl"),
        Pattern::Struct(_) => include_str!("../../shaders/struct.wgsl"),
        Pattern::Soa => include_str!("../../shaders/soa.wgsl"),
        _ => return Err(unmeasured(spec)),
    };
    let indexing = Indexing::of(spec)?;
    let mut wgsl = element(&indexing, u64::from(spec.element.bytes()));
    wgsl.push_str(match access {
        Access::Load => LOAD,
        Access::IndexOnly => INDEX_ONLY,
        Access::Echo => ECHO,
    });
    wgsl.push_str(pattern);
    wgsl.push_str(HARNESS);
    Ok(wgsl)
}

const LOAD: &str = "
@group(0) @binding(0) var<storage, read> data: array<Element>;

fn load(window: u32, lane: u32, index: u32) -> u32 {
    return fold(data[index]);
}
";

const INDEX_ONLY: &str = "
fn load(window: u32, lane: u32, index: u32) -> u32 {
    return index ^ window;
}
";

const ECHO: &str = "
@group(2) @binding(0) var<storage, read_write> echo: array<u32>;

fn load(window: u32, lane: u32, index: u32) -> u32 {
    echo[window * params.lanes + lane] = index;
    return 0u;
}
";

/// The array element that is loaded from, and how its loaded words become one.
fn element(indexing: &Indexing, element_bytes: u64) -> String {
    let (loaded, sum) = match element_bytes {
        4 => ("u32", "e"),
        8 => ("vec2<u32>", "e.x + e.y"),
        _ => ("vec4<u32>", "(e.x + e.y) + (e.z + e.w)"),
    };
    if indexing.unit_bytes == element_bytes {
        return format!(
            "alias Element = {loaded};\n\nfn fold(e: Element) -> u32 {{\n    return {sum};\n}}\n"
        );
    }
    let mut wgsl = "struct Element {\n".to_owned();
    let mut at = 0;
    while at < indexing.unit_bytes {
        let (name, kind, bytes) = match at == indexing.field_bytes {
            true => ("loaded".to_owned(), loaded, element_bytes),
            false => (format!("at_byte_{at}"), "u32", 4),
        };
        // Writing to a String cannot fail.
        let _ = writeln!(wgsl, "    {name}: {kind},");
        at += bytes;
    }
    let sum = sum.replace('e', "e.loaded");
    wgsl + &format!("}}\n\nfn fold(e: Element) -> u32 {{\n    return {sum};\n}}\n")
}
