//! The shapes that are compared, and which granule each of them speaks for.

use super::decline::{Decline, declines};
use super::observation::Observation;
use super::shape::{FittedCurve, Shape};
use crate::stats::median;

/// The smallest line that a sweep is asked for.
const LINE_BYTES_MIN: u64 = 16;

/// The largest granule that memory is believed to fetch. Lines beyond it are compared too: a curve that fits them best is one
/// without a floor.
pub(super) const GRANULE_BYTES_MAX: u64 = 512;
const ENDLESS_LINE_BYTES: u64 = 4096;

/// How often the neighbour of a line comes along.
const PAIR_SHARES: [f64; 4] = [0.0, 0.25, 0.5, 0.75];

/// What a shape with pairs costs more, as two more things that have to be so.
const PAIR_COST: f64 = 4.0;

/// What an issue ceiling costs more, as a thing that has to be there.
const ISSUE_COST: f64 = 2.0;

/// What a shape with a decline costs more: its start, its steepness and its depth.
const DECLINE_COST: f64 = 8.0;

/// First strides whose bandwidth may be the issue ceiling; of shapes with a decline fewer.
const CEILING_CANDIDATES: usize = 10;
const CEILING_CANDIDATES_OF_DECLINE: usize = 5;

/// Strides that are asked for B; of shapes with a decline, of which there are many, fewer.
const FETCH_CANDIDATES: usize = 64;
const FETCH_CANDIDATES_OF_DECLINE: usize = 10;

/// Rounds of moving B and C to the middle of the points that are near.
const POLISHING_ROUNDS: usize = 8;

/// One shape, fitted to a sweep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Hypothesis {
    pub line_bytes: u64,
    pub pair_share: f64,
    /// What slows large strides down beside it; no part of `curve`.
    pub decline: Option<Decline>,
    pub curve: FittedCurve,
    /// Twice the negative logarithm of the likelihood.
    pub cost: f64,
}

impl Hypothesis {
    /// The granule that it speaks for; `None` where something between a line and a pair is fetched, or where it has no floor.
    pub(super) fn granule_bytes(&self) -> Option<u64> {
        let granule = match self.pair_share {
            share if share < 0.4 => self.line_bytes,
            share if share > 0.6 => 2 * self.line_bytes,
            _ => return None,
        };
        (granule <= GRANULE_BYTES_MAX).then_some(granule)
    }

    /// Natural logarithm of the curve in GB/s.
    pub(super) fn ln_useful(&self, stride_elements: u64) -> f64 {
        self.curve.useful_gb_per_s(stride_elements as f64).ln()
    }

    /// The first stride in the floor, in elements.
    pub(super) fn floor_from_stride(&self) -> f64 {
        let pair = if self.pair_share > 0.0 { 2.0 } else { 1.0 };
        pair * self.line_bytes as f64 / f64::from(self.curve.element_bytes)
    }
}

/// Every shape with the B and C that suit it best.
pub(super) fn hypotheses(observations: &[Observation], element_bytes: u32) -> Vec<Hypothesis> {
    let lines: Vec<u64> = std::iter::successors(Some(LINE_BYTES_MIN), |line| Some(line * 2))
        .take_while(|&line| line <= ENDLESS_LINE_BYTES)
        .filter(|&line| line >= u64::from(element_bytes))
        .collect();
    let plain = lines
        .iter()
        .flat_map(|&line| PAIR_SHARES.map(|share| (line, share, None)));
    let lines = lines.iter().filter(|line| **line <= GRANULE_BYTES_MAX);
    let declining =
        lines.flat_map(|&line| declines().map(move |decline| (line, 0.0, Some(decline))));
    plain
        .chain(declining)
        .filter_map(|(line_bytes, pair_share, decline)| {
            let shape = Shape {
                line_bytes: line_bytes as f64,
                pair_share,
            };
            let (curve, cost) = fitted(observations, element_bytes, shape, decline)?;
            Some(Hypothesis {
                line_bytes,
                pair_share,
                decline,
                curve,
                cost,
            })
        })
        .collect()
}

/// `shape`, slowed down by `decline`, with the B and C that suit it best and what it costs.
fn fitted(
    observations: &[Observation],
    element_bytes: u32,
    shape: Shape,
    decline: Option<Decline>,
) -> Option<(FittedCurve, f64)> {
    let unit = FittedCurve {
        element_bytes,
        issue_gb_per_s: f64::INFINITY,
        fetch_gb_per_s: 1.0,
        shape,
    };
    let ln_efficiencies: Vec<f64> = observations
        .iter()
        .map(|point| {
            let stride = point.stride_elements as f64;
            let slowed = decline.map_or(0.0, |decline| decline.ln_share(stride));
            unit.fetch_bound_gb_per_s(stride).ln() + slowed
        })
        .collect();
    let fit = LogFit {
        observations,
        ln_efficiencies: &ln_efficiencies,
    };
    let (ceilings, cost) = fit.best(decline.is_none())?;
    let pairs = if shape.pair_share > 0.0 {
        PAIR_COST
    } else {
        0.0
    };
    let slowed = if decline.is_some() { DECLINE_COST } else { 0.0 };
    let curve = FittedCurve {
        issue_gb_per_s: ceilings.issue.exp(),
        fetch_gb_per_s: ceilings.fetch.exp(),
        ..unit
    };
    Some((curve, cost + pairs + slowed))
}

/// Natural logarithms of C and B in GB/s.
#[derive(Clone, Copy)]
struct LogCeilings {
    issue: f64,
    fetch: f64,
}

/// The search for the ceilings of one shape, in logarithms.
struct LogFit<'a> {
    observations: &'a [Observation],
    ln_efficiencies: &'a [f64],
}

impl LogFit<'_> {
    /// The ceilings that cost least, of those that run through a point each, moved to the middle of the points near them.
    fn best(&self, is_thorough: bool) -> Option<(LogCeilings, f64)> {
        let (first, asked) = match is_thorough {
            true => (CEILING_CANDIDATES, FETCH_CANDIDATES),
            false => (CEILING_CANDIDATES_OF_DECLINE, FETCH_CANDIDATES_OF_DECLINE),
        };
        let issues: Vec<f64> = self
            .observations
            .iter()
            .take(first)
            .map(|point| point.ln_useful)
            .chain([f64::INFINITY])
            .collect();
        let fetches = self
            .each()
            .step_by(self.observations.len().div_ceil(asked).max(1))
            .map(|(point, efficiency)| point.ln_useful - efficiency);
        let pairs = fetches.flat_map(|fetch| {
            issues
                .iter()
                .map(move |&issue| LogCeilings { issue, fetch })
        });
        let (mut best, mut least) = pairs
            .map(|ceilings| (ceilings, self.cost(ceilings)))
            .min_by(|a, b| a.1.total_cmp(&b.1))?;
        for _ in 0..POLISHING_ROUNDS {
            let moved = self.polished(best);
            let cost = self.cost(moved);
            if cost >= least {
                break;
            }
            (best, least) = (moved, cost);
        }
        Some((best, least))
    }

    fn each(&self) -> impl Iterator<Item = (&Observation, f64)> {
        self.observations
            .iter()
            .zip(self.ln_efficiencies.iter().copied())
    }

    fn cost(&self, ceilings: LogCeilings) -> f64 {
        let each = self
            .each()
            .map(|(point, efficiency)| point.cost(ceilings.issue.min(ceilings.fetch + efficiency)));
        each.sum::<f64>()
            + if ceilings.issue.is_finite() {
                ISSUE_COST
            } else {
                0.0
            }
    }

    /// Each ceiling in the middle of the points near the part of the curve that it limits.
    fn polished(&self, ceilings: LogCeilings) -> LogCeilings {
        let (mut issues, mut fetches) = (Vec::new(), Vec::new());
        for (point, efficiency) in self.each() {
            let fetched = ceilings.fetch + efficiency;
            if !point.is_near(ceilings.issue.min(fetched)) {
                continue;
            }
            match ceilings.issue < fetched {
                true => issues.push(point.ln_useful),
                false => fetches.push(point.ln_useful - efficiency),
            }
        }
        LogCeilings {
            issue: median(&issues).unwrap_or(ceilings.issue),
            fetch: median(&fetches).unwrap_or(ceilings.fetch),
        }
    }
}
