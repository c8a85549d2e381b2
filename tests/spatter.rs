//! Spatter's generators and configuration files, against the semantics of its own parser.

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
    assert_eq!(indices("LAPLACIAN:2:1:100"), [0, 99, 100, 101, 200]);
    assert_eq!(indices("LAPLACIAN:1:2:9"), [0, 1, 2, 3, 4]);
    assert_eq!(indices("LAPLACIAN:3:1:10"), [0, 90, 99, 100, 101, 110, 200]);
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
    let accesses = |number: usize| -> Vec<_> {
        configs[number]
            .accesses
            .iter()
            .map(|a| (a.side, a.indices.clone(), a.delta))
            .collect()
    };
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
        configs[0].bytes_counted(ElementBytes::B8),
        Some(8 * 4 * 1024)
    );
    assert_eq!(
        configs[2].bytes_counted(ElementBytes::B8),
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
    configuration 0, key 'pattern': expected an array of element indexes, or a text such as UNIFORM:8:1
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
