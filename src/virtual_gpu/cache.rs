//! What the last-level cache holds: the memory visited last, as far as it fits.

use std::collections::VecDeque;
use std::ops::Range;

/// A run of memory that one visit touched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Touch {
    /// The case and the phase that touched it: another touches other granules of the same run.
    pub(super) of: (usize, u32),
    /// Bytes of all memory, loads and stores apart.
    pub(super) run: Range<u64>,
    /// Bytes that its lines take in the cache.
    pub(super) held_bytes: u64,
}

impl Touch {
    /// Whether what touched it left nothing of it out, so that anybody finds it.
    fn is_dense(&self) -> bool {
        self.held_bytes >= self.run.end - self.run.start
    }
}

/// A cache that drops what was touched longest ago.
#[derive(Clone, Debug)]
pub(super) struct Cache {
    capacity_bytes: u64,
    /// The newest first; together they fit.
    touches: VecDeque<Touch>,
}

impl Cache {
    pub(super) fn new(capacity_bytes: u64) -> Self {
        Self {
            capacity_bytes,
            touches: VecDeque::new(),
        }
    }

    /// Whether so many bytes of lines stay while they are visited again and again.
    pub(super) fn holds(&self, bytes: u64) -> bool {
        bytes <= self.capacity_bytes
    }

    /// The share of `touch` that is there.
    pub(super) fn resident_share(&self, touch: &Touch) -> f64 {
        let there = self
            .touches
            .iter()
            .filter(|earlier| earlier.of == touch.of || earlier.is_dense())
            .map(|earlier| {
                earlier.run.start.max(touch.run.start)..earlier.run.end.min(touch.run.end)
            });
        let bytes = touch.run.end - touch.run.start;
        union_bytes(there.collect()) as f64 / bytes.max(1) as f64
    }

    /// Makes `touch` the newest, and drops what no longer fits.
    pub(super) fn touch(&mut self, touch: Touch) {
        let renewed = |earlier: &Touch| earlier.of == touch.of && earlier.run == touch.run;
        self.touches.retain(|earlier| !renewed(earlier));
        self.touches.push_front(touch);
        let mut held = 0;
        let fitting = self.touches.iter().take_while(|touch| {
            held += touch.held_bytes;
            held <= self.capacity_bytes
        });
        self.touches.truncate(fitting.count());
    }
}

/// Bytes that lie in any of `runs`; one that ends before it begins has none.
fn union_bytes(mut runs: Vec<Range<u64>>) -> u64 {
    runs.sort_unstable_by_key(|run| run.start);
    let (mut bytes, mut reached) = (0, 0);
    for run in runs {
        bytes += run.end.saturating_sub(run.start.max(reached));
        reached = reached.max(run.end);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn touch(case: usize, run: Range<u64>, held_bytes: u64) -> Touch {
        Touch {
            of: (case, 0),
            run,
            held_bytes,
        }
    }

    #[test]
    fn a_set_that_fits_is_there_the_second_time_and_a_larger_one_never() {
        for (capacity, expected) in [(40, 1.0), (39, 0.0)] {
            let mut cache = Cache::new(capacity);
            let pass = [touch(0, 0..100, 20), touch(0, 100..200, 20)];
            for _ in 0..3 {
                pass.iter().for_each(|part| cache.touch(part.clone()));
            }
            assert_eq!(cache.resident_share(&pass[0]), expected, "{capacity}");
        }
    }

    #[test]
    fn another_case_finds_only_what_was_read_whole() {
        let mut cache = Cache::new(1000);
        cache.touch(touch(0, 0..100, 10));
        assert_eq!(cache.resident_share(&touch(1, 0..100, 10)), 0.0);
        cache.touch(touch(2, 50..150, 100));
        assert_eq!(cache.resident_share(&touch(1, 0..100, 10)), 0.5);
        assert_eq!(cache.resident_share(&touch(0, 0..200, 20)), 0.75);
    }

    #[test]
    fn bytes_in_several_runs_count_once() {
        // Runs that have nothing in common intersect in one that ends before it begins.
        let backward = Range { start: 40, end: 35 };
        let runs = vec![10..20, 0..5, 15..30, 12..18, backward];
        assert_eq!(union_bytes(runs), 25);
    }
}
