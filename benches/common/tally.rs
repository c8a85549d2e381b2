//! Verdicts counted: by group, and by how far each was to be believed.

use std::collections::BTreeMap;

use coalescope::chart::{VerdictBlock, VerdictCounts, VerdictGroup};

use crate::drawn::Drawn;
use crate::judge::{Outcome, Verdict};

/// What a virtual GPU is, and what was said of it.
pub(crate) type Judged = (Drawn, Verdict);

/// From which to which confidence verdicts are counted together; none is named below the first.
const CONFIDENCES: [(f64, f64); 3] = [(0.6, 0.8), (0.8, 0.95), (0.95, 1.0)];

/// How many verdicts were what, by group and in all.
pub(crate) struct Table {
    groups: BTreeMap<String, VerdictCounts>,
    pub(crate) all: VerdictCounts,
}

impl Table {
    pub(crate) fn of(judged: &[Judged], group: impl Fn(&Drawn) -> String) -> Self {
        let mut groups: BTreeMap<String, VerdictCounts> = BTreeMap::new();
        let mut all = VerdictCounts::default();
        for (drawn, verdict) in judged {
            count(groups.entry(group(drawn)).or_default(), drawn, verdict);
            count(&mut all, drawn, verdict);
        }
        Self { groups, all }
    }

    /// Every group and its counts, all of them last.
    fn lines(&self) -> impl Iterator<Item = (&str, &VerdictCounts)> {
        let groups = self.groups.iter();
        let groups = groups.map(|(name, counts)| (name.as_str(), counts));
        groups.chain([("all", &self.all)])
    }

    /// Prints a line for each group and one for all.
    pub(crate) fn print(&self, heading: &str) {
        println!(
            "{heading:<16} {:>7} {:>7} {:>13} {:>7} {:>9} {:>19}",
            "GPUs", "right", "undetermined", "wrong", "visible", "right of visible"
        );
        for (name, counts) in self.lines() {
            println!(
                "{name:<16} {:>7} {:>7} {:>13} {:>7} {:>9} {:>19}",
                counts.all(),
                counts.right,
                counts.undetermined,
                counts.wrong,
                counts.visible,
                percent(counts.right_of_visible_percent())
            );
        }
    }

    /// The same as a part of the chart.
    pub(crate) fn block(&self, heading: &str) -> VerdictBlock {
        let group = |(label, counts): (&str, &VerdictCounts)| VerdictGroup {
            label: label.to_owned(),
            counts: *counts,
        };
        VerdictBlock {
            heading: heading.to_owned(),
            groups: self.lines().map(group).collect(),
        }
    }
}

fn count(counts: &mut VerdictCounts, drawn: &Drawn, verdict: &Verdict) {
    let visible = usize::from(drawn.is_visible());
    counts.visible += visible;
    match verdict.outcome {
        Outcome::Right => {
            counts.right += 1;
            counts.visible_right += visible;
        }
        Outcome::Undetermined => counts.undetermined += 1,
        Outcome::Wrong => counts.wrong += 1,
    }
}

/// Prints how often verdicts were right that were believed so much, and what those hold back that name nothing.
pub(crate) fn print_calibration(judged: &[Judged]) {
    println!(
        "{:<16} {:>7} {:>7} {:>17} {:>17}",
        "confidence", "named", "right", "right of named", "mean confidence"
    );
    let verdicts = || judged.iter().map(|(_, verdict)| verdict);
    for (low, high) in CONFIDENCES {
        let named: Vec<&Verdict> = verdicts()
            .filter(|verdict| verdict.outcome != Outcome::Undetermined)
            .filter(|verdict| (low..high).contains(&verdict.confidence))
            .collect();
        let right = named
            .iter()
            .filter(|verdict| verdict.outcome == Outcome::Right)
            .count();
        let sum: f64 = named.iter().map(|verdict| verdict.confidence).sum();
        let share = |part: f64| (!named.is_empty()).then(|| part / named.len() as f64 * 100.0);
        println!(
            "{:<16} {:>7} {right:>7} {:>17} {:>17}",
            format!("{low:.2} to {high:.2}"),
            named.len(),
            percent(share(right as f64)),
            percent(share(sum))
        );
    }
    let undetermined = verdicts().filter(|verdict| verdict.outcome == Outcome::Undetermined);
    let (held_back, all) = undetermined.fold((0_usize, 0_usize), |(right, all), verdict| {
        (right + usize::from(verdict.fits_best_rightly), all + 1)
    });
    println!("of {all} undetermined, {held_back} had the right granule for their best fit");
}

fn percent(percent: Option<f64>) -> String {
    percent.map_or_else(|| "none".to_owned(), |percent| format!("{percent:.2} %"))
}
