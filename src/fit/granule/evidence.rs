//! What a fitted shape is seen by in the points: how many show the fall, how many the floor, and where they leave it.

use std::fmt;

use super::curve::{Point, StrideCurve};
use super::hypothesis::Hypothesis;
use super::observation::Observation;
use crate::stats::median;

/// A stride at which the curve lies below this share of the issue ceiling shows that fetching limits.
const FETCH_BOUND_BELOW: f64 = 0.9;

/// A point within this share of the curve lies on it, or within so many standard deviations where those are more.
const NEAR: f64 = 0.1;
const NEAR_DEVIATIONS: f64 = 2.0;

/// The first stride past a sharp corner lies on the curve within this share of it.
const SHARP: f64 = 0.05;

/// From this share of the knee on, strides may lie on the floor: real corners are round.
const FLOOR_FROM: f64 = 0.8;

/// How far below the floor a sustained decline begins.
const DECLINE_BELOW: f64 = 0.08;

/// A decline that a single point shows has to be so deep.
const LONE_DECLINE_BELOW: f64 = 0.12;

/// Strides from the knee's half to its double have to follow the curve.
const AROUND_KNEE: f64 = 2.0;

/// How the points lie around one fitted curve.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Evidence {
    /// Strides below the knee that fetching limits, and that lie on the curve.
    pub slope_strides: usize,
    /// Strides that lie on the floor: real corners are round, so that it may begin a little before the knee.
    pub floor_strides: usize,
    /// Root of the mean square of the residuals around the knee, a decline apart, as a share of the curve.
    pub knee_residual: f64,
    /// Median size of all residuals, a decline apart, as a share of the curve.
    pub residual: f64,
    /// The stride from which on every point lies below the floor.
    pub decline_from_stride: Option<u64>,
    /// The most that useful bandwidth rises again inside the decline, as a ratio; 1 where it does not.
    pub rise: f64,
    /// Whether some stride is limited by issue.
    pub shows_issue: bool,
    /// Whether some stride shows that fetching limits.
    pub shows_fetch: bool,
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} on the curve below the knee and {} on its floor",
            strides(self.slope_strides),
            self.floor_strides
        )
    }
}

/// A number of strides in words that agree.
pub(super) fn strides(number: usize) -> String {
    match number {
        0 => "no stride lies".to_owned(),
        1 => "one stride lies".to_owned(),
        _ => format!("{number} strides lie"),
    }
}

impl Evidence {
    pub(super) fn of(
        hypothesis: &Hypothesis,
        curve: &StrideCurve,
        observations: &[Observation],
    ) -> Self {
        let fitted = hypothesis.curve;
        let knee = hypothesis.floor_from_stride();
        let floor = fitted.useful_gb_per_s(knee);
        let points: Vec<PointAtCurve> = curve
            .points()
            .iter()
            .zip(observations)
            .map(|(point, observation)| {
                let stride = point.stride_elements as f64;
                let expected = fitted.useful_gb_per_s(stride);
                PointAtCurve {
                    stride,
                    ratio: point.useful_gb_per_s / expected,
                    is_below: observation.is_below(expected.ln()),
                    is_issued: fitted.is_issue_bound(stride),
                    share_of_issue: expected / fitted.issue_gb_per_s,
                    over_floor: point.useful_gb_per_s / floor,
                    near: NEAR.max(observation.sigma * NEAR_DEVIATIONS),
                }
            })
            .collect();
        let decline = decline(&points, knee);
        let kept = &points[..decline.unwrap_or(points.len())];
        let slope_strides = kept
            .iter()
            .filter(|point| point.stride < knee && point.is_near() && point.is_fetch_bound())
            .count();
        let declining = &curve.points()[kept.len()..];
        let around: Vec<f64> = kept
            .iter()
            .filter(|point| (knee / AROUND_KNEE..=knee * AROUND_KNEE).contains(&point.stride))
            .map(|point| (point.ratio - 1.0).powi(2))
            .collect();
        let sizes: Vec<f64> = kept.iter().map(|point| (point.ratio - 1.0).abs()).collect();
        let mean_square = around.iter().sum::<f64>() / around.len().max(1) as f64;
        Self {
            slope_strides,
            floor_strides: kept
                .iter()
                .filter(|point| point.stride >= knee * FLOOR_FROM && point.is_on_floor())
                .count(),
            knee_residual: mean_square.sqrt(),
            residual: median(&sizes).unwrap_or(0.0),
            decline_from_stride: decline.map(|index| curve.points()[index].stride_elements),
            rise: rise(declining),
            shows_issue: shows_issue(&points),
            shows_fetch: slope_strides > 0,
        }
    }
}

/// A point and the curve at its stride.
struct PointAtCurve {
    stride: f64,
    /// Measured over fitted.
    ratio: f64,
    /// Whether noise does not explain how far it lies below.
    is_below: bool,
    is_issued: bool,
    /// The fitted curve over the issue ceiling.
    share_of_issue: f64,
    /// Measured over the floor.
    over_floor: f64,
    /// What distance is near.
    near: f64,
}

impl PointAtCurve {
    fn is_near(&self) -> bool {
        (self.ratio - 1.0).abs() <= self.near
    }

    fn is_on_floor(&self) -> bool {
        (self.over_floor - 1.0).abs() <= self.near && self.is_fetch_bound()
    }

    fn is_fetch_bound(&self) -> bool {
        self.share_of_issue < FETCH_BOUND_BELOW
    }
}

/// Whether issue is seen to limit: two strides lie at the ceiling, or one does and the next ones follow the fall at once. Where they
/// only bend into it, a soft knee shows how low it lies and not how high the ceiling does.
fn shows_issue(points: &[PointAtCurve]) -> bool {
    let at_ceiling = points
        .iter()
        .filter(|point| point.is_issued && point.is_near());
    let next = points.iter().find(|point| !point.is_issued);
    match at_ceiling.count() {
        0 => false,
        1 => next.is_some_and(|point| (point.ratio - 1.0).abs() <= SHARP.max(point.near / 2.0)),
        _ => true,
    }
}

/// Index of the first point past the knee from which on every one lies below the floor.
fn decline(points: &[PointAtCurve], knee: f64) -> Option<usize> {
    let is_low = |point: &PointAtCurve| {
        point.stride > knee && point.is_below && point.ratio < 1.0 - DECLINE_BELOW
    };
    let tail = points
        .iter()
        .rev()
        .take_while(|point| is_low(point))
        .count();
    let first = points.len() - tail;
    match points[first..] {
        [] => None,
        [ref lone] if lone.ratio > 1.0 - LONE_DECLINE_BELOW => None,
        _ => Some(first),
    }
}

/// The most by which a later one of `points` lies above an earlier one.
fn rise(points: &[Point]) -> f64 {
    let mut lowest = f64::INFINITY;
    let mut most: f64 = 1.0;
    for point in points {
        lowest = lowest.min(point.useful_gb_per_s);
        most = most.max(point.useful_gb_per_s / lowest);
    }
    most
}
