//! Charts of several made-up runs on one sheet.

#[path = "common/drawing.rs"]
#[allow(dead_code, reason = "charts of one run have tests of their own")]
mod drawing;
#[path = "common/rows.rs"]
#[allow(dead_code, reason = "the other sweeps have tests of their own")]
mod rows;
#[path = "common/sweep_rows.rs"]
#[allow(dead_code, reason = "the other sweeps have tests of their own")]
mod sweep_rows;

use coalescope::chart::{Card, Chart, Run, overlays};
use coalescope::record::{Row, Status};
use drawing::assert_readable;
use rows::{offset_sweep, row, stride, stride_sweep, working_set_sweep};
use sweep_rows::width_suite;

/// The rows of a device that is `times` as fast and of hardware, with B at 22 GB/s times that.
fn scaled(rows: &[Row], times: f64) -> Vec<Row> {
    let scale = |row: &Row| {
        let mut row = row.clone();
        for figure in [
            &mut row.useful_gb_per_s,
            &mut row.useful_low_gb_per_s,
            &mut row.useful_high_gb_per_s,
            &mut row.fetched_gb_per_s_64b,
        ] {
            *figure = figure.map(|figure| figure * times);
        }
        row.software = false;
        row.fetch_plateau_gb_per_s = Some(22.0 * times);
        row
    };
    rows.iter().map(scale).collect()
}

/// Draws `runs`, named by their number, and sees to it that every chart can be read.
fn drawn(runs: &[Vec<Row>]) -> Vec<Chart> {
    let runs: Vec<Run> = (1..)
        .zip(runs)
        .map(|(number, rows)| Run {
            name: format!("GPU {number}"),
            card: Card::from_rows(rows, "2026-03-01 12:00"),
            rows,
        })
        .collect();
    let charts = overlays(&runs).unwrap();
    charts.iter().for_each(assert_readable);
    charts
}

fn names(charts: &[Chart]) -> Vec<&str> {
    charts.iter().map(|chart| chart.name.as_str()).collect()
}

#[track_caller]
fn assert_says(svg: &str, texts: &[&str]) {
    for text in texts {
        assert!(svg.contains(text), "'{text}' is missing from\n{svg}");
    }
}

/// What the plot's lines and marks are drawn with, without any text: the places of figures.
fn places(svg: &str) -> Vec<&str> {
    svg.lines()
        .filter(|line| line.starts_with("<circle"))
        .collect()
}

#[test]
fn every_sweep_that_two_runs_share_has_a_sheet_in_each_unit() {
    let first = [stride_sweep(), offset_sweep(), working_set_sweep()].concat();
    let second = [scaled(&stride_sweep(), 9.0), scaled(&offset_sweep(), 9.0)].concat();
    let charts = drawn(&[first, second, scaled(&width_suite(), 2.0)]);
    assert_eq!(
        names(&charts),
        [
            "compare-stride",
            "compare-stride-share",
            "compare-offset-packed",
            "compare-offset-packed-share",
            "compare-offset-padded",
            "compare-offset-padded-share",
        ]
    );
    assert_says(
        &charts[0].svg,
        &["2 runs, as measured", "Useful bandwidth (GB/s)", "GPU 3."],
    );
    assert_says(
        &charts[1].svg,
        &["Useful bandwidth (% of B)", "B = 198 GB/s"],
    );
    assert_says(&charts[2].svg, &["2 runs, packed, as measured"]);
}

#[test]
fn devices_of_unlike_speed_agree_in_shares() {
    let slow = scaled(&stride_sweep(), 1.0);
    let fast = scaled(&stride_sweep(), 100.0);
    let charts = drawn(&[slow.clone(), slow, fast]);
    // Of three runs of one shape all marks of circles, squares and plusses lie on each other; those of the first are circles.
    let alone = drawn(&[scaled(&stride_sweep(), 1.0), scaled(&stride_sweep(), 1.0)]);
    assert_eq!(places(&charts[1].svg), places(&alone[1].svg));
    assert_ne!(places(&charts[0].svg), places(&alone[0].svg));
}

#[test]
fn widths_have_sheets_of_their_own() {
    let charts = drawn(&[1.0, 3.0].map(|times| scaled(&width_suite(), times)));
    assert_eq!(charts.len(), 12);
    assert_eq!(charts[0].name, "compare-width-4-b-elements");
    assert_eq!(charts[11].name, "compare-width-offset-16-b-elements-share");
}

#[test]
fn named_patterns_stand_in_a_column() {
    let pattern = |spec: &str, useful| row("mixed", spec, [1.0; 3], Some(useful));
    let slow = vec![
        pattern("mixed", 1.0),
        pattern(
            "list:0,7,7,8,1000,1064,1128,2000,3000,4000,5000,6000,7000",
            2.0,
        ),
        pattern("random", 0.2),
    ];
    let mut fast = scaled(&slow, 50.0);
    fast[2].status = Status::OverPeak;
    fast.push(pattern("broadcast", 9.0));
    let charts = drawn(&[slow, fast]);
    // The first run has no fetch bandwidth.
    assert_eq!(names(&charts), ["compare-mixed"]);
    assert_says(
        &charts[0].svg,
        &["random", "broadcast", "over-peak", "order of the legend"],
    );
}

#[test]
fn a_guard_breaks_the_line_and_keeps_its_mark() {
    let lines = |rows: Vec<Row>| {
        let svg = drawn(&[rows, scaled(&stride_sweep(), 2.0)]).remove(0).svg;
        // The line of the first run is whole, black and wider than all others.
        let wide = |line: &&str| {
            line.starts_with("<polyline")
                && line.contains("#1A1A1A")
                && line.contains("stroke-width=\"7\"")
        };
        (svg.lines().filter(wide).count(), svg)
    };
    let (whole, _) = lines(stride_sweep());
    let mut rows = stride_sweep();
    rows[16].status = Status::CacheResident;
    let (broken, svg) = lines(rows.clone());
    assert_eq!(broken, whole + 1);
    // Another figure at the same stride, with no guard raised, mends it.
    rows.push(stride(16, Some(1.4)));
    assert_eq!(lines(rows).0, whole);
    assert_says(&svg, &["cache-resident"]);
}

#[test]
fn beyond_eight_runs_the_others_are_a_band() {
    let sweeps = |count: usize| -> Vec<Vec<Row>> {
        (1..=count)
            .map(|times| scaled(&stride_sweep(), times as f64))
            .collect()
    };
    let eight = drawn(&sweeps(8));
    assert_says(&eight[0].svg, &["8 runs", "GPU 8"]);
    let many = drawn(&sweeps(40));
    assert_says(&many[0].svg, &["40 runs", "39 other runs"]);
    assert!(!many[0].svg.contains("GPU 8"));
    // The highest of them has its place on the axis: 5 GB/s times 40.
    assert_says(&many[0].svg, &[">\n200\n<"]);
}

#[test]
fn what_has_no_figure_is_said() {
    let mut rows = scaled(&stride_sweep(), 2.0);
    rows.push(Row {
        spec: "stride:512".to_owned(),
        ..stride(512, None)
    });
    let charts = drawn(&[stride_sweep(), rows]);
    assert_says(
        &charts[0].svg,
        &["Cases without a figure above zero: 1 of GPU 2."],
    );
}

#[test]
fn nothing_is_drawn_of_one_run() {
    assert_eq!(drawn(&[stride_sweep(), offset_sweep()]), []);
    assert_eq!(drawn(&[]), []);
}

#[test]
fn only_what_holds_for_all_runs_is_stamped() {
    let stamp = "software adapter: this is the CPU&apos;s memory";
    let both = drawn(&[stride_sweep(), stride_sweep()]);
    let one = drawn(&[stride_sweep(), scaled(&stride_sweep(), 2.0)]);
    let stamped =
        |chart: &Chart| chart.svg.contains(stamp) || chart.svg.contains("this is the CPU's memory");
    assert!(stamped(&both[0]) && !stamped(&one[0]));
}
