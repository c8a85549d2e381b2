//! The command `predict`: its rows, its formats and its refusals.

use std::collections::HashMap;
use std::io::Write as _;

use assert_cmd::Command;

fn predict(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("coalescope").expect("the command is built");
    command.arg("predict").args(arguments);
    command
}

fn stdout(arguments: &[&str]) -> String {
    let output = predict(arguments)
        .assert()
        .success()
        .get_output()
        .stdout
        .clone();
    String::from_utf8(output).expect("text")
}

/// What a refused command prints on stderr; nothing goes to stdout.
fn refusal(arguments: &[&str]) -> String {
    let assert = predict(arguments).assert().code(2).stdout("");
    String::from_utf8(assert.get_output().stderr.clone()).expect("text")
}

/// The rows of `--format csv`, by column.
fn rows(arguments: &[&str]) -> Vec<HashMap<String, String>> {
    let text = stdout(&[arguments, &["--format", "csv"]].concat());
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader
        .deserialize()
        .collect::<Result<_, _>>()
        .expect("valid CSV")
}

fn config_file(text: &str) -> (tempfile::NamedTempFile, String) {
    let mut file = tempfile::NamedTempFile::new().expect("a file");
    file.write_all(text.as_bytes()).expect("written");
    let spec = format!("@{}", file.path().display());
    (file, spec)
}

#[test]
fn the_worked_examples_come_out() {
    let mut reader =
        csv::Reader::from_path("tests/worked_examples.csv").expect("the file is there");
    let examples: Vec<HashMap<String, String>> = reader
        .deserialize()
        .collect::<Result<_, _>>()
        .expect("valid CSV");
    let specs: Vec<&str> = examples
        .iter()
        .map(|example| example["spec"].as_str())
        .collect();
    let predicted = rows(&specs);
    for example in &examples {
        let same = |row: &&HashMap<String, String>| {
            ["spec", "lanes", "element_bytes", "transaction_bytes"]
                .iter()
                .all(|key| row[*key] == example[*key])
        };
        let row = predicted.iter().find(same).expect("one row each");
        for key in [
            "transactions",
            "bytes_requested",
            "bytes_used",
            "bytes_fetched",
        ] {
            assert_eq!(row[key], example[key], "{}: {key}", example["case"]);
        }
        let number = |text: &str| text.parse::<f64>().expect("a number");
        let difference = number(&row["efficiency"]) - number(&example["efficiency"]);
        assert!(difference.abs() < 1e-6, "{}", example["case"]);
    }
}

#[test]
fn the_columns_begin_as_documented() {
    let text = stdout(&["stride:1", "--format", "csv"]);
    let header = "spec,lanes,element_bytes,transaction_bytes,transactions,bytes_requested,bytes_used,bytes_fetched,efficiency,";
    assert!(text.starts_with(header), "{text}");
}

#[test]
fn a_bandwidth_adds_useful_and_requested() {
    let rows = rows(&[
        "broadcast",
        "offset:1",
        "--transaction",
        "128B",
        "--bandwidth",
        "2000GB/s",
    ]);
    let rates: Vec<_> = rows
        .iter()
        .map(|row| {
            (
                row["useful_gb_per_s"].as_str(),
                row["requested_gb_per_s"].as_str(),
            )
        })
        .collect();
    assert_eq!(rates, [("62.5", "2000.0"), ("1000.0", "1000.0")]);
}

#[test]
fn a_footprint_adds_the_dispatch() {
    let arguments = ["offset:1", "--transaction", "32", "--footprint", "1MiB"];
    let row = rows(&arguments).remove(0);
    assert_eq!(row["windows"], "8192");
    assert_eq!(row["transactions_unshared"], "40960");
    assert_eq!(row["transactions_compulsory"], "32769");
    assert_eq!(rows(&arguments[..3])[0]["transactions_unshared"], "");
}

#[test]
fn a_transpose_has_a_row_for_each_side() {
    let rows = rows(&["transpose:1024", "--transaction", "32"]);
    let sides: Vec<_> = rows
        .iter()
        .map(|row| (row["side"].as_str(), row["transactions"].as_str()))
        .collect();
    assert_eq!(sides, [("load", "4"), ("store", "32")]);
}

#[test]
fn through_a_tile_both_sides_of_a_transpose_cost_the_same() {
    let rows = rows(&["transpose:1024,tile=padded", "--transaction", "32"]);
    let sides: Vec<_> = rows
        .iter()
        .map(|row| (row["side"].as_str(), row["transactions"].as_str()))
        .collect();
    assert_eq!(sides, [("load", "4"), ("store", "4")]);
}

#[test]
fn interleaved_lanes_cost_what_consecutive_ones_do() {
    for lanes in ["32", "30", "7"] {
        let arguments = ["--lanes", lanes, "--footprint", "1MiB"];
        let costs = |spec| {
            let rows = rows(&[&[spec], &arguments[..]].concat());
            let keys = ["transactions", "transactions_compulsory", "efficiency"];
            rows.iter()
                .map(|row| keys.map(|key| row[key].clone()))
                .collect::<Vec<_>>()
        };
        assert_eq!(costs("interleaved:4"), costs("stride:1"), "{lanes} lanes");
    }
}

#[test]
fn a_whole_struct_wastes_only_what_its_loads_do_not_share() {
    let arguments = ["--transaction", "32", "--footprint", "24576B"];
    let row = rows(&[&["struct:24B+all"], &arguments[..]].concat()).remove(0);
    let dense = rows(&[&["stride:1"], &arguments[..]].concat()).remove(0);
    for (key, figure) in [
        ("load_instructions", "6"),
        // Each of the loads touches all of the 24 blocks that hold the 32 structs.
        ("transactions", "144"),
        ("transactions_min", "24"),
        ("transactions_max", "24"),
        ("bytes_requested", "768"),
        ("bytes_used", "768"),
        ("pitch_bytes", "768"),
        ("windows", "32"),
        ("load_instructions_dispatch", "192"),
        ("transactions_unshared", "4608"),
    ] {
        assert_eq!(row[key], figure, "{key}");
    }
    for key in [
        "bytes_requested_dispatch",
        "bytes_used_dispatch",
        "transactions_compulsory",
        "efficiency_compulsory",
    ] {
        assert_eq!(row[key], dense[key], "{key}");
    }
}

#[test]
fn a_long_list_gives_sum_smallest_and_largest() {
    let row = rows(&[
        "list:0,1,2,3,100,200,300",
        "--lanes",
        "4",
        "--transaction",
        "32",
    ])
    .remove(0);
    let figures = [
        "transactions",
        "transactions_min",
        "transactions_max",
        "load_instructions",
    ];
    assert_eq!(figures.map(|key| row[key].as_str()), ["4", "1", "3", "2"]);
}

#[test]
fn random_is_an_expectation() {
    let row = rows(&["random", "--transaction", "32", "--footprint", "1MiB"]).remove(0);
    assert_eq!(row["count_kind"], "expected");
    let transactions: f64 = row["transactions"].parse().expect("a number");
    assert!((31.9..32.0).contains(&transactions), "{transactions}");
    assert_eq!(row["transactions_compulsory"], "32768");
}

#[test]
fn spatter_files_give_a_row_for_each_configuration_and_side() {
    let (_file, spec) = config_file(
        r#"[{"kernel": "Gather", "name": "wide", "pattern": "UNIFORM:256:3:NR", "count": 8589934592},
            {"kernel": "Scatter", "pattern": [0, 1, 2], "delta": 0, "count": 32},
            {"kernel": "GS", "pattern-gather": [0, 2], "pattern-scatter": [1, 0], "count": 16}]"#,
    );
    let started = std::time::Instant::now();
    let rows = rows(&[&spec, "--transaction", "32"]);
    assert!(started.elapsed().as_secs() < 5, "a count is not enumerated");
    assert_eq!(rows.len(), 4);
    let column = |key: &str| -> Vec<&str> { rows.iter().map(|row| row[key].as_str()).collect() };
    assert_eq!(column("config"), ["0", "1", "2", "2"]);
    assert_eq!(column("kernel"), ["gather", "scatter", "gs", "gs"]);
    assert_eq!(column("side"), ["load", "store", "load", "store"]);
    assert_eq!(column("config_name"), ["wide", "", "", ""]);
    assert_eq!(column("transactions"), ["192", "3", "16", "16"]);
    assert_eq!(
        column("load_instructions_dispatch"),
        ["68719476736", "3", "1", "1"]
    );
    assert_eq!(
        column("bytes_counted"),
        ["17592186044416", "768", "512", "512"]
    );
    assert_eq!(
        column("bytes_used_dispatch"),
        ["17592186044416", "24", "256", "256"]
    );
    assert_eq!(column("reuse_dispatch"), ["1.0", "32.0", "1.0", "1.0"]);
    assert_eq!(
        column("footprint_bytes"),
        ["52776558133232", "24", "984", "976"]
    );
}

#[test]
fn one_configuration_of_a_file_stands_alone() {
    let (_file, spec) = config_file(
        r#"[{"pattern": "UNIFORM:8"}, {"name": "second", "pattern": [0, 64]}, {"pattern": [1]}]"#,
    );
    let second = format!("{spec}#1");
    let rows = rows(&[&second, "--transaction", "32"]);
    assert_eq!(
        rows.len(),
        1,
        "the fault of configuration 0 does not matter"
    );
    assert_eq!(rows[0]["spec"], second);
    let place = ["config", "config_name"].map(|key| rows[0][key].as_str());
    assert_eq!(place, ["1", "second"]);
    let refusals = ["#0", "#3", ""]
        .map(|number| refusal(&[&format!("{spec}{number}")]).replace(&spec, "@FILE"));
    insta::assert_snapshot!(refusals.concat(), @r"
    error: '@FILE#0': configuration 0, key 'pattern': expected ':' and a stride of whole elements at column 10 of the text
    error: '@FILE#3': there is no configuration 3; the file has 3, numbered from 0
    error: '@FILE': configuration 0, key 'pattern': expected ':' and a stride of whole elements at column 10 of the text
    ");
}

#[test]
fn a_byte_order_mark_is_no_fault() {
    let (_file, spec) = config_file("\u{feff}[{\"pattern\": [1]}]");
    assert_eq!(rows(&[&spec, "--transaction", "32"]).len(), 1);
}

#[test]
fn the_table_tells_the_sides_of_a_configuration_apart() {
    let (_file, spec) = config_file(
        r#"[{"kernel": "GS", "pattern-gather": [0, 2], "pattern-scatter": [1, 0]}, {"pattern": [1]}]"#,
    );
    let text = stdout(&[&spec, "--transaction", "32"]);
    let labels: Vec<_> = text
        .lines()
        .filter_map(|line| line.split(" #").nth(1))
        .map(|rest| rest.split_whitespace().take(3).collect::<Vec<_>>())
        .collect();
    assert_eq!(
        labels,
        [
            ["0", "gs", "load"],
            ["0", "gs", "store"],
            ["1", "gather", "load"]
        ]
    );
}

#[test]
fn the_table_has_the_whole_of_a_spec_and_its_side_beside_it() {
    let text = stdout(&["transpose:1024,tile=padded", "--transaction", "32"]);
    let first_cells: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.contains("transpose"))
        .map(|line| line.split_whitespace().take(2).collect())
        .collect();
    assert_eq!(
        first_cells,
        [
            ["transpose:1024,tile=padded", "load"],
            ["transpose:1024,tile=padded", "store"]
        ]
    );
    let loads = stdout(&["stride:2", "--transaction", "32"]);
    assert!(!loads.contains("side"), "{loads}");
}

#[test]
fn json_holds_the_same_rows() {
    let text = stdout(&["stride:2", "--transaction", "32,64", "--format", "json"]);
    let rows: serde_json::Value = serde_json::from_str(&text).expect("valid JSON");
    assert_eq!(rows.as_array().map(Vec::len), Some(2));
    assert_eq!(rows[0]["transactions"], 8);
    assert_eq!(rows[1]["efficiency"], 0.5);
    assert!(rows[0]["transactions_unshared"].is_null());
}

#[test]
fn the_table_is_legible_at_100_columns() {
    // A longer spec widens the table: cut short it could be taken for another, and not be copied.
    let arguments = [
        "struct:24B+4B,layout=padded",
        "broadcast",
        "--footprint",
        "64MiB",
        "--bandwidth",
        "900GB/s",
    ];
    let text = stdout(&arguments);
    assert!(
        text.lines()
            .all(|line| line.len() <= 100 && !line.contains('\u{1b}')),
        "{text}"
    );
}

#[test]
fn a_bad_spec_is_refused_before_anything_is_printed() {
    insta::assert_snapshot!(refusal(&["stride:1", "stride:x"]), @"error: 'stride:x': expected a whole number of elements at column 8; nearest valid: stride:1");
    let unreadable = refusal(&["stride:1", "@does-not-exist.json"]);
    assert!(unreadable.starts_with("error: '@does-not-exist.json': cannot open the file"));
    insta::assert_snapshot!(refusal(&["stride:1", "--footprint", "64B"]), @"error: 'stride:1': a footprint of 64B holds no window; it takes at least 128B");
    insta::assert_snapshot!(refusal(&["stride:281474976710656"]), @"error: 'stride:281474976710656' with 32 lanes reaches beyond 256 TiB; lower the stride, the offset or the indexes");
}

#[test]
fn a_bad_configuration_is_refused_with_its_number() {
    let (_file, spec) = config_file(r#"[{"pattern": [1]}, {"pattern": "UNIFORM:8"}]"#);
    let text = refusal(&[&spec]).replace(&spec, "@FILE");
    insta::assert_snapshot!(text, @"error: '@FILE': configuration 1, key 'pattern': expected ':' and a stride of whole elements at column 10 of the text");
}

#[test]
fn wrong_options_are_usage() {
    for arguments in [
        &["stride:1", "--transaction", "0"][..],
        &["stride:1", "--transaction", "32,x"],
        &["stride:1", "--lanes", "0"],
        &["stride:1", "--bandwidth", "2000"],
        &["stride:1", "--footprint", "-1"],
        &["stride:1", "--format", "xml"],
        &[],
    ] {
        predict(arguments).assert().code(2).stdout("");
    }
}
