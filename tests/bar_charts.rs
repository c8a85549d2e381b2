//! Charts of made-up rows that compare patterns by name: what they show, and that no row, however odd, breaks them.

#[path = "common/drawing.rs"]
mod drawing;
#[path = "common/pattern_rows.rs"]
mod pattern_rows;
#[path = "common/rows.rs"]
#[allow(
    dead_code,
    reason = "the sweeps are for the charts with a number along their axis"
)]
mod rows;

use coalescope::chart::bars::Bars;
use coalescope::chart::{
    bandwidth_vs_gather, bandwidth_vs_matrix, bandwidth_vs_mixed, bandwidth_vs_order,
};
use coalescope::record::{Row, Status};
use drawing::drawn;
use pattern_rows::{gather_suite, matrix_suite, mixed_suite, order, order_suite};

/// A spec as long as any that a suite has.
const LONG_SPEC: &str = "list:0,7,7,8,1000,1064,1128,1192,element=16B,layout=padded";

fn of(rows: &[Row], bars: fn(&[&Row]) -> Bars) -> Bars {
    bars(&rows.iter().collect::<Vec<_>>())
}

/// A bar in one line: its label, value, prediction, figure and remark.
fn listed(bars: &Bars) -> String {
    let group = |group: &coalescope::chart::bars::Group| {
        let heading = (!group.heading.is_empty()).then(|| format!("[{}]", group.heading));
        let bars = group.bars.iter().map(|bar| {
            let predicted = bar
                .predicted
                .map_or(String::new(), |(low, high)| format!("{low:.2}..{high:.2}"));
            format!(
                "{} | {:.2} | {predicted} | {} | {}",
                bar.label, bar.value, bar.figure, bar.remark
            )
            .trim_end()
            .to_owned()
        });
        heading
            .into_iter()
            .chain(bars)
            .collect::<Vec<_>>()
            .join("\n")
    };
    bars.groups.iter().map(group).collect::<Vec<_>>().join("\n")
}

#[track_caller]
fn assert_says(svg: &str, texts: &[&str]) {
    for text in texts {
        assert!(svg.contains(text), "'{text}' is missing from\n{svg}");
    }
}

#[test]
fn orders_are_held_against_forward_in_percent() {
    let bars = of(&order_suite(), bandwidth_vs_order::bars);
    insta::assert_snapshot!(listed(&bars), @r"
    stride:1 | 0.00 |  | 4.93 | the baseline
    reversed | -1.01 | 0.00..0.00 | 4.88 | −1.0 % (−3.9 to +2.0), within noise
    permuted | 0.81 | 0.00..0.00 | 4.97 | +0.8 % (−2.2 to +3.9), within noise
    permuted:2 | -12.58 | 0.00..0.00 | 4.31 | −12.6 % (−15.2 to −9.9)
    permuted:3 | 1.83 | 0.00..0.00 | 5.02 | +1.8 % (−1.2 to +4.9), within noise
    interleaved:2 | 0.41 | 0.00..0.00 | 4.95 | +0.4 % (−2.6 to +3.5), within noise
    interleaved:4 | -4.46 | 0.00..0.00 | 4.71 | −4.5 % (−16.1 to +7.1), within noise
    interleaved:8 | -0.61 | 0.00..0.00 | 4.90 | −0.6 % (−3.5 to +2.4), within noise
    ");
    let drawn = drawn(&order_suite());
    assert_eq!(drawn[0].name, "bandwidth-vs-order");
    assert_says(
        &drawn[0].svg,
        &[
            "Does the order of lanes inside a subgroup matter?",
            "\nnoisy\n",
            "received 4.96 GB/s.",
            "software adapter",
        ],
    );
}

#[test]
fn an_order_that_cannot_be_compared_says_why() {
    let mut rows = order_suite();
    rows[1].status = Status::CacheResident;
    rows[2].useful_low_gb_per_s = None;
    let remarks = |rows: &[Row]| -> Vec<String> {
        let bars = of(rows, bandwidth_vs_order::bars);
        bars.bars().map(|bar| bar.remark.clone()).collect()
    };
    assert_eq!(
        remarks(&rows)[1..3],
        ["cache-resident: not compared", "no interval"]
    );
    rows[0].status = Status::LoadsSuspect;
    assert_eq!(remarks(&rows)[3], "forward is loads-suspect: not compared");
}

#[test]
fn without_forward_there_is_no_deviation_and_the_sheet_says_so() {
    let mut rows = order_suite();
    rows[0] = order("stride:1", None);
    assert!(of(&rows, bandwidth_vs_order::bars).groups.is_empty());
    assert_says(
        &drawn(&rows)[0].svg,
        &[
            "no figures to draw",
            "No deviations: forward",
            "stride:1 (failed)",
        ],
    );
}

#[test]
fn matrices_are_grouped_by_width_and_held_against_their_base() {
    let bars = of(&matrix_suite(), bandwidth_vs_matrix::bars);
    insta::assert_snapshot!(listed(&bars), @r"
    [4096 elements wide, a power of two]
    row:4096 | 5.20 | 22.00..22.00 | 5.20 |
    column:4096 | 0.93 | 1.38..22.00 | 0.930 | 0.18 × row
    row:4096,op=copy | 6.40 | 22.00..22.00 | 6.40 |
    transpose:4096 | 1.10 | 2.60..22.00 | 1.10 | 0.17 × row copy
    transpose:4096,tile=plain | 1.60 | 22.00..22.00 | 1.60 | 1.45 × naive
    transpose:4096,tile=padded | 1.55 | 22.00..22.00 | 1.55 | 1.41 × naive
    [4000 elements wide, not a power of two]
    row:4000 | 5.20 | 22.00..22.00 | 5.20 |
    column:4000 | 3.90 | 1.38..22.00 | 3.90 | 0.75 × row
    row:4000,op=copy | 6.40 | 22.00..22.00 | 6.40 |
    transpose:4000 | 4.20 | 2.60..22.00 | 4.20 | 0.66 × row copy
    transpose:4000,tile=plain | 4.10 | 22.00..22.00 | 4.10 | 0.98 × naive
    transpose:4000,tile=padded | 4.40 | 22.00..22.00 | 4.40 | 1.05 × naive
    ");
    let drawn = drawn(&matrix_suite());
    assert_eq!(drawn[0].name, "bandwidth-vs-matrix");
    assert_says(
        &drawn[0].svg,
        &["4000 elements wide, not a power of two", "B = 22.0 GB/s"],
    );
}

#[test]
fn without_a_plateau_there_is_no_prediction_and_the_sheet_says_so() {
    let mut rows = matrix_suite();
    rows.iter_mut()
        .for_each(|row| row.fetch_plateau_gb_per_s = None);
    let bars = of(&rows, bandwidth_vs_matrix::bars);
    assert!(bars.bars().all(|bar| bar.predicted.is_none()));
    let svg = &drawn(&rows)[0].svg;
    assert_says(svg, &["No prediction: the run has no suite stride"]);
    assert!(!svg.contains("everything shared"));
}

#[test]
fn mixed_patterns_say_their_efficiency_and_what_indexes_add() {
    let bars = of(&mixed_suite(), bandwidth_vs_mixed::bars);
    insta::assert_snapshot!(listed(&bars), @r"
    [Elements of 4 B]
    mixed | 1.90 | 2.64..2.64 | 1.90 | efficiency 12 %, indexes add 100 %
    list:0,7,7,8 | 2.60 | 5.50..11.00 | 2.60 | efficiency 25 to 50 %, indexes add 100 %
    list:0,1,2,3,64,65,66,67,128,129,130,131,192,193 | 3.10 | 11.00..11.00 | 3.10 | efficiency 50 %, indexes add 100 %
    random | 1.05 | 1.38..22.00 | 1.05 | efficiency 6 to 100 %, indexes add 100 %
    [Elements of 16 B]
    mixed,element=16B | 3.80 | 10.56..10.56 | 3.80 | efficiency 48 %, indexes add 25 %
    list:0,7,7,8,element=16B | 5.20 | 22.00..22.00 | 5.20 | efficiency 100 %, indexes add 25 %
    list:0,1,2,3,64,65,66,67,128,129,130,131,192,193,element=16B | 6.20 | 22.00..22.00 | 6.20 | efficiency 100 %, indexes add 25 %
    random,element=16B | 2.10 | 5.50..22.00 | 2.10 | efficiency 25 to 100 %, indexes add 25 %
    ");
    assert_eq!(drawn(&mixed_suite()).len(), 1, "both widths share a sheet");
}

#[test]
fn a_gather_shows_what_spatter_would_count_also_beyond_the_axis() {
    let mut rows = gather_suite();
    let bars = of(&rows, bandwidth_vs_gather::bars);
    insta::assert_snapshot!(listed(&bars), @r"
    UNIFORM:256:4:NR | 4.90 | 22.00..22.00 | 4.90 | gather, reuse 1, 512 MiB distinct, counts 4.90 GB/s
    UNIFORM:256:1:8 | 3.20 |  | 3.20 | scatter, reuse 1.33, 256 MiB distinct, counts 4.26 GB/s
    MS1:16:4:32 | 2.70 |  | 2.70 | gather, reuse 2, 64 MiB distinct, counts 5.40 GB/s
    @amg.json#0 (AMG gather) | 0.71 |  | 0.710 | gather, reuse 16, 3 KiB distinct, counts 11.4 GB/s
    @nekbone.json#12 (a name that somebody made as long as sixty characters are) | 1.90 |  | 1.90 | gs, reuse 1.50, 4 MiB distinct, counts 2.85 GB/s
    ");
    // Where each byte is asked for once, Spatter's figure is the bar's own.
    let marked: Vec<bool> = bars.bars().map(|bar| bar.counted.is_some()).collect();
    assert_eq!(marked, [false, true, true, true, true]);
    rows[3].counted_gb_per_s = Some(2100.0);
    let svg = &drawn(&rows)[0].svg;
    assert_says(
        svg,
        &[
            "counts 2100 GB/s",
            "was shrunk to 262144",
            "\ncache-resident\n",
        ],
    );
    assert!(!svg.contains("\n2000\n"), "the axis follows the bars");
}

#[test]
fn every_configuration_that_is_not_drawn_is_named() {
    let skipped = |number: usize| Row {
        suite: "custom".to_owned(),
        spec: format!("@my.json#{number}"),
        status: Status::Skipped,
        ..Row::default()
    };
    let rows: Vec<Row> = (0..7).map(skipped).collect();
    assert_says(
        &drawn(&rows)[0].svg,
        &["@my.json#0 (skipped)", "@my.json#6 (skipped)"],
    );
}

#[test]
fn odd_rows_and_any_number_of_them_are_drawn_all_the_same() {
    let many: Vec<Row> = std::iter::once("stride:1".to_owned())
        .chain((2..41).map(|seed| format!("permuted:{seed}")))
        .map(|spec| order(&spec, Some(5.0)))
        .collect();
    let changed = |mut rows: Vec<Row>, change: &dyn Fn(&mut Row)| {
        rows.iter_mut().for_each(change);
        rows
    };
    for (name, rows) in [
        ("forty orders", many),
        ("one order", vec![order("stride:1", Some(5.0))]),
        ("an order alone", vec![order("reversed", Some(5.0))]),
        (
            "long orders",
            changed(order_suite(), &|row| row.spec = LONG_SPEC.to_owned()),
        ),
        (
            "solid orders",
            changed(order_suite(), &|row| row.spec = "W".repeat(60)),
        ),
        (
            "no orders",
            changed(order_suite(), &|row| row.useful_gb_per_s = None),
        ),
        (
            "zero orders",
            changed(order_suite(), &|row| row.useful_gb_per_s = Some(0.0)),
        ),
        (
            "strange orders",
            changed(order_suite(), &|row| row.useful_gb_per_s = Some(f64::NAN)),
        ),
        (
            "guarded orders",
            changed(order_suite(), &|row| row.status = Status::OverPeak),
        ),
        (
            "orders without intervals",
            changed(order_suite(), &|row| row.useful_low_gb_per_s = None),
        ),
    ] {
        assert_eq!(drawn(&rows).len(), 1, "{name}");
    }
}
