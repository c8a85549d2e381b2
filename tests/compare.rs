//! The command `compare`: what it says of made-up runs and of those in `results`, and how it refuses.

#[path = "common/rows.rs"]
#[allow(dead_code, reason = "the other sweeps have tests of their own")]
mod rows;

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use coalescope::record::{Folder, Row, Status};
use coalescope::units::significant;
use rows::{stride, stride_sweep, working_set};
use serde_json::Value;
use tempfile::TempDir;

const COMMITTED: [&str; 2] = [
    "results/llvmpipe-llvm-15-0-6-256-bits/2026-11-30T12-20-22Z",
    "results/llvmpipe-llvm-15-0-6-256-bits/2026-11-30T18-27-58Z",
];

/// A folder for the runs of one test.
struct Bench {
    out: TempDir,
}

impl Bench {
    fn new() -> Self {
        Self {
            out: tempfile::tempdir().expect("a folder for the test"),
        }
    }

    /// A run of `adapter` with these rows.
    fn run(&self, adapter: &str, rows: Vec<Row>) -> PathBuf {
        let rows: Vec<Row> = rows
            .into_iter()
            .map(|row| Row {
                adapter: adapter.to_owned(),
                software: false,
                fetch_plateau_gb_per_s: Some(20.0),
                ..row
            })
            .collect();
        let folder = Folder::create(self.out.path(), adapter, "now").expect("a run");
        folder.write_rows(&rows).expect("rows");
        let card = r#"{"started_utc": "2026-03-01 12:00:00 UTC"}"#;
        folder.write("run.json", card.as_bytes()).expect("run.json");
        folder.path().to_owned()
    }

    /// `compare`, at home in the folder of this test.
    fn compare(&self, runs: &[&Path], arguments: &[&str]) -> Command {
        let mut command = Command::cargo_bin("coalescope").expect("the command is built");
        let home = self.out.path();
        command.current_dir(home).arg("compare").args(arguments);
        // Relative, so that what is printed is the same everywhere.
        command.args(runs.iter().map(|run| run.strip_prefix(home).unwrap_or(run)));
        command
    }
}

/// What was printed, with the paths of every system written alike.
fn text(bytes: &[u8]) -> String {
    let text = String::from_utf8(bytes.to_vec()).expect("text");
    text.replace('\\', "/")
}

fn with(row: Row, change: impl FnOnce(&mut Row)) -> Row {
    let mut row = row;
    change(&mut row);
    row
}

fn base_rows() -> Vec<Row> {
    let [a, b, c, d] = [1, 2, 4, 8].map(|d| stride(d, Some(4.0 / d as f64)));
    let failed = stride(16, None);
    let sets = [1_u64 << 20, 1 << 30].map(|bytes| working_set(bytes, Some(20.0)));
    [vec![a, b, c, d, failed], sets.into()].concat()
}

/// Twice as fast, as fast, doubtful and guarded; lanes of 32; another largest working set.
fn other_rows() -> Vec<Row> {
    let guarded = with(stride(8, Some(2.0)), |row| {
        row.status = Status::CacheResident;
    });
    let cached = with(working_set(1 << 20, Some(40.0)), |row| {
        row.status = Status::CacheResident;
    });
    let rows = vec![
        stride(1, Some(8.0)),
        stride(2, Some(2.0)),
        stride(4, Some(1.03)),
        guarded,
        stride(16, Some(0.25)),
        cached,
        working_set(1 << 29, Some(40.0)),
    ];
    let wide = |row: Row| with(row, |row| row.lanes = 32);
    rows.into_iter().map(wide).collect()
}

#[test]
fn every_case_has_its_ratio_and_its_verdict() {
    let bench = Bench::new();
    let runs = [
        bench.run("Old GPU", base_rows()),
        bench.run("New GPU", other_rows()),
    ];
    let output = bench
        .compare(&[&runs[0], &runs[1]], &[])
        .assert()
        .success()
        .get_output()
        .clone();
    insta::assert_snapshot!(text(&output.stdout), @r"
    base: Old GPU (old-gpu/now): 8 lanes, fetch bandwidth 20.0 GB/s
    run:  New GPU (new-gpu/now): 32 lanes, fetch bandwidth 20.0 GB/s

    suite        pattern               base   run    ratio                 verdict    base    run     ratio of  reason
                                       GB/s   GB/s                                    share   share   shares
    stride       stride:1              4.00   8.00   2.00 (1.94 to 2.06)   faster     20.0 %  40.0 %  2.00
    stride       stride:2              2.00   2.00   1.00 (0.970 to 1.03)  same       10.0 %  10.0 %  1.00
    stride       stride:4              1.00   1.03   1.03 (1.000 to 1.06)  ambiguous  5.00 %  5.15 %  1.03      interval holds 1 and leaves the margin
    stride       stride:8              0.500  2.00   4.00 (3.88 to 4.12)   ambiguous  2.50 %  10.0 %  4.00      run cache-resident
    stride       stride:16             -      0.250  -                     -          -       1.25 %  -         base failed
    working-set  stride:16 over 1 MiB  1.25   2.50   2.00 (1.94 to 2.06)   faster     100 %   200 %   2.00

    suite        faster  slower  same  ambiguous  without ratio  median ratio
    stride       1       0       1     2          1              1.03
    working-set  1       0       0     0          0              2.00
    ");
    insta::assert_snapshot!(text(&output.stderr), @r"
    warning: not in 'new-gpu/now', but in the base: 1 case (working-set stride:16 over 1 GiB)
    warning: in 'new-gpu/now', but not in the base: 1 case (working-set stride:16 over 512 MiB)
    warning: 'new-gpu/now' differs from the base in lanes (32 against 8)
    chart: compare/compare-stride.svg
    chart: compare/compare-stride.png
    chart: compare/compare-stride-share.svg
    chart: compare/compare-stride-share.png
    chart: compare/compare-working-set.svg
    chart: compare/compare-working-set.png
    chart: compare/compare-working-set-share.svg
    chart: compare/compare-working-set-share.png
    ");
}

#[test]
fn csv_and_json_have_the_same_cells_and_no_number_that_is_none() {
    let bench = Bench::new();
    let mut rows = other_rows();
    rows[0].useful_gb_per_s = Some(0.0);
    rows[1].useful_gb_per_s = Some(f64::NAN);
    rows[2].useful_high_gb_per_s = Some(f64::INFINITY);
    let runs = [
        bench.run("Old GPU", base_rows()),
        bench.run("New GPU", rows),
    ];
    let print = |format: &str| {
        let arguments = ["--format", format];
        let mut command = bench.compare(&[&runs[0], &runs[1]], &arguments);
        text(&command.assert().success().get_output().stdout)
    };
    let csv = print("csv");
    assert!(!csv.contains("NaN") && !csv.contains("inf"), "{csv}");
    let json: Vec<Value> = serde_json::from_str(&print("json")).expect("an array");
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().expect("a header").clone();
    let records: Vec<csv::StringRecord> = reader.records().map(|r| r.expect("a row")).collect();
    assert_eq!((records.len(), json.len()), (6, 6));
    for (record, object) in records.iter().zip(&json) {
        for (name, cell) in header.iter().zip(record) {
            match &object[name] {
                Value::Null => assert_eq!(cell, ""),
                Value::String(text) => assert_eq!(cell, text),
                number => {
                    let printed: f64 = cell.parse().expect("a number");
                    let read = number.as_f64().expect("a number");
                    // Reading JSON may lose the last digit.
                    let close = (printed - read).abs() <= 1e-12 * read.abs();
                    assert!(close, "{name}: {cell} is not {number}");
                }
            }
        }
    }
    let told = |spec: usize| {
        let of = &json[spec];
        [&of["ratio"], &of["verdict"], &of["reason"]].map(|v| v.as_str().unwrap_or("-").to_owned())
    };
    let not_above_zero = ["-", "-", "a figure that is not above zero"];
    assert_eq!(told(0), not_above_zero);
    assert_eq!(told(1), not_above_zero);
    assert_eq!(
        told(2)[1..],
        ["ambiguous", "too few samples for an interval"]
    );
}

#[test]
fn the_margin_decides_what_is_the_same() {
    let bench = Bench::new();
    let near = |row: Row| {
        with(row, |row| {
            for figure in [
                &mut row.useful_gb_per_s,
                &mut row.useful_low_gb_per_s,
                &mut row.useful_high_gb_per_s,
            ] {
                *figure = figure.map(|figure| figure * 1.04);
            }
        })
    };
    let base = bench.run("Old GPU", stride_sweep());
    let run = bench.run("New GPU", stride_sweep().into_iter().map(near).collect());
    let verdicts = |margin: &str| {
        let arguments = ["--format", "csv", "--margin", margin];
        let mut command = bench.compare(&[&base, &run], &arguments);
        let csv = text(&command.assert().success().get_output().stdout);
        [",same,", ",faster,", ",ambiguous,"].map(|word| csv.matches(word).count())
    };
    assert_eq!(verdicts("8"), [37, 0, 0]);
    assert_eq!(verdicts("5"), [0, 37, 0]);
}

#[test]
fn the_committed_runs_can_be_compared() {
    let bench = Bench::new();
    let folders = COMMITTED.map(|folder| fs::canonicalize(folder).expect("a committed run"));
    let mut command = bench.compare(&[&folders[0], &folders[1]], &["--format", "csv"]);
    let assert = command.assert().success();
    let csv = text(&assert.get_output().stdout);
    // 37 strides and sets of 256 KiB to 1 GiB are in both.
    for (suite, cases) in [("stride", 37), ("working-set", 13)] {
        let lines = csv
            .lines()
            .filter(|line| line.starts_with(&format!("{suite},")));
        assert_eq!(lines.count(), cases, "{suite}");
    }
}

#[test]
fn shares_are_of_the_bandwidth_that_the_chart_names() {
    let bench = Bench::new();
    let folders = COMMITTED.map(|folder| fs::canonicalize(folder).expect("a committed run"));
    let mut command = bench.compare(&[&folders[0], &folders[1]], &["--format", "json"]);
    let stdout = text(&command.assert().success().get_output().stdout);
    let json: Vec<Value> = serde_json::from_str(&stdout).expect("an array");
    let swept: Vec<&Value> = json.iter().filter(|of| of["suite"] == "stride").collect();
    assert_eq!(swept.len(), 37);
    for of in swept {
        let [useful, fetch, share] = ["useful_gb_per_s", "fetch_gb_per_s", "share_percent"]
            .map(|key| of[key].as_f64().expect("a number"));
        assert!((share - useful / fetch * 100.0).abs() < 1e-9, "{of}");
    }
    let chart = bench.out.path().join("compare/compare-stride-share.svg");
    let chart = fs::read_to_string(chart).expect("a chart");
    for key in ["base_fetch_gb_per_s", "fetch_gb_per_s"] {
        let fetch = json[0][key].as_f64().expect("a number");
        assert!(chart.contains(&format!("B = {} GB/s", significant(fetch))));
    }
}

#[test]
fn one_bad_run_does_not_hide_the_others_but_the_base_has_to_be_there() {
    let bench = Bench::new();
    let runs = [
        bench.run("Old GPU", base_rows()),
        bench.run("New GPU", other_rows()),
    ];
    let missing = bench.out.path().join("missing");
    let assert = bench
        .compare(&[&runs[0], &missing, &runs[1]], &["--format", "csv"])
        .assert()
        .code(1);
    let output = assert.get_output();
    assert_eq!(text(&output.stdout).lines().count(), 7);
    assert!(text(&output.stderr).contains("'missing' does not exist"));
    for runs in [
        [&missing, &runs[0], &runs[1]],
        [&runs[0], &missing, &missing],
    ] {
        let runs = runs.map(PathBuf::as_path);
        bench.compare(&runs, &[]).assert().code(1).stdout("");
    }
}

#[test]
fn charts_go_to_the_folder_named_and_never_into_a_run() {
    let bench = Bench::new();
    let runs = [
        bench.run("Old GPU", base_rows()),
        bench.run("New GPU", other_rows()),
    ];
    let before = fs::read_dir(&runs[1]).expect("a run").count();
    let compare = |out: &str| bench.compare(&[&runs[0], &runs[1]], &["--out", out]);
    compare("new/charts").assert().success();
    let file = |name: &str| fs::read(bench.out.path().join("new/charts").join(name));
    assert!(
        file("compare-stride.svg")
            .expect("a chart")
            .starts_with(b"<svg")
    );
    assert!(
        file("compare-stride-share.png")
            .expect("a chart")
            .starts_with(b"\x89PNG")
    );
    for out in [
        "new-gpu/now",
        "old-gpu/../new-gpu/now",
        "new-gpu/now/charts",
        "old-gpu/now/new/folder",
    ] {
        let assert = compare(out).assert().code(2).stdout("");
        let said = text(&assert.get_output().stderr);
        assert!(said.contains("is the folder of a run"), "{said}");
    }
    assert_eq!(fs::read_dir(&runs[1]).expect("a run").count(), before);
    // The figures are safe where the charts cannot be written.
    fs::write(bench.out.path().join("file"), "").expect("a file");
    let assert = compare("file/charts").assert().code(1);
    assert!(text(&assert.get_output().stdout).contains("faster"));
}

#[test]
fn fewer_than_two_runs_are_a_usage_error() {
    let bench = Bench::new();
    let run = bench.run("Old GPU", base_rows());
    for runs in [&[][..], &[run.as_path()]] {
        bench.compare(runs, &[]).assert().code(2).stdout("");
    }
    let margin = ["--margin", "nan"];
    bench.compare(&[&run, &run], &margin).assert().code(2);
}
