//! Charts of made-up sweeps over element widths, stores and the fields of structs.

#[path = "common/drawing.rs"]
mod drawing;
#[path = "common/rows.rs"]
#[allow(dead_code, reason = "the other sweeps have tests of their own")]
mod rows;
#[path = "common/store_rows.rs"]
mod store_rows;
#[path = "common/sweep_rows.rs"]
mod sweep_rows;

use coalescope::chart::series::Series;
use coalescope::chart::{bandwidth_vs_store, bandwidth_vs_struct, bandwidth_vs_width};
use coalescope::fit::Policy;
use coalescope::record::{Row, Status};
use drawing::drawn;
use store_rows::{store, store_sweep};
use sweep_rows::{every_field_suite, width_suite};

const NO_LIMIT: f64 = f64::INFINITY;

fn of(rows: &[Row], series: fn(&[&Row]) -> Series) -> Series {
    series(&rows.iter().collect::<Vec<_>>())
}

#[track_caller]
fn assert_says(svg: &str, texts: &[&str]) {
    for text in texts {
        assert!(svg.contains(text), "'{text}' is missing from\n{svg}");
    }
}

fn strides_of(rows: Vec<Row>) -> Vec<Row> {
    rows.into_iter()
        .filter(|row| row.stride_elements.is_some())
        .collect()
}

#[test]
fn every_width_has_a_series_a_curve_and_a_ceiling() {
    let rows = strides_of(width_suite());
    let series = of(&rows, bandwidth_vs_width::series);
    let ceilings: Vec<_> = series
        .levels
        .iter()
        .map(|level| (level.measured, level.gb_per_s.round()))
        .collect();
    assert_eq!(ceilings, [(Some(0), 5.0), (Some(1), 9.0), (Some(2), 15.0)]);
    // In bytes: 16 B elements begin where 4 B elements have a stride of 4.
    let first: Vec<f64> = series.measured.iter().map(|m| m.points[0].x).collect();
    assert_eq!(first, [4.0, 8.0, 16.0]);
    for curve in &series.curves {
        let residuals = series.residuals(curve);
        assert_eq!(residuals.len(), 10);
        assert!(
            residuals
                .iter()
                .all(|(_, ratio)| (0.9..1.1).contains(ratio)),
            "{residuals:?}"
        );
    }
}

#[test]
fn widths_share_a_sheet_and_offsets_have_another() {
    let drawn = drawn(&width_suite());
    let names: Vec<&str> = drawn.iter().map(|chart| chart.name.as_str()).collect();
    assert_eq!(names, ["bandwidth-vs-width", "bandwidth-vs-width-offset"]);
    assert_says(
        &drawn[0].svg,
        &[
            "Distance between neighbouring lanes (bytes)",
            "issue ceiling of 16 B:",
            "C = 15.0 GB/s",
            "at 64 B",
        ],
    );
    assert_says(
        &drawn[1].svg,
        &["measured, 8 B elements:", "8 B, if nothing is shared"],
    );
}

#[test]
fn a_wide_window_loses_a_smaller_part_to_the_block_it_straddles() {
    let offsets: Vec<Row> = width_suite()
        .into_iter()
        .filter(|row| row.offset_bytes.is_some())
        .collect();
    let series = of(&offsets, bandwidth_vs_width::offset_series);
    let lowest = |index: usize| {
        let curves = series.curves.iter().filter(|curve| curve.measured == index);
        let shares = curves.flat_map(|curve| {
            let baseline = curve.points[0].1;
            curve.points.iter().map(move |(_, y)| y / baseline)
        });
        shares.fold(1.0, f64::min)
    };
    assert_eq!(
        [lowest(0), lowest(1), lowest(2)].map(|v| (v * 100.0).round()),
        [67.0, 80.0, 89.0]
    );
}

#[test]
fn the_policy_of_stores_is_named_and_all_three_are_drawn() {
    for (policy, words) in [
        (Policy::WriteTouched, "write only what was touched, in"),
        (Policy::FillPartial, "fill-read of partly written"),
        (Policy::AllocateAlways, "allocate always, in blocks of 64 B"),
    ] {
        let rows = store_sweep("store", policy, 22.0, NO_LIMIT);
        let series = of(&rows, bandwidth_vs_store::series);
        assert_eq!(series.curves.len(), 3);
        let fitting: Vec<bool> = series
            .curves
            .iter()
            .map(|curve| {
                let residuals = series.residuals(curve);
                residuals
                    .iter()
                    .all(|(_, ratio)| (0.9..1.1).contains(ratio))
            })
            .collect();
        let expected = Policy::ALL.map(|other| other == policy);
        assert_eq!(
            fitting, expected,
            "{policy}: only its own curve goes through every point"
        );
        let drawn = drawn(&rows);
        assert_eq!(drawn[0].name, "bandwidth-vs-store");
        assert_says(&drawn[0].svg, &["Fits best:", words, "B = 22.0 GB/s"]);
        let sized = |label: &str| label.contains(", in blocks of 64 B: B = ");
        assert!(series.curves.iter().all(|curve| sized(&curve.label)));
    }
}

#[test]
fn what_the_stores_cannot_tell_is_said_to_be_undetermined() {
    let rows = store_sweep("store", Policy::FillPartial, 22.0, 5.0);
    assert_says(
        &drawn(&rows)[0].svg,
        &[
            "Policy: undetermined",
            "predict the same for every row",
            "issue ceiling",
            "rows that move different amounts are as fast as this.",
        ],
    );
    let few = &drawn(&rows[7..8])[0].svg;
    assert_says(few, &["No model: too few rows", "Policy: 1 row can be"]);
    assert!(
        of(&rows[7..8], bandwidth_vs_store::series)
            .curves
            .is_empty()
    );
}

#[test]
fn a_store_alone_among_its_width_has_no_sheet() {
    let mut rows = store_sweep("store", Policy::FillPartial, 22.0, NO_LIMIT);
    rows.push(Row {
        element_bytes: 16,
        ..store("store", 1, Some(5.0))
    });
    assert_eq!(drawn(&rows).len(), 1);
}

#[test]
fn a_width_without_a_trusted_figure_has_no_curve() {
    let mut rows = strides_of(width_suite());
    for row in rows.iter_mut().filter(|row| row.element_bytes == 8) {
        row.status = Status::CacheResident;
    }
    let of_series: Vec<usize> = of(&rows, bandwidth_vs_width::series)
        .curves
        .iter()
        .map(|curve| curve.measured)
        .collect();
    assert_eq!(of_series, [0, 2]);
    assert_says(&drawn(&rows)[0].svg, &["No model for 8 B"]);
    rows.iter_mut()
        .for_each(|row| row.status = Status::CacheResident);
    let svg = &drawn(&rows)[0].svg;
    assert_says(svg, &["No model: no distance"]);
    assert!(!svg.contains("Model: the lower"));
}

#[test]
fn copies_have_a_sheet_that_says_which_side_strides() {
    let mut rows = store_sweep("store", Policy::WriteTouched, 22.0, NO_LIMIT);
    rows.extend(store_sweep("copy", Policy::WriteTouched, 22.0, NO_LIMIT));
    let sheets = drawn(&rows);
    assert_eq!(sheets[1].name, "bandwidth-vs-store-4b-copy");
    assert_says(
        &sheets[1].svg,
        &["Both sides of the copy stride", "Fits best:"],
    );
    rows.iter_mut()
        .filter(|row| row.op == "copy" && !row.strided_side.is_empty())
        .for_each(|row| row.strided_side = "load".to_owned());
    assert_says(
        &drawn(&rows)[1].svg,
        &["The side of the copy that strides: load."],
    );
    assert!(!sheets[0].svg.contains("of the copy"));
}

#[test]
fn fields_of_one_struct_are_one_point_with_a_bar_over_all_of_them() {
    let mut rows = every_field_suite();
    let series = of(&rows, bandwidth_vs_struct::series);
    let fields = &series.measured[0].points;
    let sizes: Vec<f64> = fields.iter().map(|point| point.x).collect();
    assert_eq!(sizes, [8.0, 12.0, 16.0, 20.0, 24.0, 32.0, 48.0]);
    let (low, high) = fields[6].interval_gb_per_s.unwrap();
    let of_size = |row: &&Row| row.struct_bytes == Some(48) && row.field_bytes.is_some();
    let figures: Vec<f64> = rows
        .iter()
        .filter(of_size)
        .filter_map(|row| row.useful_gb_per_s)
        .collect();
    assert_eq!(figures.len(), 12);
    assert!(figures.iter().all(|figure| (low..=high).contains(figure)));
    assert_eq!(series.measured[1].points.len(), 7);
    assert!(series.curves.iter().all(|curve| curve.measured == 0));
    // C is that of a field: lanes that read whole structs are faster.
    let highest = series.curves[0]
        .points
        .iter()
        .map(|(_, y)| *y)
        .fold(0.0, f64::max);
    assert!(highest < 6.0, "{highest}");

    let guarded = rows
        .iter_mut()
        .find(|row| row.struct_bytes == Some(48))
        .unwrap();
    guarded.status = Status::OverPeak;
    let series = of(&rows, bandwidth_vs_struct::series);
    assert_eq!(
        series.measured[0].points.len(),
        8,
        "a guarded field stands for itself"
    );
    assert_says(
        &drawn(&rows)[0].svg,
        &["median of the", "all fields of the", "\nover-peak\n"],
    );
}

#[test]
fn odd_sweeps_are_drawn_all_the_same() {
    let changed = |mut rows: Vec<Row>, change: &dyn Fn(&mut Row)| {
        rows.iter_mut().for_each(change);
        rows
    };
    let stores = || store_sweep("store", Policy::FillPartial, 22.0, 5.0);
    let strides = || strides_of(width_suite());
    for (name, rows) in [
        ("one store", vec![store("store", 1, Some(5.0))]),
        (
            "no stores",
            changed(stores(), &|row| row.useful_gb_per_s = None),
        ),
        (
            "zero stores",
            changed(stores(), &|row| row.useful_gb_per_s = Some(0.0)),
        ),
        (
            "strange stores",
            changed(stores(), &|row| row.useful_gb_per_s = Some(f64::NAN)),
        ),
        (
            "uncounted stores",
            changed(stores(), &|row| row.transactions_store_partial_64b = None),
        ),
        ("blank stores", changed(stores(), &|row| row.bytes_used = 0)),
        (
            "stores of one address",
            changed(stores(), &|row| row.stride_elements = Some(0)),
        ),
        (
            "descending stores",
            changed(stores(), &|row| {
                row.stride_elements = row.stride_elements.map(|d| -d);
            }),
        ),
        (
            "stores without a plateau",
            changed(stores(), &|row| row.fetch_plateau_gb_per_s = None),
        ),
        (
            "a strange plateau",
            changed(stores(), &|row| row.fetch_plateau_gb_per_s = Some(f64::NAN)),
        ),
        ("one width", strides()[..1].to_vec()),
        (
            "no widths",
            changed(strides(), &|row| row.useful_gb_per_s = None),
        ),
        (
            "zero widths",
            changed(strides(), &|row| row.useful_gb_per_s = Some(0.0)),
        ),
        (
            "suspect widths",
            changed(strides(), &|row| row.status = Status::LoadsSuspect),
        ),
        (
            "no efficiency",
            changed(strides(), &|row| row.efficiency_compulsory_64b = 0.0),
        ),
        (
            "whole structs alone",
            changed(every_field_suite(), &|row| row.field_bytes = None),
        ),
        (
            "failed fields",
            changed(every_field_suite(), &|row| row.status = Status::Failed),
        ),
    ] {
        assert_eq!(drawn(&rows).len(), 1, "{name}");
    }
}
