//! Charts of made-up rows: what they show, and that no row, however odd, breaks or hangs them.

#[path = "common/drawing.rs"]
mod drawing;
#[path = "common/rows.rs"]
mod rows;

use coalescope::chart::series::{Series, Sharing};
use coalescope::chart::{
    Card, bandwidth_vs_offset, bandwidth_vs_stride, bandwidth_vs_struct, bandwidth_vs_working_set,
    charts,
};
use coalescope::fit::fetch_plateau_gb_per_s;
use coalescope::record::{Row, Status};
use drawing::drawn;
use rows::{
    offset, offset_sweep, stride, stride_sweep, struct_sweep, structure, working_set,
    working_set_sweep,
};

const HOSTILE_NAME: &str = "Foo,\n\"Bar\" <X> & Y\u{0}\u{1b}";

fn stride_series(rows: &[Row]) -> Series {
    let rows: Vec<&Row> = rows.iter().collect();
    let mut series = bandwidth_vs_stride::series(&rows);
    bandwidth_vs_stride::add_fit(&mut series, &rows, &rows);
    series
}

fn offset_series(rows: &[Row]) -> Series {
    bandwidth_vs_offset::series(&rows.iter().collect::<Vec<_>>())
}

#[track_caller]
fn assert_says(svg: &str, texts: &[&str]) {
    for text in texts {
        assert!(svg.contains(text), "'{text}' is missing from\n{svg}");
    }
}

/// A curve in one line: its label, its points at powers of two and its corners between whole numbers.
fn listed(series: &Series) -> String {
    let curves = series.curves.iter().map(|curve| {
        let points = curve.points.iter();
        let points = points.filter(|(x, _)| x.fract() > 0.0 || (*x as u64).is_power_of_two());
        let points = points.map(|(x, y)| format!("{x:.1}:{y:.2}"));
        format!("{} | {}", curve.label, points.collect::<Vec<_>>().join(" "))
    });
    curves.collect::<Vec<_>>().join("\n")
}

#[test]
fn each_suite_gets_its_chart() {
    let rows = [stride_sweep(), offset_sweep(), struct_sweep()].concat();
    let drawn = drawn(&rows);
    let names: Vec<&str> = drawn.iter().map(|chart| chart.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "bandwidth-vs-stride",
            "bandwidth-vs-offset",
            "bandwidth-vs-struct"
        ]
    );
    assert!(charts(&[], &Card::default()).unwrap().is_empty());
}

#[test]
fn a_sheet_names_its_axes_models_and_origin() {
    let svg = &drawn(&stride_sweep())[0].svg;
    assert_says(
        svg,
        &[
            "Bandwidth against stride",
            "Useful bandwidth (GB/s)",
            "Stride (elements of 4 B)",
            "measured, 95 % interval",
            "fit, 128 B granule:",
            "B = 22.0 GB/s, C = 5.",
            "64 B granule, same B and C",
            "Verdict: memory is fetched 128 bytes at a time, at 22.0 GB/s; below stride 5 issue limits, not memory; confidence ",
            "llvmpipe (LLVM 15.0.6, 256 bits) · driver llvmpipe Mesa 22.3.6 (LLVM 15.0.6) · vulkan",
            "footprint 512 MiB · lanes 8 · workgroup 64 · element 4 B · load · windows packed",
            "timed by pass timestamps · runtime checks off · samples a point 40",
            "software adapter: this is the CPU&apos;s memory",
        ],
    );
    let svg = &drawn(&offset_sweep())[0].svg;
    assert_says(
        svg,
        &[
            "Offset (bytes)",
            "measured, packed:",
            "model, packed, all shared,",
            "loses nothing",
            "if nothing is shared, 64 B:",
            "some blocks are shared",
            "model, padded, 64 B:",
            "loses up to 33 %",
        ],
    );
}

#[test]
fn the_model_is_the_lower_of_both_ceilings() {
    let rows = [1, 2, 4, 16, 64].map(|d| {
        let eta = (1.0 / d as f64).max(1.0 / 32.0);
        stride(d, Some((22.0 * eta).min(5.0)))
    });
    let series = stride_series(&rows);
    assert_eq!(series.levels.first().map(|level| level.gb_per_s), Some(5.0));
    insta::assert_snapshot!(listed(&series), @r"
    model, 32 B transactions: B = 15.5 GB/s | 1.0:5.00 2.0:5.00 3.1:5.00 4.0:3.88 8.0:1.94 16.0:1.94 32.0:1.94 64.0:1.94
    model, 64 B transactions: B = 21.0 GB/s | 1.0:5.00 2.0:5.00 4.0:5.00 4.2:5.00 8.0:2.62 16.0:1.31 32.0:1.31 64.0:1.31
    model, 128 B transactions: B = 22.0 GB/s | 1.0:5.00 2.0:5.00 4.0:5.00 4.4:5.00 8.0:2.75 16.0:1.38 32.0:0.69 64.0:0.69
    ");
    let residuals = series.residuals(&series.curves[2]);
    assert!(
        residuals
            .iter()
            .all(|(_, ratio)| (ratio - 1.0).abs() < 0.01),
        "{residuals:?}"
    );
}

#[test]
fn a_determined_fit_takes_the_place_of_the_models_and_of_their_ratios() {
    let rows = stride_sweep();
    let series = stride_series(&rows);
    let fit = series.fit.as_ref().expect("a fit");
    assert!(fit.is_determined && series.levels.is_empty());
    assert_eq!(fit.residuals.len(), rows.len() - 1, "all but stride 0");
    assert!(
        fit.residuals
            .iter()
            .all(|residual| residual.is_fitted && residual.percent.abs() < 8.0),
        "{:?}",
        fit.residuals
    );
    let svg = &drawn(&rows)[0].svg;
    assert_says(
        svg,
        &[
            "over fit, %",
            "memory limits from stride 5",
            "knee: 128 B",
            "strip: within 10 % of the fit",
            "Stride 0 has no place in it.",
        ],
    );
    for absent in ["/ model", "B transactions", "issue ceiling", "left out of"] {
        assert!(!svg.contains(absent), "{absent}");
    }
}

#[test]
fn a_decline_is_marked_and_left_out_of_the_fit() {
    let mut rows = stride_sweep();
    let declining = |row: &&mut Row| row.stride_elements >= Some(64);
    for (row, share) in rows.iter_mut().filter(declining).zip([0.7, 0.5, 0.3]) {
        *row = stride(row.stride_elements.unwrap(), Some(22.0 / 32.0 * share));
    }
    let series = stride_series(&rows);
    let fit = series.fit.expect("a fit");
    let left_out = fit.residuals.iter().filter(|residual| !residual.is_fitted);
    assert_eq!(
        left_out.map(|residual| residual.x).collect::<Vec<_>>(),
        [64.0, 128.0, 256.0]
    );
    assert_says(
        &drawn(&rows)[0].svg,
        &["decline from stride 64", "strip: left out of the fit"],
    );
}

#[test]
fn the_verdict_on_strides_hears_the_offsets_of_the_run() {
    let rows = [stride_sweep(), offset_sweep()].concat();
    assert_says(
        &drawn(&rows)[0].svg,
        &[
            "fetched 128 bytes at a time, in lines of 64 bytes",
            "line: 64 B",
        ],
    );
}

#[test]
fn what_cannot_be_determined_keeps_its_models() {
    let rows = stride_sweep();
    let series = stride_series(&rows[..8]);
    assert_eq!((series.curves.len(), series.levels.len()), (3, 1));
    assert!(!series.fit.expect("a fit").is_determined);
    let svg = &drawn(&rows[..8])[0].svg;
    assert_says(
        svg,
        &[
            "granule undetermined",
            "model, 64 B transactions:",
            "issue ceiling, as measured:",
            "Verdict: undetermined: ",
            "over fit, %",
        ],
    );
    assert!(!svg.contains("confidence") && !svg.contains("knee:"));
}

#[test]
fn neither_one_outlier_nor_a_guarded_figure_sets_the_plateau() {
    let mut rows = stride_sweep();
    let calm = fetch_plateau_gb_per_s(&rows.iter().collect::<Vec<_>>(), 2).unwrap();
    rows[7].fetched_gb_per_s_128b = Some(900.0);
    rows[8].fetched_gb_per_s_128b = Some(900.0);
    rows[8].status = Status::CacheResident;
    let disturbed = fetch_plateau_gb_per_s(&rows.iter().collect::<Vec<_>>(), 2).unwrap();
    assert!(
        (disturbed / calm - 1.0).abs() < 0.02,
        "{calm} became {disturbed}"
    );
    assert_eq!(fetch_plateau_gb_per_s(&[], 2), None);
}

#[test]
fn padded_offsets_lose_and_packed_ones_only_if_nothing_is_shared() {
    let rows: Vec<Row> = [0, 4, 64]
        .into_iter()
        .flat_map(|o| {
            [
                offset("packed", o, Some(4.0)),
                offset("padded", o, Some(3.0)),
            ]
        })
        .collect();
    let series = offset_series(&rows);
    let sparse: Vec<String> = series
        .curves
        .iter()
        .map(|curve| {
            let at = |x| {
                curve
                    .points
                    .iter()
                    .find(|(known, _)| *known == x)
                    .map(|(_, y)| *y)
            };
            format!(
                "{} | {:.2?} {:.2?} {:.2?}",
                curve.label,
                at(0.0),
                at(4.0),
                at(64.0)
            )
        })
        .collect();
    insta::assert_snapshot!(sparse.join("\n"), @r"
    model, packed, all shared, 32/64/128 B: loses nothing | Some(4.00) Some(4.00) Some(4.00)
    if nothing is shared, 32 B: loses up to 20 % | Some(4.00) Some(3.20) Some(4.00)
    if nothing is shared, 64 B: loses up to 33 % | Some(4.00) Some(2.67) Some(4.00)
    if nothing is shared, 128 B: loses up to 50 % | Some(4.00) Some(2.00) Some(2.00)
    model, padded, 32 B: loses up to 20 % | Some(3.00) Some(2.40) Some(3.00)
    model, padded, 64 B: loses up to 33 % | Some(3.00) Some(2.00) Some(3.00)
    model, padded, 128 B: loses up to 50 % | Some(3.00) Some(1.50) Some(1.50)
    ");
}

#[test]
fn a_band_spans_all_and_nothing_shared_where_the_two_differ() {
    let mut rows = offset_sweep();
    let series = offset_series(&rows);
    let [band] = series.bands.as_slice() else {
        panic!("padded windows share nothing: {:?}", series.bands);
    };
    assert_eq!(band.measured, 0);
    let at = |x| band.points.iter().find(|(known, ..)| *known == x).unwrap();
    assert!((at(64.0).2 / at(64.0).1 - 2.0).abs() < 1e-9, "{band:?}");
    assert_eq!(at(128.0).1, at(128.0).2);
    // Nothing is lost on boundaries alone, so that there is nothing to span.
    rows.retain(|row| row.offset_bytes == Some(0));
    let aligned = offset_series(&rows);
    assert!(aligned.bands.is_empty());
    assert!(
        aligned
            .curves
            .iter()
            .all(|c| c.sharing == Sharing::Everything)
    );
}

#[test]
fn structs_are_held_against_the_field_alone() {
    let rows = struct_sweep();
    let series = bandwidth_vs_struct::series(&rows.iter().collect::<Vec<_>>());
    assert_eq!(series.levels.first().map(|level| level.gb_per_s), Some(5.1));
    assert_eq!(series.measured[0].points.len(), 16);
    insta::assert_snapshot!(listed(&series), @r"
    model, 32 B transactions: B = 22.0 GB/s | 4.0:5.10 8.0:5.10 16.0:5.10 17.3:5.10 32.0:2.75 64.0:2.75
    model, 64 B transactions: B = 22.0 GB/s | 4.0:5.10 8.0:5.10 16.0:5.10 17.3:5.10 32.0:2.75 64.0:1.38
    model, 128 B transactions: B = 22.0 GB/s | 4.0:5.10 8.0:5.10 16.0:5.10 17.3:5.10 32.0:2.75 64.0:1.38
    ");
    assert_says(
        &drawn(&rows)[0].svg,
        &[
            "same field as an array of its",
            "5.10 GB/s",
            "Size of the struct (bytes)",
        ],
    );
    let mut without = rows.clone();
    without[0] = structure(None, None);
    assert_says(
        &drawn(&without)[0].svg,
        &["Not drawn: the field as an array of its own (failed)."],
    );
}

#[test]
fn working_sets_show_fetched_bandwidth_and_mark_steps() {
    let rows = working_set_sweep();
    let series = bandwidth_vs_working_set::series(&rows.iter().collect::<Vec<_>>());
    let points = &series.measured[0].points;
    assert_eq!((points[0].x, points[0].gb_per_s), (262_144.0, 62.0));
    // That a cache answers is no fault here.
    assert!(points.iter().all(|point| point.status == Status::Ok));
    let drawn = drawn(&rows);
    assert_eq!(drawn[0].name, "bandwidth-vs-working-set");
    assert_says(
        &drawn[0].svg,
        &[
            "Fetched bandwidth (GB/s), 64 B lines",
            "256 KiB",
            "16 MiB",
            "1 GiB",
            "step after 2 MiB:",
            "62.0 to 31.0 GB/s",
            "step after 64 MiB:",
            "31.0 to 21.0 GB/s",
        ],
    );
    let told = |mib: u64| {
        let card = Card {
            last_level_cache_bytes: Some(mib << 20),
            ..Card::from_rows(&rows, "2026-03-01 12:00")
        };
        let drawn = charts(&rows, &card).unwrap();
        drawn[0].svg.contains("last-level cache, as the")
    };
    assert!(
        told(96) && !told(4096),
        "a mark stands on the axis or not at all"
    );
}

#[test]
fn a_failed_baseline_leaves_the_figures_and_says_so() {
    let mut rows = offset_sweep();
    rows[0].status = Status::Failed;
    rows[0].reason = "the checksum differs".to_owned();
    rows[0].useful_gb_per_s = None;
    let series = offset_series(&rows);
    assert_eq!(series.measured[0].points.len(), 32);
    assert!(series.curves.iter().all(|curve| curve.measured == 1));
    assert_says(
        &drawn(&rows)[0].svg,
        &[
            "Not drawn: packed offset 0 B (failed: the checksum differs).",
            "No prediction for packed windows",
        ],
    );
}

#[test]
fn guarded_figures_have_an_entry_of_their_own() {
    let mut rows = stride_sweep();
    rows[5].status = Status::Noisy;
    rows[9].status = Status::CacheResident;
    rows[12] = stride(12, None);
    rows[12].status = Status::Skipped;
    rows[12].reason = "needs a 256 MiB buffer".to_owned();
    assert_says(
        &drawn(&rows)[0].svg,
        &[
            "\nnoisy\n",
            "\ncache-resident\n",
            "Not drawn: stride 12 (skipped: needs a 256 MiB buffer).",
        ],
    );
}

#[test]
fn without_a_trusted_figure_the_sheet_says_that_there_is_no_model() {
    for (mut rows, words) in [
        (stride_sweep(), "No model: no packed, ascending stride"),
        (struct_sweep(), "No model: no packed struct"),
    ] {
        rows.iter_mut()
            .for_each(|row| row.status = Status::CacheResident);
        let svg = &drawn(&rows)[0].svg;
        assert_says(svg, &[words]);
        assert!(!svg.contains("Model: the lower"));
    }
}

#[test]
fn zero_has_a_slot_on_the_stride_axis_and_none_on_a_logarithm() {
    let mut rows = stride_sweep();
    rows[3].useful_gb_per_s = Some(0.0);
    let series = stride_series(&rows);
    assert_eq!(series.measured[0].points[0].x, 0.0);
    let fit = series.fit.expect("a fit");
    let fitted = series.curves.iter().map(|curve| &curve.points);
    assert!(
        fitted.chain([&fit.points]).all(|points| points[0].0 == 1.0),
        "nothing was fitted to stride 0"
    );
    let few = stride_series(&rows[..3]);
    assert!(few.curves.iter().all(|curve| curve.points[0].0 == 0.0));
    assert_says(
        &drawn(&rows)[0].svg,
        &["Not drawn: stride 3 (0 GB/s has no place on a log axis)."],
    );
}

#[test]
fn odd_sweeps_are_drawn_all_the_same() {
    let mut wide = stride_sweep();
    wide.iter_mut().for_each(|row| row.element_bytes = 16);
    let every = |figure| move |row: &mut Row| row.useful_gb_per_s = figure;
    let changed = |mut rows: Vec<Row>, change: &dyn Fn(&mut Row)| {
        rows.iter_mut().for_each(change);
        rows
    };
    for (name, rows) in [
        ("one row", vec![stride(1, Some(5.0))]),
        (
            "one stride",
            vec![stride(3, Some(5.0)), stride(3, Some(5.0))],
        ),
        ("stride 0 alone", vec![stride(0, Some(5.0))]),
        (
            "falling strides",
            (-8..0).map(|d| stride(d, Some(5.0))).collect(),
        ),
        ("equal strides", changed(stride_sweep(), &every(Some(5.0)))),
        ("zero strides", changed(stride_sweep(), &every(Some(0.0)))),
        ("no strides", changed(stride_sweep(), &every(None))),
        (
            "strange strides",
            changed(stride_sweep(), &every(Some(f64::NAN))),
        ),
        ("one offset", vec![offset("packed", 4, Some(5.0))]),
        ("an aligned offset", vec![offset("packed", 0, Some(5.0))]),
        ("one struct", vec![structure(Some(12), Some(5.0))]),
        ("no struct", vec![structure(None, Some(5.0))]),
        ("zero structs", changed(struct_sweep(), &every(Some(0.0)))),
        ("no structs", changed(struct_sweep(), &every(None))),
        (
            "many lanes",
            changed(stride_sweep(), &|row| row.lanes = u32::MAX),
        ),
        (
            "no memory",
            changed(offset_sweep(), &|row| row.footprint_bytes = 0),
        ),
        ("equal offsets", changed(offset_sweep(), &every(Some(5.0)))),
        ("zero offsets", changed(offset_sweep(), &every(Some(0.0)))),
        ("no offsets", changed(offset_sweep(), &every(None))),
        ("one working set", vec![working_set(1 << 20, Some(5.0))]),
        (
            "zero working sets",
            changed(working_set_sweep(), &every(Some(0.0))),
        ),
        (
            "no working sets",
            changed(working_set_sweep(), &every(None)),
        ),
        ("wide elements", wide),
        ("tiny", vec![stride(1, Some(1e-12)), stride(2, Some(1e9))]),
    ] {
        assert_eq!(drawn(&rows).len(), 1, "{name}");
    }
}

#[test]
fn element_widths_have_a_chart_each() {
    let mut rows = stride_sweep();
    let wide = rows.clone().into_iter().map(|row| Row {
        element_bytes: 16,
        ..row
    });
    rows.extend(wide);
    let names: Vec<String> = drawn(&rows).into_iter().map(|chart| chart.name).collect();
    assert_eq!(
        names,
        ["bandwidth-vs-stride", "bandwidth-vs-stride-16b-load"]
    );
}

#[test]
fn hostile_and_long_names_stay_inside_the_sheet() {
    for (name, expected) in [
        (
            HOSTILE_NAME.to_owned(),
            "Foo, &quot;Bar&quot; &lt;X&gt; &amp; Y ·",
        ),
        ("N".repeat(60), &*"N".repeat(60)),
        ("W".repeat(300), "WWW…"),
    ] {
        let mut rows = stride_sweep();
        rows.iter_mut()
            .for_each(|row| row.adapter.clone_from(&name));
        rows[2] = Row {
            reason: format!("{name} refused"),
            ..stride(2, None)
        };
        assert_says(&drawn(&rows)[0].svg, &[expected]);
    }
}

#[test]
fn a_simulated_run_says_so() {
    let mut rows = stride_sweep();
    rows.iter_mut().for_each(|row| row.simulated = true);
    let svg = &drawn(&rows)[0].svg;
    assert_says(svg, &["simulated"]);
    assert!(!svg.contains("software adapter"));
}
