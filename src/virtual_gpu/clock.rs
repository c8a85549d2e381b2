//! The stamps that the device writes around its work, and what may be wrong with them.

use crate::executor::Stamps;

/// What the device's clock reads when the first command arrives: devices count from when they were started.
const FIRST_TICK: u64 = 7_000_000_000_000;

/// A clock that is [`ClockKind::Longer`] claims so many times what passed.
const LONGER_TIMES: u64 = 3;

/// What is wrong with the stamps of the device, if anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ClockKind {
    /// Nothing.
    #[default]
    Good,
    /// There are none.
    None,
    /// The end is never written.
    Zero,
    /// The end lies before the beginning.
    Backward,
    /// The counter wraps between beginning and end.
    Wrapped,
    /// They claim more time than passes on the host.
    Longer,
}

impl ClockKind {
    /// All kinds, as they are spelled.
    pub(super) const WORDS: [(Self, &str); 6] = [
        (Self::Good, "good"),
        (Self::None, "none"),
        (Self::Zero, "zero"),
        (Self::Backward, "backward"),
        (Self::Wrapped, "wrapped"),
        (Self::Longer, "longer"),
    ];

    /// The stamps around work that took `device_ns` from `begin_ns` on, in a submission of `host_ns`.
    pub(super) fn stamps(self, begin_ns: u64, device_ns: u64, host_ns: u64) -> Option<Stamps> {
        let begin = FIRST_TICK + begin_ns;
        let (begin, end) = match self {
            Self::None => return None,
            Self::Good => (begin, begin + device_ns),
            Self::Zero => (begin, 0),
            Self::Backward => (begin + device_ns, begin),
            Self::Wrapped => {
                let before = u64::MAX - device_ns / 2;
                (before, before.wrapping_add(device_ns.max(1)))
            }
            Self::Longer => (begin, begin + host_ns * LONGER_TIMES),
        };
        Some(Stamps {
            begin,
            end,
            ns_per_tick: 1.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_is_one() {
        let stamps = |kind: ClockKind| kind.stamps(1000, 500, 600);
        let ticks = |kind| stamps(kind).map(|stamps| (stamps.begin, stamps.end));
        assert_eq!(
            ticks(ClockKind::Good),
            Some((FIRST_TICK + 1000, FIRST_TICK + 1500))
        );
        assert_eq!(stamps(ClockKind::None), None);
        let end_before = |kind| ticks(kind).is_some_and(|(begin, end)| end < begin);
        for kind in [ClockKind::Zero, ClockKind::Backward, ClockKind::Wrapped] {
            assert!(end_before(kind), "{kind:?}");
        }
        let longer = ticks(ClockKind::Longer).map(|(begin, end)| end - begin);
        assert_eq!(longer, Some(1800));
    }
}
