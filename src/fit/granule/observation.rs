//! Points as the fit weighs them, and what it costs to miss one.

use super::curve::StrideCurve;

/// The model is no truer than this: channels, rows and refresh make real floors uneven, as a standard deviation.
const MODEL_SIGMA: f64 = 0.025;

/// Half-widths of a 95 % interval in a standard deviation.
const HALF_WIDTHS_PER_SIGMA: f64 = 1.0 / 1.96;

/// What a point below the curve costs at most: many things slow a stride down (pages, sets, channels, a busy moment).
pub(super) const BELOW_MAX: f64 = 9.0;

/// What a point above the curve costs at most: nothing makes memory faster than it is but an error.
pub(super) const ABOVE_MAX: f64 = 64.0;

/// One point of a sweep, ready to be fitted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Observation {
    pub stride_elements: u64,
    /// Natural logarithm of the useful bandwidth in GB/s.
    pub ln_useful: f64,
    /// Standard deviation of that logarithm.
    pub sigma: f64,
}

impl Observation {
    /// Distance above a curve whose logarithm here is `ln_curve`, in standard deviations.
    pub(super) fn deviations(&self, ln_curve: f64) -> f64 {
        (self.ln_useful - ln_curve) / self.sigma
    }

    /// Twice the negative logarithm of the likelihood, cut off.
    pub(super) fn cost(&self, ln_curve: f64) -> f64 {
        let deviations = self.deviations(ln_curve);
        let most = if deviations < 0.0 {
            BELOW_MAX
        } else {
            ABOVE_MAX
        };
        (deviations * deviations).min(most)
    }

    /// Whether it lies below by more than one point in forty would by chance.
    pub(super) fn is_below(&self, ln_curve: f64) -> bool {
        self.deviations(ln_curve) < -2.0
    }

    /// Whether it is near enough to the curve to have a say in where that lies.
    pub(super) fn is_near(&self, ln_curve: f64) -> bool {
        self.deviations(ln_curve).powi(2) < BELOW_MAX
    }
}

/// The points of `curve`, each with a standard deviation of its interval and `scale` times that of the model.
pub(super) fn observations(curve: &StrideCurve, scale: f64) -> Vec<Observation> {
    let of_model = MODEL_SIGMA * scale;
    curve
        .points()
        .iter()
        .map(|point| {
            let of_interval = point.half_width.unwrap_or(0.0) * HALF_WIDTHS_PER_SIGMA;
            Observation {
                stride_elements: point.stride_elements,
                ln_useful: point.useful_gb_per_s.ln(),
                sigma: of_model.hypot(of_interval),
            }
        })
        .collect()
}
