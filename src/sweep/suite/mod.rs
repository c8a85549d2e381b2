//! The suites: which specs answer which question.

mod axes;
mod full;
mod groups;
mod planned;
mod quick;

use super::AxisOverride;
use axes::Axes;
pub use axes::AxisFault;
pub use groups::{GROUPS, Group};
pub use planned::Planned;

/// The name of the suite whose cases are strides, which granules and ceilings are inferred from.
pub const STRIDE: &str = "stride";

/// The name of the suite whose cases begin off a boundary.
pub const OFFSET: &str = "offset";

/// The name of the suite whose cases visit working sets again and again.
pub const WORKING_SET: &str = "working-set";

/// Every suite, in the order of `full`.
const DEFINITIONS: [Definition; 10] = [
    quick::STRIDES,
    quick::OFFSETS,
    quick::ORDER,
    quick::STRUCT,
    full::MATRIX,
    full::MIXED,
    full::WIDTH,
    full::WORKING_SETS,
    full::STORE,
    full::GATHER,
];

/// A suite before its axes have values.
struct Definition {
    name: &'static str,
    question: &'static str,
    analysis: &'static str,
    axes: &'static [&'static str],
    cases: fn(Axes<'_>) -> Result<Vec<Planned>, AxisFault>,
}

impl Definition {
    /// The suite with the values of `overrides` on those of its axes that they name, and its own on the others.
    fn suite(&self, overrides: &[AxisOverride]) -> Result<Suite, SuiteError> {
        let cases = (self.cases)(Axes(overrides)).map_err(|fault| SuiteError::Axis {
            suite: self.name,
            fault,
        })?;
        Ok(Suite {
            name: self.name,
            question: self.question,
            analysis: self.analysis,
            axes: self.axes,
            cases,
        })
    }
}

/// A set of cases that together answer one question.
#[derive(Clone, Debug, PartialEq)]
pub struct Suite {
    /// Its name on the command line and in the `suite` column.
    pub name: &'static str,
    /// What it answers.
    pub question: &'static str,
    /// How to read the answer.
    pub analysis: &'static str,
    /// Names of the axes whose values can be replaced.
    pub axes: &'static [&'static str],
    /// Its cases, in the order of the chart.
    pub cases: Vec<Planned>,
}

impl Suite {
    /// Its cases in a footprint of `footprint_bytes`: no working set is larger, and the largest is the footprint itself.
    pub fn within(&self, footprint_bytes: u64) -> Vec<Planned> {
        let set = |case: &Planned| case.working_set_bytes;
        let whole = self.cases.iter().find(|case| set(case).is_some());
        let whole = whole.map(|case| Planned {
            working_set_bytes: Some(footprint_bytes),
            ..case.clone()
        });
        let smaller = |case: &&Planned| set(case).is_none_or(|bytes| bytes < footprint_bytes);
        self.cases
            .iter()
            .filter(smaller)
            .cloned()
            .chain(whole)
            .collect()
    }
}

/// Names or values that make no suite.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SuiteError {
    /// A name that is neither suite nor group.
    #[error("'{wanted}' is no suite; choose from {known}")]
    NoSuite {
        /// The name.
        wanted: String,
        /// Those that there are.
        known: String,
    },
    /// An axis that no chosen suite sweeps.
    #[error("no suite of this run sweeps the axis '{wanted}'; {known}")]
    NoAxis {
        /// Its name.
        wanted: String,
        /// The axes that there are, in words.
        known: String,
    },
    /// Two lists of values for one axis.
    #[error("the axis '{name}' is given twice; give all of its values at once")]
    AxisTwice {
        /// Its name.
        name: String,
    },
    /// Values that give no cases.
    #[error("the values given for an axis of the suite '{suite}' cannot be meant: {fault}")]
    Axis {
        /// The suite.
        suite: &'static str,
        /// What is wrong.
        fault: AxisFault,
    },
}

/// Every suite, with the values of its own axes.
pub fn suites() -> Vec<Suite> {
    let own = |suite: &Definition| {
        suite
            .suite(&[])
            // Constants of this room: a test builds every suite.
            .unwrap_or_else(|error| unreachable!("{error}"))
    };
    DEFINITIONS.iter().map(own).collect()
}

/// The suites of `names`, groups resolved, each once and in the order asked for, with the values of `overrides` on the
/// axes that they name.
///
/// # Errors
/// If there is no suite or group of a name, none of the suites sweeps an axis, or a value gives no valid spec.
pub fn by_names<S: AsRef<str>>(
    names: &[S],
    overrides: &[AxisOverride],
) -> Result<Vec<Suite>, SuiteError> {
    let mut chosen: Vec<&Definition> = Vec::new();
    for name in names.iter().map(AsRef::as_ref) {
        let group = GROUPS.iter().find(|group| group.name == name);
        let members = group.map_or(vec![name], |group| group.suites.to_vec());
        for member in members {
            let suite = DEFINITIONS
                .iter()
                .find(|suite| suite.name == member)
                .ok_or_else(|| SuiteError::NoSuite {
                    wanted: name.to_owned(),
                    known: known_names(),
                })?;
            if chosen.iter().all(|known| known.name != suite.name) {
                chosen.push(suite);
            }
        }
    }
    refuse_unknown_axes(&chosen, overrides)?;
    let with_values = |suite: &Definition| suite.suite(overrides);
    chosen.into_iter().map(with_values).collect()
}

/// A suite of the user's own specs.
pub fn custom(cases: Vec<Planned>) -> Suite {
    Suite {
        name: "custom",
        question: "What do the patterns asked for deliver?",
        analysis: "Specs given with --pattern, measured like those of any suite.",
        axes: &[],
        cases,
    }
}

fn refuse_unknown_axes(
    chosen: &[&Definition],
    overrides: &[AxisOverride],
) -> Result<(), SuiteError> {
    let mut known: Vec<&str> = Vec::new();
    for &axis in chosen.iter().flat_map(|suite| suite.axes) {
        if !known.contains(&axis) {
            known.push(axis);
        }
    }
    for (place, AxisOverride { name, .. }) in overrides.iter().enumerate() {
        if !known.contains(&name.as_str()) {
            return Err(SuiteError::NoAxis {
                wanted: name.clone(),
                known: match known.is_empty() {
                    true => "none of them has an axis".to_owned(),
                    false => format!("choose from {}", known.join(", ")),
                },
            });
        }
        if overrides[..place]
            .iter()
            .any(|earlier| earlier.name == *name)
        {
            return Err(SuiteError::AxisTwice { name: name.clone() });
        }
    }
    Ok(())
}

fn known_names() -> String {
    let suites = DEFINITIONS.iter().map(|suite| suite.name);
    let groups = GROUPS.iter().map(|group| group.name);
    suites.chain(groups).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, overrides: &[&str]) -> Result<Suite, SuiteError> {
        let overrides: Vec<AxisOverride> = overrides
            .iter()
            .map(|text| text.parse().expect("an axis"))
            .collect();
        by_names(&[name], &overrides).map(|mut suites| suites.remove(0))
    }

    fn specs(suite: &Suite) -> Vec<String> {
        let specs = suite.cases.iter().map(|case| case.spec.to_string());
        specs.collect()
    }

    #[test]
    fn every_suite_has_a_question_an_analysis_and_cases_and_is_in_full() {
        let full = GROUPS.iter().find(|group| group.name == "full");
        let names: Vec<&str> = suites().iter().map(|suite| suite.name).collect();
        assert_eq!(full.map(|group| group.suites), Some(&names[..]));
        for suite in suites() {
            assert!(suite.question.ends_with('?'), "{}", suite.name);
            assert!(suite.analysis.ends_with('.'), "{}", suite.name);
            assert!(!suite.cases.is_empty(), "{}", suite.name);
            for case in &suite.cases {
                let text = case.spec.to_string();
                assert_eq!(text.parse(), Ok(case.spec.clone()));
            }
        }
    }

    #[test]
    fn no_suite_asks_for_a_case_twice() {
        for suite in suites() {
            for (place, case) in suite.cases.iter().enumerate() {
                assert!(!suite.cases[..place].contains(case), "{}", case.spec);
            }
        }
    }

    #[test]
    fn cases_are_counted() {
        let counts: Vec<(&str, usize)> = suites()
            .iter()
            .map(|suite| (suite.name, suite.cases.len()))
            .collect();
        let expected = [
            ("stride", 37),
            ("offset", 33 + 17),
            ("order", 9),
            ("struct", 1 + 40 + 7),
            ("matrix", 4 * 6),
            ("mixed", 7),
            ("width", 3 * (10 + 7)),
            ("working-set", 17),
            ("store", 10 + 4 + 6),
            ("gather", 6 + 4 + 2),
        ];
        assert_eq!(counts, expected);
    }

    #[test]
    fn groups_name_suites_that_exist_and_overlaps_are_measured_once() {
        for group in GROUPS {
            assert_eq!(
                by_names(&[group.name], &[]).map(|suites| suites.len()),
                Ok(group.suites.len())
            );
        }
        let names: Vec<_> = by_names(&["order", "quick"], &[])
            .expect("known names")
            .iter()
            .map(|suite| suite.name)
            .collect();
        assert_eq!(names, ["order", "stride", "offset", "struct"]);
    }

    #[test]
    fn an_unknown_suite_is_named_with_the_known_ones() {
        let error = named("strides", &[]).expect_err("no such suite");
        assert_eq!(
            error.to_string(),
            "'strides' is no suite; choose from stride, offset, order, struct, matrix, mixed, width, working-set, \
             store, gather, quick, full"
        );
    }

    #[test]
    fn values_of_an_axis_replace_those_of_the_suite() {
        for (suite, overrides, expected) in [
            (
                "stride",
                &["stride=-1:1"][..],
                "stride:-1 stride:0 stride:1",
            ),
            ("stride", &["stride=4,6B"], "stride:1 stride:6B"),
            ("offset", &["offset=8B"], "offset:2 offset:2,layout=padded"),
            (
                "struct",
                &["struct=8"],
                "soa struct:8B struct:8B+4B struct:8B+all",
            ),
            (
                "matrix",
                &["matrix=7"],
                "row:7 column:7 row:7,op=copy transpose:7 transpose:7,tile=plain transpose:7,tile=padded",
            ),
            (
                "width",
                &["stride=5", "element=8B", "offset=8,3B"],
                "stride:5,element=8B offset:1,element=8B offset:3B,element=8B",
            ),
            (
                "store",
                &["stride=5"],
                "stride:5,op=store stride:1,layout=padded,op=store reversed,op=store broadcast,op=store \
                 stride:1,element=16B,op=store stride:5,op=copy",
            ),
        ] {
            let suite = named(suite, overrides).expect("valid values");
            assert_eq!(specs(&suite).join(" "), expected);
        }
        let gather = specs(&named("gather", &["stride=24B"]).expect("valid values"));
        assert_eq!(gather[0], "UNIFORM:256:3:NR,element=8B");
        assert_eq!(
            gather.last(),
            Some(&"UNIFORM:256:3:NR,element=8B,op=store".to_owned())
        );
        let sets = named("working-set", &["working-set=4096,65536"]).expect("valid values");
        let bytes: Vec<_> = sets
            .cases
            .iter()
            .map(|case| case.working_set_bytes)
            .collect();
        assert_eq!(bytes, [Some(4096), Some(65_536)]);
    }

    /// Otherwise a run would refuse an axis that a suite sweeps, or take one that changes nothing.
    #[test]
    fn a_suite_names_the_axes_that_it_sweeps() {
        let values = |axis| match axis {
            "element" => "element=4B",
            "matrix" => "matrix=3",
            "offset" => "offset=4B",
            "stride" => "stride=7",
            "struct" => "struct=4B",
            WORKING_SET => "working-set=4096B",
            _ => unreachable!("{axis}"),
        };
        let all = [
            "element",
            "matrix",
            "offset",
            "stride",
            "struct",
            WORKING_SET,
        ];
        for definition in &DEFINITIONS {
            let own = definition.suite(&[]).expect("its own values");
            for axis in all {
                let value: AxisOverride = values(axis).parse().expect("an axis");
                let other = definition.suite(&[value]).expect("a valid value");
                let sweeps = definition.axes.contains(&axis);
                assert_eq!(other != own, sweeps, "{} and {axis}", own.name);
            }
        }
    }

    #[test]
    fn what_no_suite_sweeps_and_what_makes_no_case_is_refused() {
        for (suite, overrides, expected) in [
            (
                "order",
                &["stride=1"][..],
                "no suite of this run sweeps the axis 'stride'; none of them has an axis",
            ),
            (
                "quick",
                &["strid=1"],
                "no suite of this run sweeps the axis 'strid'; choose from stride, offset, struct",
            ),
            (
                "stride",
                &["stride=1", "stride=2"],
                "the axis 'stride' is given twice; give all of its values at once",
            ),
            (
                "gather",
                &["stride=1,-4"],
                "the values given for an axis of the suite 'gather' cannot be meant: 'UNIFORM:256:-4:NR,element=8B': \
                 expected a stride of whole elements at column 13; nearest valid: UNIFORM:256:1:NR,element=8B",
            ),
            (
                "struct",
                &["struct=8,10"],
                "the values given for an axis of the suite 'struct' cannot be meant: 'struct:10B+all': expected a \
                 struct of whole elements (4B) at column 8; nearest valid: struct:12B+all",
            ),
            (
                "width",
                &["element=2B"],
                "the values given for an axis of the suite 'width' cannot be meant: 'stride:1,element=2B': expected \
                 one of 4B, 8B, 16B at column 18; nearest valid: stride:1",
            ),
            (
                "working-set",
                &["working-set=0"],
                "the values given for an axis of the suite 'working-set' cannot be meant: 0 is no number of bytes; \
                 expected at least 1",
            ),
            (
                "struct",
                &["struct=1000000000"],
                "the values given for an axis of the suite 'struct' cannot be meant: more than 16384 cases",
            ),
        ] {
            let error = named(suite, overrides).expect_err(expected);
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn working_sets_end_with_the_footprint_itself() {
        let suite = named(WORKING_SET, &[]).expect("a suite");
        let sets = |footprint_bytes: u64| -> Vec<u64> {
            let cases = suite.within(footprint_bytes);
            cases
                .iter()
                .filter_map(|case| case.working_set_bytes)
                .collect()
        };
        assert_eq!(sets(1 << 20), [256 << 10, 512 << 10, 1 << 20]);
        assert_eq!(sets(3 << 19), [256 << 10, 512 << 10, 1 << 20, 3 << 19]);
        assert_eq!(sets(64 << 10), [64 << 10]);
        assert_eq!(sets(16 << 30).len(), 17);
        let stride = named("stride", &[]).expect("a suite");
        assert_eq!(stride.within(1 << 20), stride.cases);
    }
}
