//! The grammar: what is accepted, how it is printed, and what a mistake is answered with.

use coalescope::pattern::{Pattern, Side, Spec};
use proptest::prelude::*;

fn spec(text: &str) -> Spec {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn errors(texts: &[&str]) -> String {
    let error = |text: &&str| text.parse::<Spec>().expect_err(text).to_string();
    texts.iter().map(error).collect::<Vec<_>>().join(
        "
",
    )
}

fn addresses(text: &str, lanes: u32) -> Vec<u64> {
    let window = spec(text).window(lanes);
    window
        .unwrap_or_else(|error| panic!("{text}: {error}"))
        .addresses
}

fn pitch(text: &str) -> u64 {
    let window = spec(text).window(32);
    window
        .unwrap_or_else(|error| panic!("{text}: {error}"))
        .pitch_bytes
}

#[test]
fn each_family_addresses_what_the_table_says() {
    for (text, expected) in [
        ("stride:3", [0, 12, 24, 36]),
        ("stride:-2", [24, 16, 8, 0]),
        ("stride:0", [0, 0, 0, 0]),
        ("stride:6B", [0, 6, 12, 18]),
        ("stride:-2,offset=8B", [32, 24, 16, 8]),
        ("offset:2", [8, 12, 16, 20]),
        ("offset:3B,offset=1", [7, 11, 15, 19]),
        ("reversed", [12, 8, 4, 0]),
        ("interleaved:2", [0, 8, 4, 12]),
        ("interleaved:3", [0, 8, 12, 4]),
        ("interleaved:9", [0, 4, 8, 12]),
        ("struct:4B+all,offset=8B", [8, 12, 16, 20]),
        ("broadcast,element=8B,offset=8B", [8, 8, 8, 8]),
        ("struct:12B+4B", [4, 16, 28, 40]),
        ("struct:3+1", [4, 16, 28, 40]),
        ("struct:12B+4B,element=8B", [4, 16, 28, 40]),
        ("soa,element=16B", [0, 16, 32, 48]),
        ("row:1024", [0, 4, 8, 12]),
        ("column:1024", [0, 4096, 8192, 12288]),
        ("transpose:1024", [0, 4, 8, 12]),
        ("mixed", [0, 4, 4000, 4256]),
        ("list:0,7,7,8", [0, 28, 28, 32]),
        ("UNIFORM:4:2", [0, 8, 16, 24]),
    ] {
        assert_eq!(addresses(text, 4), expected, "{text}");
    }
    let mut permuted = addresses("permuted", 32);
    assert_ne!(permuted, addresses("permuted:2", 32));
    permuted.sort_unstable();
    assert_eq!(permuted, addresses("stride:1", 32));
}

#[test]
fn pitches_are_as_in_the_table() {
    for (text, expected) in [
        ("stride:3", 384),
        ("stride:-3", 384),
        ("stride:0", 128),
        ("stride:6B", 192),
        ("offset:5", 128),
        ("broadcast,element=8B", 256),
        ("struct:24B+4B", 768),
        ("struct:4B+all", 128),
        ("interleaved:4,element=8B", 256),
        ("soa", 128),
        ("column:100", 12800),
        ("mixed", 8192),
        ("list:0,7,7,8", 512),
        ("list:0,7,7,8,offset=512B", 512),
        ("UNIFORM:8:4:NR", 128),
        ("UNIFORM:8:4:5", 20),
        ("UNIFORM:8:4", 32),
        ("LAPLACIAN:2:1:100", 4),
        ("stride:1,layout=padded", 1536),
        ("offset:0,layout=padded", 1536),
        ("offset:32,layout=padded", 1536),
        ("stride:1,offset=512B,layout=padded", 1536),
        ("struct:24B,layout=padded", 1536),
    ] {
        assert_eq!(pitch(text), expected, "{text}");
    }
}

#[test]
fn both_sides_of_a_transpose_have_windows() {
    let sides = |text: &str| -> Vec<_> {
        let transpose = spec(text);
        let side = |&side| {
            let sequence = transpose.sequence(side, 32, 1).expect("a window");
            (side, sequence.list.addresses[1], sequence.list.pitch_bytes)
        };
        transpose.sides().iter().map(side).collect()
    };
    let along_rows = (Side::Load, 4, 128);
    assert_eq!(
        sides("transpose:1024"),
        [along_rows, (Side::Store, 4096, 131_072)]
    );
    for tiled in ["transpose:1024,tile=plain", "transpose:1024,tile=padded"] {
        assert_eq!(sides(tiled), [along_rows, (Side::Store, 4, 128)], "{tiled}");
    }
}

#[test]
fn a_whole_struct_is_read_field_after_field() {
    let whole = spec("struct:12B+all,offset=4B");
    let windows = whole.windows(2).expect("windows");
    let addresses: Vec<_> = windows.iter().map(|w| w.addresses.clone()).collect();
    assert_eq!(addresses, [[4, 16], [8, 20], [12, 24]]);
    assert!(windows.iter().all(|window| window.pitch_bytes == 24));
    assert_eq!(
        (whole.struct_bytes(), whole.field_bytes()),
        (Some(12), None)
    );
    let messages = [
        whole.window(2).expect_err("several").to_string(),
        spec("struct:1073741824B+all")
            .windows(32)
            .expect_err("too many")
            .to_string(),
    ];
    insta::assert_snapshot!(messages.join("\n"), @r"
    'struct:12B+all,offset=4B' has 6 entries and takes several subgroups of 2 lanes
    'struct:1073741824B+all' with 32 lanes reads more than the 1048576 elements that are counted one by one
    ");
}

#[test]
fn a_configuration_of_a_file_is_named_by_its_number() {
    for (text, path, config) in [
        ("@f.json", "f.json", None),
        ("@f.json#3", "f.json", Some(3)),
        ("@a#1#007,element=4B", "a#1", Some(7)),
        ("@a#b", "a#b", None),
        ("@a#", "a#", None),
    ] {
        let path = path.to_owned();
        assert_eq!(spec(text).pattern, Pattern::File { path, config }, "{text}");
    }
}

#[test]
fn a_long_list_is_cut_into_subgroups() {
    let long = spec("list:0,1,2,3,4");
    let windows = long.windows(2).expect("windows");
    let lanes: Vec<_> = windows.iter().map(|w| w.addresses.clone()).collect();
    assert_eq!(lanes, [vec![0, 4], vec![8, 12], vec![16]]);
    let message = long.window(2).expect_err("several").to_string();
    insta::assert_snapshot!(message, @"'list:0,1,2,3,4' has 5 entries and takes several subgroups of 2 lanes");
    assert_eq!(addresses("list:5", 32), [20]);
}

#[test]
fn printing_is_canonical() {
    for (text, canonical) in [
        (
            "stride:1,element=4B,offset=0B,layout=packed,op=load",
            "stride:1",
        ),
        ("stride:8B,element=8B", "stride:1,element=8B"),
        ("offset:8B", "offset:2"),
        ("offset:3B", "offset:3B"),
        ("struct:3+0", "struct:12B"),
        ("permuted:1", "permuted"),
        ("random:7,op=store", "random:7,op=store"),
        (
            "soa,op=copy,layout=padded,offset=2,element=8B",
            "soa,element=8B,offset=16B,layout=padded,op=copy",
        ),
        ("@a,b=c.json,element=8B", "@a,b=c.json"),
        ("@x.json,element=4B", "@x.json,element=4B"),
        ("MS1:8:4:32", "MS1:8:4:32"),
        ("@x.json#03,element=8B", "@x.json#3"),
        ("struct:3+all", "struct:12B+all"),
        ("struct:24B+all,element=8B", "struct:24B+all,element=8B"),
        ("transpose:64,tile=none", "transpose:64"),
        (
            "transpose:64,element=8B,tile=padded",
            "transpose:64,tile=padded,element=8B",
        ),
    ] {
        assert_eq!(spec(text).to_string(), canonical);
    }
}

#[test]
fn mistakes_in_a_pattern_name_the_place_and_the_nearest_spec() {
    let texts = [
        "stride:x",
        "stride",
        "stride:",
        "stride:1.5",
        "strid:2",
        "",
        "Column:8",
        "reversed:3",
        "struct:2B",
        "struct:12B+9B",
        "list:0,,1",
        "list:",
        "row:0",
        "stride:99999999999999999999",
        "stride: 1",
        "ströde:1",
        "interleaved",
        "interleaved:0",
        "struct:13B+all,element=8B",
        "struct:0+all",
        "struct:12B+All",
        "struct:12B+x",
    ];
    insta::assert_snapshot!(errors(&texts), @r"
    'stride:x': expected a whole number of elements at column 8; nearest valid: stride:1
    'stride': expected ':' and a whole number of elements at column 7; nearest valid: stride:1
    'stride:': expected a whole number of elements at column 8; nearest valid: stride:1
    'stride:1.5': expected a whole number of elements at column 8; nearest valid: stride:1
    'strid:2': expected a pattern (stride, offset, reversed, interleaved, permuted, broadcast, struct, soa, row, column, transpose, mixed, list, random, UNIFORM, MS1, LAPLACIAN or @FILE) at column 1; nearest valid: stride:2
    '': expected a pattern (stride, offset, reversed, interleaved, permuted, broadcast, struct, soa, row, column, transpose, mixed, list, random, UNIFORM, MS1, LAPLACIAN or @FILE) at column 1; nearest valid: stride:1
    'Column:8': expected a pattern (stride, offset, reversed, interleaved, permuted, broadcast, struct, soa, row, column, transpose, mixed, list, random, UNIFORM, MS1, LAPLACIAN or @FILE) at column 1; nearest valid: column:8
    'reversed:3': expected nothing after 'reversed' at column 9; nearest valid: reversed
    'struct:2B': expected a struct of at least one element (4B) at column 8; nearest valid: struct:4B
    'struct:12B+9B': expected a field that ends within the struct (at byte 8 or before) at column 12; nearest valid: struct:12B+8B
    'list:0,,1': expected a whole number as element index at column 8; nearest valid: list:0,0,1
    'list:': expected a whole number as element index at column 6; nearest valid: list:0
    'row:0': expected a whole number of elements in a row (at least 1) at column 5; nearest valid: row:1
    'stride:99999999999999999999': expected a whole number of elements (at most 281474976710656) at column 8; nearest valid: stride:281474976710656
    'stride: 1': expected a whole number of elements at column 8; nearest valid: stride:1
    'ströde:1': expected a pattern (stride, offset, reversed, interleaved, permuted, broadcast, struct, soa, row, column, transpose, mixed, list, random, UNIFORM, MS1, LAPLACIAN or @FILE) at column 1; nearest valid: stride:1
    'interleaved': expected ':' and a whole number of runs at column 12; nearest valid: interleaved:2
    'interleaved:0': expected a whole number of runs (at least 1) at column 13; nearest valid: interleaved:1
    'struct:13B+all,element=8B': expected a struct of whole elements (8B) at column 8; nearest valid: struct:16B+all,element=8B
    'struct:0+all': expected a struct of whole elements (4B) at column 8; nearest valid: struct:4B+all
    'struct:12B+All': expected a whole number of elements without sign or 'all' at column 12; nearest valid: struct:12B+all
    'struct:12B+x': expected a whole number of elements without sign or 'all' at column 12; nearest valid: struct:12B+4B
    ");
}

#[test]
fn mistakes_in_keys_and_generators_name_the_place_and_the_nearest_spec() {
    let texts = [
        "stride:1,",
        "stride:1,2",
        "offset:-1",
        "stride:1,elem=8B",
        "stride:1,element=5B",
        "stride:1,element=8B,element=4B",
        "stride:1,layout=pad",
        "soa,offset=-1",
        "random,layout=padded",
        "@",
        "@f.json,op=copy",
        "UNIFORM:8",
        "UNIFORM:0:1",
        "UNIFORM:8:1:x",
        "MS1:8:4,2:32",
        "MS1:8:4:1,2",
        "LAPLACIAN:2:1:100:5",
        "LAPLACIAN:9:1:99999",
        "row:8,tile=plain",
        "transpose:8,tile=pad",
        "transpose:8,op=store",
        "@#3",
        "@f.json#99999999999",
        "@f.json#1,tile=plain",
    ];
    insta::assert_snapshot!(errors(&texts), @r"
    'stride:1,': expected a key and its value such as element=8B at column 10; nearest valid: stride:1
    'stride:1,2': expected a key and its value such as element=8B at column 10; nearest valid: stride:1
    'offset:-1': expected a whole number of elements without sign at column 8; nearest valid: offset:1
    'stride:1,elem=8B': expected a key (element, offset, layout, op, tile) at column 10; nearest valid: stride:1,element=8B
    'stride:1,element=5B': expected one of 4B, 8B, 16B at column 18; nearest valid: stride:1
    'stride:1,element=8B,element=4B': expected each key only once at column 21; nearest valid: stride:1,element=8B
    'stride:1,layout=pad': expected one of packed, padded at column 17; nearest valid: stride:1,layout=padded
    'soa,offset=-1': expected a whole number of elements without sign at column 12; nearest valid: soa,offset=4B
    'random,layout=padded': expected no layout with random at column 8; nearest valid: random
    '@': expected the path of a file of Spatter configurations at column 2; nearest valid: @spatter.json
    '@f.json,op=copy': expected no op with file at column 9; nearest valid: @f.json
    'UNIFORM:8': expected ':' and a stride of whole elements at column 10; nearest valid: UNIFORM:8:1
    'UNIFORM:0:1': expected a length of whole elements (at least 1) at column 9; nearest valid: UNIFORM:1:1
    'UNIFORM:8:1:x': expected NR or a delta of whole elements at column 13; nearest valid: UNIFORM:8:1:1
    'MS1:8:4,2:32': expected an ascending location of a gap (at least 5) at column 9; nearest valid: MS1:8:4,5:32
    'MS1:8:4:1,2': expected 1 gap or as many as there are locations, 1 at column 9; nearest valid: MS1:8:4:1
    'LAPLACIAN:2:1:100:5': expected the end of the pattern at column 18; nearest valid: LAPLACIAN:2:1:100
    'LAPLACIAN:9:1:99999': expected a whole number of elements along an edge (at most 64) at column 15; nearest valid: LAPLACIAN:9:1:64
    'row:8,tile=plain': expected no tile with row at column 7; nearest valid: row:8
    'transpose:8,tile=pad': expected one of none, plain, padded at column 18; nearest valid: transpose:8,tile=padded
    'transpose:8,op=store': expected no op with transpose at column 13; nearest valid: transpose:8
    '@#3': expected the path of a file of Spatter configurations at column 2; nearest valid: @spatter.json#3
    '@f.json#99999999999': expected the number of a configuration (at most 4294967295) at column 9; nearest valid: @f.json#4294967295
    '@f.json#1,tile=plain': expected no tile with file at column 11; nearest valid: @f.json#1
    ");
}

#[test]
fn what_no_kernel_can_address_is_refused_with_the_reason() {
    for text in [
        "stride:3",
        "offset:1,element=16B",
        "struct:12B+4B",
        "random",
        "broadcast,offset=4B",
        "struct:24B+8B,element=8B",
    ] {
        assert_eq!(spec(text).measurable(32), Ok(()), "{text}");
    }
    let texts = [
        "offset:3B",
        "stride:6B",
        "struct:12B+4B,element=8B",
        "struct:24B+4B,element=8B",
        "struct:13B",
        "stride:1,offset=4B,element=8B",
        "@f.json",
    ];
    let reasons: Vec<String> = texts
        .iter()
        .map(|text| spec(text).measurable(32).expect_err(text).to_string())
        .collect();
    insta::assert_snapshot!(reasons.join("\n"), @r"
    lane 0 is at byte 3, but WGSL addresses 4-byte elements in multiples of 4 bytes
    lane 1 is at byte 6, but WGSL addresses 4-byte elements in multiples of 4 bytes
    WGSL rounds a struct of 12 bytes up to a multiple of 8, the alignment of its field
    lane 0 is at byte 4, but WGSL addresses 8-byte elements in multiples of 8 bytes
    WGSL rounds a struct of 13 bytes up to a multiple of 4, the alignment of its field
    lane 0 is at byte 4, but WGSL addresses 8-byte elements in multiples of 8 bytes
    '@f.json' has no window of its own: its configurations stand in the file
    ");
}

#[test]
fn sizes_are_bounded() {
    assert!(spec("stride:1").window(0).is_err());
    assert!(spec("stride:1").window(1 << 21).is_err());
    assert!(spec("stride:281474976710656").window(32).is_err());
    assert!(
        spec("column:281474976710656,element=16B")
            .window(1 << 20)
            .is_err()
    );
    assert!("UNIFORM:1048577:1".parse::<Spec>().is_err());
    assert!("LAPLACIAN:3:1000000:10".parse::<Spec>().is_err());
}

/// Specs of every family, as typed.
fn any_spec() -> impl Strategy<Value = String> {
    let tile = prop::sample::select(vec!["", ",tile=none", ",tile=plain", ",tile=padded"]);
    let head = prop_oneof![
        (-99..99_i64).prop_map(|n| format!("stride:{n}")),
        (-99..99_i64).prop_map(|n| format!("stride:{n}B")),
        (0..99_u64).prop_map(|n| format!("offset:{n}")),
        (0..99_u64).prop_map(|n| format!("offset:{n}B")),
        prop::sample::select(vec![
            "reversed",
            "broadcast",
            "soa",
            "mixed",
            "permuted",
            "random"
        ])
        .prop_map(str::to_owned),
        any::<u64>().prop_map(|seed| format!("permuted:{seed}")),
        (16..99_u64, 0..16_u64).prop_map(|(size, field)| format!(
            "struct:{}B+{}B",
            size + 16,
            field
        )),
        (16..99_u64, 0..9_u64).prop_map(|(size, field)| format!("struct:{size}+{field}")),
        (1..9999_u64).prop_map(|n| format!("row:{n}")),
        (1..9999_u64).prop_map(|n| format!("column:{n}")),
        (1..200_u64).prop_map(|runs| format!("interleaved:{runs}")),
        (1..9_u64).prop_map(|n| format!("struct:{}B+all", 16 * n)),
        (1..25_u64).prop_map(|n| format!("struct:{n}+all")),
        (1..9999_u64, tile).prop_map(|(n, tile)| format!("transpose:{n}{tile}")),
        "[a-z#,=]{1,8}(#[0-9]{1,3})?".prop_map(|path| format!("@{path}")),
        prop::collection::vec(0..99_u64, 1..40).prop_map(|list| {
            let entries: Vec<String> = list.iter().map(u64::to_string).collect();
            format!("list:{}", entries.join(","))
        }),
        (1..99_u64, 1..99_u64).prop_map(|(n, d)| format!("UNIFORM:{n}:{d}")),
        (1..99_u64, 1..99_u64).prop_map(|(n, d)| format!("UNIFORM:{n}:{d}:NR")),
        (1..99_u64, 1..99_u64).prop_map(|(n, d)| format!("MS1:{n}:3,5,{}:{d}", n + 6)),
        (1..4_u64, 1..9_u64).prop_map(|(n, d)| format!("LAPLACIAN:{n}:{d}:50")),
    ];
    let element = prop::sample::select(vec!["", ",element=4B", ",element=8B", ",element=16B"]);
    let rest = prop::sample::select(vec![
        "",
        ",offset=8B",
        ",offset=3",
        ",layout=padded",
        ",op=store",
        ",op=copy,layout=packed",
    ]);
    (head, element, rest).prop_map(|(head, element, rest)| {
        let refused = match head.split(':').next() {
            Some("random") => true,
            Some("transpose") => rest.contains("op="),
            _ => head.starts_with('@'),
        };
        let rest = if refused { "" } else { rest };
        format!("{head}{element}{rest}")
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn printing_and_parsing_round_trip(text in any_spec(), lanes in 1..130_u32) {
        let first = spec(&text);
        let second = spec(&first.to_string());
        prop_assert_eq!(&first, &second);
        prop_assert_eq!(first.to_string(), second.to_string());
        prop_assert_eq!(first.windows(lanes), second.windows(lanes));
    }

    #[test]
    fn any_text_is_answered_and_the_nearest_spec_is_valid(text in "[a-zA-Z0-9:,=+@. é-]{0,24}") {
        if let Err(error) = text.parse::<Spec>() {
            prop_assert!(error.position <= text.len());
            if let Some(nearest) = error.nearest {
                prop_assert!(nearest.parse::<Spec>().is_ok(), "{}", nearest);
            }
        }
    }

    #[test]
    fn padded_windows_are_private(text in any_spec(), lanes in 1..130_u32, shift in 0..130_u64) {
        let shift = 4 * shift.min(128);
        let base = text.split(',').take_while(|part| !part.contains('=')).collect::<Vec<_>>().join(",");
        if base.starts_with("random") || base.starts_with("offset") || text.starts_with('@') {
            return Ok(());
        }
        let shifted = spec(&format!("{base},offset={shift}B,layout=padded")).sequence(Side::Load, lanes, 1);
        let window = shifted.expect("a window").list;
        let baseline = spec(&format!("{base},layout=padded")).sequence(Side::Load, lanes, 1).expect("a window").list;
        prop_assert_eq!(window.pitch_bytes, baseline.pitch_bytes);
        prop_assert!(window.extent_bytes() <= window.pitch_bytes);
    }
}
