//! For tests: the layout of a struct as its shader declares it.

use naga::TypeInner;

/// Name and byte of each member of `name`, and the bytes of the whole, padding included.
pub(super) fn struct_layout(wgsl: &str, name: &str) -> (Vec<(String, usize)>, usize) {
    let module = naga::front::wgsl::parse_str(wgsl).expect("valid WGSL");
    let (_, declared) = module
        .types
        .iter()
        .find(|(_, declared)| declared.name.as_deref() == Some(name))
        .expect("the struct is there");
    let TypeInner::Struct { members, span } = &declared.inner else {
        panic!("{name} is no struct");
    };
    let members = members
        .iter()
        .map(|member| {
            (
                member.name.clone().unwrap_or_default(),
                member.offset as usize,
            )
        })
        .collect();
    (members, *span as usize)
}

/// Elements of the array that the variable `name` is.
pub(super) fn array_length(wgsl: &str, name: &str) -> Option<u32> {
    let module = naga::front::wgsl::parse_str(wgsl).expect("valid WGSL");
    let (_, variable) = module
        .global_variables
        .iter()
        .find(|(_, variable)| variable.name.as_deref() == Some(name))?;
    match module.types[variable.ty].inner {
        TypeInner::Array {
            size: naga::ArraySize::Constant(length),
            ..
        } => Some(length.get()),
        _ => None,
    }
}
