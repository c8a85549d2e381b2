//! The command `fit`: published curves, anybody's tables with every oddity, runs, and what a run says of its own sweep.

#[path = "common/rows.rs"]
#[allow(dead_code, reason = "the other sweeps have tests of their own")]
mod rows;

use std::fs;
use std::path::{Path, PathBuf};

use assert_cmd::Command;
use coalescope::fit::{infer, inferred, table_curve};
use coalescope::record::{Folder, Inferred, Row, Status, Table, TableError, parse_table};
use coalescope::virtual_gpu;
use proptest::prelude::*;
use serde_json::Value;
use tempfile::TempDir;

/// The keys that come first, in their order.
const FIRST_KEYS: [&str; 9] = [
    "granule_bytes",
    "line_bytes",
    "confidence",
    "fetch_gb_per_s",
    "issue_gb_per_s",
    "residual_percent",
    "decline_from_stride",
    "verdict",
    "reasons",
];

const HEADER: &str = "stride_elements,useful_gb_per_s\n";

/// What `fit` said.
struct Said {
    code: i32,
    stdout: String,
    stderr: String,
}

impl Said {
    fn json(&self) -> Value {
        assert_eq!(self.code, 0, "{}", self.stderr);
        serde_json::from_str(&self.stdout).expect("an object")
    }
}

fn fit(path: &Path, arguments: &[&str]) -> Said {
    let mut command = Command::cargo_bin("coalescope").expect("the command is built");
    let output = command.arg("fit").arg(path).args(arguments).output();
    let output = output.expect("it starts");
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
    Said {
        code: output.status.code().expect("it ends by itself"),
        stdout: text(&output.stdout),
        stderr: text(&output.stderr),
    }
}

/// A table in a folder of its own.
struct Written {
    folder: TempDir,
}

impl Written {
    fn new(content: impl AsRef<[u8]>) -> Self {
        let folder = tempfile::tempdir().expect("a folder for the test");
        fs::write(folder.path().join("sweep.csv"), content).expect("a table");
        Self { folder }
    }

    fn fit(&self, arguments: &[&str]) -> Said {
        fit(&self.path(), arguments)
    }

    fn path(&self) -> PathBuf {
        self.folder.path().join("sweep.csv")
    }

    /// What is said of it but for its path.
    #[track_caller]
    fn refusal(&self) -> String {
        let said = self.fit(&[]);
        assert_eq!(
            (said.code, said.stdout.as_str()),
            (2, ""),
            "{}",
            said.stderr
        );
        let start = format!("error: '{}' cannot be used: ", self.path().display());
        let reason = said.stderr.strip_prefix(&start);
        reason.unwrap_or(&said.stderr).trim_end().to_owned()
    }
}

fn published(name: &str) -> Value {
    let path = format!("tests/curves/{name}_gather_f64.csv");
    fit(Path::new(&path), &["--element", "8B", "--format", "json"]).json()
}

/// A clean sweep: 400 GB/s in granules of 64 bytes, issue at 150, 4-byte elements.
fn useful(stride: u64) -> f64 {
    150_f64.min(400.0 / (stride as f64).min(16.0))
}

fn strides() -> impl Iterator<Item = u64> {
    (1..=32).chain([48, 64, 128, 256])
}

#[test]
fn the_published_curves_keep_their_verdicts() {
    let gv100 = published("gv100");
    assert_eq!(gv100["granule_bytes"], 64);
    assert_eq!(gv100["element_bytes"], 8);
    let skx = published("skx");
    assert_eq!(
        (&skx["granule_bytes"], &skx["line_bytes"]),
        (&Value::Null, &Value::from(64))
    );
    assert_eq!(published("k40")["granule_bytes"], Value::Null);
}

#[test]
fn the_keys_come_in_their_order_in_json_and_csv() {
    let json = published("gv100");
    let keys: Vec<&String> = json.as_object().expect("an object").keys().collect();
    assert_eq!(keys[..FIRST_KEYS.len()], FIRST_KEYS);
    let path = Path::new("tests/curves/gv100_gather_f64.csv");
    let csv = fit(path, &["--element", "8B", "--format", "csv"]).stdout;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header: Vec<String> = reader
        .headers()
        .expect("a header")
        .iter()
        .map(str::to_owned)
        .collect();
    assert_eq!(header.iter().collect::<Vec<_>>(), keys);
    let records: Vec<csv::StringRecord> = reader.records().map(|r| r.expect("a row")).collect();
    assert_eq!(records.len(), 1);
    assert_eq!(&records[0][0], "64");
    assert_eq!(&records[0][1], "");
    let reasons = json["reasons"].as_array().expect("a list");
    let reasons: Vec<&str> = reasons
        .iter()
        .map(|reason| reason.as_str().expect("text"))
        .collect();
    let cells: Vec<&str> = records[0][8].split(" | ").collect();
    assert_eq!(cells, reasons);
}

/// Sentences hold semicolons, so that no cell can be cut at those.
#[test]
fn the_sentences_of_a_csv_cell_can_be_told_apart() {
    let table: String = strides().map(|d| format!("{d},{}\n", useful(d))).collect();
    let table = Written::new(format!("{HEADER}{table}0,600\n7,n/a\n"));
    let json = table.fit(&["--format", "json"]).json();
    let reasons = json["reasons"].as_array().expect("a list");
    let last = reasons.last().and_then(Value::as_str).expect("a sentence");
    assert!(last.contains("; "), "{last}");
    let csv = table.fit(&["--format", "csv"]).stdout;
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let record = reader.records().next().expect("a row").expect("of text");
    let cells: Vec<&str> = record[8].split(" | ").collect();
    assert_eq!(cells.len(), reasons.len());
    assert_eq!(cells.last(), Some(&last));
}

#[test]
fn a_table_for_people_has_the_verdict_the_figures_and_every_stride() {
    let said = fit(
        Path::new("tests/curves/gv100_gather_f64.csv"),
        &["--element", "8B"],
    );
    assert_eq!((said.code, said.stderr.as_str()), (0, ""));
    insta::assert_snapshot!(said.stdout, @r"
    What does memory fetch at once? From the stride sweep:
     element  granule  line  confidence  B, fetch  C, issue           residual  declines from
     8 B      64 B     -     0.85        881 GB/s  at least 865 GB/s  0.356 %   stride 64
     memory is fetched 64 bytes at a time, at 881 GB/s; memory limits at every stride; from stride 64 on it falls further
     strides are powers of two alone: conflicts of cache sets or channels would not show
     3 strides lie on the curve below the knee and 3 on its floor

     stride  measured GB/s  fitted GB/s  residual
     1       865            881          -1.8 %
     2       442            441          +0.4 %
     4       221            220          +0.3 %
     8       110            110          +0.3 %
     16      110            110          -0.3 %
     32      109            110          -1.0 %
     64      98.7           110          -10.4 %
     128     82.1           110          -25.4 %
    ");
}

#[test]
fn elements_that_are_not_named_are_assumed_and_said_to_be() {
    let table: String = strides().map(|d| format!("{d},{}\n", useful(d))).collect();
    let table = Written::new(format!("{HEADER}{table}"));
    let said = table.fit(&["--format", "json"]);
    assert_eq!(
        said.stderr,
        "note: assuming elements of 4 B; --element 8B says otherwise\n"
    );
    let json = said.json();
    assert_eq!(
        (&json["granule_bytes"], &json["element_bytes"]),
        (&Value::from(64), &Value::from(4))
    );
    // The same figures of wider elements are of a larger granule.
    for (element, granule) in [("1B", 16), ("2B", 32), ("8B", 128), ("32B", 512)] {
        let said = table.fit(&["--element", element, "--format", "json"]);
        assert_eq!(said.stderr, "");
        assert_eq!(said.json()["granule_bytes"], granule, "{element}");
    }
    for element in ["8", "3B", "128B", "0B", "-4B", "many"] {
        let said = table.fit(&["--element", element]);
        assert_eq!(said.code, 2, "{element}");
    }
}

#[test]
fn columns_are_found_by_name_and_oddities_are_tolerated() {
    let plain: String = strides().map(|d| format!("{d},{}\n", useful(d))).collect();
    let expected = Written::new(format!("{HEADER}{plain}"))
        .fit(&["--format", "csv"])
        .stdout;
    let figure = |d: u64| format!("\"note, {d}\",{},, {d} ,\r\n", useful(d));
    let odd: String = strides().map(figure).collect();
    let commas = format!(
        "\u{feff}# a sweep\r\n\r\nnote, Useful_GB_per_s ,x, \"STRIDE_elements\"\r\n{odd}  \r\n,,,\r\n"
    );
    let semicolons = format!("{HEADER}{plain}").replace(',', ";");
    let tabs = format!("# a, comment, with; commas\n{HEADER}{plain}").replace(',', "\t");
    let quoted = format!("{HEADER}{plain}")
        .replace(',', "\", \"")
        .replace('\n', "\"\n\"");
    let quoted = format!("\"{}", quoted.trim_end_matches('"'));
    for table in [commas, semicolons, tabs, quoted] {
        assert_eq!(
            Written::new(&table).fit(&["--format", "csv"]).stdout,
            expected,
            "{table}"
        );
    }
    // Of several rows of a stride the median counts, and their order does not.
    let thrice: String = strides()
        .flat_map(|d| [0.5, 1.0, 3.0].map(|times| format!("{d},{}\n", useful(d) * times)))
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect();
    let said = Written::new(format!("{HEADER}{thrice}")).fit(&["--format", "csv"]);
    assert_eq!(said.stdout, expected);
}

#[test]
fn rows_that_are_no_figures_are_left_out_and_counted() {
    let good: String = strides().map(|d| format!("{d},{}\n", useful(d))).collect();
    let nothing = "0,600\n-1,140\n-2,abc\n# a comment\n\n\n7,n/a\n8,NaN\n9,inf\n10,0\n11,-3\n12\n1.5,20\n9223372036854775808,20\nx,20\n13,1e12\n,5\n";
    let table = Written::new(format!("{HEADER}{good}{nothing}"));
    let said = table.fit(&["--format", "json"]);
    let told = "left out: 3 rows with a stride of 0 or below; 11 rows without usable figures, the first on line 44: 'n/a' is no \
                bandwidth in GB/s above 0 and up to 1000000";
    assert!(
        said.stderr.contains(&format!("note: {told}\n")),
        "{}",
        said.stderr
    );
    let json = said.json();
    assert_eq!(json["granule_bytes"], 64);
    assert_eq!(json["strides"], 36);
    let reasons = json["reasons"].as_array().expect("a list");
    assert_eq!(reasons.last(), Some(&Value::from(told)));
    // Strides of 0 and below belong to a sweep: they are counted and no more.
    let quiet = Written::new(format!("{HEADER}{good}0,600\n-1,140\n"));
    let said = quiet.fit(&["--format", "json", "--element", "4B"]);
    assert_eq!(said.stderr, "");
    assert!(
        said.stdout
            .contains("left out: 2 rows with a stride of 0 or below")
    );
}

#[test]
fn the_line_of_the_first_fault_is_that_of_the_file() {
    for ending in ["\n", "\r\n"] {
        let text = "# one\n\nstride_elements,note,useful_gb_per_s\n1,\"two\nlines\",5\n\n# seven\n2,,none\n3,,none\n"
            .replace('\n', ending);
        let Ok(Table::Foreign(table)) = parse_table(&text) else {
            panic!("{text}");
        };
        assert_eq!(table.left_out.first_fault.map(|(line, _)| line), Some(8));
    }
}

#[test]
fn a_quote_that_nothing_closes_is_refused_and_not_read_to_the_end() {
    let open =
        "stride_elements,useful_gb_per_s,note\n1,8,\"two\nlines\"\n2,4,\"open\n4,2,c\n8,1,d\n";
    let said = Written::new(open).refusal();
    assert!(
        said.contains("a quote that opens in line 4 is not closed"),
        "{said}"
    );
}

#[test]
fn an_interval_is_used_where_there_is_one() {
    let rows = |width: f64| -> String {
        let row = |d: u64| {
            let wrong = if d > 16 { 0.7 } else { 1.0 };
            let useful = useful(d) * wrong;
            format!(
                "{d},{useful},{},{}\n",
                useful * (1.0 - width),
                useful * (1.0 + width)
            )
        };
        strides().map(row).collect()
    };
    let header = "stride_elements,useful_gb_per_s,useful_low_gb_per_s,Useful_high_gb_per_s\n";
    let confidence = |width: f64| {
        let table = Written::new(format!("{header}{}", rows(width)));
        table.fit(&["--format", "json"]).json()["confidence"]
            .as_f64()
            .expect("a number")
    };
    assert!(confidence(0.001) != confidence(0.3));
}

#[test]
fn a_table_that_cannot_be_used_is_refused_with_what_it_has() {
    let refused = |text: &str| Written::new(text).refusal();
    insta::assert_snapshot!(refused("stride,useful GB/s\n1,5\n"), @"it lacks the column 'stride_elements'; found 'stride', 'useful gb/s'; the nearest is 'stride'");
    insta::assert_snapshot!(refused("stride_elements,bandwidth,useful\n1,5,5\n"), @"it lacks the column 'useful_gb_per_s'; found 'stride_elements', 'bandwidth', 'useful'; the nearest is 'useful'");
    insta::assert_snapshot!(refused("1,5\n2,4\n"), @"it lacks the column 'stride_elements'; found '1', '5'");
    insta::assert_snapshot!(refused("stride_elements useful_gb_per_s\n1 5\n"), @"it lacks the column 'stride_elements'; found 'stride_elements useful_gb_per_s'; the nearest is 'stride_elements useful_gb_per_s'");
    insta::assert_snapshot!(refused("stride_elements,useful_gb_per_s,useful_gb_per_s\n1,5,6\n"), @"it has more than one column 'useful_gb_per_s'; found 'stride_elements', 'useful_gb_per_s', 'useful_gb_per_s'");
    insta::assert_snapshot!(refused("# nothing\n\n"), @"it holds no table; expected a header with the columns stride_elements and useful_gb_per_s");
    insta::assert_snapshot!(refused(""), @"it holds no table; expected a header with the columns stride_elements and useful_gb_per_s");
    insta::assert_snapshot!(refused(HEADER), @"it has no row with a positive stride and a bandwidth");
    insta::assert_snapshot!(refused("stride_elements;useful_gb_per_s\n0;1\n1;5,27\n"), @"it has no row with a positive stride and a bandwidth; left out: 1 row with a stride of 0 or below; 1 row without usable figures, the first on line 3: '5,27' is no bandwidth in GB/s above 0 and up to 1000000");
    insta::assert_snapshot!(refused("s\0t\0r\0"), @"it is no UTF-8 text");
    let wide: Vec<String> = (0..40).map(|number| format!("column {number}")).collect();
    let said = refused(&format!("{}\n", wide.join(",")));
    assert!(said.contains("'column 11', 28 more"), "{said}");
}

#[test]
fn a_file_that_cannot_be_read_is_refused() {
    let folder = tempfile::tempdir().expect("a folder for the test");
    for path in [folder.path().join("missing.csv"), folder.path().to_owned()] {
        let said = fit(&path, &[]);
        assert_eq!((said.code, said.stdout.as_str()), (2, ""));
        assert!(
            said.stderr.contains("cannot be used: cannot read it: "),
            "{}",
            said.stderr
        );
    }
}

#[test]
fn sizes_are_bounded() {
    let mut long = String::from(HEADER);
    (0..=1_000_000).for_each(|_| long.push_str("1,5\n"));
    assert!(matches!(parse_table(&long), Err(TableError::TooLarge(_))));
    let large = Written::new("");
    let file = fs::File::create(large.path()).expect("a file");
    file.set_len((64 << 20) + 1)
        .expect("a file without content");
    assert_eq!(
        large.refusal(),
        "it is larger than a stride sweep: 64 MiB are read at most"
    );
    let many: String = (1..=3000).map(|d| format!("{d},{}\n", useful(d))).collect();
    let json = Written::new(format!("{HEADER}{many}"))
        .fit(&["--format", "json"])
        .json();
    assert_eq!(json["granule_bytes"], 64);
    let strides = json["strides"].as_u64().expect("a number");
    assert!((256..1000).contains(&strides), "{strides}");
    let told = format!("{strides} of 3000 strides are fitted");
    assert!(json["reasons"].to_string().contains(&told), "{json}");
}

/// A run whose suite `stride` has elements of 4 bytes and, where `wide`, of 16.
fn a_run(out: &Path, wide: bool) -> PathBuf {
    let widths: &[u32] = if wide { &[4, 16] } else { &[4] };
    let mut rows: Vec<Row> = widths
        .iter()
        .flat_map(|&width| strides().map(move |d| row(d, width)))
        .collect();
    rows[3].status = Status::CacheResident;
    rows[3].useful_gb_per_s = Some(4000.0);
    written(out, &rows)
}

fn row(stride: u64, element_bytes: u32) -> Row {
    let bytes = f64::from(element_bytes);
    let useful = (150.0 * bytes / 4.0).min(400.0 / (stride as f64).min(64.0 / bytes));
    Row {
        element_bytes,
        reuse: 1.0,
        software: false,
        ..rows::stride(stride.cast_signed(), Some(useful))
    }
}

fn written(out: &Path, rows: &[Row]) -> PathBuf {
    let folder = Folder::create(out, "gpu", "now").expect("a run");
    folder.write_rows(rows).expect("rows");
    folder.path().to_owned()
}

/// In the words that `fit` has for anybody's table.
#[test]
fn a_run_of_thousands_of_strides_is_thinned_and_says_so() {
    let out = tempfile::tempdir().expect("a folder for the test");
    let mut rows: Vec<Row> = (1..=3000).map(|d| row(d, 4)).collect();
    // Left out by a guard, not by thinning.
    rows[9].status = Status::Failed;
    let json = fit(&written(out.path(), &rows), &["--format", "json"]).json();
    let told = format!(
        "{} of 2999 strides are fitted: of large ones a few in each octave",
        json["strides"]
    );
    let reasons = json["reasons"].as_array().expect("a list");
    assert_eq!(reasons.last(), Some(&Value::from(told)), "{reasons:?}");
}

#[test]
fn a_run_is_read_with_its_guards_by_its_folder_or_its_file() {
    let out = tempfile::tempdir().expect("a folder for the test");
    let run = a_run(out.path(), false);
    let said = fit(&run, &["--format", "json"]);
    assert_eq!(said.stderr, "");
    let json = said.json();
    assert_eq!(
        (&json["granule_bytes"], &json["strides"]),
        (&Value::from(64), &Value::from(35))
    );
    assert!(
        json["reasons"]
            .to_string()
            .contains("left out: 1 cache-resident")
    );
    let of_file = fit(&run.join("measurements.csv"), &["--format", "json"]);
    assert_eq!(of_file.stdout, said.stdout);
    // A file of before the last columns came.
    let text = fs::read_to_string(run.join("measurements.csv")).expect("rows");
    let shorter: String = text
        .lines()
        .map(|line| format!("{}\n", line.rsplit_once(',').expect("columns").0))
        .collect();
    assert_eq!(
        Written::new(shorter).fit(&["--format", "json"]).stdout,
        said.stdout
    );
    let later = text.replace("\n1,", "\n99,");
    assert!(Written::new(later).refusal().contains("schema version 99"));
    // No other suite is a stride sweep.
    let of_widths = text.replace("\n1,stride,", "\n1,width,");
    assert!(
        Written::new(of_widths)
            .refusal()
            .contains("no suite stride")
    );
    let broken = text.replace(",stride:2,", ",stride:2,oops,");
    assert!(
        Written::new(broken)
            .refusal()
            .starts_with("its rows are not those of a run: ")
    );
}

#[test]
fn of_several_element_widths_one_is_chosen() {
    let out = tempfile::tempdir().expect("a folder for the test");
    let run = a_run(out.path(), true);
    let said = fit(&run, &["--format", "json"]);
    assert_eq!(
        said.stderr,
        "note: of elements of 4 B; --element chooses another of 4B, 16B\n"
    );
    assert_eq!(said.json()["element_bytes"], 4);
    let said = fit(&run, &["--format", "json", "--element", "16B"]);
    assert_eq!(said.stderr, "");
    assert_eq!(said.json()["element_bytes"], 16);
    let said = fit(&run, &["--element", "8B"]);
    assert_eq!(said.code, 2);
    assert!(
        said.stderr
            .contains("no stride sweep of 8-byte elements, but of 4B, 16B"),
        "{}",
        said.stderr
    );
}

/// A run of the suites `stride` and `offset` on a virtual GPU.
struct Ran {
    /// The folder that it is in, which is gone with this.
    _out: TempDir,
    folder: PathBuf,
    stdout: String,
    stderr: String,
}

impl Ran {
    fn on(adapter: &str) -> Self {
        let out = tempfile::tempdir().expect("a folder for the test");
        let mut command = Command::cargo_bin("coalescope").expect("the command is built");
        let arguments = ["run", "stride", "offset", "--adapter", adapter, "--out"];
        let output = command.args(arguments).arg(out.path()).output();
        let output = output.expect("it starts");
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("text");
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        assert!(output.status.success(), "{stderr}");
        let only = |folder: &Path| -> PathBuf {
            let mut entries = fs::read_dir(folder).expect("a folder");
            entries.next().expect("one").expect("it").path()
        };
        Self {
            folder: only(&only(out.path())),
            _out: out,
            stdout,
            stderr,
        }
    }

    /// What run.json holds of its one sweep.
    fn told(&self) -> Value {
        let card = fs::read_to_string(self.folder.join("run.json")).expect("run.json");
        let card: Value = serde_json::from_str(&card).expect("an object");
        match &card["fit"].as_array().expect("a list")[..] {
            [told] => told.clone(),
            _ => panic!("{}", card["fit"]),
        }
    }
}

/// What a run on the virtual GPU says at its end, in its folder, and by `fit` afterwards.
#[test]
fn a_run_ends_with_the_verdict_that_fit_gives() {
    let run = Ran::on("virtual:seed=1");
    let told = run.told();
    let said = fit(&run.folder, &["--format", "json"]);
    assert_eq!(
        said.stderr,
        "note: simulated: a model's memory; nothing was measured\n"
    );
    assert_eq!(said.json(), told);

    let verdict = told["verdict"].as_str().expect("text");
    let last: Vec<&str> = run.stderr.lines().rev().take(2).collect();
    assert!(last[0].starts_with("results in "), "{}", run.stderr);
    let start = "simulated: a model's memory, by elements of 4 B: ";
    let sentence = last[1].strip_prefix(start).expect(&run.stderr);
    assert!(sentence.starts_with(verdict), "{}", run.stderr);
    // The first of the findings, which follow the table of rows, and all that `fit` finds.
    let findings = run.stdout.split_once("\n\n").expect("findings").1;
    for findings in [findings, fit(&run.folder, &[]).stdout.as_str()] {
        let heading = "Simulated: what does a model's memory fetch at once?";
        assert!(findings.starts_with(heading), "{findings}");
        assert!(findings.contains(&format!("\n {verdict}\n")), "{findings}");
    }
}

/// Of presets issue is made to limit somewhere, since otherwise no sweep shows how much it gives.
#[test]
fn a_run_finds_what_its_virtual_gpu_was_given() {
    for (adapter, granule_bytes) in [
        ("virtual:seed=1", 64),
        ("virtual:nvidia-workstation,issue=400GB/s", 32),
        ("virtual:apple,issue=40GB/s", 128),
        // Its lines are of 64 bytes, but none comes without its pair.
        ("virtual:cpu-driver", 128),
    ] {
        let told = Ran::on(adapter).told();
        assert_eq!(told["granule_bytes"], granule_bytes, "{adapter}: {told}");
        let given: virtual_gpu::Settings = adapter.parse().expect("settings");
        let is_near = |key: &str, given: f64| {
            let found = told[key].as_f64().expect("a number");
            let off = found / given - 1.0;
            assert!(off.abs() < 0.03, "{adapter}: {key}: {found}");
        };
        is_near("fetch_gb_per_s", given.memory.bandwidth.gb_per_s());
        is_near("issue_gb_per_s", given.memory.issue.gb_per_s());
    }
}

fn assert_finite(of: &Inferred) {
    let numbers = [
        Some(of.confidence),
        Some(of.fetch_gb_per_s),
        Some(of.issue_gb_per_s),
        of.residual_percent,
    ];
    assert!(
        numbers.iter().flatten().all(|number| number.is_finite()),
        "{of:?}"
    );
    assert!((0.0..=1.0).contains(&of.confidence), "{of:?}");
}

proptest! {
    #[test]
    fn no_text_panics_the_reader(text in any::<String>(), header in any::<bool>()) {
        let text = if header { format!("{HEADER}{text}") } else { text };
        let _ = parse_table(&text);
    }

    #[test]
    fn no_table_panics_and_every_number_is_finite(
        rows in prop::collection::vec(("[-0-9e.,;\"# xinfNaN]{0,12}", "[-0-9e.,;\"# \nxinfNaN]{0,12}"), 0..40),
        element_bytes in prop::sample::select(vec![1_u32, 4, 16, 64]),
    ) {
        let rows: String = rows.iter().map(|(stride, useful)| format!("{stride},{useful}\n")).collect();
        if let Ok(Table::Foreign(table)) = parse_table(&format!("{HEADER}{rows}")) {
            let curve = table_curve(&table, element_bytes);
            assert_finite(&inferred(&curve, &infer(&curve, None)));
        }
    }

    #[test]
    fn wild_figures_give_finite_numbers(
        rows in prop::collection::vec((1_u32..300, -320_i32..7, 1.0..10.0_f64), 1..40),
        element_bytes in prop::sample::select(vec![1_u32, 4, 16, 64]),
    ) {
        let rows: String = rows.iter().map(|(stride, power, digits)| format!("{stride},{digits}e{power}\n")).collect();
        if let Ok(Table::Foreign(table)) = parse_table(&format!("{HEADER}{rows}")) {
            let curve = table_curve(&table, element_bytes);
            assert_finite(&inferred(&curve, &infer(&curve, None)));
        }
    }
}
