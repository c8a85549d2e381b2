//! The command from outside: exit statuses, what goes to which stream, and the folder that a run leaves.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Output, Stdio};

use assert_cmd::Command;
use coalescope::record::{
    Row, RunCard, RunState, SampleRow, Status, StopReason, TimingMethod, read_rows,
};
use coalescope::stats::{median, plateau};
use coalescope::units::significant;
use serde_json::Value;
use tempfile::TempDir;

const SWIFTSHADER: &str = "/usr/lib/chromium/vk_swiftshader_icd.json";

fn coalescope(arguments: &[&str]) -> Command {
    let mut command = Command::cargo_bin("coalescope").expect("the command is built");
    command.args(arguments);
    command
}

fn output(arguments: &[&str]) -> Output {
    coalescope(arguments).output().expect("it starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[track_caller]
fn assert_code(output: &Output, code: i32) {
    assert_eq!(
        output.status.code(),
        Some(code),
        "stdout:\n{}\nstderr:\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}

/// The output of a command that needs an adapter and succeeds.
#[track_caller]
fn on_an_adapter(arguments: &[&str]) -> Output {
    on_an_adapter_to(0, arguments)
}

/// The output of a command that needs an adapter and ends with `code`.
#[track_caller]
fn on_an_adapter_to(code: i32, arguments: &[&str]) -> Output {
    let output = output(arguments);
    let stderr = text(&output.stderr);
    assert!(
        !stderr.contains("no adapter was found"),
        "the command is tested on a real driver; run scripts/ensure-vulkan.sh, which installs a software one\n{stderr}"
    );
    assert_code(&output, code);
    output
}

/// stderr of a command that is refused with `code`, prints nothing on stdout and does not panic.
#[track_caller]
fn refusal(command: &mut Command, code: i32) -> String {
    let output = command.output().expect("it starts");
    assert_code(&output, code);
    assert_eq!(text(&output.stdout), "");
    let stderr = text(&output.stderr);
    assert!(stderr.contains("error: "), "{stderr}");
    assert!(
        !stderr.contains("panicked") && !stderr.contains("RUST_BACKTRACE"),
        "{stderr}"
    );
    stderr
}

fn adapters(arguments: &[&str]) -> Vec<Value> {
    let output = output(&[&["adapters", "--format", "json"], arguments].concat());
    match output.status.code() {
        Some(0) => serde_json::from_slice(&output.stdout).expect("a JSON array"),
        _ => Vec::new(),
    }
}

// --- adapters

#[test]
fn adapters_are_listed_alike_in_every_format() {
    let table = text(&on_an_adapter(&["adapters"]).stdout);
    let csv = on_an_adapter(&["adapters", "--format", "csv"]).stdout;
    let json = adapters(&[]);
    let mut reader = csv::Reader::from_reader(&csv[..]);
    let header = reader.headers().expect("a header").clone();
    let records: Vec<_> = reader
        .records()
        .collect::<Result<_, _>>()
        .expect("valid CSV");
    assert_eq!(records.len(), json.len());
    assert!(!json.is_empty());
    for (record, object) in records.iter().zip(&json) {
        let keys: Vec<&String> = object.as_object().expect("an object").keys().collect();
        assert!(header.iter().eq(keys), "CSV and JSON name other columns");
        for (column, cell) in header.iter().zip(record) {
            let value = &object[column];
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            assert_eq!(cell, value, "{column}");
        }
        assert!(table.contains(object["name"].as_str().expect("a name")));
    }
    assert!(
        json.iter()
            .enumerate()
            .all(|(place, object)| object["index"] == place)
    );
}

/// Hides every driver from a command: Vulkan's by its loader, GL's by Mesa's and glvnd's.
fn without_drivers(command: &mut Command) -> &mut Command {
    command
        .env("VK_DRIVER_FILES", "/nonexistent.json")
        .env("VK_ICD_FILENAMES", "/nonexistent.json")
        .env("LIBGL_DRIVERS_PATH", "/nonexistent")
        .env("__EGL_VENDOR_LIBRARY_FILENAMES", "/nonexistent")
}

#[cfg(target_os = "linux")]
#[test]
fn without_any_adapter_one_message_says_what_was_tried_and_what_to_install() {
    let out = TempDir::new().expect("a folder");
    let out_path = out.path().to_str().expect("UTF-8");
    let verbs: [&[&str]; 4] = [
        &["adapters"],
        &["verify"],
        &["run", "quick", "--out", out_path],
        &[
            "run",
            "--pattern",
            "stride:1",
            "--require-hardware",
            "--out",
            out_path,
        ],
    ];
    for verb in verbs {
        for (backend, tried) in [
            (&["--backend", "vulkan"][..], "(tried vulkan)"),
            (&[][..], "(tried vulkan, metal, dx12, gl)"),
        ] {
            let mut command = coalescope(&[verb, backend].concat());
            let stderr = refusal(without_drivers(&mut command), 1);
            assert_eq!(
                stderr.matches("error: no adapter was found").count(),
                1,
                "{stderr}"
            );
            assert!(stderr.contains(tried), "{stderr}");
            assert!(stderr.contains("mesa-vulkan-drivers"), "{stderr}");
        }
    }
    let left: Vec<_> = fs::read_dir(out.path()).expect("a folder").collect();
    assert!(left.is_empty(), "a run without an adapter left {left:?}");
}

#[test]
fn software_is_refused_where_hardware_is_required() {
    let found = adapters(&["--backend", "vulkan"]);
    assert!(!found.is_empty(), "run scripts/ensure-vulkan.sh");
    let Some(software) = found.iter().find(|adapter| adapter["kind"] == "software") else {
        println!("no software adapter here to refuse");
        return;
    };
    let index = software["index"].to_string();
    for verb in ["run", "verify"] {
        let arguments = [
            verb,
            "--backend",
            "vulkan",
            "--adapter",
            &index,
            "--require-hardware",
        ];
        let stderr = refusal(&mut coalescope(&arguments), 1);
        assert!(stderr.contains("--require-hardware"), "{stderr}");
    }
}

// --- usage

#[test]
fn what_cannot_be_meant_is_a_usage_error_that_says_what_could() {
    let cases: [(&[&str], &[&str]); 20] = [
        (
            &["run", "strides"],
            &[
                "'strides'",
                "stride, offset, order, struct, matrix, mixed, width, working-set, store, gather, quick, full",
            ],
        ),
        (
            &["run", "--adapter", "no such card"],
            &["no adapter is 'no such card'", "  0: "],
        ),
        (&["run", "--adapter", "999"], &["no adapter is '999'"]),
        (
            &["run", "--backend", "opencl"],
            &["'opencl'", "vulkan, metal, dx12 or gl"],
        ),
        (
            &["run", "--pattern", "strid:2"],
            &["'strid:2'", "nearest valid: stride:2"],
        ),
        (
            &["run", "--pattern", "stride:2,layout=loose"],
            &["column", "packed"],
        ),
        (
            &["run", "--pattern", "@no-such-file.json"],
            &["'@no-such-file.json'", "cannot open the file"],
        ),
        (
            &["run", "--axis", "strid=1"],
            &[
                "'strid'",
                "stride, offset, struct, matrix, element, working-set",
            ],
        ),
        (
            &["run", "order", "--axis", "stride=1"],
            &["'stride'", "none of them has an axis"],
        ),
        (
            &["run", "--pattern", "stride:1", "--axis", "stride=1"],
            &["'stride'", "none of them has an axis"],
        ),
        (
            &["run", "gather", "--axis", "stride=1,-4"],
            &["'gather'", "'UNIFORM:256:-4:NR,element=8B'"],
        ),
        (
            &["run", "stride", "--axis", "stride=4:1"],
            &["'stride=4:1'", "nearest valid: stride=4:4"],
        ),
        (&["run", "--footprint", "1,5GiB"], &["'1,5GiB'", "1.5GiB"]),
        (&["run", "--footprint", "64"], &["'64'", "64MiB"]),
        (
            &["run", "--footprint", "4KiB"],
            &["4KiB", "too small", "64KiB"],
        ),
        (&["run", "--footprint", "17GiB"], &["17GiB", "16GiB"]),
        (&["run", "--budget=-1"], &["--budget -1"]),
        (&["run", "--budget", "nan"], &["--budget"]),
        (&["run", "--lanes", "0"], &["--lanes"]),
        (&["measure"], &["--help"]),
    ];
    let out = TempDir::new().expect("a folder");
    for (arguments, expected) in cases {
        let stderr = refusal(coalescope(arguments).current_dir(out.path()), 2);
        for part in expected {
            assert!(
                stderr.contains(part),
                "{arguments:?} does not say '{part}':\n{stderr}"
            );
        }
    }
    let left: Vec<_> = fs::read_dir(out.path()).expect("a folder").collect();
    assert!(left.is_empty(), "refused commands left {left:?}");
}

#[test]
fn list_names_every_suite_with_its_question_in_every_format() {
    let table = text(&output(&["list"]).stdout);
    let csv = output(&["list", "--format", "csv"]).stdout;
    let json: Vec<Value> =
        serde_json::from_slice(&output(&["list", "--format", "json"]).stdout).expect("JSON");
    let mut reader = csv::Reader::from_reader(&csv[..]);
    assert_eq!(
        reader.headers().expect("a header"),
        &csv::StringRecord::from(vec!["suite", "groups", "cases", "question", "specs"])
    );
    let records: Vec<_> = reader
        .records()
        .collect::<Result<_, _>>()
        .expect("valid CSV");
    assert_eq!(records.len(), json.len());
    for (record, object) in records.iter().zip(&json) {
        let suite = object["suite"].as_str().expect("a name");
        assert_eq!(&record[0], suite);
        assert!(table.contains(suite) && table.contains(&record[3]));
        let specs = record[4].split(' ').count();
        if suite == "working-set" {
            // One spec over many sizes.
            assert_eq!((specs, &object["cases"]), (1, &17.into()));
        } else {
            assert_eq!(object["cases"], specs);
        }
    }
    let names: Vec<&str> = json
        .iter()
        .filter_map(|object| object["suite"].as_str())
        .collect();
    let full = [
        "stride",
        "offset",
        "order",
        "struct",
        "matrix",
        "mixed",
        "width",
        "working-set",
        "store",
        "gather",
    ];
    assert_eq!(names, full);
}

// --- run

/// A run into a folder of its own, and what it left there.
struct Run {
    output: Output,
    folder: PathBuf,
    rows: Vec<Row>,
    card: RunCard,
    _out: TempDir,
}

impl Run {
    #[track_caller]
    fn row(&self, spec: &str) -> &Row {
        let found = self.rows.iter().find(|row| row.spec == spec);
        found.unwrap_or_else(|| panic!("no row of {spec}"))
    }
}

#[track_caller]
fn run(arguments: &[&str]) -> Run {
    run_over("64MiB", arguments, 0)
}

/// A run over `footprint` that ends with `code`.
#[track_caller]
fn run_over(footprint: &str, arguments: &[&str], code: i32) -> Run {
    let out = TempDir::new().expect("a folder");
    let path = out.path().join("made/if/missing");
    let common = [
        "--footprint",
        footprint,
        "--out",
        path.to_str().expect("UTF-8"),
    ];
    let output = on_an_adapter_to(code, &[&["run"], arguments, &common].concat());
    let folder = only_entry(&only_entry(&path));
    let rows = read_rows(&folder.join("measurements.csv")).expect("rows");
    let card = fs::read(folder.join("run.json")).expect("a card");
    Run {
        output,
        rows,
        card: serde_json::from_slice(&card).expect("a card"),
        folder,
        _out: out,
    }
}

fn only_entry(folder: &Path) -> PathBuf {
    let entries: Vec<_> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    assert_eq!(entries.len(), 1, "{entries:?}");
    entries[0].clone()
}

fn file_names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> = entries
        .map(|entry| {
            entry
                .expect("an entry")
                .file_name()
                .to_string_lossy()
                .into_owned()
        })
        .collect();
    names.sort();
    names
}

/// Every cell of every CSV is finite, and no number of the card is missing where one is written.
fn assert_no_cell_is_infinite(folder: &Path) {
    for name in ["measurements.csv", "samples.csv"] {
        let mut reader = csv::Reader::from_path(folder.join(name)).expect("the file");
        let header = reader.headers().expect("a header").clone();
        for record in reader.records() {
            for (column, cell) in header
                .iter()
                .zip(&record.expect("as many cells as columns"))
            {
                if let Ok(number) = cell.parse::<f64>() {
                    assert!(number.is_finite(), "{column} of {name} is {cell}");
                }
            }
        }
    }
}

fn samples(folder: &Path) -> Vec<SampleRow> {
    let mut reader = csv::Reader::from_path(folder.join("samples.csv")).expect("the file");
    let rows = reader.deserialize().collect::<Result<_, _>>();
    rows.expect("sample rows")
}

/// GB/s of a sample by the clock of `method`.
fn rate(sample: &SampleRow, method: TimingMethod) -> Option<f64> {
    let ns = match method {
        TimingMethod::PassTimestamps => sample.device_ns?,
        TimingMethod::HostClock => sample.host_ns as f64,
    };
    Some(sample.bytes_used as f64 / ns)
}

#[test]
fn a_run_leaves_rows_samples_and_a_complete_card_that_agree_with_what_it_prints() {
    let run = run(&[
        "--pattern",
        "stride:2",
        "--pattern",
        "broadcast",
        "--budget",
        "1",
    ]);
    assert_eq!(
        file_names(&run.folder),
        ["measurements.csv", "run.json", "samples.csv"]
    );
    assert_eq!(run.card.state, RunState::Complete);
    assert_eq!(run.card.footprint.total_bytes(), 64 << 20);
    assert_eq!(run.card.suites, ["custom"]);
    assert_no_cell_is_infinite(&run.folder);

    let table = text(&run.output.stdout);
    let specs: Vec<&str> = run.rows.iter().map(|row| row.spec.as_str()).collect();
    assert_eq!(specs, ["stride:2", "broadcast"]);
    for row in &run.rows {
        // 64 MiB may well lie in a cache.
        assert!(row.useful_gb_per_s.is_some(), "{row:?}");
        assert_ne!(row.status, Status::LoadsSuspect, "{row:?}");
        assert_eq!(row.checksum, "exact");
        assert!(row.samples > 0);
        let efficiencies = row.efficiency_compulsory();
        assert!(
            efficiencies.iter().all(|eta| *eta > 0.0 && *eta <= 1.0),
            "{efficiencies:?}"
        );
        assert_eq!(
            row.bytes_requested as f64,
            row.bytes_used as f64 * row.reuse
        );
        let useful = row.useful_gb_per_s.expect("a figure");
        for (fetched, eta) in row.fetched_gb_per_s().into_iter().zip(efficiencies) {
            let fetched = fetched.expect("a figure");
            assert!((fetched * eta / useful - 1.0).abs() < 1e-9);
        }
        let line = table
            .lines()
            .find(|line| line.split_whitespace().nth(1) == Some(&row.spec))
            .unwrap_or_else(|| panic!("no line for {} in\n{table}", row.spec));
        assert_eq!(
            line.split_whitespace().nth(2),
            Some(&*significant(useful)),
            "{line}"
        );
        let word = serde_json::to_value(row.status).expect("a word");
        assert_eq!(line.split_whitespace().last(), word.as_str(), "{line}");
    }
}

#[test]
fn the_figures_of_a_run_can_be_recomputed_from_its_samples() {
    let run = run(&[
        "--pattern",
        "stride:3",
        "--pattern",
        "struct:12B",
        "--budget",
        "1",
    ]);
    let method = run.card.timing_method.expect("a method");
    let samples = samples(&run.folder);
    let references: Vec<(u64, f64)> = samples
        .iter()
        .filter(|sample| sample.is_reference)
        .filter_map(|sample| Some((sample.order, rate(sample, method)?)))
        .collect();
    // One slice, so one stratum: nothing to level out.
    assert_eq!(run.card.footprint.slices(), 1);
    let rates: Vec<f64> = references.iter().map(|(_, rate)| *rate).collect();
    // Four standard deviations of the noise from one to the next, whose differences have a median of 1 / 1.0484 of it.
    let differences: Vec<f64> = rates
        .windows(2)
        .map(|pair| (pair[1] - pair[0]).abs())
        .collect();
    let noise = median(&differences).expect("two samples") * 1.0484 / median(&rates).expect("two");
    let disturbed_by = (4.0 * noise).clamp(0.1, 0.4);
    let disturbed_below = plateau(&rates).expect("samples of the reference") * (1.0 - disturbed_by);
    let undisturbed: Vec<f64> = rates
        .into_iter()
        .filter(|rate| *rate >= disturbed_below)
        .collect();
    let reference = median(&undisturbed).expect("a plateau");
    let written = run.card.reference_gb_per_s.expect("a reference");
    assert!(
        (written / reference - 1.0).abs() < 1e-12,
        "{written} is not {reference}"
    );
    for row in &run.rows {
        let own: Vec<(f64, f64)> = samples
            .iter()
            .filter(|sample| !sample.is_reference && sample.spec == row.spec)
            .filter_map(|sample| {
                let rate = rate(sample, method)?;
                let mut nearest = references.clone();
                nearest.sort_by_key(|(order, _)| order.abs_diff(sample.order));
                let nearest: Vec<f64> = nearest.iter().take(5).map(|(_, rate)| *rate).collect();
                Some((rate, median(&nearest)?))
            })
            .collect();
        assert_eq!(own.len() as u32, row.samples - row.samples_dropped);
        if row.reason.contains("not corrected") {
            continue;
        }
        let times: Vec<f64> = own
            .iter()
            .filter(|(_, around)| row.samples_disturbed == 0 || *around >= disturbed_below)
            .map(|(rate, around)| around / rate)
            .collect();
        assert_eq!(times.len() as u32, own.len() as u32 - row.samples_disturbed);
        let ratio = 1.0 / median(&times).expect("samples");
        let useful = row.useful_gb_per_s.expect("a figure");
        assert!(
            (ratio * reference / useful - 1.0).abs() < 1e-9,
            "{}: {ratio} * {reference} is not {useful}",
            row.spec
        );
        let rates: Vec<f64> = own.iter().map(|(rate, _)| *rate).collect();
        let ms = row.bytes_used as f64 / median(&rates).expect("samples") / 1e6;
        let written = row.time_per_footprint_ms_median.expect("a time");
        assert!(
            (written / ms - 1.0).abs() < 1e-9,
            "{}: {written} ms is not {ms}",
            row.spec
        );
    }
}

#[test]
fn piped_output_has_no_escape_and_no_carriage_return() {
    let run = run(&["--pattern", "stride:1", "--budget", "0"]);
    for stream in [&run.output.stdout, &run.output.stderr] {
        assert!(
            !stream.iter().any(|byte| [0x1b, b'\r'].contains(byte)),
            "{}",
            text(stream)
        );
    }
    let stderr = text(&run.output.stderr);
    let chosen = stderr
        .find("chosen because")
        .expect("the choice is explained");
    let written = stderr.find("writing to").expect("the folder is named");
    assert!(chosen < written, "{stderr}");
    if run.card.adapter.is_software() {
        assert!(stderr.contains("SOFTWARE ADAPTER"), "{stderr}");
        assert!(run.rows.iter().all(|row| row.software));
    }
}

#[test]
fn csv_on_stdout_is_the_file() {
    let run = run(&["--pattern", "stride:1", "--budget", "0", "--format", "csv"]);
    let file = fs::read(run.folder.join("measurements.csv")).expect("the file");
    assert_eq!(text(&run.output.stdout), text(&file));
    let header = text(&file).lines().next().map(str::to_owned);
    assert_eq!(header, Some(Row::columns().join(",")));
}

#[test]
fn json_on_stdout_has_the_rows_of_the_file() {
    let arguments = [
        "--pattern",
        "stride:1",
        "--pattern",
        "offset:2B",
        "--budget",
        "0",
    ];
    let run = run(&[&arguments[..], &["--format", "json"]].concat());
    let of_file = serde_json::to_string_pretty(&run.rows).expect("JSON");
    assert_eq!(text(&run.output.stdout).trim_end(), of_file);
    assert_eq!(run.rows.len(), 2);
}

#[test]
fn what_a_suite_found_follows_the_table_and_nothing_else() {
    let heading = "Does the order of lanes matter?";
    let table = text(&run(&["order", "--budget", "0"]).output.stdout);
    let (rows, found) = table.split_once(heading).expect("a finding");
    assert!(
        rows.contains("stride:1") && rows.ends_with("\n\n"),
        "{rows}"
    );
    let compared = |spec| {
        found
            .lines()
            .any(|line| line.trim_start().starts_with(spec))
    };
    assert!(compared("reversed") && !compared("stride:1"), "{found}");

    let run = run(&["order", "--budget", "0", "--format", "csv"]);
    let file = fs::read(run.folder.join("measurements.csv")).expect("the file");
    assert_eq!(text(&run.output.stdout), text(&file));
}

#[test]
fn without_a_budget_every_case_has_one_sample_and_no_interval() {
    let run = run(&[
        "--pattern",
        "stride:1",
        "--pattern",
        "reversed",
        "--budget",
        "0",
    ]);
    assert_eq!(run.card.state, RunState::Complete);
    for row in &run.rows {
        assert_eq!(row.samples, 1, "{row:?}");
        assert_ne!(row.status, Status::Ok, "{row:?}");
        assert!(row.useful_gb_per_s.is_some() && row.useful_low_gb_per_s.is_none());
    }
}

#[test]
fn what_no_kernel_does_is_a_skipped_row_with_its_reason_and_no_figure() {
    let cases = [
        ("offset:2B", "multiples of 4 bytes"),
        ("struct:24B+all,offset=4B", "across the end of its struct"),
        ("transpose:8000", "one dispatch reaches"),
        ("stride:8000000", "lower the stride"),
    ];
    let patterns = cases.iter().flat_map(|(spec, _)| ["--pattern", spec]);
    let arguments: Vec<&str> = patterns
        .chain(["--pattern", "stride:2", "--budget", "0"])
        .collect();
    let run = run(&arguments);
    assert_no_cell_is_infinite(&run.folder);
    let table = text(&run.output.stdout);
    for (row, (spec, reason)) in run.rows.iter().zip(cases) {
        assert_eq!(
            (row.spec.as_str(), row.status),
            (spec, Status::Skipped),
            "{}",
            row.reason
        );
        assert!(row.reason.contains(reason), "{spec}: {}", row.reason);
        let figures = [
            row.useful_gb_per_s,
            row.requested_gb_per_s,
            row.fetched_gb_per_s_64b,
            row.time_per_footprint_ms_median,
        ];
        assert_eq!((row.samples, figures), (0, [None; 4]), "{spec}");
        let line = table
            .lines()
            .find(|line| line.contains(spec))
            .expect("a line");
        assert!(
            line.contains("skipped: ") && line.contains(&row.reason),
            "{line}"
        );
    }
    assert_eq!(
        run.rows.last().map(|row| row.spec.as_str()),
        Some("stride:2")
    );
    assert!(run.rows.last().is_some_and(Row::is_measured));
}

#[test]
fn values_of_an_axis_are_measured_instead_of_the_suites_own() {
    let arguments = [
        "stride",
        "offset",
        "--axis",
        "stride=-1:1",
        "--axis",
        "offset=8B",
    ];
    let run = run_over("8MiB", &[&arguments[..], &["--budget", "0"]].concat(), 0);
    let specs: Vec<&str> = run.rows.iter().map(|row| row.spec.as_str()).collect();
    let expected = [
        "stride:-1",
        "stride:0",
        "stride:1",
        "offset:2",
        "offset:2,layout=padded",
    ];
    assert_eq!(specs, expected);
    assert!(run.rows.iter().all(Row::is_measured));
    let line = &run.card.command_line;
    assert!(line.contains(&"stride=-1:1".to_owned()), "{line:?}");
}

/// Configurations that a run measures, and one that it cannot read.
const CONFIGS: &str = r#"[
    {"name": "near", "kernel": "Gather", "pattern": "UNIFORM:8:2:NR", "count": 1024},
    {"kernel": "Scatter", "pattern": [0, 3, 1], "delta": 4, "count": 16777216},
    {"kernel": "GS", "pattern-gather": "UNIFORM:8:4", "pattern-scatter": "UNIFORM:8:1", "count": 512,
     "delta-gather": 32, "delta-scatter": 8},
    {"kernel": "Gather", "pattern": "UNIFORM:8"}
]"#;

#[test]
fn every_configuration_of_a_file_is_measured_but_those_that_cannot_be_meant() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("a,b.json");
    fs::write(&path, CONFIGS).expect("a file");
    let file = format!("@{}", path.display());
    let narrow = format!("{file}#0,element=4B");
    let arguments = ["--pattern", &file, "--pattern", &narrow, "--budget", "0"];
    let run = run_over("8MiB", &arguments, 1);
    assert_no_cell_is_infinite(&run.folder);
    let of = |number: usize| run.row(&format!("{file}#{number}"));
    for (number, kernel, op, strided) in [
        (0, "gather", "load", "load"),
        (1, "scatter", "store", "store"),
        (2, "gs", "load-store", "load"),
    ] {
        let row = of(number);
        assert_eq!((&*row.suite, row.config), ("custom", Some(number as u64)));
        assert_eq!(
            (&*row.kernel, &*row.op, &*row.strided_side),
            (kernel, op, strided)
        );
        assert_eq!(row.checksum, "exact", "{}", row.reason);
        assert!(row.is_measured(), "{row:?}");
        assert_eq!(row.element_bytes, 8);
        let counted = row.counted_gb_per_s.expect("a figure");
        let useful = row.useful_gb_per_s.expect("a figure");
        let of_used = row.bytes_requested as f64 / row.bytes_used as f64;
        assert!((counted / useful / of_used - 1.0).abs() < 1e-9, "{row:?}");
    }
    assert_eq!(of(0).config_name, "near");
    assert_eq!(of(0).bytes_counted, Some(8 * 1024 * 8));
    assert_eq!((of(0).count_measured, &*of(0).note), (Some(1024), ""));
    let cut = of(1);
    let measured = cut.count_measured.expect("placed");
    assert!(measured < 16_777_216, "{measured}");
    assert_eq!(
        cut.note,
        format!("count cut from 16777216 to {measured}: a run visits no more")
    );
    assert_eq!(cut.bytes_counted, Some(3 * measured * 8));
    let malformed = of(3);
    assert_eq!((malformed.status, malformed.samples), (Status::Failed, 0));
    assert_eq!((malformed.config, &*malformed.op), (Some(3), ""));
    for part in ["configuration 3", "'pattern'", "stride"] {
        assert!(malformed.reason.contains(part), "{}", malformed.reason);
    }
    assert_eq!(run.row(&narrow).element_bytes, 4);
    assert!(run.row(&narrow).is_measured());
    assert_eq!(run.rows.len(), 5);
}

#[test]
fn files_of_one_name_in_two_folders_are_cases_of_their_own() {
    let folders = [TempDir::new(), TempDir::new()].map(|folder| folder.expect("a folder"));
    let patterns = [0, 1].map(|place| {
        let path = folders[place].path().join("f.json");
        let stride = place + 1;
        let text = format!(r#"[{{"pattern":"UNIFORM:8:{stride}:NR"}}]"#);
        fs::write(&path, text).expect("a file");
        format!("@{}#0", path.display())
    });
    let arguments = [
        "--pattern",
        &patterns[0],
        "--pattern",
        &patterns[1],
        "--budget",
        "0",
    ];
    let run = run_over("8MiB", &arguments, 0);
    assert_eq!(run.row(&patterns[0]).strided_side, "");
    assert_eq!(run.row(&patterns[1]).strided_side, "load");
}

#[test]
fn a_file_that_is_no_array_of_configurations_is_refused_before_any_work() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("f.json");
    let file = format!("@{}", path.display());
    for (text, pattern, reason) in [
        ("{}", file.clone(), "expected an array of configurations"),
        ("[{", file.clone(), "not JSON"),
        (CONFIGS, format!("{file}#4"), "there is no configuration 4"),
    ] {
        fs::write(&path, text).expect("a file");
        let arguments = ["run", "--pattern", "stride:1", "--pattern", &pattern];
        let stderr = refusal(coalescope(&arguments).current_dir(folder.path()), 2);
        assert!(
            stderr.contains(reason) && stderr.contains(&pattern),
            "{stderr}"
        );
    }
    assert_eq!(file_names(folder.path()), ["f.json"]);
}

#[test]
fn patterns_of_spatters_generators_have_what_spatter_counts() {
    let arguments = ["gather", "--axis", "stride=1,8", "--budget", "0"];
    let run = run_over("16MiB", &arguments, 0);
    assert_eq!(run.rows.len(), 2 + 4 + 2);
    for row in &run.rows {
        assert_eq!((row.config, &*row.kernel), (None, ""), "{}", row.spec);
        assert_eq!(row.bytes_counted, Some(row.bytes_requested));
        assert_eq!(row.counted_gb_per_s, row.requested_gb_per_s);
        assert!(row.is_measured(), "{row:?}");
    }
}

#[test]
fn rows_of_matrices_say_which_side_is_strided_and_how_it_is_staged() {
    let arguments = ["matrix", "--axis", "matrix=100", "--budget", "0"];
    let run = run_over("8MiB", &arguments, 0);
    let told: Vec<_> = run
        .rows
        .iter()
        .map(|row| (&*row.spec, &*row.tile, row.matrix_width, &*row.strided_side))
        .collect();
    let expected = [
        ("row:100", "", Some(100), ""),
        ("column:100", "", Some(100), "load"),
        ("row:100,op=copy", "", Some(100), ""),
        ("transpose:100", "", Some(100), "store"),
        ("transpose:100,tile=plain", "plain", Some(100), ""),
        ("transpose:100,tile=padded", "padded", Some(100), ""),
    ];
    assert_eq!(told, expected);
}

#[test]
fn an_out_that_is_a_file_is_refused_before_any_work() {
    let file = tempfile::NamedTempFile::new().expect("a file");
    let path = file.path().to_str().expect("UTF-8");
    let arguments = [
        "run",
        "--pattern",
        "stride:1",
        "--budget",
        "0",
        "--out",
        path,
    ];
    let stderr = refusal(&mut coalescope(&arguments), 1);
    assert!(
        stderr.contains("cannot create the folder") && stderr.contains(path),
        "{stderr}"
    );
    assert!(!stderr.contains("first round"), "{stderr}");
}

/// Both streams at once, as behind `2>&1 | head -1`; the folder is complete all the same.
#[test]
fn readers_that_go_away_end_nothing_but_the_printing() {
    let out = TempDir::new().expect("a folder");
    let path = out.path().to_str().expect("UTF-8");
    let run = [
        "run",
        "--pattern",
        "stride:1",
        "--footprint",
        "8MiB",
        "--budget",
        "0",
        "--out",
        path,
    ];
    for arguments in [
        &["list"][..],
        &["adapters", "--format", "json"],
        &["predict", "stride:1"],
        &run,
    ] {
        let binary = assert_cmd::cargo::cargo_bin("coalescope");
        let mut child = std::process::Command::new(binary)
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        drop((child.stdout.take(), child.stderr.take()));
        let status = child.wait().expect("it ends");
        assert_eq!(status.code(), Some(0), "{arguments:?}");
    }
    let folder = only_entry(&only_entry(out.path()));
    let card: RunCard =
        serde_json::from_slice(&fs::read(folder.join("run.json")).expect("a card")).expect("JSON");
    assert_eq!(card.state, RunState::Complete);
}

/// Behind `| head -1` a run still says on stderr how it went.
#[test]
fn a_run_whose_table_nobody_reads_still_sums_up() {
    let out = TempDir::new().expect("a folder");
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("coalescope"))
        .args([
            "run",
            "--pattern",
            "stride:1",
            "--footprint",
            "8MiB",
            "--budget",
            "0",
            "--out",
        ])
        .arg(out.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("it ends");
    assert_code(&output, 0);
    let stderr = text(&output.stderr);
    assert!(
        stderr.contains("results in ") && !stderr.contains("error: Broken"),
        "{stderr}"
    );
}

/// A run of minutes, left alone until it has some samples; then `signal` ends it. Its status, folder, rows and card.
#[cfg(unix)]
fn cut_short(signal: &str) -> (Option<i32>, Vec<Row>, RunCard) {
    let out = TempDir::new().expect("a folder");
    let mut child = std::process::Command::new(assert_cmd::cargo::cargo_bin("coalescope"))
        .args([
            "run",
            "full",
            "--footprint",
            "16MiB",
            "--budget",
            "300",
            "--out",
        ])
        .arg(out.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("it starts");
    let folder = || {
        let adapter = fs::read_dir(out.path()).ok()?.next()?.ok()?.path();
        Some(fs::read_dir(adapter).ok()?.next()?.ok()?.path())
    };
    let has_samples = || {
        let text = folder().and_then(|folder| fs::read_to_string(folder.join("samples.csv")).ok());
        text.is_some_and(|text| text.lines().count() > 20)
    };
    let mut polls = 0;
    while !has_samples() {
        polls += 1;
        assert!(
            polls < 1200,
            "no sample within a minute; run scripts/ensure-vulkan.sh"
        );
        assert_eq!(
            child.try_wait().expect("a status"),
            None,
            "it ended by itself"
        );
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    let pid = child.id().to_string();
    let sent = std::process::Command::new("kill")
        .args([signal, &pid])
        .status();
    assert!(sent.expect("kill is there").success());
    let status = child.wait().expect("it ends");
    let folder = folder().expect("a folder");
    assert_no_cell_is_infinite(&folder);
    assert!(samples(&folder).len() >= 20);
    let rows = read_rows(&folder.join("measurements.csv")).expect("rows");
    let card = fs::read(folder.join("run.json")).expect("a card");
    (
        status.code(),
        rows,
        serde_json::from_slice(&card).expect("JSON"),
    )
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_its_rows_and_says_that_it_was_stopped() {
    let (code, rows, card) = cut_short("-INT");
    assert_eq!((code, card.state), (Some(130), RunState::Stopped));
    let (measured, not_sampled): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.is_measured());
    assert!(!measured.is_empty());
    for row in measured {
        let known = [StopReason::Interrupted, StopReason::Converged];
        assert!(known.contains(&row.stop_reason), "{row:?}");
    }
    for row in not_sampled {
        assert_eq!(
            (row.status, row.stop_reason),
            (Status::Skipped, StopReason::NotSampled),
            "{row:?}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_killed_run_leaves_readable_rows_and_is_marked_incomplete() {
    let (code, rows, card) = cut_short("-KILL");
    assert_eq!((code, card.state), (None, RunState::Incomplete));
    assert!(!rows.is_empty());
}

// --- verify

/// Kernel, expected and got of each line of `verify`, all exact.
#[track_caller]
fn verified(name: &str, command: &mut Command) -> Vec<[String; 3]> {
    let output = command.output().expect("it starts");
    assert_code(&output, 0);
    let mut reader = csv::Reader::from_reader(&output.stdout[..]);
    assert_eq!(
        reader
            .headers()
            .expect("a header")
            .iter()
            .take(7)
            .collect::<Vec<_>>(),
        [
            "kernel",
            "element_bytes",
            "layout",
            "footprint_bytes",
            "expected",
            "got",
            "status"
        ]
    );
    reader
        .records()
        .map(|record| {
            let record = record.expect("valid CSV");
            assert_eq!(&record[6], "exact", "{name}: {record:?}");
            assert_eq!(&record[3], "16777216");
            [&record[0], &record[4], &record[5]].map(str::to_owned)
        })
        .collect()
}

#[test]
fn every_driver_here_verifies_every_kernel_and_gets_the_same_sums() {
    let arguments = [
        "verify",
        "--footprint",
        "16MiB",
        "--lanes",
        "8",
        "--format",
        "csv",
        "--backend",
    ];
    let on = |backend: &str| coalescope(&[&arguments[..], &[backend]].concat());
    assert!(
        !adapters(&["--backend", "vulkan"]).is_empty(),
        "run scripts/ensure-vulkan.sh"
    );
    let vulkan = verified("vulkan", &mut on("vulkan"));
    assert!(vulkan.len() >= 300);
    for [kernel, expected, got] in &vulkan {
        assert_eq!(expected, got, "{kernel}");
    }
    if adapters(&["--backend", "gl"]).is_empty() {
        println!("no GL driver here");
    } else {
        assert_eq!(verified("gl", &mut on("gl")), vulkan);
    }
    if Path::new(SWIFTSHADER).exists() {
        let mut command = on("vulkan");
        assert_eq!(
            verified("SwiftShader", command.env("VK_DRIVER_FILES", SWIFTSHADER)),
            vulkan
        );
    } else {
        println!("no SwiftShader here");
    }
}

#[test]
fn checked_kernels_verify_too() {
    let output = on_an_adapter(&[
        "verify",
        "--footprint",
        "4MiB",
        "--checked",
        "--format",
        "json",
    ]);
    let lines: Vec<Value> = serde_json::from_slice(&output.stdout).expect("JSON");
    assert!(lines.iter().all(|line| line["status"] == "exact"));
}
