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

/// The index that a cursor stands at, and the one that it stores to where that is another.
const INDEX: &str = "index_of(cursor, lane)";
const SCATTER_INDEX: &str = "scatter_index_of(cursor, lane)";

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
    let stored = if scatters { SCATTER_INDEX } else { INDEX };
    let index = match (access, case.action) {
        (Access::Audit, _) | (Access::Measured, Action::Store) => stored,
        _ => INDEX,
    };
    let (bindings, statement, value) = match access {
        Access::IndexOnly => (String::new(), String::new(), "index ^ window".to_owned()),
        Access::Echo => {
            let record = "echo[window * params.lanes + lane] = index;";
            (ECHO.to_owned(), record.to_owned(), "0u".to_owned())
        }
        Access::Audit => audit(case.action, element),
        Access::Measured => measured(case.action, element, stored),
    };
    // An echo tells idle lanes too.
    let is_done = matches!(access, Access::Measured | Access::Audit);
    let skip = match some_idle && is_done {
        true => "if (index == IDLE) { return 0u; }",
        false => "",
    };
    format!(
        "
{bindings}
fn access(window: u32, lane: u32, cursor: Cursor) -> u32 {{
    let index = {index};
    {skip}
    {statement}
    return {value};
}}
"
    )
}

/// Bindings, statement and value of a kernel that is timed.
fn measured(action: Action, element: &Element, stored: &str) -> (String, String, String) {
    let words = element.access_bytes / 4;
    let (load, store) = (
        element.place("data", "index"),
        element.place("stored", "index"),
    );
    let both = || DATA.to_owned() + STORED;
    match action {
        Action::Load => (DATA.to_owned(), String::new(), format!("fold({load})")),
        Action::Store => (
            STORED.to_owned(),
            format!("{store} = spread(stored_value(index));"),
            format!("{words}u"),
        ),
        Action::Copy => (
            both(),
            format!("{store} = plus({load});"),
            format!("{words}u"),
        ),
        Action::LoadAndStore => {
            let store = element.place("stored", "to");
            (
                both(),
                format!("let to = {stored};\n    {store} = spread(stored_value(to));"),
                format!("fold({load}) + {words}u"),
            )
        }
    }
}

/// The same of a kernel that looks at what was stored, which is bound where data is otherwise.
fn audit(action: Action, element: &Element) -> (String, String, String) {
    let found = element.place("data", "index");
    let expected = match action {
        Action::Copy => "copied(index)",
        _ => "spread(stored_value(index))",
    };
    let value = format!("matching({found}, {expected})");
    (DATA.to_owned(), String::new(), value)
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
