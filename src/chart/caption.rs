//! What stands under a chart, so that a figure cut out of a report still says where it comes from.

use crate::record::{Row, TimingMethod};
use crate::units::readable;

use super::text::{plain, shorten};
use super::theme::CAPTION_PX;

/// The longest that a name of somebody else's making may be.
const NAME_MAX_PX: f64 = 600.0;

/// The facts of a run that every caption names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Card {
    /// The adapter's name as its driver gives it.
    pub adapter: String,
    /// The driver and its version.
    pub driver: String,
    /// The graphics API.
    pub backend: String,
    /// When the run began.
    pub date: String,
    /// Whether the adapter is the CPU in disguise.
    pub software: bool,
    /// Whether the figures come from the virtual GPU.
    pub simulated: bool,
    /// The last-level cache before the memory, where the system tells.
    pub last_level_cache_bytes: Option<u64>,
}

impl Card {
    /// The card of the run that `rows` belong to; `date` and the cache are facts that no row holds.
    pub fn from_rows(rows: &[Row], date: &str) -> Self {
        let Some(row) = rows.first() else {
            return Self {
                date: date.to_owned(),
                ..Self::default()
            };
        };
        let simulated = rows.iter().any(|row| row.simulated);
        Self {
            adapter: row.adapter.clone(),
            driver: row.driver.clone(),
            backend: row.backend.clone(),
            // A model gives the same figures at any time, and the same chart.
            date: if simulated { "" } else { date }.to_owned(),
            software: rows.iter().any(|row| row.software),
            simulated,
            last_level_cache_bytes: None,
        }
    }

    /// What is written across the plot where the figures are not those of a GPU's memory.
    pub(super) fn stamp(&self) -> Option<&'static str> {
        if self.simulated {
            Some("simulated")
        } else if self.software {
            Some("software adapter: this is the CPU's memory")
        } else {
            None
        }
    }
}

/// The lines of the caption, each fact after its word; the frame wraps what is too wide.
pub(super) fn lines(card: &Card, rows: &[&Row], remark: &str) -> Vec<String> {
    let name = |text: &str| shorten(&plain(text), NAME_MAX_PX, CAPTION_PX);
    let adapter = join(&[
        ("", &name(&card.adapter)),
        ("driver ", &name(&card.driver)),
        ("", &card.backend),
        ("", &card.date),
    ]);
    let footprint = span(rows.iter().map(|row| row.footprint_bytes), readable);
    let setting = join(&[
        ("footprint ", &footprint),
        (
            "lanes ",
            &span(rows.iter().map(|row| row.lanes), |n| n.to_string()),
        ),
        (
            "workgroup ",
            &span(rows.iter().map(|row| row.workgroup_size), |n| n.to_string()),
        ),
        (
            "element ",
            &span(rows.iter().map(|row| row.element_bytes), |n| {
                format!("{n} B")
            }),
        ),
        ("", &words(rows.iter().map(|row| row.op.as_str()))),
        (
            "windows ",
            &words(rows.iter().map(|row| row.layout.as_str())),
        ),
    ]);
    let measured: Vec<&Row> = rows
        .iter()
        .copied()
        .filter(|row| row.is_measured())
        .collect();
    let timing = words(
        measured
            .iter()
            .filter_map(|row| row.timing_method)
            .map(timing_word),
    );
    let checks = words(
        rows.iter()
            .map(|row| if row.runtime_checks { "on" } else { "off" }),
    );
    let method = join(&[
        ("timed by ", &timing),
        ("runtime checks ", &checks),
        (
            "samples a point ",
            &span(measured.iter().map(|row| row.samples), |n| n.to_string()),
        ),
        ("", any(rows, |row| row.debug_build, "DEBUG BUILD")),
        ("", any(rows, |row| row.validation, "VALIDATION LAYERS ON")),
        ("", "GB = 10⁹ bytes"),
    ]);
    vec![adapter, setting, method, remark.to_owned()]
}

/// What the rows of a sheet have in common, whatever run they are of.
pub(super) fn of_sheet(rows: &[&Row]) -> String {
    let element = common(rows.iter().map(|row| format!("{} B", row.element_bytes)));
    join(&[
        ("element ", &element),
        ("", &common(rows.iter().map(|row| row.op.clone()))),
        (
            "windows ",
            &common(rows.iter().map(|row| row.layout.clone())),
        ),
        ("", "GB = 10⁹ bytes"),
    ])
}

/// One of several runs in a line, which does not say again what its name says.
pub(super) fn of_run(name: &str, card: &Card, rows: &[&Row]) -> String {
    let unsaid = |text: &str| match name.contains(text) {
        true => String::new(),
        false => shorten(&plain(text), NAME_MAX_PX, CAPTION_PX),
    };
    let lanes = span(rows.iter().map(|row| row.lanes), |n| n.to_string());
    let footprint = span(rows.iter().map(|row| row.footprint_bytes), readable);
    join(&[
        ("", &shorten(&plain(name), NAME_MAX_PX, CAPTION_PX)),
        ("driver ", &unsaid(&card.driver)),
        ("", &card.backend),
        ("", &unsaid(&card.date)),
        ("lanes ", &lanes),
        ("footprint ", &footprint),
    ])
}

/// The value that all share; empty where they differ.
fn common(mut values: impl Iterator<Item = String>) -> String {
    let first = values.next().unwrap_or_default();
    match values.all(|value| value == first) {
        true => first,
        false => String::new(),
    }
}

/// `word` where some row asks for it.
fn any(rows: &[&Row], asks: fn(&Row) -> bool, word: &'static str) -> &'static str {
    if rows.iter().any(|row| asks(row)) {
        word
    } else {
        ""
    }
}

fn timing_word(method: TimingMethod) -> &'static str {
    match method {
        TimingMethod::PassTimestamps => "pass timestamps",
        TimingMethod::HostClock => "the host's clock",
    }
}

/// The facts that are known, in one line.
fn join(facts: &[(&str, &str)]) -> String {
    let known: Vec<String> = facts
        .iter()
        .map(|(word, fact)| (word, plain(fact)))
        .filter(|(_, fact)| !fact.is_empty())
        .map(|(word, fact)| format!("{word}{fact}"))
        .collect();
    known.join(" · ")
}

/// `64` or `21 to 40`; empty for no values.
fn span<T: Ord + Copy>(
    values: impl Iterator<Item = T> + Clone,
    print: impl Fn(T) -> String,
) -> String {
    match (values.clone().min(), values.max()) {
        (Some(low), Some(high)) if low < high => format!("{} to {}", print(low), print(high)),
        (Some(low), _) => print(low),
        (None, _) => String::new(),
    }
}

/// The distinct words in the order in which they appear.
fn words<'a>(values: impl Iterator<Item = &'a str>) -> String {
    let mut distinct: Vec<&str> = Vec::new();
    for value in values {
        if !distinct.contains(&value) {
            distinct.push(value);
        }
    }
    distinct.join(" and ")
}
