//! The command `plot`: what it writes, and how it refuses what is no run.

#[path = "common/rows.rs"]
mod rows;

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use coalescope::record::{Folder, Row};
use rows::{offset_sweep, stride_sweep, struct_sweep, working_set, working_set_sweep};
use tempfile::TempDir;

const CHARTS: [&str; 4] = [
    "bandwidth-vs-stride",
    "bandwidth-vs-offset",
    "bandwidth-vs-struct",
    "bandwidth-vs-working-set",
];

fn plot(arguments: &[&Path]) -> Command {
    let mut command = Command::cargo_bin("coalescope").expect("the command is built");
    command.arg("plot").args(arguments);
    command
}

/// The folder of a run with these rows, and a `run.json` that knows nothing but the date and the cache.
fn run_folder(rows: &[Row]) -> (TempDir, PathBuf) {
    let out = tempfile::tempdir().expect("a folder for the test");
    let folder = Folder::create(out.path(), "made-up GPU", "now").expect("a run");
    folder.write_rows(rows).expect("rows");
    let card = r#"{"started_utc": "2026-03-01 12:00:00 UTC", "of_a_later_version": [], "last_level_cache_bytes": 100663296}"#;
    folder.write("run.json", card.as_bytes()).expect("run.json");
    let path = folder.path().to_owned();
    (out, path)
}

fn all_rows() -> Vec<Row> {
    let sets = [working_set_sweep(), vec![working_set(3 << 29, Some(21.0))]].concat();
    [stride_sweep(), offset_sweep(), struct_sweep(), sets].concat()
}

/// What a refused command says; nothing goes to stdout.
fn refusal(arguments: &[&Path], code: i32) -> String {
    let assert = plot(arguments).assert().code(code).stdout("");
    String::from_utf8(assert.get_output().stderr.clone()).expect("text")
}

/// The paths that a command prints; all of them are files of their kind.
fn written(arguments: &[&Path]) -> Vec<PathBuf> {
    let output = plot(arguments).assert().success().get_output().clone();
    let paths = String::from_utf8(output.stdout).expect("text");
    let paths: Vec<PathBuf> = paths.lines().map(PathBuf::from).collect();
    for path in &paths {
        let content = fs::read(path).expect("a chart");
        let start: &[u8] = match path.extension().and_then(|ending| ending.to_str()) {
            Some("png") => b"\x89PNG",
            _ => b"<svg",
        };
        assert!(content.starts_with(start), "{}", path.display());
    }
    paths
}

#[test]
fn charts_are_written_into_the_run_and_their_paths_printed() {
    let (_out, run) = run_folder(&all_rows());
    let expected: Vec<PathBuf> = CHARTS
        .iter()
        .flat_map(|name| ["svg", "png"].map(|ending| run.join(format!("{name}.{ending}"))))
        .collect();
    assert_eq!(written(&[&run]), expected);
    let svg = fs::read(&expected[0]).expect("a chart");
    assert!(String::from_utf8_lossy(&svg).contains("2026-03-01 12:00:00 UTC"));
    let sets = fs::read_to_string(&expected[6]).expect("a chart");
    assert!(sets.contains("last-level cache, as the"), "{sets}");
    // Drawn again, the same.
    written(&[&run]);
    assert_eq!(fs::read(&expected[0]).expect("a chart"), svg);
}

#[test]
fn out_takes_the_charts_of_one_run() {
    let (out, run) = run_folder(&stride_sweep());
    let elsewhere = out.path().join("new/charts");
    let files = written(&[&run, Path::new("--out"), &elsewhere]);
    assert_eq!(files[0], elsewhere.join("bandwidth-vs-stride.svg"));
    assert!(!run.join("bandwidth-vs-stride.svg").exists());
    let text = refusal(&[&run, &run, Path::new("--out"), &elsewhere], 2);
    assert!(text.contains("--out takes the charts of one RUN"), "{text}");
}

#[test]
fn a_run_without_a_readable_card_is_drawn_without_a_date() {
    let (_out, run) = run_folder(&stride_sweep());
    fs::write(run.join("run.json"), "{").expect("a broken card");
    let assert = plot(&[&run]).assert().success();
    let text = String::from_utf8_lossy(&assert.get_output().stderr).into_owned();
    assert!(text.contains("run.json' cannot be read"), "{text}");
}

#[test]
fn what_is_no_run_is_refused_with_its_reason() {
    let (out, run) = run_folder(&[]);
    let missing = out.path().join("missing");
    let measurements = run.join("measurements.csv");
    let said = |folder: &Path, reason: &str| {
        let text = refusal(&[folder], 1);
        assert!(text.contains(reason), "'{reason}' is not in {text}");
        assert!(text.contains(&*folder.to_string_lossy()), "{text}");
    };
    said(&missing, "does not exist");
    said(out.path(), "holds no measurements.csv");
    said(&measurements, "is not the folder of a run");
    said(&run, "has no rows yet");
    fs::write(&measurements, "schema_version,suite\n1,stride\n").expect("a file");
    said(&run, "cannot read the rows");
    fs::write(&measurements, b"schema_version,suite\n\xff,\xfe\n").expect("a file");
    said(&run, "cannot read the rows");

    let of = |change: fn(&mut Row)| {
        let mut rows = stride_sweep();
        rows.iter_mut().for_each(change);
        run_folder(&rows)
    };
    let (_out, later) = of(|row| row.schema_version = 99);
    said(&later, "schema version 99");
    let (_out, custom) = of(|row| row.suite = "custom".to_owned());
    said(&custom, "no row of a suite that has a chart");
}

#[test]
fn one_bad_run_does_not_hide_the_others() {
    let (out, run) = run_folder(&stride_sweep());
    let assert = plot(&[&out.path().join("missing"), &run]).assert().code(1);
    let text = String::from_utf8_lossy(&assert.get_output().stdout).into_owned();
    assert_eq!(text.lines().count(), 2, "{text}");
}

#[test]
fn no_run_at_all_is_a_usage_error() {
    assert!(refusal(&[], 2).contains("<RUN>..."));
}
