//! Cases placed in footprints: every byte that a kernel may touch, and the sum of what it loads, without any adapter.

#[path = "common/measured.rs"]
mod measured;

use std::collections::HashSet;

use coalescope::executor::contents::{MAX_FOOTPRINT_BYTES, sum_of_words, word};
use coalescope::executor::{Case, CaseError, Footprint, Plan, Visit};
use coalescope::pattern::Spec;
use coalescope::pattern::spatter::parse_configs;
use proptest::prelude::*;

const KIB: u64 = 1 << 10;
const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;

fn footprint(buffers: u32, slices_per_buffer: u64, slice_bytes: u64) -> Footprint {
    Footprint {
        buffers,
        buffer_bytes: slices_per_buffer * slice_bytes,
        slice_bytes,
    }
}

fn spec(text: &str) -> Spec {
    text.parse().unwrap_or_else(|error| panic!("{error}"))
}

fn visits(case: &Case) -> impl Iterator<Item = Visit> + use<> {
    let (slices, phases) = (case.footprint().slices(), case.phases);
    (0..slices).flat_map(move |slice| (0..phases).map(move |phase| Visit::whole(slice, phase)))
}

/// What the kernels without bounds checks rely on: no visit leaves its slice, and every array element that is indexed
/// lies in the buffer whole.
fn assert_stays_inside(case: &Case) -> Result<(), TestCaseError> {
    let footprint = *case.footprint();
    let spec = &case.spec;
    prop_assert!(case.steps_per_slice > 0, "{spec}: no step");
    prop_assert!(case.phases > 0, "{spec}: no phase");
    prop_assert!(u32::try_from(case.windows_per_slice()).is_ok());
    let walk = case.walk().expect("no transpose");
    let last_step = (case.steps_per_slice - 1) * walk.pitch_bytes();
    for visit in visits(case) {
        let slice = footprint.slice(visit.slice);
        let (buffer, base) = case.base(visit);
        prop_assert_eq!(buffer, slice.buffer);
        prop_assert!(buffer < footprint.buffers);
        // What is shuffled lies all over its buffer.
        let (begin, room) = match case.is_shuffled() {
            true => (0, footprint.buffer_bytes),
            false => (slice.first_byte, footprint.slice_bytes),
        };
        prop_assert!(
            base >= begin,
            "{spec} {visit:?}: begins in the slice before"
        );
        prop_assert_eq!(
            base % case.unit_bytes(),
            0,
            "{} {:?}: base is not aligned",
            spec,
            visit
        );
        // WGSL indexes units whole.
        let end = base + last_step + walk.extent_bytes();
        prop_assert!(
            end <= begin + room,
            "{spec} {visit:?}: ends {} bytes past its slice",
            end - begin - room
        );
        prop_assert!(u32::try_from(end / case.unit_bytes()).is_ok());
    }
    Ok(())
}

/// Any spec of the grammar that may have a window, sensible or not; few are refused.
fn any_spec() -> impl Strategy<Value = String> {
    let element = prop_oneof![Just(4_u64), Just(8), Just(16)];
    let pattern = element.prop_flat_map(|element| {
        let pattern = prop_oneof![
            (-40_i64..40).prop_map(|d| format!("stride:{d}")),
            (-3000_i64..3000).prop_map(|d| format!("stride:{d}")),
            (0_u64..2000).prop_map(|o| format!("offset:{o}")),
            Just("reversed".to_owned()),
            Just("broadcast".to_owned()),
            Just("soa".to_owned()),
            Just("permuted".to_owned()),
            Just("mixed".to_owned()),
            (1_u64..300).prop_map(|n| format!("row:{n}")),
            (1_u64..300).prop_map(|n| format!("column:{n}")),
            Just("list:0,7,7,8".to_owned()),
            prop::collection::vec(0_u64..300, 1..200).prop_map(|entries| {
                let entries: Vec<String> = entries.iter().map(u64::to_string).collect();
                format!("list:{}", entries.join(","))
            }),
            (1_u64..300, 1_u64..9, 1_u64..99).prop_map(|(length, stride, delta)| {
                format!("UNIFORM:{length}:{stride}:{delta}")
            }),
            Just("MS1:40:4,9:32".to_owned()),
            Just("LAPLACIAN:2:2:50".to_owned()),
            (1_u64..40).prop_map(|runs| format!("interleaved:{runs}")),
            (1_u64..20).prop_map(move |elements| format!("struct:{}B+all", elements * element)),
            (1_u64..80, any::<prop::sample::Index>()).prop_map(move |(elements, field)| {
                format!(
                    "struct:{}B+{}B",
                    elements * element,
                    field.index(elements as usize) as u64 * element
                )
            }),
        ];
        (pattern, Just(element), 0_u64..70)
    });
    (pattern, prop_oneof![Just("packed"), Just("padded")]).prop_map(
        |((pattern, element, shift), layout)| {
            let shift = shift.saturating_sub(20) * element;
            format!("{pattern},element={element}B,offset={shift}B,layout={layout}")
        },
    )
}

/// Their windows are smaller than the slice, but aligning its base takes the rest of it.
#[test]
fn what_is_refused_for_its_size_needs_more_than_the_slice_that_is_named() {
    for text in ["struct:504B,element=8B", "column:31,offset=57344B"] {
        let refused = Case::new(spec(text), 68, &footprint(1, 1, 64 * KIB));
        let Err(CaseError::TooLarge { needed, slice }) = refused else {
            panic!("{text}: {refused:?}");
        };
        assert!(needed.0 > slice.0, "{text}: {needed} of {slice}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn no_visit_leaves_its_slice(
        text in any_spec(),
        lanes in 1_u32..130,
        (buffers, slices_per_buffer, grains) in (1_u32..4, 1_u64..6, 1_u64..40),
    ) {
        let footprint = footprint(buffers, slices_per_buffer, grains * 64 * KIB);
        match Case::new(spec(&text), lanes, &footprint) {
            Ok(case) => assert_stays_inside(&case)?,
            Err(CaseError::TooLarge { needed, .. }) => {
                prop_assert!(needed.0 > footprint.slice_bytes);
            }
            // A list longer than the subgroup, or what only a struct of another size could hold.
            Err(CaseError::Unaddressable(_)) => {}
        }
    }

    #[test]
    fn the_expected_checksum_is_the_sum_of_every_word_of_every_lane(
        text in any_spec(),
        lanes in 1_u32..130,
        visit in (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
    ) {
        let footprint = footprint(3, 2, 192 * KIB);
        if let Ok(case) = Case::new(spec(&text), lanes, &footprint) {
            let visit = Visit::whole(visit.0.index(footprint.slices() as usize) as u32, visit.1.index(case.phases as usize) as u32);
            prop_assert_eq!(case.expected_checksum(visit), sum_word_by_word(&case, visit), "{}", text);
        }
    }
}

fn sum_word_by_word(case: &Case, visit: Visit) -> u32 {
    let (buffer, base) = case.base(visit);
    let buffer_byte = u64::from(buffer) * case.footprint().buffer_bytes;
    let mut sum = 0_u32;
    let walk = case.walk().expect("no transpose");
    for window in 0..case.windows_per_slice() {
        for address in walk.addresses(case.lanes, window).flatten() {
            let first_byte = buffer_byte + base + address;
            for byte in (first_byte..first_byte + walk.access_bytes).step_by(4) {
                sum = sum.wrapping_add(word((byte / 4) as u32));
            }
        }
    }
    sum
}

#[test]
fn every_measured_spec_stays_inside_footprints_of_odd_sizes() {
    for lanes in [1, 2, 8, 12, 32, 64] {
        for grains in [5, 17, 64, 79] {
            let footprint = footprint(2, 3, grains * 64 * KIB);
            for spec in measured::specs() {
                match Case::new(spec.clone(), lanes, &footprint) {
                    Ok(case) => {
                        assert_stays_inside(&case).unwrap_or_else(|error| panic!("{error}"));
                    }
                    Err(CaseError::TooLarge { .. }) => {}
                    Err(error) => panic!("{spec}, {lanes} lanes: {error}"),
                }
            }
        }
    }
}

#[test]
fn a_window_that_fills_its_slice_is_placed_and_a_larger_one_refused() {
    let footprint = footprint(1, 1, 64 * KIB);
    let fills =
        Case::new(spec("stride:2048"), 8, &footprint).expect("57348 bytes and 15 phases fit");
    assert_eq!(fills.windows_per_slice(), 1);
    let error = Case::new(spec("stride:4096"), 8, &footprint).expect_err("114692 bytes do not");
    let text = error.to_string();
    assert!(
        text.contains("64KiB") && text.contains("lower the stride"),
        "{text}"
    );
}

#[test]
fn phases_bring_each_granule_once_and_keep_the_alignment() {
    let footprint = footprint(1, 2, MIB);
    for text in [
        "stride:256",
        "stride:1024,element=16B",
        "stride:-512",
        "broadcast,layout=padded",
    ] {
        let case = Case::new(spec(text), 8, &footprint).expect("it fits");
        assert!(case.phases > 1, "{text} has room for several phases");
        let mut granules = HashSet::new();
        for phase in 0..case.phases {
            let (_, base) = case.base(Visit::whole(0, phase));
            let of_phase: HashSet<u64> = (0..4)
                .flat_map(|window| case.walk().expect("a walk").addresses(8, window).flatten())
                .map(|address| (base + address) / 512)
                .collect();
            assert!(
                granules.is_disjoint(&of_phase),
                "{text}: phase {phase} meets a granule of an earlier one"
            );
            granules.extend(of_phase);
        }
    }
}

/// Sum of what `case` would load with its base `shift_bytes` further, in a footprint that goes on.
fn shifted_sum(case: &Case, visit: Visit, shift_bytes: u64) -> u32 {
    let (buffer, base) = case.base(visit);
    let base = u64::from(buffer) * case.footprint().buffer_bytes + base;
    let mut sum = 0_u32;
    let walk = case.walk().expect("a walk");
    for address in walk.addresses(case.lanes, 0).flatten() {
        for word in 0..walk.access_bytes / 4 {
            let first = ((base + address + shift_bytes) % MAX_FOOTPRINT_BYTES) / 4 + word;
            sum = sum.wrapping_add(sum_of_words(
                first,
                walk.pitch_bytes() / 4,
                case.steps_per_slice,
            ));
        }
    }
    sum
}

const AFFINE_AND_NOT: [&str; 8] = [
    "stride:1",
    "stride:7",
    "stride:32",
    "stride:256,element=16B",
    "offset:5",
    "reversed,layout=padded",
    "broadcast",
    "struct:48B+32B",
];

#[test]
fn a_base_shifted_by_any_power_of_two_shows_past_two_gibibytes() {
    let footprint = footprint(8, 128, 16 * MIB);
    assert_eq!(footprint.total_bytes(), MAX_FOOTPRINT_BYTES);
    for text in AFFINE_AND_NOT {
        let case = Case::new(spec(text), 32, &footprint).expect("it fits");
        // Slices in the first buffer, past 2, 4 and 8 GiB, and the very last.
        for slice in [0, 1, 2, 4, footprint.slices() - 1] {
            let visit = Visit::whole(slice, 0);
            let expected = case.expected_checksum(visit);
            assert_eq!(
                shifted_sum(&case, visit, 0),
                expected,
                "{text}, slice {slice}"
            );
            // The very last slice has nothing behind it but the wrap to the first byte, a shift down.
            let shifts = if slice == footprint.slices() - 1 {
                24..34
            } else {
                12..34
            };
            for bits in shifts {
                assert_ne!(
                    shifted_sum(&case, visit, 1 << bits),
                    expected,
                    "{text}, slice {slice}, shifted by 2^{bits} bytes"
                );
            }
        }
    }
}

#[test]
fn no_two_slices_of_sixteen_gibibytes_have_the_same_checksum() {
    let footprint = footprint(16, 16, 64 * MIB);
    assert_eq!(footprint.total_bytes(), 16 * GIB);
    for text in AFFINE_AND_NOT {
        let case = Case::new(spec(text), 32, &footprint).expect("it fits");
        let sums: HashSet<u32> = (0..footprint.slices())
            .map(|slice| case.expected_checksum(Visit::whole(slice, 0)))
            .collect();
        assert_eq!(sums.len(), footprint.slices() as usize, "{text}");
    }
}

#[test]
fn a_shuffle_of_a_large_buffer_spans_what_its_list_names() {
    let span = |slice_bytes| {
        let footprint = footprint(2, 4, slice_bytes);
        let case = Case::new(spec("random"), 32, &footprint).expect("it fits");
        (case.span_bytes(), footprint.buffer_bytes)
    };
    let (small, buffer) = span(64 * KIB);
    assert_eq!(small, buffer);
    let (large, buffer) = span(64 * KIB * 1024);
    assert_eq!(large, buffer / 2, "2^25 elements of 4 bytes");
}

/// Parts of a slice stand for the whole only where steps share nothing.
#[test]
fn what_shares_between_its_steps_is_not_divided() {
    let footprint = footprint(2, 2, 4 * MIB);
    for (text, divisible) in [
        ("stride:1", true),
        ("stride:-7", true),
        ("offset:5", true),
        ("broadcast", true),
        ("struct:24B+8B", true),
        ("struct:24B+all", true),
        ("column:100,layout=padded", true),
        ("list:0,7,7,8", true),
        ("UNIFORM:256:4:NR", true),
        ("random", true),
        ("transpose:100", true),
        ("column:100", false),
        ("UNIFORM:8:1:1", false),
        ("UNIFORM:1024:1024:1", false),
        ("LAPLACIAN:3:1:10", false),
        ("MS1:16:8:20", false),
    ] {
        let case = Case::new(spec(text), 32, &footprint).expect("it fits");
        assert_eq!(case.is_divisible(), divisible, "{text}");
        if divisible && !text.starts_with("transpose") {
            let part = Visit {
                parts: 2,
                ..Visit::whole(0, 0)
            };
            let share = case.steps(part).count as f64 / case.steps_per_slice as f64;
            let bytes = |visit| case.bytes_used(visit) as f64;
            let used = bytes(part) / bytes(Visit::whole(0, 0));
            assert!((used - share).abs() < 0.01, "{text}: {used}, not {share}");
        }
    }
}

#[test]
fn both_sides_of_configurations_stay_inside_their_slice() {
    let footprint = footprint(2, 3, 192 * KIB);
    for (kernel, delta, count) in [
        ("Gather", 0, 1_u64 << 33),
        ("Gather", 1, 1000),
        ("Scatter", 7, 1 << 20),
        ("Scatter", 3, 1),
        ("GS", 0, 5),
        ("GS", 5, 1 << 33),
    ] {
        let text = format!(
            r#"[{{"kernel":"{kernel}","pattern":[0,9,9,300,2],"pattern-gather":[0,9,9,300,2],
                 "pattern-scatter":[5,5,5,700,0],"delta":{delta},"delta-gather":{delta},"delta-scatter":11,
                 "count":{count}}}]"#
        );
        let config = parse_configs(&text).expect("an array").remove(0);
        let config = config.expect("a configuration");
        for lanes in [1, 3, 8, 32, 128] {
            let case = Case::of_config(spec("@a#0"), &config, lanes, &footprint).expect("it fits");
            let Plan::Walk { walk, scatter } = &case.plan else {
                panic!("a configuration is walked");
            };
            assert_eq!(scatter.is_some(), kernel == "GS");
            assert!(u32::try_from(case.windows_per_slice()).is_ok());
            for walk in [Some(walk), scatter.as_ref()].into_iter().flatten() {
                let end = (case.steps_per_slice - 1) * walk.pitch_bytes() + walk.extent_bytes();
                assert!(
                    end <= footprint.slice_bytes,
                    "{kernel}, delta {delta}: {end}"
                );
            }
            let readings = case.readings.expect("a configuration has readings");
            assert!((1..=count).contains(&readings.measured), "{readings:?}");
        }
    }
}

#[test]
fn transposes_read_and_write_every_element_of_their_matrices_once_and_nothing_else() {
    let footprint = footprint(1, 2, 192 * KIB);
    for width in [1, 7, 31, 32, 33, 100, 150] {
        for lanes in [1, 8, 24, 64] {
            let text = format!("transpose:{width},element=8B");
            let case = Case::new(spec(&text), lanes, &footprint).expect("it fits");
            let Plan::Transpose(transpose) = &case.plan else {
                panic!("a transpose is no walk");
            };
            let steps = case.steps(Visit::whole(1, 0));
            let moves: Vec<(u64, u64)> = transpose.moves(steps).collect();
            assert_eq!(moves.len() as u64, transpose.matrices * width * width);
            let distinct = |side: fn(&(u64, u64)) -> u64| {
                let elements: HashSet<u64> = moves.iter().map(side).collect();
                assert_eq!(elements.len(), moves.len(), "{text}");
                elements.into_iter().max().expect("an element")
            };
            let highest = distinct(|(read, _)| *read).max(distinct(|(_, written)| *written));
            let end = case.base(Visit::whole(1, 0)).1 + (highest + 1) * 8;
            assert!(end <= footprint.buffer_bytes, "{text}: {end}");
        }
    }
}

/// Whatever the list, its delta and the lanes: what the kernel must sum is the sum of all that its lanes read.
#[test]
fn the_checksum_of_a_configuration_is_the_sum_of_every_access() {
    let footprint = footprint(2, 2, 64 * KIB);
    for pattern in [
        "[0,1]",
        "[0,1,2,3]",
        "[0,2,1,3]",
        "[0,2,4,6]",
        "[5,5,5]",
        "[0,9,3]",
        "\"UNIFORM:40:1:NR\"",
    ] {
        for delta in [0, 1, 2, 3, 4, 8, 12] {
            let text = format!(r#"[{{"pattern":{pattern},"delta":{delta},"count":5000}}]"#);
            let config = parse_configs(&text).expect("an array").remove(0);
            let config = config.expect("a configuration");
            for lanes in [1, 3, 8, 32] {
                for element in [4, 8, 16] {
                    let spec = spec(&format!("@a#0,element={element}B"));
                    let case = Case::of_config(spec, &config, lanes, &footprint).expect("it fits");
                    for slice in [0, 3] {
                        let visit = Visit::whole(slice, 0);
                        assert_eq!(
                            case.expected_checksum(visit),
                            sum_word_by_word(&case, visit),
                            "{pattern}, delta {delta}, {lanes} lanes, {element} B"
                        );
                    }
                }
            }
        }
    }
}
