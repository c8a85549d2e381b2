//! Kernels that store, on a real Vulkan driver: what they leave in memory, what they leave alone, and that faults show.

#[path = "common/adapter.rs"]
mod adapter;
#[path = "common/measured.rs"]
mod measured;
#[path = "common/placed.rs"]
mod placed;

use coalescope::executor::{
    Case, Executor, ExecutorError, Footprint, KernelVariant, StoreProof, Visit,
};
use coalescope::gpu::source::{Access, compose};
use coalescope::gpu::{GpuExecutor, GpuSettings};
use coalescope::pattern::spatter::{Config, parse_configs};
use coalescope::pattern::{Op, Pattern, Spec};
use placed::{FAULT_LANES, MIB, ODD, PLAIN, assert_exact, fault_executor, place, settings, visits};

/// Every spec that stores: what it leaves in memory, of every slice, phase and part, and what it leaves alone.
fn assert_every_store(lanes: u32, workgroup_size: Option<u32>, runtime_checks: bool) {
    let settings = GpuSettings {
        lanes,
        workgroup_size,
        runtime_checks,
    };
    let mut executor = adapter::open(ODD, settings);
    let mut proven = 0;
    for spec in measured::storing_specs() {
        let Some(case) = place(&spec, lanes, &ODD) else {
            continue;
        };
        let id = match executor.prepare(&case, KernelVariant::Timed) {
            Err(ExecutorError::Unsupported(reason)) if reason.contains("workgroup memory") => {
                continue;
            }
            prepared => prepared.unwrap_or_else(|error| panic!("{spec}: {error}")),
        };
        let visits = visits(&case);
        // The first and last of the slices and phases, and a part.
        let [.., last, _, _, part] = visits[..] else {
            panic!("{spec} has too few visits");
        };
        for visit in [visits[0], last, part] {
            let proof = executor
                .prove_stores(id, visit)
                .unwrap_or_else(|error| panic!("{spec}: {error}"));
            assert!(
                proof.is_exact(),
                "{spec}, {lanes} lanes, {visit:?}: {proof:?}"
            );
        }
        assert_exact(&mut executor, &case, &visits);
        proven += 1;
    }
    assert!(proven > 200, "only {proven} specs fit the slices");
}

#[test]
fn stores_of_8_lanes_are_exact() {
    assert_every_store(8, None, false);
}

#[test]
fn stores_of_12_lanes_are_exact_three_windows_abreast() {
    assert_every_store(12, Some(36), true);
}

#[test]
fn stores_of_32_lanes_are_exact_in_workgroups_of_128() {
    assert_every_store(32, Some(128), false);
}

// What follows injects faults into kernels that store, and looks whether contents or sentinel show them.

/// A configuration that loads through one list and stores through another, both with duplicates.
fn gather_scatter(delta: u64) -> Config {
    let text = format!(
        r#"[{{"kernel":"GS","pattern-gather":[0,5,5,9,2],"pattern-scatter":[3,3,11,0,15],"delta-gather":{delta},"delta-scatter":16,"count":100000}}]"#
    );
    let mut configs = parse_configs(&text).expect("an array");
    configs.remove(0).expect("a configuration")
}

fn place_config(config: &Config, lanes: u32, footprint: &Footprint) -> Case {
    let spec = "@a.json#0".parse().expect("a spec");
    Case::of_config(spec, config, lanes, footprint).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn configurations_are_exact_on_both_sides() {
    for lanes in [8, 32] {
        let mut executor = adapter::open(ODD, settings(lanes));
        let uniform = |kernel: &str, count: u64| {
            let text = format!(
                r#"[{{"kernel":"{kernel}","pattern":"UNIFORM:7:3","delta":2,"count":{count}}}]"#
            );
            let mut configs = parse_configs(&text).expect("an array");
            configs.remove(0).expect("a configuration")
        };
        let dense = |kernel: &str, length: u64| {
            let text = format!(
                r#"[{{"kernel":"{kernel}","pattern":"UNIFORM:{length}:1:NR","count":5000}}]"#
            );
            let mut configs = parse_configs(&text).expect("an array");
            configs.remove(0).expect("a configuration")
        };
        for config in [
            gather_scatter(1),
            gather_scatter(0),
            uniform("gather", 1000),
            uniform("scatter", 1000),
            // Readings that share a subgroup, and go on from one to the next without a gap.
            dense("gather", 4),
            dense("scatter", 4),
            dense("gather", 2),
            dense("gather", 8),
            dense("gather", 16),
            // Fewer readings than a period of subgroups has, and more than the memory holds.
            uniform("gather", 3),
            uniform("scatter", 1),
            uniform("gather", 1 << 33),
        ] {
            let case = place_config(&config, lanes, &ODD);
            let id = executor
                .prepare(&case, KernelVariant::Timed)
                .unwrap_or_else(|error| panic!("{config:?}: {error}"));
            assert_eq!(
                executor.echo(id, 4000).expect("an echo"),
                measured::echoed(&case, 4000),
                "{config:?}"
            );
            if case.action.stores() {
                for slice in [0, 5] {
                    let proof = executor.prove_stores(id, Visit::whole(slice, 0));
                    assert!(
                        proof.as_ref().is_ok_and(StoreProof::is_exact),
                        "{config:?}: {proof:?}"
                    );
                }
            }
            assert_exact(&mut executor, &case, &visits(&case));
        }
    }
}

/// What a proof and a sample show of `case` with `text` of its WGSL replaced.
fn store_shows(executor: &mut GpuExecutor, case: &Case, text: &str, fault: &str) -> bool {
    let wgsl = compose(case, Access::Measured).expect("a kernel");
    assert_eq!(
        wgsl.matches(text).count(),
        1,
        "'{text}' stands elsewhere in\n{wgsl}"
    );
    let id = executor
        .prepare_source(case, &wgsl.replace(text, fault))
        .unwrap_or_else(|error| panic!("{}: {fault}: {error}", case.spec));
    // Something right has been stored there before.
    let right = executor
        .prepare(case, KernelVariant::Timed)
        .expect("a kernel");
    // A slice with another before it.
    let visit = Visit::whole(2, 0);
    executor.sample(right, &[visit]).expect("a sample");
    let sample = executor.sample(id, &[visit]).expect("a sample");
    let proof = executor.prove_stores(id, visit).expect("a proof");
    !proof.is_exact() || !sample.checksums[0].is_exact()
}

#[test]
fn stores_left_out_misplaced_or_wrong_show() {
    let mut executor = fault_executor();
    let stored = "stored[index] = spread(stored_value(index));";
    for text in [
        "stride:1,op=store",
        "stride:7,op=store",
        "reversed,op=store",
        "list:0,7,3,9,op=store",
    ] {
        let case = place(&text.parse().expect("a spec"), FAULT_LANES, &PLAIN).expect("it fits");
        let last = case.windows_per_slice() - 1;
        assert!(
            !store_shows(&mut executor, &case, stored, &format!("{stored} ;")),
            "{text}"
        );
        for fault in [
            String::new(),
            format!("if (window != 0u || lane != 3u) {{ {stored} }}"),
            format!("if (window != {last}u) {{ {stored} }}"),
            // The right value in the wrong place, beside the right one, or far from it.
            format!("{stored} stored[index + 1u] = spread(stored_value(index + 1u));"),
            "stored[index + 4096u] = spread(stored_value(index + 4096u));".to_owned(),
            format!("{stored} if (window == 0u) {{ stored[params.base - 1u] = spread(0u); }}"),
            // The wrong value in the right place.
            "stored[index] = spread(stored_value(index) + 1u);".to_owned(),
            format!("{stored} if (window == 5u) {{ stored[index] = spread(0u); }}"),
            // What another sample would have stored.
            "stored[index] = spread(stored_value(index) - params.addend);".to_owned(),
        ] {
            // All of a dense slice is stored to, so its neighbour's place is stored to as well.
            let is_right_after_all = text == "stride:1,op=store" && fault.contains("index + 1u]")
                || text == "reversed,op=store" && fault.contains("index + 1u]");
            if !is_right_after_all {
                assert!(
                    store_shows(&mut executor, &case, stored, &fault),
                    "{text}: nobody noticed '{fault}'"
                );
            }
        }
    }
}

#[test]
fn copies_left_out_swapped_or_stale_show() {
    let mut executor = fault_executor();
    let copied = "stored[index] = plus(data[index]);";
    for text in ["stride:1,op=copy", "stride:-32,op=copy", "offset:5,op=copy"] {
        let case = place(&text.parse().expect("a spec"), FAULT_LANES, &PLAIN).expect("it fits");
        assert!(
            !store_shows(&mut executor, &case, copied, &format!("{copied} ;")),
            "{text}"
        );
        for fault in [
            "",
            "stored[index] = plus(data[index ^ 1u]);",
            "stored[index] = plus(data[index + 1024u]);",
            "stored[index] = data[index];",
            "if (window % 2u == 0u) { stored[index] = plus(data[index]); }",
        ] {
            assert!(
                store_shows(&mut executor, &case, copied, fault),
                "{text}: nobody noticed '{fault}'"
            );
        }
    }
}

#[test]
fn transposes_that_do_not_transpose_show() {
    let mut executor = fault_executor();
    for (text, line, faults) in [
        (
            "transpose:64",
            "stored[place] = plus(e0);",
            [
                "",
                "stored[place] = plus(e1);",
                "stored[place + 1u] = plus(e0);",
            ],
        ),
        (
            "transpose:65,tile=padded",
            "stored[tile.write_at + row * n + column] = staged[column * TILE_PITCH + row];",
            [
                "",
                "stored[tile.write_at + row * n + column] = staged[row * TILE_PITCH + column];",
                "if (row > 0u) { stored[tile.write_at + row * n + column] = staged[column * TILE_PITCH + row]; }",
            ],
        ),
    ] {
        let case = place(&text.parse().expect("a spec"), FAULT_LANES, &PLAIN).expect("it fits");
        assert!(
            !store_shows(&mut executor, &case, line, &format!("{line} ;")),
            "{text}"
        );
        for fault in faults {
            assert!(
                store_shows(&mut executor, &case, line, fault),
                "{text}: nobody noticed '{fault}'"
            );
        }
    }
}

/// Lists of any length, with duplicates and all alike, read and stored through.
#[test]
fn lists_of_every_length_are_exact() {
    let footprint = Footprint {
        buffers: 1,
        buffer_bytes: 4 * MIB,
        slice_bytes: 4 * MIB,
    };
    let mut executor = adapter::open(footprint, settings(FAULT_LANES));
    let lengths = (1..=20).chain([
        31, 32, 33, 63, 64, 65, 255, 1000, 4097, 65_535, 65_536, 65_537,
    ]);
    for length in lengths {
        let scattered = |i: u64| i * 2_654_435_761 % (1 + length / 2);
        let lists: [Vec<u64>; 3] = [
            (0..length).map(scattered).collect(),
            vec![7; length as usize],
            (0..length).rev().collect(),
        ];
        for list in lists {
            for op in [Op::Load, Op::Store] {
                let spec = Spec {
                    op,
                    ..Spec::new(Pattern::List(list.clone()))
                };
                let case = place(&spec, FAULT_LANES, &footprint).expect("it fits");
                let id = executor
                    .prepare(&case, KernelVariant::Timed)
                    .expect("a kernel");
                let lanes = 2 * length as usize + 100;
                assert_eq!(
                    executor.echo(id, lanes).expect("an echo"),
                    measured::echoed(&case, lanes)
                );
                if op == Op::Store {
                    let proof = executor
                        .prove_stores(id, Visit::whole(0, 0))
                        .expect("a proof");
                    assert!(proof.is_exact(), "{length} entries: {proof:?}");
                }
                assert_exact(&mut executor, &case, &[Visit::whole(0, 0)]);
            }
        }
    }
}
