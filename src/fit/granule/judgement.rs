//! From fitted shapes to a verdict: which granule, how surely, and when to say that the data cannot tell.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use super::agreement::Agreement;
use super::curve::StrideCurve;
use super::doubt::{Doubt, SLOPE_STRIDES_MIN, doubts};
use super::evidence::Evidence;
use super::hypothesis::{Hypothesis, hypotheses};
use super::inference::Inference;
use super::observation::{Observation, observations};
use super::offsets::{OffsetSteps, offset_steps};
use super::shape::FittedCurve;
use crate::record::Row;
use crate::stats::median;

/// Fewer strides than this hold no slope and no floor.
const POINTS_MIN: usize = 5;

/// A granule that is believed less than this is not named.
const CONFIDENCE_MIN: f64 = 0.6;

/// No verdict is believed more than this: the memory may be like no shape that is compared.
const CONFIDENCE_MAX: f64 = 0.99;

/// Costs of neighbouring strides are not independent: what they say together counts for so much less.
const DEPENDENCE: f64 = 2.0;

/// Lines that caches have.
const LINES_BYTES: RangeInclusive<u64> = 32..=256;

/// A line whose granule is not named is believed so much before it is.
const LINE_BELIEF_MIN: f64 = 0.8;

/// Most that the distance of the points from the best shape widens what a shape may be missed by.
const SCALE_MAX: f64 = 4.0;

/// Of a normal distribution, the standard deviation over the median distance from the middle.
const SIGMA_OVER_MEDIAN: f64 = 1.4826;

/// What `rows` of a run say: its stride sweep of one element width, and its padded offsets beside it. `None` where there is no sweep.
pub fn infer_rows(rows: &[&Row], element_bytes: u32) -> Option<Inference> {
    let curve = StrideCurve::of_rows(rows, element_bytes)?;
    let steps = offset_steps(rows, element_bytes);
    Some(infer(&curve, steps.as_ref()))
}

/// What `curve` says of the memory that it was measured in, with `steps` of padded offsets as a second opinion.
pub fn infer(curve: &StrideCurve, steps: Option<&OffsetSteps>) -> Inference {
    let judged = (curve.points().len() >= POINTS_MIN)
        .then(|| Judged::of(Compared::of(curve), curve, steps))
        .flatten();
    let unknown = unknown(curve);
    match judged {
        Some(judged) => judged.told(curve, unknown),
        None => unknown,
    }
}

/// The granule that a sweep believes most, and what there is to say to it.
struct Judged {
    compared: Compared,
    granule_bytes: Option<u64>,
    /// The best shape of that granule, and the best of all.
    chosen: Hypothesis,
    best: Hypothesis,
    doubts: Vec<Doubt>,
    agreement: Option<Agreement>,
    /// The belief without padded offsets, and with them.
    alone: f64,
    confidence: f64,
}

impl Judged {
    /// `None` where no shape could be fitted.
    fn of(compared: Compared, curve: &StrideCurve, steps: Option<&OffsetSteps>) -> Option<Self> {
        let best = *compared.best(|_| true)?;
        let (granule_bytes, belief) = compared.likeliest_granule().unzip();
        let speaks_for_it = |one: &Hypothesis| one.granule_bytes() == granule_bytes;
        let chosen = compared.best(speaks_for_it).copied().unwrap_or(best);
        let evidence = Evidence::of(&chosen, curve, &compared.observations);
        let doubts = doubts(
            curve,
            &compared.hypotheses,
            &chosen,
            &best,
            &evidence,
            belief.unwrap_or(0.0),
        );
        let alone = doubts.iter().map(|doubt| doubt.factor).product();
        let agreement = steps.map(|steps| Agreement::of(granule_bytes, alone, steps));
        let confidence = agreement.as_ref().map_or(alone, |both| both.confidence);
        Some(Self {
            compared,
            granule_bytes,
            chosen,
            best,
            doubts,
            agreement,
            alone,
            confidence: confidence.min(CONFIDENCE_MAX),
        })
    }

    /// The inference, over what is said where nothing is known.
    fn told(self, curve: &StrideCurve, unknown: Inference) -> Inference {
        let is_named = self.confidence >= CONFIDENCE_MIN;
        // What is drawn and told where nothing is named is what fits best, whatever that is.
        let shown = if is_named { self.chosen } else { self.best };
        let evidence = Evidence::of(&shown, curve, &self.compared.observations);
        let line_of_sweep = self.compared.line_bytes(&evidence).filter(|_| !is_named);
        let line_of_offsets = self.agreement.as_ref().and_then(|both| both.line_bytes);
        let doubts = self.doubts.into_iter().filter(Doubt::is_worth_telling);
        let doubts = doubts.map(|doubt| doubt.reason);
        // What decides comes first.
        let (contradiction, agreement) = self
            .agreement
            .map(|both| (both.confidence < self.alone, both.reason))
            .map_or((None, None), |(contradicts, reason)| match contradicts {
                true => (Some(reason), None),
                false => (None, Some(reason)),
            });
        let reasons = contradiction.into_iter().chain(doubts).chain(agreement);
        let reasons = reasons.chain([evidence.to_string()]);
        Inference {
            granule_bytes: self.granule_bytes.filter(|_| is_named),
            line_bytes: line_of_offsets.or(line_of_sweep),
            confidence: self.confidence,
            residual_percent: Some(evidence.residual * 100.0),
            // Past a knee that is not known nothing is past it.
            decline_from_stride: evidence.decline_from_stride.filter(|_| is_named),
            reasons: reasons.collect(),
            ..with_ceilings(unknown, shown.curve, &evidence)
        }
    }
}

/// What is said where there are too few points.
fn unknown(curve: &StrideCurve) -> Inference {
    let useful = curve.points().iter().map(|point| point.useful_gb_per_s);
    let highest = useful.fold(0.0, f64::max);
    Inference {
        element_bytes: curve.element_bytes(),
        granule_bytes: None,
        line_bytes: None,
        confidence: 0.0,
        fetch_gb_per_s: highest,
        fetch_is_lower_bound: true,
        issue_gb_per_s: highest,
        issue_is_lower_bound: true,
        residual_percent: None,
        decline_from_stride: None,
        curve: None,
        reasons: vec![match curve.points().len() {
            1 => format!("one stride with a figure is too few; it takes {POINTS_MIN} and more"),
            few if few < POINTS_MIN => {
                format!("{few} strides with a figure are too few; it takes {POINTS_MIN} and more")
            }
            _ => "no line is as large as these elements".to_owned(),
        }],
    }
}

/// `unknown`, which holds the highest bandwidth seen, with the ceilings that `fitted` shows.
fn with_ceilings(unknown: Inference, fitted: FittedCurve, evidence: &Evidence) -> Inference {
    let told = |is_shown: bool, ceiling: f64, bound: f64| if is_shown { ceiling } else { bound };
    Inference {
        fetch_gb_per_s: told(
            evidence.shows_fetch,
            fitted.fetch_gb_per_s,
            unknown.fetch_gb_per_s,
        ),
        fetch_is_lower_bound: !evidence.shows_fetch,
        issue_gb_per_s: told(
            evidence.shows_issue,
            fitted.issue_gb_per_s,
            unknown.issue_gb_per_s,
        ),
        issue_is_lower_bound: !evidence.shows_issue,
        curve: Some(fitted),
        ..unknown
    }
}

/// Every shape, fitted to the same points.
struct Compared {
    observations: Vec<Observation>,
    hypotheses: Vec<Hypothesis>,
}

impl Compared {
    /// Fits twice: the distance of the points from the best shape of the first time says how far the model may be missed.
    fn of(curve: &StrideCurve) -> Self {
        let fit = |scale: f64| {
            let observations = observations(curve, scale);
            let hypotheses = hypotheses(&observations, curve.element_bytes());
            Self {
                observations,
                hypotheses,
            }
        };
        let first = fit(1.0);
        let distances: Vec<f64> = first.best(|_| true).map_or_else(Vec::new, |best| {
            let each = first.observations.iter();
            each.map(|point| {
                point
                    .deviations(best.ln_useful(point.stride_elements))
                    .abs()
            })
            .collect()
        });
        let scale = median(&distances).unwrap_or(0.0) * SIGMA_OVER_MEDIAN;
        if scale <= 1.0 {
            first
        } else {
            fit(scale.min(SCALE_MAX))
        }
    }

    /// The hypothesis that costs least among those that are `wanted`.
    fn best(&self, wanted: impl Fn(&Hypothesis) -> bool) -> Option<&Hypothesis> {
        let wanted = self.hypotheses.iter().filter(|one| wanted(one));
        wanted.min_by(|a, b| a.cost.total_cmp(&b.cost))
    }

    /// The granule that is believed most, and how much.
    fn likeliest_granule(&self) -> Option<(u64, f64)> {
        self.likeliest(Hypothesis::granule_bytes)
    }

    /// What the likeliest shapes speak for, and its share of the likelihood, each answer standing for its best shape alone: how
    /// many shapes of a kind are tried says nothing.
    fn likeliest(&self, answer: impl Fn(&Hypothesis) -> Option<u64>) -> Option<(u64, f64)> {
        let mut costs: BTreeMap<Option<u64>, f64> = BTreeMap::new();
        for one in &self.hypotheses {
            let least = costs.entry(answer(one)).or_insert(f64::INFINITY);
            *least = least.min(one.cost);
        }
        let least = costs.values().copied().fold(f64::INFINITY, f64::min);
        let likelihood = |cost: f64| (-(cost - least) / 2.0 / DEPENDENCE).exp();
        let all: f64 = costs.values().map(|&cost| likelihood(cost)).sum();
        let named = costs
            .iter()
            .filter_map(|(answer, &cost)| Some(((*answer)?, likelihood(cost) / all)));
        named.max_by(|a, b| a.1.total_cmp(&b.1))
    }

    /// Where no granule can be named, the line at which useful bandwidth leaves its fall, whatever comes after.
    ///
    /// A line inside a granule is not read from a sweep: the round corner of a soft knee looks like one.
    fn line_bytes(&self, evidence: &Evidence) -> Option<u64> {
        let first_corner = |one: &Hypothesis| {
            LINES_BYTES
                .contains(&one.line_bytes)
                .then_some(one.line_bytes)
        };
        let (line, belief) = self.likeliest(first_corner)?;
        let is_shown = belief >= LINE_BELIEF_MIN && evidence.slope_strides >= SLOPE_STRIDES_MIN;
        is_shown.then_some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fit::Point;

    fn dense() -> Vec<u64> {
        (1..=32).chain([48, 64, 128, 256]).collect()
    }

    /// A sweep of `useful`, which wobbles by a percent.
    fn curve(element_bytes: u32, strides: &[u64], useful: impl Fn(f64) -> f64) -> StrideCurve {
        let points = strides.iter().map(|&stride| Point {
            stride_elements: stride,
            useful_gb_per_s: useful(stride as f64) * (1.0 + 0.01 * (stride as f64 * 2.4).sin()),
            half_width: Some(0.02),
        });
        StrideCurve::new(element_bytes, points)
    }

    /// min(C, B * efficiency) with elements of 4 bytes and B of 400 GB/s.
    fn useful(stride: f64, issue: f64, granule_bytes: f64) -> f64 {
        issue.min(400.0 / stride.min(granule_bytes / 4.0))
    }

    fn around(value: f64, expected: f64) -> bool {
        (value / expected - 1.0).abs() < 0.02
    }

    #[test]
    fn a_clean_curve_gives_back_what_made_it() {
        for granule in [32_u32, 64, 128, 256] {
            for issue in [80.0, 120.0, 300.0] {
                let swept = curve(4, &dense(), |stride| {
                    useful(stride, issue, f64::from(granule))
                });
                let found = infer(&swept, None);
                assert_eq!(
                    found.granule_bytes,
                    Some(u64::from(granule)),
                    "{issue} {found:?}"
                );
                assert!(found.confidence > 0.95, "{found:?}");
                assert!(
                    around(found.fetch_gb_per_s, 400.0) && !found.fetch_is_lower_bound,
                    "{found:?}"
                );
                assert!(
                    around(found.issue_gb_per_s, issue) && !found.issue_is_lower_bound,
                    "{found:?}"
                );
                assert_eq!((found.line_bytes, found.decline_from_stride), (None, None));
                assert_eq!(
                    found.fetch_bound_from_stride(),
                    Some((400.0 * 0.95 / issue).ceil() as u64)
                );
            }
        }
    }

    #[test]
    fn a_curve_that_issue_limits_everywhere_says_nothing() {
        let found = infer(&curve(4, &dense(), |_| 50.0), None);
        assert_eq!((found.granule_bytes, found.line_bytes), (None, None));
        assert!(
            found.fetch_is_lower_bound && around(found.issue_gb_per_s, 50.0),
            "{found:?}"
        );
        assert!(
            found.verdict().starts_with("undetermined: no stride shows"),
            "{}",
            found.verdict()
        );
    }

    #[test]
    fn a_flat_curve_of_elements_as_large_as_a_line_shows_no_bandwidth_of_memory() {
        for element_bytes in [16, 32] {
            let found = infer(&curve(element_bytes, &dense(), |_| 50.0), None);
            assert_eq!(found.granule_bytes, None);
            assert!(found.fetch_is_lower_bound, "{found:?}");
            assert_eq!(found.fetch_bound_from_stride(), None);
        }
    }

    #[test]
    fn a_contradiction_of_the_padded_offsets_comes_first() {
        let steps = OffsetSteps {
            period_bytes: 256,
            ratio: 0.7,
            explained: 0.95,
        };
        let swept = curve(4, &dense(), |stride| useful(stride, 100.0, 64.0));
        let found = infer(&swept, Some(&steps));
        assert!(found.confidence < 0.75, "{found:?}");
        assert!(found.reasons[0].contains("contradicts"), "{found:?}");
    }

    #[test]
    fn a_curve_without_a_floor_says_nothing() {
        let halving: Vec<u64> = (0..8).map(|power| 1 << power).collect();
        let found = infer(&curve(8, &halving, |stride| 800.0 / stride), None);
        assert_eq!(found.granule_bytes, None, "{found:?}");
        assert!(
            found
                .reasons
                .iter()
                .any(|reason| reason.contains("no floor is in view")),
            "{found:?}"
        );
        assert!(
            found
                .reasons
                .iter()
                .any(|reason| reason.contains("conflicts of cache sets")),
            "{found:?}"
        );
    }

    #[test]
    fn a_decline_past_the_knee_is_named_and_not_fitted() {
        let declining = curve(4, &dense(), |stride| {
            useful(stride, 200.0, 64.0) * (stride / 48.0).max(1.0).powf(-0.5)
        });
        let found = infer(&declining, None);
        assert_eq!(
            (found.granule_bytes, found.decline_from_stride),
            (Some(64), Some(64)),
            "{found:?}"
        );
    }

    #[test]
    fn a_part_of_the_pairs_names_the_line_alone() {
        let shape = crate::fit::Shape {
            line_bytes: 64.0,
            pair_share: 0.5,
        };
        let part = curve(4, &dense(), |stride| {
            80.0_f64.min(1600.0 / shape.fetched_bytes(stride * 4.0))
        });
        let found = infer(&part, None);
        assert_eq!(
            (found.granule_bytes, found.line_bytes),
            (None, Some(64)),
            "{found:?}"
        );
    }

    #[test]
    fn a_few_points_are_too_few() {
        let found = infer(
            &curve(4, &[1, 2, 4, 8], |stride| useful(stride, 100.0, 64.0)),
            None,
        );
        assert_eq!(
            (found.granule_bytes, found.curve, found.confidence),
            (None, None, 0.0)
        );
        assert!(found.verdict().contains("4 strides"), "{}", found.verdict());
        let nothing = infer(&StrideCurve::new(4, []), None);
        assert_eq!(nothing.fetch_gb_per_s, 0.0);
    }

    #[test]
    fn padded_offsets_name_the_line_of_a_pair() {
        let steps = OffsetSteps {
            period_bytes: 64,
            ratio: 1.8,
            explained: 0.95,
        };
        let swept = curve(4, &dense(), |stride| useful(stride, 100.0, 128.0));
        let found = infer(&swept, Some(&steps));
        assert_eq!(
            (found.granule_bytes, found.line_bytes),
            (Some(128), Some(64)),
            "{found:?}"
        );
    }
}
