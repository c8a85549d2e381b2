//! The chart of verdicts: what it says, and that no counts, however odd, break it.

#[path = "common/drawing.rs"]
#[allow(dead_code, reason = "the charts of rows are drawn there too")]
mod drawing;

use coalescope::chart::{Chart, VerdictBlock, VerdictCounts, VerdictGroup, verdicts};
use drawing::assert_readable;

/// The colours of the three parts, as the SVG names them.
const RIGHT: &str = "#7DA7C7";
const UNDETERMINED: &str = "#F0F0F0";
const WRONG: &str = "#A33A00";

fn group(label: &str, [right, undetermined, wrong]: [usize; 3]) -> VerdictGroup {
    VerdictGroup {
        label: label.to_owned(),
        counts: VerdictCounts {
            right,
            undetermined,
            wrong,
            visible: right + wrong,
            visible_right: right,
        },
    }
}

fn block(heading: &str, groups: Vec<VerdictGroup>) -> VerdictBlock {
    VerdictBlock {
        heading: heading.to_owned(),
        groups,
    }
}

/// Draws `blocks`, and sees to it that the drawing is repeatable and a picture.
fn drawn(blocks: &[VerdictBlock]) -> Chart {
    let chart = verdicts(blocks, "Drawn by chance.").unwrap();
    assert_eq!(verdicts(blocks, "Drawn by chance.").unwrap(), chart);
    assert_readable(&chart);
    chart
}

/// The left and right ends in pixels of every area of `colour`, the first of which is the legend's.
fn areas(chart: &Chart, colour: &str) -> Vec<(f64, f64)> {
    let polygons = chart.svg.split("<polygon").skip(1);
    let of_colour = polygons.filter(|polygon| {
        let element = polygon.split('>').next().unwrap_or_default();
        element.contains(&format!("fill=\"{colour}\""))
    });
    let ends = |polygon: &str| -> Option<(f64, f64)> {
        let points = polygon.split("points=\"").nth(1)?.split('"').next()?;
        let xs = points
            .split_whitespace()
            .filter_map(|point| point.split(',').next()?.parse::<f64>().ok());
        let quarters: Vec<f64> = xs.collect();
        let low = quarters.iter().copied().fold(f64::INFINITY, f64::min);
        let high = quarters.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Some((low / 4.0, high / 4.0))
    };
    of_colour.filter_map(ends).collect()
}

fn width((left, right): (f64, f64)) -> f64 {
    right - left
}

#[test]
fn counts_and_shares_stand_beside_the_bars() {
    let chart = drawn(&[
        block("follow the model", vec![group("0 to 1 %", [83, 17, 0])]),
        block("depart from it", vec![group("decline", [1095, 898, 9])]),
    ]);
    assert_eq!(chart.name, "inference");
    for text in [
        "follow the model",
        "depart from it",
        "83 · 83.00 %",
        "898 · 44.86 %",
        "9 · 0.45 %",
        "1095 of 1104 · 99.18 %",
        "Drawn by chance.",
    ] {
        assert!(chart.svg.contains(text), "'{text}' in {}", chart.svg);
    }
}

#[test]
fn parts_are_as_wide_as_their_shares() {
    let chart = drawn(&[block("", vec![group("decline", [50, 25, 25])])]);
    let parts = [RIGHT, UNDETERMINED, WRONG].map(|colour| areas(&chart, colour)[1]);
    let whole = parts[2].1 - parts[0].0;
    for (part, share) in parts.into_iter().zip([0.5, 0.25, 0.25]) {
        assert!((width(part) - share * whole).abs() < 0.6, "{parts:?}");
    }
}

#[test]
fn a_wrong_verdict_in_ten_thousand_is_seen_and_none_is_not() {
    let rare = drawn(&[block("", vec![group("cache hits", [5000, 4999, 1])])]);
    let wrong = areas(&rare, WRONG);
    assert!(wrong.len() == 2 && width(wrong[1]) >= 3.0, "{wrong:?}");
    assert!(rare.svg.contains("1 · 0.01 %"));
    let never = drawn(&[block("", vec![group("cache hits", [5000, 5000, 0])])]);
    assert_eq!(areas(&never, WRONG).len(), 1, "the legend's alone");
}

#[test]
fn a_group_may_be_wrong_throughout() {
    let chart = drawn(&[block("", vec![group("decline", [0, 0, 7])])]);
    assert_eq!(areas(&chart, RIGHT).len(), 1);
    assert!(width(areas(&chart, WRONG)[1]) > 200.0);
    assert!(chart.svg.contains("7 · 100.00 %") && chart.svg.contains("0 of 7 · 0.00 %"));
}

#[test]
fn without_devices_there_is_no_bar_and_no_share() {
    let nobody = drawn(&[block("depart from it", vec![group("camping", [0, 0, 0])])]);
    assert!(nobody.svg.contains("camping") && nobody.svg.contains("none visible"));
    assert!(!nobody.svg.contains(" · "), "{}", nobody.svg);
    for blocks in [vec![], vec![block("depart from it", vec![])]] {
        let empty = drawn(&blocks);
        assert!(empty.svg.contains("no figures to draw"));
        assert!(!empty.svg.contains("depart from it"));
    }
}

#[test]
fn many_groups_with_long_names_keep_apart() {
    let groups = (0..30).map(|number| group(&"W".repeat(number * 3), [123_456, 654_321, 99_999]));
    drawn(&[block("follow the model", groups.collect())]);
}
