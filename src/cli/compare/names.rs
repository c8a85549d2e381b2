//! What runs are called where several stand side by side.

use std::collections::HashMap;

use crate::cli::runs::Run;
use crate::record::Row;

/// The adapter of each run, with as much of driver, date and number as tells it from runs of the same name.
pub(super) fn told_apart<'a>(runs: impl Iterator<Item = &'a Run> + Clone) -> Vec<String> {
    let mut names: Vec<String> = runs.clone().map(|run| adapter(&run.rows[0])).collect();
    let numbers = 1..=names.len();
    for parts in [
        runs.clone().map(|run| run.rows[0].driver.clone()).collect(),
        runs.map(|run| run.facts.started_utc.clone()).collect(),
        numbers.map(|number| format!("run {number}")).collect(),
    ] {
        names = with_part(names, parts);
    }
    names
}

fn adapter(row: &Row) -> String {
    let kind = match (row.simulated, row.software) {
        (true, _) => " [simulated]",
        (_, true) => " [software]",
        _ => "",
    };
    format!("{}{kind}", row.adapter)
}

/// `names`, each followed by its part where another run of the same name has another part.
fn with_part(names: Vec<String>, parts: Vec<String>) -> Vec<String> {
    let mut first_part: HashMap<&str, &str> = HashMap::new();
    let mut differ: HashMap<&str, bool> = HashMap::new();
    for (name, part) in names.iter().zip(&parts) {
        let first = *first_part.entry(name).or_insert(part);
        *differ.entry(name).or_default() |= first != part;
    }
    let longer = names.iter().zip(&parts).map(|(name, part)| {
        let tells = differ.get(name.as_str()) == Some(&true) && !part.is_empty();
        match tells {
            true => format!("{name}, {part}"),
            false => name.clone(),
        }
    });
    longer.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::RunFacts;

    fn run(adapter: &str, driver: &str, date: &str) -> Run {
        Run {
            rows: vec![Row {
                adapter: adapter.to_owned(),
                driver: driver.to_owned(),
                ..Row::default()
            }],
            facts: RunFacts {
                started_utc: date.to_owned(),
                ..RunFacts::default()
            },
        }
    }

    #[test]
    fn a_name_is_as_long_as_it_takes_to_tell_it_from_the_others() {
        let mut simulated = run("H200", "virtual", "Monday");
        simulated.rows[0].simulated = true;
        let runs = [
            run("A770", "Mesa 24", "Monday"),
            run("H200", "570", "Monday"),
            run("H200", "575", "Monday"),
            run("H200", "575", "Tuesday"),
            run("H200", "575", "Tuesday"),
            simulated,
        ];
        assert_eq!(
            told_apart(runs.iter()),
            [
                "A770",
                "H200, 570",
                "H200, 575, Monday",
                "H200, 575, Tuesday, run 4",
                "H200, 575, Tuesday, run 5",
                "H200 [simulated]",
            ]
        );
    }
}
