//! WGSL, composed of the files of `shaders/` and the few lines that WGSL cannot take as a parameter.

use super::element::Element;
use crate::executor::{Action, Case, Plan, Transpose, Walk};
use crate::pattern::{Layout, Pattern, Tile};

/// `shaders/contents.wgsl` and `shaders/fill.wgsl`.
pub const FILL: &str = concat!(
    include_str!("../../shaders/contents.wgsl"),
    include_str!("../../shaders/fill.wgsl")
);
/// `shaders/contents.wgsl` and `shaders/sentinel.wgsl`.
pub const SENTINEL: &str = concat!(
    include_str!("../../shaders/contents.wgsl"),
    include_str!("../../shaders/sentinel.wgsl")
);
/// `shaders/empty.wgsl`.
pub const EMPTY: &str = include_str!("../../shaders/empty.wgsl");
/// `shaders/subgroup_size.wgsl`.
pub const SUBGROUP_SIZE: &str = include_str!("../../shaders/subgroup_size.wgsl");

const CONTENTS: &str = include_str!("../../shaders/contents.wgsl");
const PARAMS: &str = include_str!("../../shaders/params.wgsl");
const HARNESS: &str = include_str!("../../shaders/harness.wgsl");
const WALK_WINDOWS: &str = include_str!("../../shaders/walk_windows.wgsl");
const WALK_PERIODS: &str = include_str!("../../shaders/walk_periods.wgsl");
const SCATTER: &str = include_str!("../../shaders/scatter.wgsl");
const TILES: &str = include_str!("../../shaders/tiles.wgsl");

const DATA: &str = "@group(0) @binding(0) var<storage, read> data: array<Element>;\n";
const STORED: &str = "@group(3) @binding(0) var<storage, read_write> stored: array<Element>;\n";
const ECHO: &str = "@group(3) @binding(0) var<storage, read_write> echo: array<u32>;\n";

/// What a kernel does at each address that it computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// What the case does there.
    Measured,
    /// Computes it and accesses nothing.
    IndexOnly,
    /// Records it, so that it can be compared with the Rust twin.
    Echo,
    /// Counts the words there that hold what the case has stored.
    Audit,
}

/// The WGSL of `case`, with `measure` as its entry point.
///
/// # Errors
/// If there is no such kernel.
pub fn compose(case: &Case, access: Access) -> Result<String, String> {
    match &case.plan {
        Plan::Walk { walk, scatter } => Ok(of_walk(case, walk, scatter.is_some(), access)),
        Plan::Transpose(transpose) => of_transpose(transpose, access),
    }
}

/// Whether a kernel writes to a buffer beside its checksums.
pub(super) fn writes(wgsl: &str) -> bool {
    wgsl.contains(STORED) || wgsl.contains(ECHO)
}

/// The pattern's own number, as its shader takes it.
///
/// # Errors
/// If it is beyond what 32 bits hold.
pub(super) fn argument(case: &Case) -> Result<u32, String> {
    let too_far = || {
        format!(
            "'{}' reaches beyond what a 32-bit index addresses",
            case.spec
        )
    };
    let element = case.spec.element;
    match &case.spec.pattern {
        Pattern::Stride(stride) => {
            let elements = stride.elements(element).ok_or_else(too_far)?;
            i32::try_from(elements)
                .map(|stride| stride as u32)
                .map_err(|_| too_far())
        }
        Pattern::Offset(offset) => {
            let elements = offset.elements(element).ok_or_else(too_far)?;
            u32::try_from(elements).map_err(|_| too_far())
        }
        // More runs than lanes are a run a lane.
        Pattern::Interleaved { runs } => Ok((*runs).min(case.lanes.into()) as u32),
        Pattern::Column { width } | Pattern::Transpose { width, .. } => {
            u32::try_from(*width).map_err(|_| too_far())
        }
        _ => Ok(0),
    }
}

/// Units by which the kernel's addresses are to be shifted; those that it looks up are.
pub(super) fn shift_units(case: &Case) -> u32 {
    if case.reads_indexes() {
        return 0;
    }
    let first_byte = case.spec.field_bytes().unwrap_or(0) + case.spec.offset_bytes;
    (first_byte / case.unit_bytes()) as u32
}

/// The file of a pattern, and the cursor that walks it.
fn pattern(case: &Case) -> (&'static str, &'static str) {
    let windows = |file| (file, WALK_WINDOWS);
    match &case.spec.pattern {
        Pattern::Stride(_) => windows(include_str!("../../shaders/stride.wgsl")),
        Pattern::Offset(_) => windows(include_str!("../../shaders/offset.wgsl")),
        Pattern::Reversed => windows(include_str!("../../shaders/reversed.wgsl")),
        Pattern::Permuted { .. } => windows(include_str!("../../shaders/permuted.wgsl")),
        Pattern::Interleaved { .. } => windows(include_str!("../../shaders/interleaved.wgsl")),
        Pattern::Broadcast => windows(include_str!("../../shaders/broadcast.wgsl")),
        Pattern::Struct(_) | Pattern::WholeStruct { .. } => {
            windows(include_str!("../../shaders/struct.wgsl"))
        }
        Pattern::Soa => windows(include_str!("../../shaders/soa.wgsl")),
        Pattern::Row { .. } => windows(include_str!("../../shaders/row.wgsl")),
        Pattern::Column { .. } => {
            let walker = match case.spec.layout {
                Layout::Packed => WALK_PERIODS,
                // Windows on their own are no column any more.
                Layout::Padded => WALK_WINDOWS,
            };
            (include_str!("../../shaders/column.wgsl"), walker)
        }
        Pattern::Mixed
        | Pattern::List(_)
        | Pattern::Random { .. }
        | Pattern::Generated(_)
        | Pattern::File { .. }
        | Pattern::Transpose { .. } => (include_str!("../../shaders/list.wgsl"), WALK_PERIODS),
    }
}

fn of_walk(case: &Case, walk: &Walk, scatters: bool, access: Access) -> String {
    let element = Element {
        unit_bytes: walk.unit_bytes,
        field_bytes: walk.field_bytes,
        access_bytes: walk.access_bytes,
        element_bytes: case.spec.element.bytes().into(),
    };
    let (pattern, walker) = pattern(case);
    let mut wgsl = PARAMS.to_owned();
    wgsl.push_str(&element.declarations());
    wgsl.push_str(CONTENTS);
    wgsl.push_str(pattern);
    wgsl.push_str(walker);
    if scatters {
        wgsl.push_str(SCATTER);
    }
    wgsl.push_str(&access_function(
        case,
        &element,
        walk.has_idle_lanes(),
        scatters,
        access,
    ));
    wgsl.push_str(HARNESS);
    wgsl
}

/// `access`: what is done at a cursor, and the bindings that it needs. It returns the sum of what it loads, and of a copy
/// or a store the number of words that it stores, so that a dispatch that does not run shows.
fn access_function(
    case: &Case,
    element: &Element,
    some_idle: bool,
    scatters: bool,
    access: Access,
) -> String {
    let stored_index = if scatters {
        "scatter_index_of(cursor, lane)"
    } else {
        "index_of(cursor, lane)"
    };
    let words = element.access_bytes / 4;
    let load = element.place("data", "index");
    let store = element.place("stored", "index");
    let skip = if some_idle {
        "    if (index == IDLE) {\n        return 0u;\n    }\n"
    } else {
        ""
    };
    let (bindings, body) = match (access, case.action) {
        (Access::IndexOnly, _) => (
            String::new(),
            "    return index_of(cursor, lane) ^ window;\n".to_owned(),
        ),
        (Access::Echo, _) => (
            ECHO.to_owned(),
            "    echo[window * params.lanes + lane] = index_of(cursor, lane);\n    return 0u;\n"
                .to_owned(),
        ),
        // What has been stored is bound where data is otherwise.
        (Access::Audit, action) => {
            let expected = match action {
                Action::Copy => "copied(index)",
                _ => "spread(stored_value(index))",
            };
            (
                DATA.to_owned(),
                format!(
                    "    let index = {stored_index};\n{skip}    return matching({load}, {expected});\n"
                ),
            )
        }
        (Access::Measured, Action::Load) => (
            DATA.to_owned(),
            format!("    let index = index_of(cursor, lane);\n{skip}    return fold({load});\n"),
        ),
        (Access::Measured, Action::Store) => (
            STORED.to_owned(),
            format!(
                "    let index = {stored_index};\n{skip}    {store} = spread(stored_value(index));\n    return {words}u;\n"
            ),
        ),
        (Access::Measured, Action::Copy) => (
            DATA.to_owned() + STORED,
            format!(
                "    let index = index_of(cursor, lane);\n{skip}    {store} = plus({load});\n    return {words}u;\n"
            ),
        ),
        (Access::Measured, Action::LoadAndStore) => {
            let to = element.place("stored", "to");
            (
                DATA.to_owned() + STORED,
                format!(
                    "    let index = index_of(cursor, lane);\n{skip}    let to = {stored_index};\n    {to} = spread(stored_value(to));\n    return fold({load}) + {words}u;\n"
                ),
            )
        }
    };
    format!("\n{bindings}\nfn access(window: u32, lane: u32, cursor: Cursor) -> u32 {{\n{body}}}\n")
}

fn of_transpose(transpose: &Transpose, access: Access) -> Result<String, String> {
    let kernel = match (access, transpose.tile) {
        (Access::Measured, Tile::None) => include_str!("../../shaders/transpose.wgsl"),
        (Access::Measured, Tile::Plain | Tile::Padded) => {
            include_str!("../../shaders/transpose_tile.wgsl")
        }
        (Access::Audit, _) => include_str!("../../shaders/transpose_audit.wgsl"),
        (Access::IndexOnly | Access::Echo, _) => {
            return Err("a transpose has no kernel without its loads and stores".to_owned());
        }
    };
    let element = Element {
        unit_bytes: transpose.element_bytes,
        field_bytes: 0,
        access_bytes: transpose.element_bytes,
        element_bytes: transpose.element_bytes,
    };
    let stored = if access == Access::Measured {
        STORED
    } else {
        ""
    };
    Ok([
        PARAMS,
        &element.declarations(),
        CONTENTS,
        DATA,
        stored,
        &format!(
            "\nconst EDGE = {}u;\nconst TILE_PITCH = {}u;\nconst WORDS = {}u;\n\n",
            transpose.edge,
            transpose.tile_pitch(),
            transpose.element_bytes / 4
        ),
        TILES,
        kernel,
    ]
    .concat())
}
