//! What the WGSL itself says, read by naga: it is valid, and its interface is what the host binds to it.

#[path = "common/measured.rs"]
mod measured;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use coalescope::executor::{Case, Footprint};
use coalescope::gpu::source::{Access, EMPTY, FILL, SENTINEL, SUBGROUP_SIZE, compose};
use coalescope::pattern::{ElementBytes, Op, Spec};
use naga::valid::{Capabilities, ValidationFlags, Validator};
use naga::{AddressSpace, Module, ShaderStage, StorageAccess, TypeInner};

/// The module of `wgsl`, parsed and validated with no more than the named capabilities.
fn module(name: &str, wgsl: &str, capabilities: Capabilities) -> Module {
    let module = naga::front::wgsl::parse_str(wgsl)
        .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(wgsl)));
    Validator::new(ValidationFlags::all(), capabilities)
        .validate(&module)
        .unwrap_or_else(|error| panic!("{name}: {}", error.emit_to_string(wgsl)));
    module
}

/// `spec` for 8 lanes, in a slice that holds every spec of these tests.
fn case(spec: &Spec) -> Case {
    let footprint = Footprint {
        buffers: 1,
        buffer_bytes: 1 << 20,
        slice_bytes: 1 << 20,
    };
    Case::new(spec.clone(), 8, &footprint).unwrap_or_else(|error| panic!("{spec}: {error}"))
}

fn wgsl(spec: &Spec, access: Access) -> String {
    compose(&case(spec), access).unwrap_or_else(|error| panic!("{error}"))
}

fn composed(spec: &Spec, access: Access) -> Module {
    module(
        &spec.to_string(),
        &wgsl(spec, access),
        Capabilities::empty(),
    )
}

/// Every resource as `group.binding name space`.
fn bindings(module: &Module) -> BTreeSet<String> {
    module
        .global_variables
        .iter()
        .filter(|(_, variable)| variable.space != AddressSpace::WorkGroup)
        .map(|(_, variable)| {
            let binding = variable.binding.expect("every global is bound");
            let name = variable.name.as_deref().unwrap_or_default();
            let space = match variable.space {
                AddressSpace::Uniform => "uniform",
                AddressSpace::Storage { access } if access == StorageAccess::LOAD => "read",
                AddressSpace::Storage { access }
                    if access == StorageAccess::LOAD | StorageAccess::STORE =>
                {
                    "read_write"
                }
                other => panic!("{name} lies in {other:?}"),
            };
            format!("{}.{} {name} {space}", binding.group, binding.binding)
        })
        .collect()
}

fn overrides(module: &Module) -> Vec<&str> {
    let overrides = module.overrides.iter();
    overrides
        .map(|(_, constant)| constant.name.as_deref().unwrap_or_default())
        .collect()
}

/// Entry points, with the workgroup size where the source fixes one.
fn entry_points(module: &Module) -> Vec<(&str, Option<u32>)> {
    let points = module.entry_points.iter();
    points
        .map(|point| {
            assert_eq!(point.stage, ShaderStage::Compute);
            let overridden = point.workgroup_size_overrides.is_some();
            (
                point.name.as_str(),
                (!overridden).then_some(point.workgroup_size[0]),
            )
        })
        .collect()
}

#[track_caller]
fn assert_interface(
    module: &Module,
    expected_bindings: &[&str],
    expected_overrides: &[&str],
    entry_point: (&str, Option<u32>),
) {
    let expected: BTreeSet<String> = expected_bindings.iter().map(ToString::to_string).collect();
    assert_eq!(bindings(module), expected);
    assert_eq!(overrides(module), expected_overrides);
    assert_eq!(entry_points(module), [entry_point]);
}

/// What every kernel declares that is told of windows, whether it uses it or not.
const COMMON: [&str; 4] = [
    "1.0 params uniform",
    "1.1 sums read_write",
    "2.0 indexes read",
    "2.1 scatter_indexes read",
];

#[test]
fn kernels_that_store_are_valid_and_bind_what_they_write_and_their_audits_what_they_read() {
    for spec in measured::storing_specs() {
        let reads = spec.op != Op::Store;
        let data: &[&str] = if reads { &["0.0 data read"] } else { &[] };
        assert_interface(
            &composed(&spec, Access::Measured),
            &[&COMMON[..], data, &["3.0 stored read_write"]].concat(),
            &["WORKGROUP_SIZE"],
            ("measure", None),
        );
        assert_interface(
            &composed(&spec, Access::Audit),
            &[&COMMON[..], &["0.0 data read"]].concat(),
            &["WORKGROUP_SIZE"],
            ("measure", None),
        );
    }
}

#[test]
fn load_kernels_of_every_spec_are_valid_and_bind_data_parameters_and_sums() {
    for spec in measured::specs() {
        assert_interface(
            &composed(&spec, Access::Measured),
            &[&COMMON[..], &["0.0 data read"]].concat(),
            &["WORKGROUP_SIZE"],
            ("measure", None),
        );
    }
}

#[test]
fn echo_kernels_of_every_spec_are_valid_and_bind_no_data() {
    for spec in measured::specs() {
        assert_interface(
            &composed(&spec, Access::Echo),
            &[&COMMON[..], &["3.0 echo read_write"]].concat(),
            &["WORKGROUP_SIZE"],
            ("measure", None),
        );
    }
}

#[test]
fn the_plain_kernels_are_valid_and_bind_what_the_host_gives_them() {
    assert_interface(
        &module("fill", FILL, Capabilities::empty()),
        &["0.0 data read_write", "0.1 fill_params uniform"],
        &[],
        ("fill", Some(64)),
    );
    let sentinel = module("sentinel", SENTINEL, Capabilities::empty());
    assert_eq!(
        entry_points(&sentinel),
        [("plant", Some(64)), ("count", Some(64))]
    );
    assert_eq!(
        bindings(&sentinel),
        [
            "0.0 data read_write",
            "0.1 zone uniform",
            "0.2 found read_write"
        ]
        .map(str::to_owned)
        .into()
    );
    assert_interface(
        &module("empty", EMPTY, Capabilities::empty()),
        &[],
        &[],
        ("empty", Some(1)),
    );
    assert_interface(
        &module("subgroup_size", SUBGROUP_SIZE, Capabilities::SUBGROUP),
        &["0.0 smallest_and_largest read_write"],
        &[],
        ("subgroup_size", Some(128)),
    );
}

/// The array that a load kernel reads: bytes from one element to the next, and byte and size of what is loaded of it.
fn loaded_element(module: &Module) -> (u32, u32, u32) {
    let (_, data) = module
        .global_variables
        .iter()
        .find(|(_, variable)| variable.name.as_deref() == Some("data"))
        .expect("a load kernel has data");
    let TypeInner::Array { base, stride, .. } = module.types[data.ty].inner else {
        panic!("data is no array");
    };
    let size = |ty| module.types[ty].inner.size(module.to_ctx());
    match &module.types[base].inner {
        TypeInner::Struct { members, span } => {
            assert_eq!(*span, stride, "the array pads its structs");
            let loaded = members
                .iter()
                .find(|member| member.name.as_deref() == Some("accessed"))
                .expect("one field is accessed");
            let filler = members
                .iter()
                .filter(|member| member.name.as_deref() != Some("accessed"));
            for member in filler {
                assert_eq!(member.name, Some(format!("at_byte_{}", member.offset)));
            }
            let sizes: u32 = members.iter().map(|member| size(member.ty)).sum();
            assert_eq!(sizes, *span, "the members leave gaps");
            (stride, loaded.offset, size(loaded.ty))
        }
        _ => (stride, 0, size(base)),
    }
}

#[test]
fn generated_elements_have_the_size_of_the_spec_and_its_field_at_its_byte() {
    let mut structs = 0;
    for spec in measured::specs() {
        let element_bytes = spec.element.bytes();
        let (unit_bytes, field_bytes) = match (spec.struct_bytes(), spec.field_bytes()) {
            (Some(size), Some(field)) => {
                structs += 1;
                (size, (field + spec.offset_bytes) % size)
            }
            // All fields of the struct.
            (Some(_), None) => continue,
            _ => (u64::from(element_bytes), 0),
        };
        let case = case(&spec);
        let walk = case.walk().expect("a walk");
        assert_eq!(
            (walk.unit_bytes, walk.field_bytes),
            (unit_bytes, field_bytes),
            "{spec}"
        );
        let got = loaded_element(&composed(&spec, Access::Measured));
        assert_eq!(
            got,
            (unit_bytes as u32, field_bytes as u32, element_bytes),
            "{spec}"
        );
    }
    assert!(structs > 20);
}

/// Every struct of the suites and beyond, up to a page, with its field at the very end.
#[test]
fn structs_of_every_size_keep_their_last_field_where_it_is() {
    for (element, bytes) in [
        (ElementBytes::B4, 4),
        (ElementBytes::B8, 8),
        (ElementBytes::B16, 16),
    ] {
        for size in (bytes..=256).step_by(bytes as usize).chain([1024, 4096]) {
            let field = size - bytes;
            let spec: Spec = format!("struct:{size}B+{field}B,element={element}")
                .parse()
                .expect("a spec");
            let got = loaded_element(&composed(&spec, Access::Measured));
            assert_eq!(got, (size, field, bytes), "{spec}");
        }
    }
}

#[test]
fn no_file_of_shaders_is_an_orphan_and_none_serves_two_patterns() {
    let files: BTreeMap<String, String> = fs::read_dir("shaders")
        .expect("the folder is there")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "wgsl")
        })
        .map(|path| {
            let name = path
                .file_stem()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            (name, fs::read_to_string(path).expect("text"))
        })
        .collect();
    let mut used_by: BTreeMap<&str, BTreeSet<String>> = files
        .keys()
        .map(|name| (name.as_str(), BTreeSet::new()))
        .collect();
    let kernels = measured::specs()
        .into_iter()
        .chain(measured::storing_specs())
        .flat_map(|spec| {
            let family = spec.family().to_owned();
            [Access::Measured, Access::Audit].map(|access| (family.clone(), wgsl(&spec, access)))
        })
        .chain(
            [
                ("fill", FILL),
                ("sentinel", SENTINEL),
                ("empty", EMPTY),
                ("subgroup_size", SUBGROUP_SIZE),
            ]
            .map(|(name, wgsl)| (name.to_owned(), wgsl.to_owned())),
        );
    for (kernel, wgsl) in kernels {
        for (name, content) in files
            .iter()
            .filter(|(_, content)| wgsl.contains(content.as_str()))
        {
            assert!(!content.trim().is_empty(), "{name}.wgsl is empty");
            used_by
                .get_mut(name.as_str())
                .expect("a file")
                .insert(kernel.clone());
        }
    }
    // Files that several kernels share, by what they share.
    let walked = [
        "LAPLACIAN",
        "MS1",
        "UNIFORM",
        "broadcast",
        "column",
        "interleaved",
        "list",
        "mixed",
        "offset",
        "permuted",
        "random",
        "reversed",
        "row",
        "soa",
        "stride",
        "struct",
    ];
    let listed = ["LAPLACIAN", "MS1", "UNIFORM", "list", "mixed", "random"];
    for (file, kernels) in used_by {
        let kernels: Vec<&str> = kernels.iter().map(String::as_str).collect();
        match file {
            "harness" => assert_eq!(kernels, walked),
            "params" => assert!(kernels.len() == walked.len() + 1, "{kernels:?}"),
            "contents" => assert!(kernels.len() == walked.len() + 3, "{kernels:?}"),
            "walk_windows" | "walk_periods" => assert!(kernels.len() > 5, "{file}: {kernels:?}"),
            "list" => assert_eq!(kernels, listed),
            "tiles" | "transpose" | "transpose_tile" | "transpose_audit" => {
                assert_eq!(kernels, ["transpose"]);
            }
            // Only configurations of Spatter's GS store through a second list.
            "scatter" => assert!(kernels.is_empty()),
            _ => assert_eq!(
                kernels,
                [file],
                "{file}.wgsl serves the kernel of its name alone"
            ),
        }
    }
}
