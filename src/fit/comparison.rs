//! One run held against another, case by case.

use std::collections::HashMap;

use crate::record::{Row, Status};
use crate::stats::median;
use crate::sweep::WORKING_SET;

use super::{Ratio, is_trusted};

/// How far from 1 a ratio may lie and still be called the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Margin(f64);

impl Margin {
    /// `percent` to either side of 1; `None` unless it is at least 0 and below 100.
    pub fn from_percent(percent: f64) -> Option<Self> {
        (0.0..100.0)
            .contains(&percent)
            .then_some(Self(percent / 100.0))
    }
}

/// What a ratio and its interval say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The interval lies above 1 and not wholly inside the margin.
    Faster,
    /// The interval lies below 1 and not wholly inside the margin.
    Slower,
    /// The interval lies wholly inside the margin.
    Same,
    /// None of these can be told.
    Ambiguous,
}

impl Verdict {
    /// The word for tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::Faster => "faster",
            Self::Slower => "slower",
            Self::Same => "same",
            Self::Ambiguous => "ambiguous",
        }
    }

    fn of((low, high): (f64, f64), Margin(margin): Margin) -> Self {
        if 1.0 - margin <= low && high <= 1.0 + margin {
            Self::Same
        } else if low > 1.0 {
            Self::Faster
        } else if high < 1.0 {
            Self::Slower
        } else {
            Self::Ambiguous
        }
    }
}

/// Why nothing, or nothing definite, is said of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doubt {
    /// A side was not measured, or its figure is not above zero: there is no ratio.
    NoFigure,
    /// A guard was raised on a side: its figure is not that of the memory.
    Guarded,
    /// A side has no interval.
    NoInterval,
    /// The interval holds 1 and reaches beyond the margin.
    Wide,
}

/// A case that both runs have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison<'a> {
    /// The row of the base.
    pub base: &'a Row,
    /// The row of the run that is held against it.
    pub row: &'a Row,
    /// Useful bandwidth of the run over that of the base; `None` where a side has no figure.
    pub ratio: Option<Ratio>,
    /// What that says; `None` without a ratio.
    pub verdict: Option<Verdict>,
    /// Why the verdict is ambiguous or missing.
    pub doubt: Option<Doubt>,
}

impl<'a> Comparison<'a> {
    fn of(base: &'a Row, row: &'a Row, margin: Margin) -> Self {
        let ratio = [base, row]
            .iter()
            .all(|side| is_measured(side))
            .then(|| finite(Ratio::of(row, base)?))
            .flatten();
        let (verdict, doubt) = match ratio {
            None => (None, Some(Doubt::NoFigure)),
            Some(ratio) => {
                let (verdict, doubt) = verdict(base, row, ratio, margin);
                (Some(verdict), doubt)
            }
        };
        Self {
            base,
            row,
            ratio,
            verdict,
            doubt,
        }
    }
}

fn verdict(base: &Row, row: &Row, ratio: Ratio, margin: Margin) -> (Verdict, Option<Doubt>) {
    let ambiguous = |doubt| (Verdict::Ambiguous, Some(doubt));
    if is_guarded(base) || is_guarded(row) {
        return ambiguous(Doubt::Guarded);
    }
    let Some(interval) = ratio.interval else {
        return ambiguous(Doubt::NoInterval);
    };
    match Verdict::of(interval, margin) {
        Verdict::Ambiguous => ambiguous(Doubt::Wide),
        clear => (clear, None),
    }
}

/// Whether a guard keeps the figure of `row` from being compared. That caches answer is what the suite of working sets is for.
pub fn is_guarded(row: &Row) -> bool {
    let wanted = row.suite == WORKING_SET && row.status == Status::CacheResident;
    is_measured(row) && !is_trusted(row.status) && !wanted
}

fn is_measured(row: &Row) -> bool {
    !matches!(row.status, Status::Failed | Status::Skipped)
}

/// `ratio` as far as it is a number: rows may come from anybody's table, and the quotient of two extreme figures is infinite or zero.
fn finite(ratio: Ratio) -> Option<Ratio> {
    let is_number = |value: f64| value.is_finite() && value > 0.0;
    is_number(ratio.value).then_some(Ratio {
        interval: ratio
            .interval
            .filter(|(low, high)| is_number(*low) && is_number(*high)),
        ..ratio
    })
}

/// The cases of two runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matched<'a> {
    /// Those that both have, in the order of the base.
    pub comparisons: Vec<Comparison<'a>>,
    /// Those that only the base has.
    pub only_base: Vec<&'a Row>,
    /// Those that only the run has.
    pub only_run: Vec<&'a Row>,
}

/// What makes a case the same in two runs. Lanes do not: a device has the subgroups that it has, and the spec is what is asked of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Case<'a> {
    suite: &'a str,
    spec: &'a str,
    op: &'a str,
    layout: &'a str,
    element_bytes: u32,
    working_set_bytes: Option<u64>,
    /// How many rows of the same run were the same case before.
    repeat: usize,
}

/// The cases of `rows`, in their order.
fn cases(rows: &[Row]) -> Vec<Case<'_>> {
    let mut seen: HashMap<Case, usize> = HashMap::new();
    let case = |row| {
        let case = Case::of(row);
        let before = seen.entry(case).or_default();
        let repeat = *before;
        *before += 1;
        Case { repeat, ..case }
    };
    rows.iter().map(case).collect()
}

impl<'a> Case<'a> {
    fn of(row: &'a Row) -> Self {
        Self {
            suite: &row.suite,
            spec: &row.spec,
            op: &row.op,
            layout: &row.layout,
            element_bytes: row.element_bytes,
            working_set_bytes: (row.suite == WORKING_SET).then_some(row.footprint_bytes),
            repeat: 0,
        }
    }
}

/// Holds each case of `run` against the same case of `base`.
pub fn compare<'a>(base: &'a [Row], run: &'a [Row], margin: Margin) -> Matched<'a> {
    let mut of_run: HashMap<Case, &Row> = cases(run).into_iter().zip(run).collect();
    let mut matched = Matched::default();
    for (case, row) in cases(base).into_iter().zip(base) {
        match of_run.remove(&case) {
            Some(other) => matched.comparisons.push(Comparison::of(row, other, margin)),
            None => matched.only_base.push(row),
        }
    }
    let left = cases(run).into_iter().zip(run);
    matched.only_run = left
        .filter(|(case, _)| of_run.contains_key(case))
        .map(|(_, row)| row)
        .collect();
    matched
}

/// How the cases of one suite came out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tally<'a> {
    /// The suite.
    pub suite: &'a str,
    /// Cases with this verdict.
    pub faster: usize,
    /// Cases with this verdict.
    pub slower: usize,
    /// Cases with this verdict.
    pub same: usize,
    /// Cases with this verdict.
    pub ambiguous: usize,
    /// Cases without a ratio.
    pub without_ratio: usize,
    /// The median ratio of the cases in which no guard was raised; `None` where there is none.
    pub median_ratio: Option<f64>,
}

/// A tally of each suite among `comparisons`, in their order.
pub fn tallies<'a>(comparisons: &[Comparison<'a>]) -> Vec<Tally<'a>> {
    let mut tallies: Vec<Tally> = Vec::new();
    for comparison in comparisons {
        let suite = comparison.base.suite.as_str();
        if !tallies.iter().any(|tally| tally.suite == suite) {
            tallies.push(tally(suite, comparisons));
        }
    }
    tallies
}

fn tally<'a>(suite: &'a str, comparisons: &[Comparison<'a>]) -> Tally<'a> {
    let of_suite = || comparisons.iter().filter(|of| of.base.suite == suite);
    let count = |verdict| of_suite().filter(|of| of.verdict == verdict).count();
    let ratios: Vec<f64> = of_suite()
        .filter(|of| of.doubt != Some(Doubt::Guarded))
        .filter_map(|of| Some(of.ratio?.value))
        .collect();
    Tally {
        suite,
        faster: count(Some(Verdict::Faster)),
        slower: count(Some(Verdict::Slower)),
        same: count(Some(Verdict::Same)),
        ambiguous: count(Some(Verdict::Ambiguous)),
        without_ratio: count(None),
        median_ratio: median(&ratios),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(useful: f64, (low, high): (f64, f64)) -> Row {
        Row {
            suite: "stride".to_owned(),
            spec: "stride:1".to_owned(),
            status: Status::Ok,
            useful_gb_per_s: Some(useful),
            useful_low_gb_per_s: Some(low),
            useful_high_gb_per_s: Some(high),
            ..Row::default()
        }
    }

    /// A figure that is known exactly, so that the interval of a ratio is that of the other side.
    fn exact(useful: f64) -> Row {
        row(useful, (useful, useful))
    }

    fn of(base: &Row, row: &Row) -> (Option<Verdict>, Option<Doubt>) {
        let margin = Margin::from_percent(5.0).expect("a margin");
        let comparison = Comparison::of(base, row, margin);
        (comparison.verdict, comparison.doubt)
    }

    #[test]
    fn the_interval_decides_and_the_margin_has_both_its_ends() {
        let base = exact(100.0);
        for (low, high, verdict, doubt) in [
            (95.0, 105.0, Verdict::Same, None),
            (102.0, 104.0, Verdict::Same, None),
            (94.9, 105.0, Verdict::Ambiguous, Some(Doubt::Wide)),
            (95.0, 105.1, Verdict::Ambiguous, Some(Doubt::Wide)),
            (100.0, 105.1, Verdict::Ambiguous, Some(Doubt::Wide)),
            (94.9, 100.0, Verdict::Ambiguous, Some(Doubt::Wide)),
            (100.1, 105.1, Verdict::Faster, None),
            (94.9, 99.9, Verdict::Slower, None),
            (300.0, 400.0, Verdict::Faster, None),
        ] {
            let middle = f64::midpoint(low, high);
            assert_eq!(
                of(&base, &row(middle, (low, high))),
                (Some(verdict), doubt),
                "{low} to {high}"
            );
        }
    }

    #[test]
    fn a_margin_is_a_share_below_one() {
        for percent in [-1.0, 100.0, f64::NAN, f64::INFINITY] {
            assert_eq!(Margin::from_percent(percent), None);
        }
        let none = Margin::from_percent(0.0).expect("no margin at all");
        let figure = exact(3.0);
        let same = Comparison::of(&figure, &figure, none);
        assert_eq!(same.verdict, Some(Verdict::Same));
    }

    #[test]
    fn a_guard_on_either_side_leaves_the_ratio_and_takes_the_verdict() {
        let guarded = (Some(Verdict::Ambiguous), Some(Doubt::Guarded));
        for status in [
            Status::CacheResident,
            Status::LaunchBound,
            Status::OverPeak,
            Status::LoadsSuspect,
        ] {
            let doubtful = Row {
                status,
                ..exact(200.0)
            };
            assert_eq!(of(&exact(100.0), &doubtful), guarded);
            assert_eq!(of(&doubtful, &exact(100.0)), guarded);
        }
        let noisy = Row {
            status: Status::Noisy,
            ..exact(200.0)
        };
        assert_eq!(of(&exact(100.0), &noisy), (Some(Verdict::Faster), None));
    }

    #[test]
    fn caches_may_answer_where_that_is_the_question() {
        let set = |status, useful| Row {
            suite: WORKING_SET.to_owned(),
            status,
            ..exact(useful)
        };
        let (base, faster) = (set(Status::Ok, 1.0), set(Status::CacheResident, 4.0));
        assert_eq!(of(&base, &faster), (Some(Verdict::Faster), None));
        let suspect = set(Status::LoadsSuspect, 4.0);
        assert_eq!(of(&base, &suspect).1, Some(Doubt::Guarded));
    }

    #[test]
    fn what_has_no_figure_or_no_interval_says_so() {
        let without = Row {
            useful_low_gb_per_s: None,
            ..exact(100.0)
        };
        assert_eq!(
            of(&exact(100.0), &without),
            (Some(Verdict::Ambiguous), Some(Doubt::NoInterval))
        );
        let nothing = (None, Some(Doubt::NoFigure));
        let failed = Row {
            status: Status::Failed,
            ..exact(100.0)
        };
        let absent = Row {
            useful_gb_per_s: None,
            ..exact(100.0)
        };
        for bad in [
            failed,
            absent,
            exact(0.0),
            exact(f64::NAN),
            exact(f64::INFINITY),
        ] {
            assert_eq!(of(&exact(100.0), &bad), nothing, "{bad:?}");
            assert_eq!(of(&bad, &exact(100.0)), nothing, "{bad:?}");
        }
        assert_eq!(of(&exact(f64::MIN_POSITIVE), &exact(f64::MAX)), nothing);
    }

    fn specs<'a>(rows: impl IntoIterator<Item = &'a Row>) -> Vec<&'a str> {
        rows.into_iter().map(|row| row.spec.as_str()).collect()
    }

    fn named(suite: &str, spec: &str) -> Row {
        Row {
            suite: suite.to_owned(),
            spec: spec.to_owned(),
            ..exact(1.0)
        }
    }

    #[test]
    fn cases_are_matched_by_what_is_asked_and_none_is_lost() {
        let margin = Margin::from_percent(5.0).expect("a margin");
        let set = |bytes| Row {
            footprint_bytes: bytes,
            ..named(WORKING_SET, "stride:16")
        };
        let wide = Row {
            lanes: 32,
            footprint_bytes: 7,
            ..named("stride", "stride:2")
        };
        let base = [
            named("stride", "stride:1"),
            named("stride", "stride:2"),
            named("order", "stride:1"),
            set(1),
            set(2),
            named("custom", "random"),
            named("custom", "random"),
        ];
        let run = [
            set(2),
            set(4),
            wide,
            named("order", "stride:1"),
            named("custom", "random"),
        ];
        let matched = compare(&base, &run, margin);
        let pairs: Vec<_> = matched
            .comparisons
            .iter()
            .map(|of| (of.base.spec.as_str(), of.base.footprint_bytes, of.row.lanes))
            .collect();
        assert_eq!(
            pairs,
            [
                ("stride:2", 0, 32),
                ("stride:1", 0, 0),
                ("stride:16", 2, 0),
                ("random", 0, 0)
            ]
        );
        // The second of two equal cases has nothing to be held against.
        assert_eq!(
            specs(matched.only_base),
            ["stride:1", "stride:16", "random"]
        );
        assert_eq!(specs(matched.only_run), ["stride:16"]);
    }

    #[test]
    fn other_operations_layouts_and_widths_are_other_cases() {
        let margin = Margin::from_percent(5.0).expect("a margin");
        let base = [named("custom", "@f.json#0")];
        let changes: [fn(&mut Row); 3] = [
            |row| row.op = "store".to_owned(),
            |row| row.layout = "padded".to_owned(),
            |row| row.element_bytes = 16,
        ];
        for change in changes {
            let mut run = base.clone();
            change(&mut run[0]);
            assert!(compare(&base, &run, margin).comparisons.is_empty());
        }
    }

    #[test]
    fn a_suite_is_tallied_and_guarded_ratios_are_in_no_median() {
        let margin = Margin::from_percent(5.0).expect("a margin");
        let spec = |number: usize, row: Row| Row {
            spec: format!("stride:{number}"),
            ..row
        };
        let figures = [
            exact(1.0),
            exact(2.0),
            exact(4.0),
            exact(0.5),
            row(1.0, (0.9, 1.1)),
        ];
        let base: Vec<Row> = (0..7).map(|number| spec(number, exact(1.0))).collect();
        let mut run: Vec<Row> = (0..).zip(figures).map(|(n, row)| spec(n, row)).collect();
        let cached = Row {
            status: Status::CacheResident,
            ..exact(90.0)
        };
        let failed = Row {
            status: Status::Failed,
            ..Row::default()
        };
        run.push(spec(5, cached));
        run.push(Row {
            suite: "stride".to_owned(),
            ..spec(6, failed)
        });
        let tallies = tallies(&compare(&base, &run, margin).comparisons);
        let expected = Tally {
            suite: "stride",
            faster: 2,
            slower: 1,
            same: 1,
            ambiguous: 2,
            without_ratio: 1,
            median_ratio: Some(1.0),
        };
        assert_eq!(tallies, [expected]);
    }
}
