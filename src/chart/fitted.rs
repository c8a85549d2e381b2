//! What a stride sweep says of the hardware, as a chart shows it: the fitted curve, what it leaves, landmarks and the verdict.

use crate::fit::{FittedCurve, Inference, Shape, is_trusted};
use crate::record::TRANSACTION_BYTES;
use crate::units::significant;

use super::series::{Curve, Fit, Landmark, Look, Measured, Point, Residual, Series, Sharing};

/// So many strides of an octave are computed: between them a curve is straight to the eye.
const STEPS_PER_OCTAVE: f64 = 16.0;
/// Figures further from the fit than this would flatten all others in the strip.
const RESIDUAL_MAX_PERCENT: f64 = 100.0;
/// The verdict is followed by so many of its reasons.
const REASONS_MAX: usize = 2;

/// Adds to `series` what `inference` says of its measured series of that `index`. Where the granule is determined, curves for other
/// granules take the place of the models that would leave the choice to the eye, and the fit's own C that of the highest figure.
pub(super) fn add(series: &mut Series, inference: &Inference, index: usize) {
    series.conclusions = conclusions(inference);
    series.landmarks = landmarks(inference);
    let fitted = inference.curve.zip(series.measured.get(index));
    let Some((curve, measured)) = fitted else {
        return;
    };
    let strides = strides(&measured.points, &curve);
    let residuals = residuals(&measured.points, &curve, inference.decline_from_stride);
    series.notes.insert(0, note(&residuals, measured));
    let inside = residuals
        .into_iter()
        .filter(|residual| residual.percent <= RESIDUAL_MAX_PERCENT);
    let fit = Fit {
        label: label(inference),
        is_determined: inference.granule_bytes.is_some(),
        measured: index,
        points: drawn(&curve, &strides),
        residuals: inside.collect(),
    };
    if let Some(granule_bytes) = inference.granule_bytes {
        series.curves = others(&curve, granule_bytes, index, &measured.points);
        series.levels.clear();
    }
    series.fit = Some(fit);
}

/// The verdict with its confidence, and the first reasons.
fn conclusions(inference: &Inference) -> Vec<String> {
    let mut verdict = format!("Verdict: {}", inference.verdict());
    if inference.granule_bytes.is_some() {
        verdict.push_str(&format!("; confidence {:.2}", inference.confidence));
    }
    // A verdict that nothing is determined names the first reason itself.
    let told = usize::from(inference.granule_bytes.is_none());
    let reasons = inference.reasons.iter().skip(told).take(REASONS_MAX);
    std::iter::once(&verdict)
        .chain(reasons)
        .map(|sentence| ended(sentence))
        .collect()
}

/// `sentence` with a capital and a full stop.
fn ended(sentence: &str) -> String {
    let sentence = sentence.trim_end_matches('.');
    let mut letters = sentence.chars();
    let first: String = letters
        .next()
        .into_iter()
        .flat_map(char::to_uppercase)
        .collect();
    format!("{first}{}.", letters.as_str())
}

/// The legend's words for the fit.
fn label(inference: &Inference) -> String {
    let of = |symbol: &str, gb_per_s: f64, is_lower_bound: bool| {
        let relation = if is_lower_bound { '≥' } else { '=' };
        format!("{symbol} {relation} {} GB/s", significant(gb_per_s))
    };
    match inference.granule_bytes {
        Some(granule) => format!(
            "fit, {granule} B granule: {}, {}",
            of(
                "B",
                inference.fetch_gb_per_s,
                inference.fetch_is_lower_bound
            ),
            of(
                "C",
                inference.issue_gb_per_s,
                inference.issue_is_lower_bound
            )
        ),
        None => "best fit: granule undetermined".to_owned(),
    }
}

/// The strides at which a sharp corner or a measured figure wants the curve to be right, and enough between them, rising.
fn strides(points: &[Point], curve: &FittedCurve) -> Vec<f64> {
    let swept = || points.iter().map(|point| point.x).filter(|x| *x >= 1.0);
    let first = swept().fold(f64::INFINITY, f64::min);
    let last = swept().fold(0.0, f64::max);
    let element_bytes = f64::from(curve.element_bytes);
    let line = curve.shape.line_bytes / element_bytes;
    let corners = [
        curve.fetch_gb_per_s / curve.issue_gb_per_s,
        line,
        2.0 * line,
    ];
    let steps = ((last / first).log2() * STEPS_PER_OCTAVE).ceil().max(0.0) as u32;
    let between = (0..=steps).map(|n| first * (f64::from(n) / STEPS_PER_OCTAVE).exp2());
    let mut strides: Vec<f64> = swept()
        .chain(corners)
        .chain(between)
        .filter(|stride| (first..=last).contains(stride))
        .collect();
    strides.sort_by(f64::total_cmp);
    strides.dedup();
    strides
}

/// `curve` at `strides`.
fn drawn(curve: &FittedCurve, strides: &[f64]) -> Vec<(f64, f64)> {
    strides
        .iter()
        .map(|stride| (*stride, curve.useful_gb_per_s(*stride)))
        .filter(|(_, useful)| useful.is_finite() && *useful > 0.0)
        .collect()
}

/// What granules other than `granule_bytes` would make of the same B and C.
fn others(
    curve: &FittedCurve,
    granule_bytes: u64,
    measured: usize,
    points: &[Point],
) -> Vec<Curve> {
    let other = |transaction_bytes: u64| {
        let shape = Shape {
            line_bytes: transaction_bytes as f64,
            pair_share: 0.0,
        };
        let curve = FittedCurve { shape, ..*curve };
        Curve {
            transaction_bytes: vec![transaction_bytes],
            label: format!("{transaction_bytes} B granule, same B and C"),
            measured,
            sharing: Sharing::Everything,
            look: Look::Backdrop,
            points: drawn(&curve, &strides(points, &curve)),
        }
    };
    TRANSACTION_BYTES
        .into_iter()
        .filter(|bytes| *bytes != granule_bytes)
        .map(other)
        .collect()
}

/// What `curve` leaves of the figures at strides of 1 and more. Fitted are those that no guard but a wide interval was raised for,
/// up to the start of a decline.
fn residuals(
    points: &[Point],
    curve: &FittedCurve,
    decline_from_stride: Option<u64>,
) -> Vec<Residual> {
    let before_decline = |x: f64| decline_from_stride.is_none_or(|start| x < start as f64);
    let all = points.iter().filter(|point| point.x >= 1.0);
    all.map(|point| Residual {
        x: point.x,
        percent: 100.0 * (point.gb_per_s / curve.useful_gb_per_s(point.x) - 1.0),
        status: point.status,
        is_fitted: is_trusted(point.status) && before_decline(point.x),
    })
    .filter(|residual| residual.percent.is_finite())
    .collect()
}

/// What the strip shows, and which figures it shows apart or not at all.
fn note(residuals: &[Residual], measured: &Measured) -> String {
    let mut note = "Strip: measured over fit, less 1.".to_owned();
    if residuals.iter().any(|residual| !residual.is_fitted) {
        note.push_str(
            " Left out of the fit: what is guarded, and what lies past the start of a decline.",
        );
    }
    if measured.points.iter().any(|point| point.x < 1.0) {
        note.push_str(" Stride 0 has no place in it.");
    }
    let beyond = residuals
        .iter()
        .filter(|residual| residual.percent > RESIDUAL_MAX_PERCENT)
        .count();
    if beyond > 0 {
        let figures = if beyond == 1 {
            "figure lies"
        } else {
            "figures lie"
        };
        note.push_str(&format!(
            " {beyond} {figures} more than {RESIDUAL_MAX_PERCENT:.0} % above the fit and beyond the strip."
        ));
    }
    note
}

/// Where issuing gives way to fetching, where a line and a granule are as far as lanes are apart, and where a decline starts.
fn landmarks(inference: &Inference) -> Vec<Landmark> {
    // Without a granule there is no telling what limits.
    let is_seen = inference.granule_bytes.is_some() && !inference.fetch_is_lower_bound;
    let fetching = inference
        .fetch_bound_from_stride()
        .filter(|stride| is_seen && *stride > 1)
        .map(|stride| Landmark {
            x: stride as f64,
            label: format!("memory limits from stride {stride}"),
        });
    let apart = |bytes: u64, what: &str| Landmark {
        x: bytes as f64 / f64::from(inference.element_bytes.max(1)),
        label: format!("{what}: {bytes} B"),
    };
    let line = inference.line_bytes.map(|bytes| apart(bytes, "line"));
    let knee = inference.granule_bytes.map(|bytes| apart(bytes, "knee"));
    let decline = inference.decline_from_stride.map(|stride| Landmark {
        x: stride as f64,
        label: format!("decline from stride {stride}"),
    });
    [fetching, line, knee, decline]
        .into_iter()
        .flatten()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chart::series::Level;
    use crate::record::Status;

    /// A memory that fetches 64 bytes at 480 GB/s, whose lanes issue 4-byte loads at 300 GB/s.
    fn inference() -> Inference {
        Inference {
            element_bytes: 4,
            granule_bytes: Some(64),
            line_bytes: None,
            confidence: 0.97,
            fetch_gb_per_s: 480.0,
            fetch_is_lower_bound: false,
            issue_gb_per_s: 300.0,
            issue_is_lower_bound: false,
            residual_percent: Some(1.0),
            decline_from_stride: None,
            curve: Some(FittedCurve {
                element_bytes: 4,
                issue_gb_per_s: 300.0,
                fetch_gb_per_s: 480.0,
                shape: Shape {
                    line_bytes: 64.0,
                    pair_share: 0.0,
                },
            }),
            reasons: Vec::new(),
        }
    }

    fn undetermined() -> Inference {
        Inference {
            granule_bytes: None,
            confidence: 0.4,
            reasons: ["no floor is in view", "few strides", "noise", "weather"]
                .map(str::to_owned)
                .to_vec(),
            ..inference()
        }
    }

    /// Figures that lie on the curve, but for a factor.
    fn series(figures: &[(f64, f64, Status)]) -> Series {
        let curve = inference().curve.expect("a curve");
        let points = figures.iter().map(|(x, factor, status)| Point {
            x: *x,
            gb_per_s: curve.useful_gb_per_s(*x) * factor,
            interval_gb_per_s: None,
            status: *status,
        });
        Series {
            measured: vec![Measured::new(String::new(), points.collect())],
            levels: vec![Level::issue_ceiling(301.0)],
            ..Series::default()
        }
    }

    fn swept() -> Series {
        series(&[1.0, 2.0, 16.0, 256.0].map(|x| (x, 1.0, Status::Ok)))
    }

    #[test]
    fn a_determined_fit_stands_before_what_other_granules_would_give() {
        let mut series = swept();
        add(&mut series, &inference(), 0);
        let fit = series.fit.as_ref().expect("a fit");
        assert_eq!(fit.label, "fit, 64 B granule: B = 480 GB/s, C = 300 GB/s");
        let at = |points: &[(f64, f64)], x: f64| {
            points
                .iter()
                .find(|(known, _)| *known == x)
                .map(|(_, y)| *y)
        };
        assert_eq!(
            [1.0, 1.6, 2.0, 16.0, 256.0].map(|x| at(&fit.points, x)),
            [300.0, 300.0, 240.0, 30.0, 30.0].map(Some),
            "every swept stride and every corner is a point"
        );
        assert!(fit.points.is_sorted_by(|(a, _), (b, _)| a < b));
        let others: Vec<_> = series
            .curves
            .iter()
            .map(|curve| (curve.label.as_str(), at(&curve.points, 256.0)))
            .collect();
        assert_eq!(
            others,
            [
                ("32 B granule, same B and C", Some(60.0)),
                ("128 B granule, same B and C", Some(15.0)),
            ]
        );
        assert!(series.levels.is_empty(), "two C's on one sheet");
    }

    #[test]
    fn without_a_granule_the_models_stay() {
        let mut series = swept();
        add(&mut series, &undetermined(), 0);
        let fit = series.fit.expect("a fit");
        assert!(!fit.is_determined);
        assert_eq!(fit.label, "best fit: granule undetermined");
        assert_eq!(series.levels.len(), 1);
        assert_eq!(series.landmarks, []);
        assert_eq!(
            series.conclusions,
            [
                "Verdict: undetermined: no floor is in view.",
                "Few strides.",
                "Noise."
            ]
        );
    }

    #[test]
    fn bounds_that_were_not_reached_are_no_equalities() {
        let unsaturated = Inference {
            issue_is_lower_bound: true,
            fetch_is_lower_bound: true,
            ..inference()
        };
        assert_eq!(
            label(&unsaturated),
            "fit, 64 B granule: B ≥ 480 GB/s, C ≥ 300 GB/s"
        );
    }

    #[test]
    fn guarded_and_declining_figures_are_left_out_of_the_fit() {
        let mut series = series(&[
            (0.0, 1.0, Status::Ok),
            (1.0, 1.1, Status::Noisy),
            (8.0, 2.0, Status::CacheResident),
            (16.0, 2.01, Status::CacheResident),
            (32.0, 0.75, Status::Ok),
        ]);
        let declining = Inference {
            decline_from_stride: Some(32),
            ..inference()
        };
        add(&mut series, &declining, 0);
        let residuals = series.fit.expect("a fit").residuals;
        let listed: Vec<_> = residuals
            .iter()
            .map(|residual| (residual.x, residual.percent.round(), residual.is_fitted))
            .collect();
        assert_eq!(
            listed,
            [(1.0, 10.0, true), (8.0, 100.0, false), (32.0, -25.0, false)]
        );
        assert_eq!(
            series.notes,
            [
                "Strip: measured over fit, less 1. Left out of the fit: what is guarded, and what lies past the start of a decline. \
                 Stride 0 has no place in it. 1 figure lies more than 100 % above the fit and beyond the strip."
            ]
        );
    }

    #[test]
    fn landmarks_name_strides_and_bytes() {
        let all = Inference {
            line_bytes: Some(32),
            decline_from_stride: Some(48),
            ..inference()
        };
        let named: Vec<_> = landmarks(&all)
            .into_iter()
            .map(|landmark| (landmark.x, landmark.label))
            .collect();
        assert_eq!(
            named,
            [
                (2.0, "memory limits from stride 2"),
                (8.0, "line: 32 B"),
                (16.0, "knee: 64 B"),
                (48.0, "decline from stride 48"),
            ]
            .map(|(x, label)| (x, label.to_owned()))
        );
    }

    #[test]
    fn the_verdict_is_a_sentence_with_its_confidence() {
        assert_eq!(
            conclusions(&inference()),
            [
                "Verdict: memory is fetched 64 bytes at a time, at 480 GB/s; below stride 2 issue limits, not memory; \
                 confidence 0.97."
            ]
        );
    }

    #[test]
    fn too_few_points_for_a_curve_leave_the_verdict() {
        let mut series = swept();
        let none = Inference {
            curve: None,
            ..undetermined()
        };
        add(&mut series, &none, 0);
        assert_eq!((series.fit, series.conclusions.len()), (None, 3));
    }
}
