//! What makes one measurement differ from the next: noise, drift and outliers, by seeded chance.

use std::f64::consts::TAU;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::{Distribution, StandardNormal};

use crate::units::Percent;

/// Periods of the drift in nanoseconds: long against a round of samples, and without a common one.
const PERIODS_NS: [f64; 3] = [3.1e9, 7.3e9, 19.9e9];

/// An outlier takes from this to this many times its time.
const OUTLIER_TIMES: std::ops::Range<f64> = 2.0..6.0;

/// The host's clock is noisier than the device's by this share of its noise.
const HOST_NOISE: f64 = 0.5;

/// How much measurements are disturbed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Disturbance {
    /// Standard deviation of a submission's time.
    pub noise: Percent,
    /// The most that the device slows as time goes by.
    pub drift: Percent,
    /// Submissions that take several times as long.
    pub outliers: Percent,
    /// What chance begins with.
    pub seed: u64,
}

/// What the time of one submission is multiplied by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Factors {
    /// On the device.
    pub(super) device: f64,
    /// On the host beside that; never below 1, as the host sees all that the device does.
    pub(super) host: f64,
}

/// Chance on its way.
#[derive(Clone, Debug)]
pub(super) struct Disturber {
    disturbance: Disturbance,
    generator: ChaCha8Rng,
    phases: [f64; PERIODS_NS.len()],
}

impl Disturber {
    pub(super) fn new(disturbance: Disturbance) -> Self {
        let mut generator = ChaCha8Rng::seed_from_u64(disturbance.seed);
        let phases = PERIODS_NS.map(|_| generator.random::<f64>() * TAU);
        Self {
            disturbance,
            generator,
            phases,
        }
    }

    /// The factors of a submission that begins at `now_ns`.
    pub(super) fn next(&mut self, now_ns: u64) -> Factors {
        let noise = self.disturbance.noise.share();
        // However large the noise, time goes forward.
        let device = (1.0 + noise * self.normal()).max(0.1);
        let host = 1.0 + noise * HOST_NOISE * self.normal().abs();
        let (is_slow, how_slow) = (self.chance(self.disturbance.outliers), OUTLIER_TIMES);
        let times =
            how_slow.start + self.generator.random::<f64>() * (how_slow.end - how_slow.start);
        Factors {
            device: device * self.pace(now_ns) * if is_slow { times } else { 1.0 },
            host,
        }
    }

    /// Whether something that happens in `percent` of all cases happens now.
    pub(super) fn chance(&mut self, percent: Percent) -> bool {
        self.generator.random::<f64>() < percent.share()
    }

    /// A whole number below `end`.
    pub(super) fn below(&mut self, end: u64) -> u64 {
        self.generator.random_range(0..end)
    }

    fn normal(&mut self) -> f64 {
        StandardNormal.sample(&mut self.generator)
    }

    /// How many times as long everything takes at a moment.
    fn pace(&self, now_ns: u64) -> f64 {
        let waves = PERIODS_NS.iter().zip(self.phases);
        let sum: f64 = waves
            .map(|(period, phase)| (now_ns as f64 / period * TAU + phase).sin())
            .sum();
        let slowed = (1.0 + sum / PERIODS_NS.len() as f64) / 2.0;
        1.0 / (1.0 - self.disturbance.drift.share() * slowed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::median;

    fn factors(disturbance: Disturbance) -> Vec<f64> {
        let mut disturber = Disturber::new(disturbance);
        let times = (0..4000).map(|number| number * 5_000_000);
        times.map(|now_ns| disturber.next(now_ns).device).collect()
    }

    #[test]
    fn noise_has_its_width_and_a_seed_repeats_it() {
        let noisy = |seed| Disturbance {
            noise: Percent(3.0),
            seed,
            ..Disturbance::default()
        };
        let first = factors(noisy(1));
        assert_eq!(first, factors(noisy(1)));
        assert_ne!(first, factors(noisy(2)));
        let variance: f64 = first.iter().map(|factor| (factor - 1.0).powi(2)).sum();
        let deviation = (variance / first.len() as f64).sqrt();
        assert!((0.028..0.032).contains(&deviation), "{deviation}");
    }

    #[test]
    fn drift_stays_within_its_share_and_is_slow() {
        let drifting = factors(Disturbance {
            drift: Percent(20.0),
            ..Disturbance::default()
        });
        let slowest = drifting.iter().copied().fold(0.0, f64::max);
        assert!(slowest > 1.1 && slowest <= 1.25, "{slowest}");
        for pair in drifting.windows(2) {
            assert!((pair[1] / pair[0] - 1.0).abs() < 2e-3, "{pair:?}");
        }
    }

    #[test]
    fn outliers_are_as_rare_as_they_are_asked_to_be() {
        let slow = factors(Disturbance {
            outliers: Percent(2.0),
            ..Disturbance::default()
        });
        let outliers = slow.iter().filter(|factor| **factor > 1.5).count();
        assert!((50..110).contains(&outliers), "{outliers}");
        assert_eq!(median(&slow), Some(1.0));
    }
}
