//! How cases ended, in the words of the CSV.

use crate::record::{Row, Status};

/// Every status, from the best to the worst.
const STATUSES: [Status; 8] = [
    Status::Ok,
    Status::Noisy,
    Status::CacheResident,
    Status::LaunchBound,
    Status::OverPeak,
    Status::LoadsSuspect,
    Status::Skipped,
    Status::Failed,
];

/// The word that the CSV has for a status.
pub fn word(status: Status) -> String {
    let word = serde_json::to_value(status).ok();
    word.and_then(|word| word.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// How many of `rows` have each status, as `12 ok, 1 noisy`; empty where there are none.
pub fn counts<'a>(rows: impl Iterator<Item = &'a Row> + Clone) -> String {
    let count = |status: Status| rows.clone().filter(|row| row.status == status).count();
    let named: Vec<String> = STATUSES
        .into_iter()
        .map(|status| (count(status), status))
        .filter(|(count, _)| *count > 0)
        .map(|(count, status)| format!("{count} {}", word(status)))
        .collect();
    named.join(", ")
}
