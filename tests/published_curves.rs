//! Curves that others published: what is said of devices that were not measured here.
//!
//! Uniform-stride gathers of 8-byte elements, of powers of two alone: NVIDIA Quadro GV100, Intel Skylake-SP, NVIDIA Tesla K40.

use std::fs;

use coalescope::fit::{Inference, Point, StrideCurve, infer};

fn inferred(name: &str) -> Inference {
    let text = fs::read_to_string(format!("tests/curves/{name}_gather_f64.csv")).expect("a table");
    let points = text.lines().skip(1).map(|line| {
        let (stride, useful) = line.split_once(',').expect("two columns");
        Point {
            stride_elements: stride.parse().expect("a stride"),
            useful_gb_per_s: useful.parse().expect("a bandwidth"),
            half_width: None,
        }
    });
    infer(&StrideCurve::new(8, points), None)
}

#[test]
fn a_gv100_fetches_64_bytes_and_declines_past_the_knee() {
    let gv100 = inferred("gv100");
    assert_eq!((gv100.granule_bytes, gv100.line_bytes), (Some(64), None));
    assert_eq!(gv100.decline_from_stride, Some(64));
    assert!((865.0..890.0).contains(&gv100.fetch_gb_per_s), "{gv100:?}");
    // Stride 1 falls short of nothing: no issue ceiling is in view.
    assert!(gv100.issue_is_lower_bound, "{gv100:?}");
    // Powers of two alone are never believed outright.
    assert!((0.6..0.95).contains(&gv100.confidence), "{gv100:?}");
    insta::assert_snapshot!(gv100.verdict(), @"memory is fetched 64 bytes at a time, at 881 GB/s; memory limits at every stride; from stride 64 on it falls further");
}

#[test]
fn a_skylake_fetches_something_between_a_line_and_its_pair() {
    let skx = inferred("skx");
    assert_eq!((skx.granule_bytes, skx.line_bytes), (None, Some(64)));
    insta::assert_snapshot!(skx.verdict(), @"undetermined: something between a line of 64 bytes and a pair of them is fetched");
}

#[test]
fn of_a_k40_that_never_saturates_nothing_is_said() {
    let k40 = inferred("k40");
    assert_eq!(k40.granule_bytes, None, "{k40:?}");
    insta::assert_snapshot!(k40.verdict(), @"undetermined: a single stride shows useful bandwidth fall as 1/stride");
}
