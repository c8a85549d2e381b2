//! Which of the two clocks of a sample can be believed.

use serde::{Deserialize, Serialize};

use crate::executor::{Sample, Stamps, Submission};
use crate::model::gcd;

/// Share of samples with faulty stamps from which a run uses the host clock throughout.
const FAULTY_SHARE_LIMIT: f64 = 0.1;

/// Device time may exceed the host's by rounding and by the two clocks' own drift, not by more than this share.
const CLOCKS_APART_LIMIT: f64 = 0.01;

/// Which clock timed a case; the `timing_method` column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TimingMethod {
    /// Device timestamps at the beginning and end of a compute pass.
    PassTimestamps,
    /// The host's monotonic clock from submission to completion.
    HostClock,
}

/// Why the device stamps of a sample cannot be used; the `clock_fault` column of samples.csv.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClockFault {
    /// The device has no timestamps.
    Missing,
    /// A stamp is zero: the driver did not write it.
    Zero,
    /// Both stamps are the same tick.
    Equal,
    /// The end lies before the beginning.
    Backward,
    /// The device claims more time than passed on the host.
    LongerThanWall,
}

/// Device time of a whole sample in nanoseconds.
pub(super) fn device_ns(sample: &Sample) -> Result<f64, ClockFault> {
    sample.submissions.iter().map(submission_ns).sum()
}

/// Host time of a whole sample in nanoseconds.
pub(super) fn host_ns(sample: &Sample) -> u64 {
    sample
        .submissions
        .iter()
        .map(|submission| submission.host_ns)
        .sum()
}

pub(super) fn submission_ns(submission: &Submission) -> Result<f64, ClockFault> {
    let Stamps {
        begin,
        end,
        ns_per_tick,
    } = submission.stamps.ok_or(ClockFault::Missing)?;
    if begin == 0 || end == 0 {
        return Err(ClockFault::Zero);
    }
    let ticks = end.checked_sub(begin).ok_or(ClockFault::Backward)?;
    if ticks == 0 {
        return Err(ClockFault::Equal);
    }
    let ns = ticks as f64 * ns_per_tick;
    if ns > submission.host_ns as f64 * (1.0 + CLOCKS_APART_LIMIT) {
        return Err(ClockFault::LongerThanWall);
    }
    Ok(ns)
}

/// The step in which a device's clock moves, in nanoseconds; `None` where `samples` have too few stamps to tell.
///
/// Some clocks move in far larger steps than the tick that stamps are counted in. So the step is read off the stamps:
/// it is the greatest common divisor of the distances between them.
pub(super) fn step_ns<'a>(samples: impl IntoIterator<Item = &'a Sample>) -> Option<f64> {
    /// By chance so many distances share a large divisor once in millions.
    const DISTANCES_MIN: usize = 5;
    let stamps: Vec<Stamps> = samples
        .into_iter()
        .flat_map(|sample| &sample.submissions)
        .filter_map(|submission| submission.stamps)
        .collect();
    let ticks = stamps.iter().flat_map(|stamps| [stamps.begin, stamps.end]);
    let written: Vec<u64> = ticks.filter(|&tick| tick > 0).collect();
    let (first, rest) = written.split_first()?;
    let distances = rest.iter().map(|tick| tick.abs_diff(*first));
    let step = distances.fold(0, gcd);
    (rest.len() >= DISTANCES_MIN && step > 0).then(|| step as f64 * stamps[0].ns_per_tick)
}

/// The clock that a run uses, when `faulty` of `samples` samples have stamps that cannot be used.
pub(super) fn method(faulty: usize, samples: usize) -> TimingMethod {
    if faulty as f64 > samples as f64 * FAULTY_SHARE_LIMIT {
        TimingMethod::HostClock
    } else {
        TimingMethod::PassTimestamps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(begin: u64, end: u64, ns_per_tick: f64, host_ns: u64) -> Sample {
        let stamps = Some(Stamps {
            begin,
            end,
            ns_per_tick,
        });
        Sample {
            submissions: vec![Submission {
                dispatches: 1,
                stamps,
                host_ns,
            }],
            checksums: Vec::new(),
        }
    }

    #[test]
    fn each_fault_has_its_name() {
        let cases = [
            (sample(5, 0, 1.0, 100), ClockFault::Zero),
            (sample(0, 10, 1.0, 100), ClockFault::Zero),
            (sample(10, 8, 1.0, 100), ClockFault::Backward),
            (sample(8, 8, 1.0, 100), ClockFault::Equal),
            (sample(u64::MAX - 2, 40, 1.0, 100), ClockFault::Backward),
            (sample(100, 300, 1.0, 100), ClockFault::LongerThanWall),
        ];
        for (sample, fault) in cases {
            assert_eq!(device_ns(&sample), Err(fault));
        }
    }

    #[test]
    fn ticks_are_multiplied_by_their_period() {
        assert_eq!(
            device_ns(&sample(100, 300, 52.08, 20_000)),
            Ok(200.0 * 52.08)
        );
    }

    #[test]
    fn the_step_of_a_clock_is_read_off_its_stamps() {
        let with = |step: u64| {
            let ticks = [(3, 10), (12, 14), (17, 25)];
            ticks.map(|(begin, end)| sample(begin * step, end * step, 2.0, 1_000_000))
        };
        assert_eq!(step_ns(&with(1)), Some(2.0));
        assert_eq!(step_ns(&with(65_536)), Some(131_072.0));
        assert_eq!(step_ns(&with(65_536)[..2]), None);
        assert_eq!(step_ns(&with(0)), None);
    }

    #[test]
    fn a_few_faults_are_dropped_and_many_change_the_clock() {
        assert_eq!(method(0, 0), TimingMethod::PassTimestamps);
        assert_eq!(method(2, 40), TimingMethod::PassTimestamps);
        assert_eq!(method(5, 40), TimingMethod::HostClock);
    }
}
