//! Kernels on a real Vulkan driver: the addresses they compute, the sums they bring, and the faults that sums show.

#[path = "common/adapter.rs"]
mod adapter;
#[path = "common/measured.rs"]
mod measured;
#[path = "common/placed.rs"]
mod placed;

use coalescope::executor::{Case, Checksum, Executor, Footprint, KernelVariant, Visit};
use coalescope::gpu::source::{Access, compose};
use coalescope::gpu::{GpuExecutor, GpuSettings};
use placed::{FAULT_LANES, MIB, ODD, PLAIN, assert_exact, fault_executor, place, settings, visits};

fn assert_addresses(executor: &mut GpuExecutor, case: &Case, lanes: u32) {
    let spec = &case.spec;
    let id = executor
        .prepare(case, KernelVariant::Timed)
        .unwrap_or_else(|error| panic!("{spec}: {error}"));
    // Whole windows; some of them past what the unrolled loop takes.
    let most = 2000 * lanes as usize;
    let echoed = executor
        .echo(id, most)
        .unwrap_or_else(|error| panic!("{spec}: {error}"));
    let windows = case.windows_per_slice().min(2000);
    assert_eq!(echoed.len() as u64, windows * u64::from(lanes), "{spec}");
    let (_, base) = case.base(Visit::whole(0, 0));
    for (place, echoed) in echoed.into_iter().enumerate() {
        let (window, lane) = (
            place as u64 / u64::from(lanes),
            place as u64 % u64::from(lanes),
        );
        let twin = measured::twin_address(case, window, lane);
        assert_eq!(
            echoed,
            twin.map(|twin| base + twin),
            "{spec}: lane {lane} of {lanes} in window {window}"
        );
    }
}

/// Every measured spec, both layouts and all widths: addresses lane by lane, then the sums of every slice and phase.
fn assert_every_kernel(lanes: u32, workgroup_size: Option<u32>, runtime_checks: bool) {
    let settings = GpuSettings {
        lanes,
        workgroup_size,
        runtime_checks,
    };
    let mut executor = adapter::open(ODD, settings);
    assert_eq!(executor.workgroup_size() % lanes, 0);
    let mut unrolled_remainders = 0;
    let mut measured = 0;
    for spec in measured::specs() {
        let Some(case) = place(&spec, lanes, &ODD) else {
            continue;
        };
        assert_addresses(&mut executor, &case, lanes);
        assert_exact(&mut executor, &case, &visits(&case));
        measured += 1;
        unrolled_remainders += u32::from(!case.windows_per_slice().is_multiple_of(8));
    }
    assert!(measured > 100, "only {measured} specs fit the slices");
    assert!(
        unrolled_remainders > 20,
        "every slice is whole loops of eight loads"
    );
}

#[test]
fn kernels_of_one_lane_are_exact() {
    assert_every_kernel(1, None, false);
}

#[test]
fn kernels_of_8_lanes_are_exact() {
    assert_every_kernel(8, None, false);
}

#[test]
fn kernels_of_12_lanes_are_exact_three_windows_abreast() {
    assert_every_kernel(12, Some(36), false);
}

#[test]
fn kernels_of_32_lanes_are_exact_in_workgroups_of_128() {
    assert_every_kernel(32, Some(128), false);
}

#[test]
fn kernels_of_64_lanes_are_exact() {
    assert_every_kernel(64, None, false);
}

#[test]
fn kernels_with_runtime_checks_are_exact() {
    assert_every_kernel(8, None, true);
}

/// Slices so large that even a wide device's workgroups take the unrolled loop, with something left over.
#[test]
fn slices_that_the_unrolled_loop_does_not_divide_are_exact() {
    let footprint = Footprint {
        buffers: 2,
        buffer_bytes: 32 * MIB + (192 << 10),
        slice_bytes: 32 * MIB + (192 << 10),
    };
    let mut executor = adapter::open(footprint, settings(12));
    for text in [
        "stride:1",
        "stride:3",
        "offset:7",
        "reversed,element=8B",
        "struct:12B+8B",
        "broadcast,element=16B",
    ] {
        let case = place(&text.parse().expect("a spec"), 12, &footprint).expect("it fits");
        assert!(
            !case.windows_per_slice().is_multiple_of(8),
            "{text} leaves nothing over"
        );
        let visits = visits(&case);
        assert_exact(&mut executor, &case, &visits);
    }
}

/// Passes are rows of workgroups; whole slices, parts and the first windows alone, whose blocks differ with the passes.
#[test]
fn repeated_passes_are_exact() {
    let mut executor = adapter::open(ODD, settings(8));
    for text in [
        "stride:16",
        "stride:-3",
        "reversed,element=8B",
        "struct:12B+4B",
    ] {
        let case = place(&text.parse().expect("a spec"), 8, &ODD).expect("it fits");
        let visits: Vec<Visit> = [1, 2, 5]
            .into_iter()
            .flat_map(|repeats| {
                let whole = Visit {
                    repeats,
                    ..Visit::whole(4, 0)
                };
                let part = Visit {
                    part: 2,
                    parts: 3,
                    ..whole
                };
                let first = Visit {
                    steps_max: 500,
                    ..whole
                };
                [whole, part, first]
            })
            .collect();
        let sums = assert_exact(&mut executor, &case, &visits);
        for (once, five) in sums[..3].iter().zip(&sums[6..]) {
            assert_eq!(five.got, once.got.wrapping_mul(5), "{text}");
        }
    }
}

// What follows injects faults into the WGSL of a case and looks whether its sums show them.

/// The first slice of each buffer, behind which lies another.
const FIRST_SLICES: [Visit; 2] = [Visit::whole(0, 0), Visit::whole(1, 0)];

/// How the kernel of `case` loads at `index`.
fn loads_at(case: &Case, index: &str) -> String {
    let walk = case.walk().expect("a walk");
    let field = if walk.unit_bytes > walk.access_bytes {
        ".accessed"
    } else {
        ""
    };
    format!("fold(data[{index}]{field})")
}

/// The statement that returns what is loaded.
fn loaded(case: &Case) -> String {
    format!("return {};", loads_at(case, "index"))
}

const FAULTY_SPECS: [&str; 9] = [
    "stride:1",
    "stride:0",
    "stride:7",
    "stride:-32",
    "stride:256,element=16B",
    "offset:5,element=8B",
    "reversed,layout=padded",
    "soa,element=16B",
    "struct:64B+16B",
];

fn faulty_cases() -> Vec<Case> {
    FAULTY_SPECS
        .map(|text| place(&text.parse().expect("a spec"), FAULT_LANES, &PLAIN).expect("it fits"))
        .into()
}

/// Sums of `case` over the first slices with `text` of its WGSL replaced.
fn sums_with_fault(
    executor: &mut GpuExecutor,
    case: &Case,
    text: &str,
    fault: &str,
) -> Vec<Checksum> {
    let wgsl = compose(case, Access::Measured).expect("a kernel");
    assert_eq!(
        wgsl.matches(text).count(),
        1,
        "'{text}' stands elsewhere in\n{wgsl}"
    );
    let id = executor
        .prepare_source(case, &wgsl.replace(text, fault))
        .unwrap_or_else(|error| panic!("{}: {fault}: {error}", case.spec));
    executor
        .sample(id, &FIRST_SLICES)
        .unwrap_or_else(|error| panic!("{}: {error}", case.spec))
        .checksums
}

/// Every slice's sum gives the fault away.
fn assert_shows(executor: &mut GpuExecutor, case: &Case, text: &str, fault: &str) {
    for checksum in sums_with_fault(executor, case, text, fault) {
        assert!(
            !checksum.is_exact(),
            "{}: nobody noticed '{fault}' in {checksum:x?}",
            case.spec
        );
    }
}

fn powers_of_two(from: u64, to: u64) -> impl Iterator<Item = u64> {
    (from.ilog2()..=to.ilog2()).map(|bits| 1_u64 << bits)
}

#[test]
fn an_edit_that_changes_nothing_leaves_every_sum_exact() {
    let mut executor = fault_executor();
    for case in faulty_cases() {
        for checksum in sums_with_fault(
            &mut executor,
            &case,
            &loaded(&case),
            &format!("return 1u * {};", loads_at(&case, "index + 0u")),
        ) {
            assert!(checksum.is_exact(), "{}: {checksum:x?}", case.spec);
        }
    }
}

#[test]
fn a_base_shifted_by_any_power_of_two_shows() {
    let mut executor = fault_executor();
    for case in faulty_cases() {
        for bytes in powers_of_two(4 << 10, PLAIN.slice_bytes) {
            let units = bytes / case.unit_bytes();
            assert_shows(
                &mut executor,
                &case,
                &loaded(&case),
                &format!("return {};", loads_at(&case, &format!("index + {units}u"))),
            );
        }
    }
}

#[test]
fn an_index_wrapped_at_any_power_of_two_shows() {
    let mut executor = fault_executor();
    for case in faulty_cases() {
        for bytes in powers_of_two(4 << 10, PLAIN.slice_bytes / 2) {
            let mask = bytes / case.unit_bytes() - 1;
            assert_shows(
                &mut executor,
                &case,
                &loaded(&case),
                &format!("return {};", loads_at(&case, &format!("index & {mask}u"))),
            );
        }
    }
}

#[test]
fn one_load_left_out_or_doubled_shows() {
    let mut executor = fault_executor();
    for case in faulty_cases() {
        let last = case.windows_per_slice() - 1;
        for (window, lane) in [(0, 0), (1, 3), (last / 2, 7), (last, 7)] {
            let one = format!("window == {window}u && lane == {lane}u");
            let loaded = loaded(&case);
            for fault in [
                "0u".to_owned(),
                format!("2u * {}", loads_at(&case, "index")),
            ] {
                let fault = format!("if ({one}) {{ return {fault}; }} {loaded}");
                assert_shows(&mut executor, &case, &loaded, &fault);
            }
        }
    }
}

#[test]
fn one_of_the_unrolled_loads_left_out_or_doubled_shows() {
    let mut executor = fault_executor();
    for text in ["stride:1", "offset:5", "reversed", "soa"] {
        let case = place(&text.parse().expect("a spec"), FAULT_LANES, &PLAIN).expect("it fits");
        for (summed, fault) in [
            ("(c0 + d0)", "c0"),
            ("(c1 + d1)", "(c1 + c1)"),
            ("((a0 + b0) + (c0 + d0))", "(c0 + d0)"),
        ] {
            assert_shows(&mut executor, &case, summed, fault);
        }
    }
}

#[test]
fn lanes_whose_second_half_loads_nothing_show() {
    let mut executor = fault_executor();
    for case in faulty_cases() {
        let loaded = loaded(&case);
        let fault = format!("if (2u * lane >= params.lanes) {{ return 0u; }} {loaded}");
        assert_shows(&mut executor, &case, &loaded, &fault);
    }
}

#[test]
fn neighbouring_lanes_that_load_alike_show() {
    let mut executor = fault_executor();
    let lane = "let lane = invocation % params.lanes;";
    for case in faulty_cases()
        .into_iter()
        .filter(|case| case.spec.stride_elements() != Some(0))
    {
        let paired = "let lane = invocation % params.lanes / 2u * 2u;";
        assert_shows(&mut executor, &case, lane, paired);
    }
}

#[test]
fn swapped_buffers_and_slices_show() {
    let mut executor = fault_executor();
    for case in faulty_cases() {
        let sums = assert_exact(&mut executor, &case, &visits(&case));
        for (place, one) in sums.iter().enumerate() {
            for other in &sums[place + 1..] {
                assert_ne!(
                    one.got, other.expected,
                    "{}: {:?} for {:?}",
                    case.spec, one.visit, other.visit
                );
            }
        }
    }
}
