//! From efficiency to bandwidth: `time = max(requested / C, fetched / B)`.

use crate::units::BytesPerSecond;

/// What a memory system can do at most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ceiling {
    /// B: bytes fetched per second.
    pub fetch: BytesPerSecond,
    /// C: bytes requested per second at one element width; `None` where issuing never limits.
    pub issue: Option<BytesPerSecond>,
}

impl Ceiling {
    /// A memory system that only fetching limits: M = B * eta.
    pub fn of_fetch(fetch: BytesPerSecond) -> Self {
        Self { fetch, issue: None }
    }

    /// Useful bandwidth at an efficiency (used over fetched) and a reuse (requested over used): at reuse 1 min(C, B * eta).
    pub fn useful(self, efficiency: f64, reuse: f64) -> BytesPerSecond {
        let fetched = self.fetch.0 * efficiency;
        let issued = self.issue.map_or(f64::INFINITY, |issue| issue.0 / reuse);
        BytesPerSecond(fetched.min(issued))
    }

    /// Requested bandwidth at an efficiency and a reuse: what the lanes see, reuse times the useful bandwidth.
    pub fn requested(self, efficiency: f64, reuse: f64) -> BytesPerSecond {
        BytesPerSecond(self.useful(efficiency, reuse).0 * reuse)
    }
}
