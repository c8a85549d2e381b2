//! What speaks against naming a granule, each with a sentence and with how much belief it leaves.

use super::curve::StrideCurve;
use super::evidence::{Evidence, strides};
use super::hypothesis::{GRANULE_BYTES_MAX, Hypothesis};
use crate::units::significant;

/// Strides that have to show the fall, and strides that have to show the floor.
pub(super) const SLOPE_STRIDES_MIN: usize = 2;
const FLOOR_STRIDES_MIN: usize = 3;

/// What is left where one stride too few shows the fall or the floor, where it is as good as nothing.
const TOO_FEW: f64 = 0.4;

/// Residuals around the knee up to here cast no doubt.
const KNEE_RESIDUAL_GOOD: f64 = 0.08;

/// Where bandwidth rises by more than this inside what looks like a decline, it is none.
const RISE_MAX: f64 = 1.15;

/// What is left where strides are powers of two alone.
const POWERS_OF_TWO: f64 = 0.85;

/// What is left of any one granule where something between two of them fits best.
const BETWEEN: f64 = 0.1;

/// A doubt that leaves so much is none.
const HARDLY_A_DOUBT: f64 = 0.95;

/// Something that speaks against the granule that fits best.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Doubt {
    pub reason: String,
    /// The share of the belief that it leaves.
    pub factor: f64,
}

impl Doubt {
    /// Whether a reader wants to know.
    pub(super) fn is_worth_telling(&self) -> bool {
        self.factor < HARDLY_A_DOUBT
    }
}

/// The doubts about `chosen`, the gravest first. `best` fits best of all; `belief` is what likelihood alone gives `chosen`.
pub(super) fn doubts(
    curve: &StrideCurve,
    hypotheses: &[Hypothesis],
    chosen: &Hypothesis,
    best: &Hypothesis,
    evidence: &Evidence,
    belief: f64,
) -> Vec<Doubt> {
    if evidence.slope_strides == 0 {
        // What cannot be told by a fall that is not there needs no second reason.
        return vec![no_fall(belief)];
    }
    let mut doubts: Vec<Doubt> = [
        too_little_fall(evidence),
        too_little_floor(evidence, best),
        off_around_the_knee(evidence),
        rising_again(evidence),
        between_a_line_and_its_pair(best),
        spread(hypotheses, chosen, belief),
        powers_of_two(curve, best),
    ]
    .into_iter()
    .flatten()
    .collect();
    doubts.sort_by(|a, b| a.factor.total_cmp(&b.factor));
    doubts
}

fn no_fall(belief: f64) -> Doubt {
    Doubt {
        reason: "no stride shows useful bandwidth fall as 1/stride: issue limits throughout, or the knee comes before the second \
                 stride"
            .to_owned(),
        factor: belief * TOO_FEW.powi(SLOPE_STRIDES_MIN as i32),
    }
}

fn too_little_fall(evidence: &Evidence) -> Option<Doubt> {
    (evidence.slope_strides < SLOPE_STRIDES_MIN).then(|| Doubt {
        reason: "a single stride shows useful bandwidth fall as 1/stride".to_owned(),
        factor: TOO_FEW,
    })
}

fn too_little_floor(evidence: &Evidence, best: &Hypothesis) -> Option<Doubt> {
    let Evidence { floor_strides, .. } = *evidence;
    let is_endless = best.line_bytes > GRANULE_BYTES_MAX;
    if is_endless {
        return Some(Doubt {
            reason: "useful bandwidth still falls at the largest stride: no floor is in view"
                .to_owned(),
            factor: TOO_FEW,
        });
    }
    (floor_strides < FLOOR_STRIDES_MIN).then(|| Doubt {
        reason: format!(
            "{} in the floor past the knee; it takes {FLOOR_STRIDES_MIN}",
            strides(floor_strides)
        ),
        factor: TOO_FEW.powi((FLOOR_STRIDES_MIN - floor_strides) as i32),
    })
}

fn off_around_the_knee(evidence: &Evidence) -> Option<Doubt> {
    let off = evidence.knee_residual;
    (off > KNEE_RESIDUAL_GOOD).then(|| Doubt {
        reason: format!(
            "around the knee the points lie {} % off the curve",
            significant(off * 100.0)
        ),
        factor: (1.0 - (off - KNEE_RESIDUAL_GOOD) * 3.0).clamp(0.1, 1.0),
    })
}

fn rising_again(evidence: &Evidence) -> Option<Doubt> {
    (evidence.rise > RISE_MAX).then(|| Doubt {
        reason:
            "past the knee useful bandwidth falls and rises again: caches may answer large strides"
                .to_owned(),
        factor: TOO_FEW,
    })
}

fn between_a_line_and_its_pair(best: &Hypothesis) -> Option<Doubt> {
    (best.granule_bytes().is_none() && best.line_bytes <= GRANULE_BYTES_MAX).then(|| Doubt {
        reason: format!(
            "something between a line of {} bytes and a pair of them is fetched",
            best.line_bytes
        ),
        factor: BETWEEN,
    })
}

fn spread(hypotheses: &[Hypothesis], chosen: &Hypothesis, belief: f64) -> Option<Doubt> {
    let granule = chosen.granule_bytes()?;
    let other = hypotheses
        .iter()
        .filter(|one| one.granule_bytes() != Some(granule))
        .min_by(|a, b| a.cost.total_cmp(&b.cost))?;
    let others = match other.granule_bytes() {
        Some(bytes) => format!("{granule} and {bytes} bytes"),
        None if other.line_bytes > GRANULE_BYTES_MAX => {
            format!("{granule} bytes and a curve without a floor")
        }
        None => format!(
            "{granule} bytes and something between a line of {} bytes and a pair of them",
            other.line_bytes
        ),
    };
    Some(Doubt {
        reason: format!("{others} fit about as well"),
        factor: belief,
    })
}

fn powers_of_two(curve: &StrideCurve, best: &Hypothesis) -> Option<Doubt> {
    curve.has_powers_of_two_alone().then(|| Doubt {
        reason: match best.line_bytes >= GRANULE_BYTES_MAX {
            true => "strides of powers of two alone that halve on and on may be conflicts of cache sets or channels; odd strides would tell".to_owned(),
            false => "strides are powers of two alone: conflicts of cache sets or channels would not show".to_owned(),
        },
        factor: POWERS_OF_TWO,
    })
}
