//! What the suite of working sets says of the caches: where its bandwidth steps down, in rows and in words.

use super::row::Row;
use crate::stats::levels;
use crate::sweep::{Status, WORKING_SET};
use crate::units::{readable, significant};

/// Working sets that are all fetched at about the same rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SetLevel {
    /// The smallest of them.
    pub first_bytes: u64,
    /// The largest of them.
    pub last_bytes: u64,
    /// Their median fetched bandwidth, by 64-byte lines.
    pub fetched_gb_per_s: f64,
}

/// The levels that bandwidth steps down through as the working set grows, in that order; one where there is no step.
pub fn set_levels<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<SetLevel> {
    let mut sets: Vec<(u64, f64)> = rows
        .into_iter()
        .filter(|row| row.suite == WORKING_SET)
        .filter(|row| !matches!(row.status, Status::Failed | Status::LoadsSuspect))
        .filter_map(|row| Some((row.footprint_bytes, row.fetched_gb_per_s_64b?)))
        .filter(|(_, fetched)| fetched.is_finite())
        .collect();
    sets.sort_by_key(|(bytes, _)| *bytes);
    let fetched: Vec<f64> = sets.iter().map(|(_, fetched)| *fetched).collect();
    levels(&fetched)
        .iter()
        .map(|level| SetLevel {
            first_bytes: sets[level.first].0,
            last_bytes: sets[level.last].0,
            fetched_gb_per_s: level.value,
        })
        .collect()
}

/// The largest working set before the last step: what the last cache holds, as far as the rows show it.
pub(super) fn last_step_bytes(rows: &[Row]) -> Option<u64> {
    let levels = set_levels(rows);
    let before_last = levels.len().checked_sub(2)?;
    Some(levels[before_last].last_bytes)
}

/// What the suite of working sets found, a sentence each; none without that suite. `system_tells` says whether the size
/// of the last-level cache is known without it.
pub fn working_set_notes(rows: &[Row], system_tells: bool) -> Vec<String> {
    let levels = set_levels(rows);
    let rate = |level: &SetLevel| significant(level.fetched_gb_per_s);
    // What lies between two levels belongs to neither, so each is told with the sets that it begins and ends at.
    let (highest, between, lowest) = match &levels[..] {
        [] => return Vec::new(),
        [only] => {
            return vec![format!(
                "working sets of {} to {}: {} GB/s fetched, and no step",
                readable(only.first_bytes),
                readable(only.last_bytes),
                rate(only)
            )];
        }
        [highest, between @ .., lowest] => (highest, between, lowest),
    };
    let mut falls: Vec<String> = between
        .iter()
        .map(|level| format!("to {} {}", rate(level), sets(level)))
        .collect();
    falls.push(format!(
        "to {} from {} on",
        rate(lowest),
        readable(lowest.first_bytes)
    ));
    let mut notes = vec![format!(
        "working sets: fetched {} GB/s up to {}, falling {}",
        rate(highest),
        readable(highest.last_bytes),
        falls.join(", ")
    )];
    if let (false, Some(bytes)) = (system_tells, last_step_bytes(rows)) {
        notes.push(format!(
            "the system does not tell the last-level cache; the guard cache-resident takes it to be {}, the last step of \
             the working sets",
            readable(bytes)
        ));
    }
    notes
}

/// `at 2 MiB`, or `from 2 MiB to 128 MiB`.
fn sets(level: &SetLevel) -> String {
    let last = readable(level.last_bytes);
    match level.first_bytes == level.last_bytes {
        true => format!("at {last}"),
        false => format!("from {} to {last}", readable(level.first_bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(fetched: &[(u64, f64)]) -> Vec<Row> {
        let row = |&(bytes, fetched): &(u64, f64)| Row {
            suite: WORKING_SET.to_owned(),
            footprint_bytes: bytes,
            status: Status::CacheResident,
            fetched_gb_per_s_64b: Some(fetched),
            ..Row::default()
        };
        fetched.iter().map(row).collect()
    }

    const MIB: u64 = 1 << 20;

    #[test]
    fn steps_are_told_in_a_sentence() {
        let rows = rows(&[
            (MIB / 2, 61.0),
            (MIB, 62.0),
            (2 * MIB, 62.0),
            (4 * MIB, 40.0),
            (8 * MIB, 31.0),
            (128 * MIB, 31.0),
            (256 * MIB, 22.0),
            (1024 * MIB, 21.0),
            (1536 * MIB, 21.0),
        ]);
        assert_eq!(
            working_set_notes(&rows, true),
            [
                "working sets: fetched 62.0 GB/s up to 2 MiB, falling to 31.0 from 8 MiB to 128 MiB, to 21.0 from 256 MiB on"
            ]
        );
        let unknown = working_set_notes(&rows, false);
        assert!(unknown[1].contains("takes it to be 128 MiB"), "{unknown:?}");
        assert_eq!(last_step_bytes(&rows), Some(128 * MIB));
    }

    #[test]
    fn without_a_step_there_is_no_cache() {
        let flat = rows(&[(MIB / 4, 30.0), (MIB, 30.0), (1 << 30, 30.0)]);
        assert_eq!(
            working_set_notes(&flat, false),
            ["working sets of 256 KiB to 1 GiB: 30.0 GB/s fetched, and no step"]
        );
        assert_eq!(last_step_bytes(&flat), None);
        let mut others = flat;
        others.iter_mut().for_each(|row| row.suite.clear());
        assert!(working_set_notes(&others, false).is_empty());
    }
}
