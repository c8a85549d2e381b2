//! Spatter's generators and configuration files, against the semantics of its own parser.

use std::collections::BTreeSet;

use coalescope::model::count_sequence;
use coalescope::pattern::spatter::{Kernel, parse_configs};
use coalescope::pattern::{ElementBytes, Side, Spec};

fn indices(text: &str) -> Vec<u64> {
    let spec: Spec = text
        .parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    let window = spec
        .window(32)
        .unwrap_or_else(|error| panic!("{text}: {error}"));
    window.addresses.iter().map(|address| address / 4).collect()
}

#[test]
fn generators_expand_as_spatter_does() {
    assert_eq!(indices("MS1:8:4:32"), [0, 1, 2, 3, 35, 36, 37, 38]);
    assert_eq!(indices("MS1:5:0,3:2,10"), [1, 2, 3, 13, 14]);
    assert_eq!(indices("MS1:7:2,5:10"), [0, 1, 11, 12, 13, 23, 24]);
    assert_eq!(indices("MS1:3:9:50"), [0, 1, 2]);
    assert_eq!(indices("UNIFORM:5:3"), [0, 3, 6, 9, 12]);
    assert_eq!(indices("UNIFORM:5:3:NR"), indices("UNIFORM:5:3"));
    assert_eq!(indices("LAPLACIAN:2:1:100"), [0, 99, 100, 101, 200]);
    assert_eq!(indices("LAPLACIAN:1:2:9"), [0, 1, 2, 3, 4]);
    assert_eq!(indices("LAPLACIAN:3:1:10"), [0, 90, 99, 100, 101, 110, 200]);
}

/// The accesses of configuration `number` of a file that has no faults.
fn accesses(text: &str, number: usize) -> Vec<(Side, Vec<u64>, u64)> {
    let config = parse_configs(text).expect(text).swap_remove(number);
    let accesses = config.expect(text).accesses.into_iter();
    accesses.map(|a| (a.side, a.indices, a.delta)).collect()
}

#[test]
fn a_generator_that_sets_delta_overrides_the_key() {
    for (pattern, delta) in [
        (r#""UNIFORM:4:2""#, 3),
        (r#""UNIFORM:4:2:7""#, 7),
        (r#""UNIFORM:4:2:NR""#, 8),
        (r#""MS1:4:2:10""#, 3),
        (r#""LAPLACIAN:1:1:10""#, 1),
        (r#""0,1,2""#, 3),
        ("[0,1,2]", 3),
    ] {
        let text = format!(r#"[{{"pattern": {pattern}, "delta": 3}}]"#);
        assert_eq!(accesses(&text, 0)[0].2, delta, "{pattern}");
        let text = format!(
            r#"[{{"kernel": "gs", "pattern-gather": {pattern}, "pattern-scatter": {pattern}, "delta-gather": 3, "delta": 99}}]"#
        );
        let both = accesses(&text, 0);
        // The other side has no key: the generator's, or Spatter's 8.
        let other = if delta == 3 { 8 } else { delta };
        assert_eq!((both[0].2, both[1].2), (delta, other), "{pattern}");
    }
}

#[test]
fn a_size_truncates_before_the_boundary_wraps_and_leaves_delta_alone() {
    let text = r#"[{"pattern": "UNIFORM:8:3:NR", "pattern-size": 5, "boundary": 7}]"#;
    assert_eq!(accesses(text, 0), [(Side::Load, vec![0, 3, 6, 2, 5], 24)]);
    let text = r#"[{"pattern": [6, 7, 8], "boundary": 7}, {"pattern": [6, 7, 8], "boundary": 0}]"#;
    assert_eq!(accesses(text, 0)[0].1, [6, 0, 1]);
    assert_eq!(accesses(text, 1)[0].1, [6, 7, 8]);
}

#[test]
fn the_default_boundary_shares_65_gb_among_the_configurations() {
    // ((65e9 - 1) / 8 / configurations) / 2: 4062499999 doubles for one, 2031249999 each for two, 1354166666 for three.
    for (configs, boundary) in [
        (1, 4_062_499_999_u64),
        (2, 2_031_249_999),
        (3, 1_354_166_666),
    ] {
        let config = format!(
            r#"{{"pattern": [{}, {boundary}, {}]}}"#,
            boundary - 1,
            boundary + 5
        );
        let text = format!("[{}]", vec![config; configs].join(","));
        assert_eq!(
            accesses(&text, configs - 1)[0].1,
            [boundary - 1, 0, 5],
            "{configs}"
        );
    }
}

#[test]
fn kernels_are_named_in_any_case_and_older_files_say_sg() {
    let both = r#""pattern": [4, 5], "pattern-gather": [1, 0], "pattern-scatter": [0, 1]"#;
    for (name, kernel, loads) in [
        ("gather", Kernel::Gather, Some(vec![4, 5])),
        ("GATHER", Kernel::Gather, Some(vec![4, 5])),
        ("sCaTTer", Kernel::Scatter, None),
        ("GS", Kernel::GatherScatter, Some(vec![1, 0])),
        ("sg", Kernel::GatherScatter, Some(vec![1, 0])),
        ("SG", Kernel::GatherScatter, Some(vec![1, 0])),
        ("MULTIGATHER", Kernel::MultiGather, Some(vec![5, 4])),
        ("MultiScatter", Kernel::MultiScatter, None),
    ] {
        let text = format!(r#"[{{"kernel": "{name}", {both}}}]"#);
        let config = parse_configs(&text)
            .expect(name)
            .swap_remove(0)
            .expect(name);
        assert_eq!(config.kernel, kernel, "{name}");
        let loaded = config.accesses.iter().find(|a| a.side == Side::Load);
        assert_eq!(loaded.map(|a| a.indices.clone()), loads, "{name}");
    }
}

#[test]
fn an_explicit_broadcast_costs_one_element() {
    let text = r#"[{"pattern": [0, 0, 0], "delta": 0, "count": 1000}]"#;
    assert_eq!(accesses(text, 0), [(Side::Load, vec![0, 0, 0], 0)]);
    let config = parse_configs(text)
        .expect("a file")
        .swap_remove(0)
        .expect("valid");
    let sequence = config.accesses[0].sequence(ElementBytes::B8, 32, config.count);
    let counts = count_sequence(&sequence, 32).expect("small");
    // 3000 threads in 94 subgroups, which read the same 8 bytes; Spatter counts them 3000 times.
    assert_eq!(
        (counts.dispatch.windows, counts.dispatch.unshared),
        (94, 94)
    );
    assert_eq!(
        (counts.dispatch.compulsory, counts.dispatch.bytes_used),
        (1, 8)
    );
    assert_eq!(
        config.bytes_counted(ElementBytes::B8, config.count),
        Some(24_000)
    );
    assert_eq!(
        config.accesses[0].footprint_bytes(ElementBytes::B8, 1000),
        Some(8)
    );
}

#[test]
fn keys_that_only_steer_spatter_are_ignored() {
    let plain = parse_configs(r#"[{"pattern": [1, 2]}]"#).expect("a file");
    let steered =
        r#"[{"pattern": [1, 2], "seed": 7, "local-work-size": 64, "nruns": 3, "x": [null]}]"#;
    assert_eq!(parse_configs(steered).expect("a file"), plain);
}

#[test]
fn subgroups_are_threads_in_spatters_order() {
    for (pattern, delta, lanes) in [
        ("[0, 5, 1]", 2, 32_u32),
        (r#""UNIFORM:33:3""#, 1, 32),
        (r#""MS1:7:2,5:10""#, 0, 8),
        ("[9, 9, 0, 40, 1, 2, 3]", 17, 24),
        (r#""UNIFORM:64:1:NR""#, 1, 7),
    ] {
        let count = 50;
        let text = format!(r#"[{{"pattern": {pattern}, "delta": {delta}, "count": {count}}}]"#);
        let config = parse_configs(&text)
            .expect(pattern)
            .swap_remove(0)
            .expect(pattern);
        let access = &config.accesses[0];
        let length = access.indices.len() as u64;
        // Thread t reads pattern[t % len] + delta * (t / len); an aligned double lies in one block of any of these.
        let bytes: Vec<u64> = (0..count * length)
            .map(|t| 8 * (access.indices[(t % length) as usize] + access.delta * (t / length)))
            .collect();
        for size in [32, 64, 128] {
            let blocks = |bytes: &[u64]| {
                bytes
                    .iter()
                    .map(|byte| byte / size)
                    .collect::<BTreeSet<u64>>()
                    .len() as u64
            };
            let counts = count_sequence(&access.sequence(ElementBytes::B8, lanes, count), size)
                .expect(pattern);
            let unshared: u64 = bytes.chunks(lanes as usize).map(blocks).sum();
            assert_eq!(counts.dispatch.unshared, unshared, "{pattern}, {size} B");
            assert_eq!(
                counts.dispatch.compulsory,
                blocks(&bytes),
                "{pattern}, {size} B"
            );
        }
    }
}

#[test]
fn configurations_follow_spatter() {
    let text = r#"[
        {"pattern": "UNIFORM:4:2:NR", "delta": 3},
        {"kernel": "SCATTER", "name": "s", "pattern": [3, 1], "delta": 0, "count": 5, "wrap": 2, "unknown": 1},
        {"kernel": "GS", "pattern-gather": "0,2", "pattern-scatter": "UNIFORM:2:1:7", "delta-gather": 1},
        {"kernel": "MultiGather", "pattern": [10, 20, 30], "pattern-gather": [2, 0]},
        {"kernel": "multiscatter", "pattern": [10, 20, 30], "pattern-scatter": [1]},
        {"pattern": "UNIFORM:8:1:NR", "pattern-size": 2},
        {"pattern": [9, 10, 11], "boundary": 10},
        {"pattern": "LAPLACIAN:2:1:100", "delta": 50}
    ]"#;
    let configs: Vec<_> = parse_configs(text)
        .expect("a file")
        .into_iter()
        .map(|c| c.expect("a configuration"))
        .collect();
    let accesses = |number| accesses(text, number);
    assert_eq!(accesses(0), [(Side::Load, vec![0, 2, 4, 6], 8)]);
    assert_eq!(accesses(1), [(Side::Store, vec![3, 1], 0)]);
    assert_eq!(
        accesses(2),
        [(Side::Load, vec![0, 2], 1), (Side::Store, vec![0, 1], 7)]
    );
    assert_eq!(accesses(3), [(Side::Load, vec![30, 10], 8)]);
    assert_eq!(accesses(4), [(Side::Store, vec![20], 8)]);
    assert_eq!(accesses(5), [(Side::Load, vec![0, 1], 8)]);
    assert_eq!(accesses(6), [(Side::Load, vec![9, 0, 1], 8)]);
    assert_eq!(accesses(7), [(Side::Load, vec![0, 99, 100, 101, 200], 1)]);
    assert_eq!(
        (configs[0].kernel, configs[0].count, configs[0].wrap),
        (Kernel::Gather, 1024, 1)
    );
    assert_eq!(
        (configs[1].kernel, configs[1].count, configs[1].wrap),
        (Kernel::Scatter, 5, 2)
    );
    assert_eq!(
        configs[0].bytes_counted(ElementBytes::B8, configs[0].count),
        Some(8 * 4 * 1024)
    );
    assert_eq!(
        configs[2].bytes_counted(ElementBytes::B8, configs[2].count),
        Some(8 * 4 * 1024)
    );
    assert_eq!(
        configs[0].accesses[0].footprint_bytes(ElementBytes::B8, 1024),
        Some(8 * (6 + 8 * 1023 + 1))
    );
}

#[test]
fn faults_of_a_configuration_leave_the_others_alone() {
    let text = r#"[
        {"kernel": "Gather"}, {"pattern": [1, -2]}, {"pattern": "UNIFORM:8"}, {"pattern": []}, {"pattern": [1], "count": 0},
        {"pattern": [1], "delta": -1}, {"kernel": "Copy", "pattern": [1]}, {"pattern": [1], "pattern-size": 2}, 7,
        {"kernel": "GS", "pattern-gather": [1], "pattern-scatter": [1, 2]}, {"pattern": [1], "count": 1e30}, {"pattern": "1,+2"},
        {"kernel": "MultiGather", "pattern": [1], "pattern-gather": [1]}, {"pattern": [1], "count": 9007199254740992}, {"pattern": [1]}
    ]"#;
    let configs = parse_configs(text).expect("a file");
    assert!(configs[14].is_ok());
    let messages: Vec<String> = configs
        .into_iter()
        .filter_map(Result::err)
        .map(|e| e.to_string())
        .collect();
    insta::assert_snapshot!(messages.join("\n"), @r"
    configuration 0, key 'pattern': expected an array of element indexes, or a text such as UNIFORM:8:1; the key is missing
    configuration 1, key 'pattern': expected an array of element indexes, or a text such as UNIFORM:8:1
    configuration 2, key 'pattern': expected ':' and a stride of whole elements at column 10 of the text
    configuration 3, key 'pattern': expected from 1 to 1048576 indexes, not 0
    configuration 4, key 'count': expected a whole number, at least 1
    configuration 5, key 'delta': expected a whole number, at least 0
    configuration 6, key 'kernel': expected Gather, Scatter, GS, MultiGather or MultiScatter
    configuration 7, key 'pattern-size': expected at most the length of 'pattern', 1
    configuration 8, key 'pattern': expected an object with this key
    configuration 9, key 'pattern-scatter': expected as many indexes as in 'pattern-gather', 1
    configuration 10, key 'count': expected a whole number, at least 1
    configuration 11, key 'pattern': expected element indexes separated by commas
    configuration 12, key 'pattern-gather': expected indexes into 'pattern', below 1
    configuration 13, key 'count': expected a count that keeps indexes below 2^44
    ");
}

#[test]
fn a_file_without_configurations_is_refused() {
    let messages = ["{", "{}", "[]"].map(|text| parse_configs(text).expect_err(text).to_string());
    insta::assert_snapshot!(messages.join("\n"), @r#"
    not JSON: EOF while parsing an object at line 1 column 1
    expected an array of configurations such as [{"kernel":"Gather","pattern":"UNIFORM:8:1:NR"}]
    expected an array of configurations such as [{"kernel":"Gather","pattern":"UNIFORM:8:1:NR"}]
    "#);
}
