//! Two estimates laid side by side: the granule of the stride sweep and the period of padded offsets.

use super::offsets::OffsetSteps;

/// What is left of the doubt where both agree.
const DOUBT_LEFT: f64 = 0.5;

/// What is left of the belief where they do not.
const BELIEF_LEFT: f64 = 0.7;

/// What padded offsets say to the granule that a stride sweep believes most.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Agreement {
    /// The belief with both.
    pub confidence: f64,
    /// The smaller line that the offsets show inside the granule.
    pub line_bytes: Option<u64>,
    /// The sentence.
    pub reason: String,
}

impl Agreement {
    /// Holds `steps` against a `granule_bytes` that the sweep alone believes with `confidence`.
    pub(super) fn of(granule_bytes: Option<u64>, confidence: f64, steps: &OffsetSteps) -> Self {
        let period = steps.period_bytes;
        let (confidence, line_bytes, what) = match granule_bytes {
            None => (
                confidence,
                None,
                "the stride sweep shows no granule to hold it against",
            ),
            Some(granule) if granule == period => (
                1.0 - (1.0 - confidence) * DOUBT_LEFT,
                None,
                "the likeliest granule of the stride sweep too",
            ),
            Some(granule) if granule == 2 * period => (
                confidence,
                Some(period),
                "a line; by the stride sweep such lines are fetched in pairs",
            ),
            Some(_) => (
                confidence * BELIEF_LEFT,
                None,
                "the stride sweep contradicts",
            ),
        };
        let sign = match steps.ratio > 1.0 {
            true => ", windows that straddle being the faster ones",
            false => "",
        };
        Self {
            confidence,
            line_bytes,
            reason: format!("padded offsets repeat every {period} bytes{sign}: {what}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agreement(granule: Option<u64>, period_bytes: u64, ratio: f64) -> Agreement {
        let steps = OffsetSteps {
            period_bytes,
            ratio,
            explained: 0.9,
        };
        Agreement::of(granule, 0.6, &steps)
    }

    #[test]
    fn agreement_raises_the_belief_and_contradiction_lowers_it() {
        let belief = |granule, period| agreement(granule, period, 0.7).confidence;
        assert_eq!(belief(Some(64), 64), 0.8);
        assert_eq!(belief(Some(128), 64), 0.6);
        assert!((belief(Some(64), 128) - 0.42).abs() < 1e-12);
        assert_eq!(belief(None, 64), 0.6);
    }

    #[test]
    fn half_a_granule_is_its_line_whatever_the_sign() {
        let pair = agreement(Some(128), 64, 1.8);
        assert_eq!(pair.line_bytes, Some(64));
        assert_eq!(
            pair.reason,
            "padded offsets repeat every 64 bytes, windows that straddle being the faster ones: a line; by the stride sweep such \
             lines are fetched in pairs"
        );
        assert_eq!(agreement(Some(64), 64, 0.7).line_bytes, None);
    }
}
