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

use coalescope::chart::bandwidth_vs_order;
use coalescope::chart::bars::Bars;
use coalescope::record::{Row, Status};
use drawing::drawn;
use pattern_rows::{order, order_suite};

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
    reversed | -1.01 | 0.00..0.00 | 4.88 | −1.0 % (±3.0), within noise
    permuted | 0.81 | 0.00..0.00 | 4.97 | +0.8 % (±3.0), within noise
    permuted:2 | -12.58 | 0.00..0.00 | 4.31 | −12.6 % (±2.6)
    permuted:3 | 1.83 | 0.00..0.00 | 5.02 | +1.8 % (±3.1), within noise
    interleaved:2 | 0.41 | 0.00..0.00 | 4.95 | +0.4 % (±3.0), within noise
    interleaved:4 | -4.46 | 0.00..0.00 | 4.71 | −4.5 % (±11.6), within noise
    interleaved:8 | -0.61 | 0.00..0.00 | 4.90 | −0.6 % (±3.0), within noise
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
