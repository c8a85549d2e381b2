//! The command on virtual GPUs, with every driver hidden: what it answers, what it writes, and what faults become.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use assert_cmd::Command;
use coalescope::record::{Row, RunCard, RunState, SampleRow, Status, TimingMethod, read_rows};
use tempfile::TempDir;

/// The command, to which no driver is there.
fn coalescope(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("coalescope").expect("the command is built");
    command
        .args(arguments)
        .env("VK_DRIVER_FILES", "/nonexistent.json")
        .env("VK_ICD_FILENAMES", "/nonexistent.json")
        .env("LIBGL_DRIVERS_PATH", "/nonexistent")
        .env("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent");
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[track_caller]
fn output(arguments: &[&str], code: i32) -> Output {
    let output = coalescope(arguments).output().expect("it starts");
    assert_eq!(
        output.status.code(),
        Some(code),
        "{arguments:?}\n{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    output
}

/// A run that left a folder.
struct Run {
    folder: PathBuf,
    stderr: String,
    rows: Vec<Row>,
    card: RunCard,
}

/// Runs into `out` on the virtual GPU `device`.
#[track_caller]
fn run(out: &TempDir, device: &str, arguments: &[&str], code: i32) -> Run {
    let path = out.path().to_str().expect("UTF-8");
    let fixed = ["run", "--adapter", device, "--out", path];
    let output = output(&[&fixed, arguments].concat(), code);
    let stderr = text(&output.stderr);
    let folder = stderr
        .lines()
        .find_map(|line| line.strip_prefix("writing to "));
    let folder = PathBuf::from(folder.expect("a folder"));
    let card = fs::read(folder.join("run.json")).expect("run.json");
    Run {
        rows: read_rows(&folder.join("measurements.csv")).expect("readable rows"),
        card: serde_json::from_slice(&card).expect("a card"),
        folder,
        stderr,
    }
}

/// The files of a folder whose bytes depend on the command alone.
fn repeatable_files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let files = fs::read_dir(folder).expect("a folder");
    files
        .map(|file| file.expect("an entry").path())
        .filter(|path| !path.ends_with("run.json"))
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy();
            (name.into_owned(), fs::read(&path).expect("readable"))
        })
        .collect()
}

fn samples(folder: &Path) -> Vec<SampleRow> {
    let mut reader = csv::Reader::from_path(folder.join("samples.csv")).expect("samples");
    let rows = reader.deserialize().collect::<Result<_, _>>();
    rows.expect("readable samples")
}

const SHORT: [&str; 4] = ["stride", "--samples", "12", "--axis"];

/// A short sweep: enough strides for a plateau.
fn short<'a>(more: &[&'a str]) -> Vec<&'a str> {
    [&SHORT[..], &["stride=1,2,4,8,16,32"], more].concat()
}

#[test]
fn the_same_command_leaves_the_same_bytes() {
    let out = TempDir::new().expect("a folder");
    let once =
        || repeatable_files(&run(&out, "virtual:seed=1", &["quick", "--samples", "12"], 0).folder);
    let first = once();
    let names: Vec<&String> = first.keys().collect();
    assert!(names.iter().any(|name| *name == "samples.csv"), "{names:?}");
    assert!(names.iter().filter(|name| name.ends_with(".svg")).count() >= 4);
    // Into a folder beside the first, in the same second or not.
    let second = once();
    for (name, content) in &first {
        assert!(Some(content) == second.get(name), "{name} differs");
    }
    assert_eq!(first.len(), second.len());
    for (name, content) in first.iter().filter(|(name, _)| name.ends_with(".svg")) {
        let svg = text(content);
        assert!(svg.contains("simulated"), "{name} is not marked");
    }
}

#[test]
fn another_seed_leaves_other_figures() {
    let out = TempDir::new().expect("a folder");
    let figures = |device| -> Vec<Option<f64>> {
        let rows = run(&out, device, &short(&[]), 0).rows;
        rows.iter().map(|row| row.useful_gb_per_s).collect()
    };
    assert_ne!(figures("virtual:seed=1"), figures("virtual:seed=2"));
}

#[test]
fn full_runs_to_its_end_on_several_families() {
    for device in ["virtual:nvidia-data-centre", "virtual:intel-integrated"] {
        let out = TempDir::new().expect("a folder");
        let run = run(
            &out,
            device,
            &["full", "--samples", "12", "--footprint", "256MiB"],
            0,
        );
        assert_eq!(run.card.state, RunState::Complete);
        assert!(run.rows.len() > 200);
        for row in &run.rows {
            assert!(row.simulated && !row.software, "{}", row.spec);
            assert_eq!(row.backend, "virtual");
            let faulty = [Status::Failed, Status::LoadsSuspect, Status::OverPeak];
            assert!(
                !faulty.contains(&row.status),
                "{}: {}",
                row.spec,
                row.reason
            );
        }
    }
}

#[test]
fn a_simulated_run_says_so_everywhere() {
    let out = TempDir::new().expect("a folder");
    let run = run(&out, "virtual:apple,noise=2%", &short(&[]), 0);
    for expected in [
        "SIMULATED: nothing is measured",
        "chosen because: asked for as 'virtual:apple,noise=2%'",
        "note: simulated: nothing was measured",
    ] {
        assert!(run.stderr.contains(expected), "{expected}\n{}", run.stderr);
    }
    assert!(run.card.adapter.is_simulated());
    assert_eq!(run.card.lanes, 32);
    assert_eq!(run.card.last_level_cache_bytes, Some(8 << 20));
    assert!(run.card.adapter.name.contains("apple"));
    assert!(run.card.started_utc.ends_with("UTC"));
    let svg = fs::read_to_string(run.folder.join("bandwidth-vs-stride.svg")).expect("a chart");
    assert!(!svg.contains(&run.card.started_utc), "a date in a chart");
    // Drawn again, it is the same.
    let folder = run.folder.to_str().expect("UTF-8");
    output(&["plot", folder], 0);
    let again = fs::read_to_string(run.folder.join("bandwidth-vs-stride.svg")).expect("a chart");
    assert!(svg == again, "the chart differs when drawn again");
}

#[test]
fn budgets_and_samples_are_counted_on_its_own_clock() {
    let out = TempDir::new().expect("a folder");
    let capped = run(&out, "virtual", &short(&["--target", "0"]), 0);
    assert!(capped.rows.iter().all(|row| row.samples == 12));
    let budget = [
        "stride",
        "--budget",
        "1",
        "--target",
        "0",
        "--samples",
        "100000",
    ];
    let budgeted = run(&out, "virtual", &budget, 0);
    assert!((1.0..1.3).contains(&budgeted.card.sampling_s));
    assert!(
        budgeted
            .rows
            .iter()
            .all(|row| (1..1000).contains(&row.samples))
    );
}

#[test]
fn a_lost_device_leaves_what_was_measured() {
    let out = TempDir::new().expect("a folder");
    let lost = run(&out, "virtual:lost=20", &short(&[]), 1);
    assert_eq!(lost.card.state, RunState::Stopped);
    assert!(lost.rows.iter().any(|row| row.status == Status::Failed));
    assert!(lost.rows.iter().any(|row| row.useful_gb_per_s.is_some()));
    assert!(!samples(&lost.folder).is_empty());
}

#[test]
fn loads_that_are_left_out_are_never_figures() {
    let out = TempDir::new().expect("a folder");
    let run = run(&out, "virtual:skip-loads=stride:4", &short(&[]), 1);
    for row in &run.rows {
        let is_hit = row.spec == "stride:4";
        assert_eq!(row.status == Status::Failed, is_hit, "{}", row.spec);
        assert_eq!(row.useful_gb_per_s.is_none(), is_hit, "{}", row.spec);
        assert_eq!(row.checksum, if is_hit { "wrong" } else { "exact" });
    }
}

#[test]
fn clocks_that_lie_hand_over_to_the_host() {
    for clock in ["none", "zero", "backward", "wrapped", "longer"] {
        let out = TempDir::new().expect("a folder");
        let run = run(&out, &format!("virtual:clock={clock}"), &short(&[]), 0);
        assert!(
            run.stderr.contains("note: timed by the host's clock"),
            "{clock}: {}",
            run.stderr
        );
        let by_host = |row: &Row| row.timing_method == Some(TimingMethod::HostClock);
        assert!(run.rows.iter().all(by_host), "{clock}");
    }
}

#[test]
fn memory_that_is_not_there_is_refused_as_a_card_refuses_it() {
    let out = TempDir::new().expect("a folder");
    // Nobody asked for 1 GiB, so less is tried.
    let halved = run(&out, "virtual:memory=700MiB", &short(&[]), 0);
    assert!(
        halved
            .stderr
            .contains("the adapter refuses 1GiB; trying 512MiB")
    );
    assert_eq!(halved.card.footprint.total_bytes(), 512 << 20);
    let path = out.path().to_str().expect("UTF-8");
    let asked = [
        "run",
        "--adapter",
        "virtual:memory=700MiB",
        "--footprint",
        "1GiB",
        "--out",
        path,
    ];
    let refused = text(&output(&asked, 1).stderr);
    assert!(refused.contains("the adapter refused"), "{refused}");
    assert!(refused.contains("try a smaller --footprint"), "{refused}");
}

#[test]
fn verify_proves_a_good_one_and_not_one_that_skips() {
    let footprint = ["--footprint", "8MiB", "--format", "csv"];
    let words = |device, code| {
        let csv = output(
            &[&["verify", "--adapter", device], &footprint[..]].concat(),
            code,
        );
        let mut reader = csv::Reader::from_reader(&csv.stdout[..]);
        let at = reader
            .headers()
            .expect("a header")
            .iter()
            .position(|name| name == "status");
        let records = reader
            .into_records()
            .map(|record| record.expect("a record"));
        records
            .map(|record| record[at.expect("a status")].to_owned())
            .collect::<Vec<String>>()
    };
    let good = words("virtual", 0);
    assert!(good.iter().any(|word| word == "exact"));
    assert!(good.iter().all(|word| word == "exact" || word == "skipped"));
    let bad = words("virtual:skip-loads", 1);
    assert!(bad.iter().any(|word| word == "wrong"));
    assert!(bad.iter().all(|word| word == "wrong" || word == "skipped"));
}

#[test]
fn what_cannot_be_meant_is_refused_with_a_reason() {
    let on = |arguments: &[&str], code| text(&output(&[&["run"], arguments].concat(), code).stderr);
    for (arguments, code, expected) in [
        (
            &["--adapter", "virtual:nose=3%"][..],
            2,
            "nearest valid: virtual:noise=3%",
        ),
        (
            &["--adapter", "virtual", "--backend", "vulkan"],
            2,
            "--adapter virtual is not behind --backend vulkan",
        ),
        (
            &["--adapter", "llvmpipe", "--backend", "virtual"],
            2,
            "'llvmpipe' is not behind --backend virtual",
        ),
        (
            &["--adapter", "virtual", "--require-hardware"],
            1,
            "--require-hardware: 'virtual' is a model, not hardware",
        ),
        (
            &["--adapter", "virtual", "--lanes", "2000"],
            2,
            "more than the 1024",
        ),
    ] {
        let told = on(arguments, code);
        assert!(told.contains(expected), "{told}");
    }
}

#[test]
fn the_backend_alone_is_enough_and_lanes_can_be_replaced() {
    let out = TempDir::new().expect("a folder");
    let path = out.path().to_str().expect("UTF-8");
    let arguments = [
        "run",
        "--backend",
        "virtual",
        "--out",
        path,
        "--lanes",
        "8",
        "--samples",
        "3",
    ];
    let stderr = text(&output(&[&arguments[..], &["--pattern", "stride:1"]].concat(), 0).stderr);
    assert!(stderr.contains("asked for as 'virtual'"), "{stderr}");
}

#[test]
fn presets_and_keys_are_listed_without_a_driver() {
    let csv = text(&output(&["adapters", "--virtual", "--format", "csv"], 0).stdout);
    assert!(csv.starts_with("kind,name,value,meaning\n"), "{csv}");
    let table = text(&output(&["adapters", "--virtual"], 0).stdout);
    for word in [
        "nvidia-data-centre",
        "cpu-driver",
        "granule=64B",
        "skip-loads",
    ] {
        assert!(table.contains(word), "{table}");
    }
    let nothing = text(&output(&["adapters"], 1).stderr);
    assert!(nothing.contains("--adapter virtual"), "{nothing}");
}
