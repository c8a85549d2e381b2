//! What a reader of a comparison should know besides: cases that have no counterpart, and settings that differ.

use super::Named;
use crate::findings::naming::case_name;
use crate::fit::Matched;
use crate::record::Row;
use crate::units::readable;

/// A warning names so many cases, then counts the rest.
const NAMED_CASES_MAX: usize = 4;

/// Says on stderr what sets `run` apart from `base` but for its figures.
pub(super) fn tell_of(base: &Named, run: &Named, matched: &Matched) {
    let folder = run.folder.display();
    if let Some(cases) = named(&matched.only_base) {
        tell!("warning: not in '{folder}', but in the base: {cases}");
    }
    if let Some(cases) = named(&matched.only_run) {
        tell!("warning: in '{folder}', but not in the base: {cases}");
    }
    let differences = differences(&base.run.rows[0], &run.run.rows[0]);
    if !differences.is_empty() {
        tell!(
            "warning: '{folder}' differs from the base in {}",
            differences.join(", ")
        );
    }
}

/// Says on stderr where `of` has nothing to take a share of.
pub(super) fn tell_of_fetch(of: &Named) {
    if of.fetch_gb_per_s.is_none() {
        tell!(
            "warning: '{}' has no trusted suite stride, so no fetch bandwidth to take a share of",
            of.folder.display()
        );
    }
}

/// `3 cases (stride stride:5, ...)`; `None` where there are none.
fn named(rows: &[&Row]) -> Option<String> {
    let first = rows.iter().take(NAMED_CASES_MAX);
    let mut names: Vec<String> = first
        .map(|row| format!("{} {}", row.suite, case_name(row)))
        .collect();
    if rows.len() > names.len() {
        names.push(format!("{} more", rows.len() - names.len()));
    }
    let noun = if rows.len() == 1 { "case" } else { "cases" };
    (!rows.is_empty()).then(|| format!("{} {noun} ({})", rows.len(), names.join(", ")))
}

/// The settings that differ, `run` against `base`.
fn differences(base: &Row, run: &Row) -> Vec<String> {
    type Setting = fn(&Row) -> String;
    let settings: [(&str, Setting); 6] = [
        ("lanes", |row| row.lanes.to_string()),
        ("workgroup", |row| row.workgroup_size.to_string()),
        ("footprint", |row| readable(row.footprint_bytes)),
        ("runtime checks", |row| on_or_off(row.runtime_checks)),
        ("debug build", |row| on_or_off(row.debug_build)),
        ("validation layers", |row| on_or_off(row.validation)),
    ];
    settings
        .into_iter()
        .map(|(name, of)| (name, of(run), of(base)))
        .filter(|(_, run, base)| run != base)
        .map(|(name, run, base)| format!("{name} ({run} against {base})"))
        .collect()
}

fn on_or_off(setting: bool) -> String {
    if setting { "on" } else { "off" }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_cases_are_named_and_many_are_counted() {
        let rows: Vec<Row> = (1..=6)
            .map(|stride| Row {
                suite: "stride".to_owned(),
                spec: format!("stride:{stride}"),
                ..Row::default()
            })
            .collect();
        let rows: Vec<&Row> = rows.iter().collect();
        assert_eq!(named(&[]), None);
        assert_eq!(
            named(&rows[..1]).as_deref(),
            Some("1 case (stride stride:1)")
        );
        assert_eq!(
            named(&rows).as_deref(),
            Some(
                "6 cases (stride stride:1, stride stride:2, stride stride:3, stride stride:4, 2 more)"
            )
        );
    }

    #[test]
    fn settings_that_differ_are_named_with_both_values() {
        let base = Row {
            lanes: 8,
            footprint_bytes: 1 << 30,
            ..Row::default()
        };
        let run = Row {
            lanes: 32,
            debug_build: true,
            ..base.clone()
        };
        assert!(differences(&base, &base).is_empty());
        assert_eq!(
            differences(&base, &run),
            ["lanes (32 against 8)", "debug build (on against off)"]
        );
    }
}
