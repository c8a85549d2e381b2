//! docs/FORMAT.md and the files that it describes name the same columns, keys and words.
//!
//! Each column or key is named in backticks at the start of a row of a table, `` | `column` | ... ``, below the heading
//! of its file; each word at the start of an item of *Words*.

#[path = "common/card.rs"]
mod card;

use std::fs;

use assert_cmd::Command;
use coalescope::executor::AdapterKind;
use coalescope::record::{
    Row, RunCard, RunState, SCHEMA_VERSION, SampleRow, Status, StopReason, TimingMethod,
};
use coalescope::sweep::{ClockFault, Overheads};
use serde::Serialize;
use serde_json::Value;

/// The lines of docs/FORMAT.md below the heading `title`.
fn section(title: &str) -> Vec<String> {
    let text = fs::read_to_string("docs/FORMAT.md").expect("docs/FORMAT.md describes the files");
    let heading = format!("## {title}");
    let lines: Vec<String> = text
        .lines()
        .skip_while(|line| *line != heading)
        .skip(1)
        .take_while(|line| !line.starts_with("## "))
        .map(str::to_owned)
        .collect();
    assert!(
        !lines.is_empty(),
        "docs/FORMAT.md has no section '{heading}'"
    );
    lines
}

/// The names that begin the table rows of a section, in order.
fn documented(title: &str) -> Vec<String> {
    let row = |line: &String| {
        let (name, _) = line.strip_prefix("| `")?.split_once('`')?;
        Some(name.to_owned())
    };
    section(title).iter().filter_map(row).collect()
}

#[track_caller]
fn assert_documented(title: &str, written: &[String]) {
    let documented = documented(title);
    let missing: Vec<_> = written
        .iter()
        .filter(|name| !documented.contains(name))
        .collect();
    let invented: Vec<_> = documented
        .iter()
        .filter(|name| !written.contains(name))
        .collect();
    assert!(
        missing.is_empty() && invented.is_empty(),
        "{title}: not described {missing:?}; described, but not written {invented:?}"
    );
    assert_eq!(documented, written, "{title}: the order differs");
}

/// The header of what a command prints as CSV.
fn header_of_command(arguments: &[&str]) -> Vec<String> {
    let mut command = Command::cargo_bin("coalescope").expect("the command is built");
    let output = command
        .args(arguments)
        .args(["--format", "csv"])
        .output()
        .expect("it starts");
    header(&output.stdout)
}

fn header(csv: &[u8]) -> Vec<String> {
    let mut reader = csv::Reader::from_reader(csv);
    let header = reader.headers().expect("a header");
    header.iter().map(str::to_owned).collect()
}

/// Keys of an object, those of objects within it behind a dot.
fn keys(value: &Value, within: &str) -> Vec<String> {
    let Some(object) = value.as_object() else {
        return Vec::new();
    };
    object
        .iter()
        .flat_map(|(key, value)| {
            let key = format!("{within}{key}");
            let inner = keys(value, &format!("{key}."));
            [vec![key], inner].concat()
        })
        .collect()
}

#[test]
fn every_column_of_measurements_is_described() {
    assert_documented("measurements.csv", &Row::columns());
}

#[test]
fn every_column_of_samples_is_described() {
    let sample = SampleRow {
        schema_version: SCHEMA_VERSION,
        spec: String::new(),
        is_reference: false,
        order: 0,
        round: 0,
        first_slice: 0,
        first_phase: 0,
        dispatches: 0,
        bytes_fetched_since: None,
        bytes_used: 0,
        device_ns: None,
        host_ns: 0,
        clock_fault: None,
        working_set_bytes: None,
    };
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.serialize(sample).expect("a row");
    let text = writer.into_inner().expect("bytes");
    assert_documented("samples.csv", &header(&text));
}

#[test]
fn every_key_of_the_card_is_described() {
    let card = RunCard {
        overheads: Some(Overheads {
            index_arithmetic_percent: 0.0,
            runtime_checks_percent: 0.0,
        }),
        ..card::blank()
    };
    let card = serde_json::to_value(card).expect("JSON");
    assert_documented("run.json", &keys(&card, ""));
}

#[test]
fn every_column_of_predict_is_described() {
    assert_documented("predict", &header_of_command(&["predict", "stride:2"]));
}

#[test]
fn every_column_of_verify_is_described() {
    let arguments = ["verify", "--footprint", "1MiB"];
    assert_documented("verify", &header_of_command(&arguments));
}

#[test]
fn every_column_of_compare_is_described() {
    let run = "results/llvmpipe-llvm-15-0-6-256-bits/2026-11-30T12-20-22Z";
    let charts = concat!(env!("CARGO_TARGET_TMPDIR"), "/compare-of-format");
    let arguments = ["compare", run, run, "--out", charts];
    assert_documented("compare", &header_of_command(&arguments));
}

#[test]
fn every_column_of_adapters_and_list_is_named() {
    let text = section("adapters and list").join("\n");
    for arguments in [["adapters"], ["list"]] {
        for column in header_of_command(&arguments) {
            assert!(
                text.contains(&format!("`{column}`")),
                "{arguments:?}: {column} is not named"
            );
        }
    }
}

/// The words that begin the items below `` `column`: `` in the section of words.
fn documented_words(column: &str) -> Vec<String> {
    let start = format!("`{column}`:");
    let mut words = Vec::new();
    let lines = section("Words");
    let items = lines
        .iter()
        .skip_while(|line| **line != start)
        .skip(1)
        .take_while(|line| !line.starts_with('`'));
    for item in items.filter_map(|line| line.strip_prefix("- ")) {
        let (named, _) = item.split_once(':').expect("a word and its meaning");
        words.extend(named.split('`').skip(1).step_by(2).map(str::to_owned));
    }
    words.sort();
    words
}

#[track_caller]
fn assert_words<T: Serialize>(column: &str, values: &[T]) {
    let word = |value: &T| {
        let value = serde_json::to_value(value).expect("JSON");
        value.as_str().expect("a word").to_owned()
    };
    let mut written: Vec<String> = values.iter().map(word).collect();
    written.sort();
    assert_eq!(documented_words(column), written, "words of {column}");
}

#[test]
fn every_word_is_described() {
    assert_words(
        "status",
        &[
            Status::Ok,
            Status::Skipped,
            Status::Failed,
            Status::LoadsSuspect,
            Status::CacheResident,
            Status::LaunchBound,
            Status::OverPeak,
            Status::Noisy,
        ],
    );
    assert_words(
        "stop_reason",
        &[
            StopReason::Pending,
            StopReason::Converged,
            StopReason::Budget,
            StopReason::SampleCap,
            StopReason::Interrupted,
            StopReason::NotSampled,
        ],
    );
    assert_words(
        "timing_method",
        &[TimingMethod::PassTimestamps, TimingMethod::HostClock],
    );
    assert_words(
        "clock_fault",
        &[
            ClockFault::Missing,
            ClockFault::Zero,
            ClockFault::Equal,
            ClockFault::Backward,
            ClockFault::LongerThanWall,
        ],
    );
    assert_words(
        "state",
        &[RunState::Incomplete, RunState::Stopped, RunState::Complete],
    );
    assert_words(
        "adapter_kind",
        &[
            AdapterKind::Discrete,
            AdapterKind::Integrated,
            AdapterKind::Virtual,
            AdapterKind::Software,
            AdapterKind::Other,
            AdapterKind::Simulated,
        ],
    );
}
