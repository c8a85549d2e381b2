//! The columns of Spatter's patterns: which configuration a row is, and what Spatter itself would count of it.

use super::row::Row;
use crate::executor::{Case, Walk};
use crate::pattern::Pattern;
use crate::pattern::spatter::{Config, ConfigError, Kernel};
use crate::sweep::CaseState;

/// What a configuration says of itself, also where it is malformed.
pub(super) fn describe(row: &mut Row, config: &Result<Config, ConfigError>) {
    match config {
        Ok(config) => {
            row.config = Some(config.index as u64);
            row.config_name.clone_from(&config.name);
            config.kernel.name().clone_into(&mut row.kernel);
            row.count_asked = Some(config.count);
            row.op = match config.kernel {
                Kernel::Gather | Kernel::MultiGather => "load",
                Kernel::Scatter | Kernel::MultiScatter => "store",
                Kernel::GatherScatter => "load-store",
            }
            .to_owned();
        }
        Err(fault) => {
            row.config = Some(fault.index as u64);
            // What it does is not known.
            row.op.clear();
        }
    }
}

/// What of a configuration is measured, and the bytes that Spatter counts of that, or of a pattern of its generators.
pub(super) fn count(row: &mut Row, case: &Case, state: &CaseState) {
    if let (Some(Ok(config)), Some(readings)) = (&state.config, case.readings) {
        row.count_measured = Some(readings.measured);
        row.bytes_counted = config.bytes_counted(case.spec.element, readings.measured);
        row.note = note(case);
    } else if matches!(case.spec.pattern, Pattern::Generated(_)) {
        row.bytes_counted = Some(row.bytes_requested);
    }
}

/// Spatter counts every access, and so does the requested bandwidth: over the memory of the run, however often that
/// holds the readings counted.
pub(super) fn rate(row: &mut Row) {
    row.counted_gb_per_s = row.bytes_counted.and(row.requested_gb_per_s);
}

/// Why fewer readings are measured than were asked for; empty where all are.
fn note(case: &Case) -> String {
    let Some(readings) = case.readings else {
        return String::new();
    };
    let missing = readings.asked - readings.measured;
    let per_step = case.walk().map_or(1, Walk::readings);
    let reason = match missing {
        0 => return String::new(),
        _ if missing < per_step => {
            format!(
                "its subgroups repeat after {per_step} readings, and whole repetitions are measured"
            )
        }
        _ => "a run visits no more".to_owned(),
    };
    format!(
        "count cut from {} to {}: {reason}",
        readings.asked, readings.measured
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor::{Footprint, Prediction};
    use crate::pattern::Spec;
    use crate::pattern::spatter::parse_configs;
    use crate::record::predicted::predict;
    use crate::sweep::Planned;

    const FOOTPRINT: Footprint = Footprint {
        buffers: 2,
        buffer_bytes: 2 << 20,
        slice_bytes: 1 << 20,
    };

    /// The row of the first configuration of a file, for 32 lanes.
    fn row(json: &str) -> Row {
        let config = parse_configs(json).expect("a file").remove(0);
        let mut row = Row::default();
        describe(&mut row, &config);
        let planned = Planned {
            config: Some(config.clone()),
            ..Planned::from("@f.json#0".parse::<Spec>().expect("a spec"))
        };
        let state = CaseState::new("custom", planned);
        if let Ok(config) = config {
            let case =
                Case::of_config(state.spec.clone(), &config, 32, &FOOTPRINT).expect("it fits");
            let prediction = Prediction::new(&case, case.steps_per_slice, 4);
            predict(&mut row, &prediction);
            count(&mut row, &case, &state);
        }
        row
    }

    #[test]
    fn a_configuration_is_described_and_its_accesses_are_counted() {
        let row =
            row(r#"[{"name":"a","kernel":"Scatter","pattern":"UNIFORM:8:2:NR","count":1024}]"#);
        assert_eq!((row.config, &*row.config_name), (Some(0), "a"));
        assert_eq!((&*row.kernel, &*row.op), ("scatter", "store"));
        assert_eq!(
            (row.count_asked, row.count_measured),
            (Some(1024), Some(1024))
        );
        assert_eq!(row.bytes_counted, Some(8 * 1024 * 8));
        assert_eq!((&*row.strided_side, &*row.note), ("store", ""));
        // It is measured in each of four slices.
        assert_eq!(row.bytes_requested, 4 * 8 * 1024 * 8);
    }

    #[test]
    fn both_sides_of_gs_are_counted() {
        let row = row(
            r#"[{"kernel":"GS","pattern-gather":"UNIFORM:8:2","pattern-scatter":"UNIFORM:8:1","delta-gather":16,
                 "delta-scatter":8,"count":64}]"#,
        );
        assert_eq!((&*row.kernel, &*row.op), ("gs", "load-store"));
        assert_eq!(row.bytes_counted, Some(2 * 8 * 64 * 8));
        assert_eq!(row.strided_side, "load");
    }

    #[test]
    fn a_count_that_is_cut_says_why() {
        // 4 MiB are 65536 readings of 64 bytes, less what aligning each slice takes.
        let cut = row(r#"[{"pattern":"UNIFORM:8:1:NR","count":16777216}]"#);
        let measured = cut.count_measured.expect("placed");
        assert!((65_000..=65_536).contains(&measured), "{measured}");
        assert_eq!(
            cut.note,
            format!("count cut from 16777216 to {measured}: a run visits no more")
        );
        assert_eq!(cut.bytes_counted, Some(measured * 64));
        let odd = row(r#"[{"pattern":"UNIFORM:8:1:NR","count":1023}]"#);
        assert_eq!(
            odd.note,
            "count cut from 1023 to 1020: its subgroups repeat after 4 readings, and whole repetitions are measured"
        );
        assert_eq!(odd.bytes_counted, Some(1020 * 64));
    }

    #[test]
    fn a_malformed_configuration_has_its_number_and_nothing_else() {
        let row = row(r#"[{"kernel":"Sort","pattern":"UNIFORM:8:1"}]"#);
        assert_eq!((row.config, &*row.op, &*row.kernel), (Some(0), "", ""));
        assert_eq!((row.count_asked, row.bytes_counted), (None, None));
    }

    #[test]
    fn every_access_is_counted_at_the_rate_of_the_requested_ones() {
        let mut row = Row {
            requested_gb_per_s: Some(8.0),
            ..Row::default()
        };
        rate(&mut row);
        assert_eq!(row.counted_gb_per_s, None);
        row.bytes_counted = Some(1);
        rate(&mut row);
        assert_eq!(row.counted_gb_per_s, Some(8.0));
    }
}
