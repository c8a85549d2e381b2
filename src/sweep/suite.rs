//! The suites: which specs answer which question.

use crate::executor::contents::MAX_FOOTPRINT_BYTES;
use crate::pattern::Spec;
use crate::pattern::spatter::{Config, ConfigError};

/// The name of the suite whose cases visit working sets again and again.
pub const WORKING_SET: &str = "working-set";

/// The smallest working set: less than one workgroup on every core of a large device.
const WORKING_SET_MIN: u64 = 256 << 10;

/// A case of a suite.
#[derive(Clone, Debug, PartialEq)]
pub struct Planned {
    /// What is accessed.
    pub spec: Spec,
    /// Bytes that are visited again and again; `None` where the whole footprint is swept.
    pub working_set_bytes: Option<u64>,
    /// The configuration of the Spatter file that the spec names, or what is wrong with it.
    pub config: Option<Result<Config, ConfigError>>,
}

impl From<Spec> for Planned {
    fn from(spec: Spec) -> Self {
        Self {
            spec,
            working_set_bytes: None,
            config: None,
        }
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

/// A name for several suites.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Group {
    /// Its name on the command line.
    pub name: &'static str,
    /// The suites in it.
    pub suites: &'static [&'static str],
    /// Seconds of sampling that it is given where the user names no budget.
    pub budget_s: f64,
}

/// All groups.
pub const GROUPS: [Group; 2] = [
    Group {
        name: "quick",
        suites: &["stride", "offset", "order", "struct"],
        budget_s: 40.0,
    },
    Group {
        name: "full",
        suites: &["stride", "offset", "order", "struct", WORKING_SET],
        budget_s: 300.0,
    },
];

/// A name that is neither suite nor group.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{wanted}' is no suite; choose from {known}")]
pub struct SuiteError {
    wanted: String,
    known: String,
}

/// Every suite.
pub fn suites() -> Vec<Suite> {
    vec![stride(), offset(), order(), structure(), working_set()]
}

/// The suites of `names`, groups resolved, each once and in the order asked for.
pub fn by_names<S: AsRef<str>>(names: &[S]) -> Result<Vec<Suite>, SuiteError> {
    let all = suites();
    let mut chosen: Vec<Suite> = Vec::new();
    for name in names.iter().map(AsRef::as_ref) {
        let group = GROUPS.iter().find(|group| group.name == name);
        let members = group.map_or(vec![name], |group| group.suites.to_vec());
        for member in members {
            let suite = all
                .iter()
                .find(|suite| suite.name == member)
                .ok_or_else(|| SuiteError {
                    wanted: name.to_owned(),
                    known: known_names(&all),
                })?;
            if !chosen.contains(suite) {
                chosen.push(suite.clone());
            }
        }
    }
    Ok(chosen)
}

/// A suite of the user's own specs.
pub fn custom(specs: Vec<Spec>) -> Suite {
    Suite {
        name: "custom",
        question: "What do the patterns asked for deliver?",
        analysis: "Specs given with --pattern, measured like those of any suite.",
        cases: specs.into_iter().map(Planned::from).collect(),
    }
}

fn known_names(all: &[Suite]) -> String {
    let suites = all.iter().map(|suite| suite.name);
    let groups = GROUPS.iter().map(|group| group.name);
    suites.chain(groups).collect::<Vec<_>>().join(", ")
}

fn stride() -> Suite {
    Suite {
        name: "stride",
        question: "How does useful bandwidth fall as neighbouring lanes move apart?",
        analysis: "Every stride touches the same footprint once, so useful bytes fall as the stride grows. Where issue \
                   limits, the curve is flat; where fetching does, it falls as 1/stride until every lane has a transaction \
                   of its own, and is flat again: the stride of that knee, in bytes, is what the memory fetches at once. \
                   A further fall at large strides is pages and address translation, not transactions. Stride 0 is every \
                   lane of a window at the same element.",
        cases: parse(
            (0..=32)
                .chain([48, 64, 128, 256])
                .map(|stride| format!("stride:{stride}")),
        ),
    }
}

fn offset() -> Suite {
    Suite {
        name: "offset",
        question: "What does it cost when a subgroup's consecutive loads begin off a boundary?",
        analysis: "Windows lie side by side, so the block that one window straddles is fetched by its neighbour anyway: the \
                   per-subgroup loss of the model is mostly hidden by caches, and the chart shows how well.",
        cases: parse(
            (0..=128)
                .step_by(4)
                .map(|offset| format!("offset:{offset}B")),
        ),
    }
}

fn order() -> Suite {
    Suite {
        name: "order",
        question: "Does the order of lanes inside a subgroup matter?",
        analysis: "Forward (stride:1) and reversed touch the same blocks, so they should agree. A broadcast loads one element \
                   a window: its useful bandwidth is one lane's, its requested bandwidth what all lanes receive.",
        cases: parse(["stride:1", "reversed", "broadcast"]),
    }
}

fn structure() -> Suite {
    Suite {
        name: "struct",
        question: "What does one field of an array of structs cost against the field as an array of its own?",
        analysis: "The size of the struct is the stride: the larger it is, the more of every block is some other field.",
        cases: parse(
            ["soa".to_owned()]
                .into_iter()
                .chain((4..=64).step_by(4).map(|bytes| format!("struct:{bytes}B"))),
        ),
    }
}

fn working_set() -> Suite {
    let sizes =
        (WORKING_SET_MIN.ilog2()..=MAX_FOOTPRINT_BYTES.ilog2()).map(|octave| 1_u64 << octave);
    Suite {
        name: WORKING_SET,
        question: "How large a working set do the caches hold?",
        analysis: "Each lane of stride:16 fetches a 64-byte line of its own, and the same lines are visited again and again. \
                   While a cache holds them all, it delivers them; where the working set outgrows it, the bandwidth steps \
                   down to what the next cache, and at last memory, delivers. The last step is the cache that every other \
                   suite has to keep out of. A cache of one core's own ends where it cannot hold what that core visits, \
                   which is less than the working set where cores divide it. Steps are less sharp than caches are: what \
                   is left in one from the pass before still answers.",
        cases: parse(["stride:16"])
            .into_iter()
            .flat_map(|case| {
                sizes.clone().map(move |bytes| Planned {
                    working_set_bytes: Some(bytes),
                    ..case.clone()
                })
            })
            .collect(),
    }
}

/// Specs of this file, all valid: a test builds every suite.
fn parse<S: AsRef<str>>(specs: impl IntoIterator<Item = S>) -> Vec<Planned> {
    specs
        .into_iter()
        .map(|spec| {
            let spec = spec.as_ref();
            spec.parse()
                .unwrap_or_else(|error| unreachable!("'{spec}': {error}"))
        })
        .map(|spec: Spec| spec.into())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_suite_has_a_question_an_analysis_and_cases() {
        for suite in suites() {
            assert!(suite.question.ends_with('?'), "{}", suite.name);
            assert!(suite.analysis.ends_with('.'), "{}", suite.name);
            assert!(!suite.cases.is_empty(), "{}", suite.name);
        }
    }

    #[test]
    fn groups_name_suites_that_exist_and_overlaps_are_measured_once() {
        for group in GROUPS {
            assert_eq!(
                by_names(&[group.name]).map(|suites| suites.len()),
                Ok(group.suites.len())
            );
        }
        let names: Vec<_> = by_names(&["order", "quick"])
            .expect("known names")
            .iter()
            .map(|suite| suite.name)
            .collect();
        assert_eq!(names, ["order", "stride", "offset", "struct"]);
    }

    #[test]
    fn an_unknown_suite_is_named_with_the_known_ones() {
        let error = by_names(&["strides"])
            .expect_err("no such suite")
            .to_string();
        assert_eq!(
            error,
            "'strides' is no suite; choose from stride, offset, order, struct, working-set, quick, full"
        );
    }
    #[test]
    fn working_sets_end_with_the_footprint_itself() {
        let suite = working_set();
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
        assert_eq!(sets(MAX_FOOTPRINT_BYTES).len(), 17);
        assert_eq!(stride().within(1 << 20), stride().cases);
    }
}
