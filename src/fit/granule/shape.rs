//! The curve that is fitted: what a stride costs where memory fetches lines, with or without their neighbour.

/// Ceilings closer than this are one to a fit.
const CEILINGS_APART: f64 = 0.95;

/// What memory fetches on a miss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shape {
    /// Bytes of a line.
    pub line_bytes: f64,
    /// How often the other line of its aligned pair comes along: 0 never, 1 always, which is a line of twice the size.
    pub pair_share: f64,
}

impl Shape {
    /// Bytes fetched for each element at a distance of `distance_bytes`, by the compulsory count of a packed sweep: every byte
    /// between the elements until they are a line apart, then a line each and, of the other lines of their pairs, a share.
    pub fn fetched_bytes(&self, distance_bytes: f64) -> f64 {
        let beyond = distance_bytes.min(2.0 * self.line_bytes) - self.line_bytes;
        distance_bytes.min(self.line_bytes) + self.pair_share * beyond.max(0.0)
    }
}

/// min(C, B * efficiency), for one element width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FittedCurve {
    /// Bytes of an element.
    pub element_bytes: u32,
    /// C in GB/s; infinite where issuing never limits.
    pub issue_gb_per_s: f64,
    /// B in GB/s.
    pub fetch_gb_per_s: f64,
    /// What is fetched.
    pub shape: Shape,
}

impl FittedCurve {
    /// Useful bandwidth in GB/s at a stride of at least one element.
    pub fn useful_gb_per_s(&self, stride_elements: f64) -> f64 {
        self.issue_gb_per_s
            .min(self.fetch_bound_gb_per_s(stride_elements))
    }

    /// Whether issuing limits, by more than a fit can be wrong.
    pub fn is_issue_bound(&self, stride_elements: f64) -> bool {
        self.issue_gb_per_s < self.fetch_bound_gb_per_s(stride_elements) * CEILINGS_APART
    }

    /// B * efficiency in GB/s at a stride of at least one element.
    pub fn fetch_bound_gb_per_s(&self, stride_elements: f64) -> f64 {
        let element_bytes = f64::from(self.element_bytes);
        let fetched = self
            .shape
            .fetched_bytes(stride_elements.max(1.0) * element_bytes);
        self.fetch_gb_per_s * (element_bytes / fetched).min(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(line_bytes: f64, pair_share: f64) -> FittedCurve {
        FittedCurve {
            element_bytes: 4,
            issue_gb_per_s: 40.0,
            fetch_gb_per_s: 128.0,
            shape: Shape {
                line_bytes,
                pair_share,
            },
        }
    }

    #[test]
    fn a_curve_is_flat_falls_and_is_flat_again() {
        let useful =
            [1.0, 3.0, 4.0, 8.0, 16.0, 17.0, 256.0].map(|s| curve(64.0, 0.0).useful_gb_per_s(s));
        assert_eq!(useful, [40.0, 40.0, 32.0, 16.0, 8.0, 8.0, 8.0]);
    }

    #[test]
    fn a_pair_that_always_comes_is_a_line_of_twice_the_size() {
        for stride in [1.0, 5.0, 16.0, 20.0, 24.0, 31.0, 32.0, 33.0, 64.0] {
            let (pair, line) = (curve(64.0, 1.0), curve(128.0, 0.0));
            assert_eq!(pair.useful_gb_per_s(stride), line.useful_gb_per_s(stride));
        }
    }

    #[test]
    fn half_of_the_pairs_cost_half_of_a_line_more() {
        let half = curve(64.0, 0.5);
        // 24 elements are 96 bytes: a line, and half of the 32 bytes between.
        assert_eq!(half.useful_gb_per_s(24.0), 128.0 * 4.0 / 80.0);
        assert_eq!(half.useful_gb_per_s(64.0), 128.0 * 4.0 / 96.0);
    }
}
