//! The rules of docs/METHODOLOGY.md, "The protocol", played by a scripted executor: no adapter and no wall clock.

#[path = "common/card.rs"]
mod card;
#[path = "common/measured.rs"]
mod measured;
#[path = "common/scripted.rs"]
mod scripted;

use std::cell::Cell;

use coalescope::executor::{ExecutorError, Footprint, Stamps};
use coalescope::record::{Row, Status, StopReason, TimingMethod};
use coalescope::sweep::{ClockFault, Ending, Settings};
use scripted::{Fault, MIB, MS, Outcome, REFERENCE, Script, Seen, fetched_bytes, play, play_to};

const SPECS: [&str; 7] = [
    "stride:1",
    "stride:2",
    "stride:4",
    "stride:8",
    "stride:16",
    "stride:32",
    "stride:64",
];

fn budget(budget_s: f64) -> Settings {
    Settings {
        budget_s,
        ..Settings::default()
    }
}

/// Nothing is ever narrow enough, so that every case stays open.
fn endless(budget_s: f64) -> Settings {
    Settings {
        target_half_width: 0.0,
        ..budget(budget_s)
    }
}

/// A device so much faster or slower that the reference's dispatch takes `ns`.
fn reference_takes(ns: f64) -> Script {
    Script {
        cost: Box::new(move |case, visit| fetched_bytes(case, visit) as f64 * ns / MIB as f64),
        ..Script::default()
    }
}

#[track_caller]
fn assert_close(got: f64, truth: f64, within: f64, what: &str) {
    assert!(
        (got / truth - 1.0).abs() <= within,
        "{what}: {got}, not {truth}"
    );
}

/// All figures of all cases are within `within` of what the script has.
#[track_caller]
fn assert_true(outcome: &Outcome, within: f64) {
    let reference = outcome.campaign.drift().reference_gb_per_s();
    let reference = reference.expect("the reference was measured");
    for row in &outcome.rows {
        let truth = outcome.truth_gb_per_s(&row.spec);
        let useful = row.useful_gb_per_s.expect("a figure");
        let ratio = row.ratio_to_reference.expect("a ratio");
        assert_close(useful, truth, within, &row.spec);
        assert_close(ratio * reference, truth, within, &row.spec);
    }
}

/// Ratios between cases, which is what a moved level leaves.
#[track_caller]
fn assert_ratios_true(outcome: &Outcome, within: f64) {
    let base = outcome.truth_gb_per_s(REFERENCE);
    for row in &outcome.rows {
        let ratio = row.ratio_to_reference.expect("a ratio");
        let truth = outcome.truth_gb_per_s(&row.spec) / base;
        assert_close(ratio, truth, within, &row.spec);
    }
}

fn half_width(row: &Row) -> f64 {
    let (low, high) = row.ratio_low.zip(row.ratio_high).expect("an interval");
    (high - low) / 2.0 / row.ratio_to_reference.expect("a ratio")
}

#[track_caller]
fn assert_no_figures(row: &Row) {
    let figures = [
        row.useful_gb_per_s,
        row.useful_low_gb_per_s,
        row.useful_high_gb_per_s,
        row.requested_gb_per_s,
        row.fetched_gb_per_s_32b,
        row.fetched_gb_per_s_64b,
        row.fetched_gb_per_s_128b,
        row.fetch_plateau_gb_per_s,
        row.share_of_fetch_percent,
        row.ratio_to_reference,
        row.ratio_low,
        row.ratio_high,
        row.time_per_footprint_ms_median,
        row.time_per_footprint_ms_min,
    ];
    assert_eq!(figures, [None; 14], "{}", row.spec);
}

mod rounds {
    use super::*;

    #[test]
    fn a_round_visits_every_open_case_once_with_the_reference_first_last_and_between() {
        let specs: Vec<String> = (1..=20).map(|stride| format!("stride:{stride}")).collect();
        let specs: Vec<&str> = specs.iter().map(String::as_str).collect();
        let outcome = play(Script::default(), endless(5.0), &specs);
        let rounds = outcome.seen.stops.len() as u32;
        assert!(rounds > 10, "{rounds} rounds");
        for number in 1..=rounds {
            let round: Vec<_> = outcome
                .seen
                .samples
                .iter()
                .filter(|(_, _, sample)| sample.round == number)
                .collect();
            let mut cases: Vec<&str> = round
                .iter()
                .filter(|(_, is_reference, _)| !is_reference)
                .map(|(spec, _, _)| spec.as_str())
                .collect();
            cases.sort_unstable();
            cases.dedup();
            assert_eq!(cases.len(), 20);
            assert_eq!(round.len(), 20 + 4, "three groups between four references");
            assert!(round[0].1 && round[round.len() - 1].1);
            let longest = round.split(|(_, is_reference, _)| *is_reference);
            assert!(longest.map(<[_]>::len).max() <= Some(8));
        }
    }

    #[test]
    fn the_first_round_goes_in_plan_order_and_samples_each_case_once() {
        let outcome = play(Script::default(), budget(0.0), &SPECS);
        let first: Vec<&str> = outcome
            .seen
            .samples
            .iter()
            .filter(|(_, is_reference, sample)| !is_reference && sample.round == 0)
            .map(|(spec, _, _)| spec.as_str())
            .collect();
        assert_eq!(first, SPECS);
    }

    fn order(seed: u64) -> Vec<(String, u32, u32)> {
        let settings = Settings {
            seed,
            ..endless(2.0)
        };
        let seen = play(Script::default(), settings, &SPECS).seen;
        let samples = seen.samples.into_iter();
        samples
            .map(|(spec, _, sample)| (spec, sample.round, sample.first_slice))
            .collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_sequence_and_another_seed_another() {
        assert_eq!(order(1), order(1));
        assert_ne!(order(1), order(2));
    }

    #[test]
    fn no_slice_is_visited_again_before_most_others_were() {
        // All of these fetch the whole of a slice.
        let outcome = play(Script::default(), endless(5.0), &SPECS[..5]);
        let slices = outcome.executor.script.footprint.slices() as usize;
        let all = outcome.seen.samples.iter().map(|(_, _, sample)| sample);
        let rested = all.filter_map(|sample| sample.bytes_fetched_since);
        let least = rested.min().expect("slices are visited again");
        assert!(least >= (slices as u64 * 3 / 4 - 1) * MIB, "{least}");
    }

    #[test]
    fn every_sample_has_its_round_order_slice_bytes_and_both_clocks() {
        let outcome = play(Script::default(), endless(2.0), &SPECS);
        let footprint = outcome.executor.script.footprint;
        for (place, (spec, _, sample)) in outcome.seen.samples.iter().enumerate() {
            assert_eq!(sample.order, place as u64);
            assert!(sample.first_slice < footprint.slices());
            let device_ns = sample.device_ns.expect("good stamps");
            assert!(device_ns <= sample.host_ns as f64, "{spec}");
            assert!(device_ns > 0.9 * sample.host_ns as f64, "{spec}");
            assert!(sample.bytes_used > 0 && sample.dispatches > 0);
        }
        let rounds: Vec<u32> = outcome
            .seen
            .samples
            .iter()
            .map(|(_, _, s)| s.round)
            .collect();
        assert!(rounds.is_sorted());
    }

    #[test]
    fn a_spec_that_two_suites_ask_for_is_measured_once_and_has_two_rows() {
        let suites: [(&str, &[&str]); 2] = [
            ("stride", &["stride:1", "stride:4"]),
            ("order", &["stride:1", "reversed"]),
        ];
        let outcome = play_to(Script::default(), budget(5.0), &suites, Seen::default());
        assert_eq!(outcome.campaign.cases.len(), 3);
        let figures: Vec<_> = outcome
            .rows
            .iter()
            .filter(|row| row.spec == "stride:1")
            .map(|row| (row.suite.as_str(), row.useful_gb_per_s))
            .collect();
        assert_eq!(figures.len(), 2);
        assert_eq!((figures[0].0, figures[1].0), ("stride", "order"));
        assert_eq!(figures[0].1, figures[1].1);
    }
}

mod noise {
    use super::*;

    #[test]
    fn an_undisturbed_device_is_measured_within_one_percent() {
        let outcome = play(Script::default(), budget(40.0), &SPECS);
        assert_true(&outcome, 0.01);
        assert!(outcome.rows.iter().all(|row| row.status == Status::Ok));
    }

    #[test]
    fn a_clock_that_halves_midway_leaves_the_ratios() {
        let script = Script {
            pace: Box::new(|at| if at.now_ns < 2000 * MS { 1.0 } else { 2.0 }),
            ..Script::default()
        };
        let outcome = play(script, endless(4.0), &SPECS);
        assert_ratios_true(&outcome, 0.01);
    }

    #[test]
    fn a_clock_that_doubles_midway_leaves_the_ratios() {
        let script = Script {
            pace: Box::new(|at| if at.now_ns < 2000 * MS { 2.0 } else { 1.0 }),
            ..Script::default()
        };
        let outcome = play(script, endless(4.0), &SPECS);
        assert_ratios_true(&outcome, 0.01);
    }

    #[test]
    fn a_device_that_slows_steadily_leaves_the_ratios() {
        let script = Script {
            pace: Box::new(|at| 1.0 + at.now_ns as f64 / 10e9),
            ..Script::default()
        };
        let outcome = play(script, endless(10.0), &SPECS);
        assert_ratios_true(&outcome, 0.01);
    }

    /// Of every two seconds a neighbour takes 0.6, and what it costs depends on the stride.
    #[test]
    fn a_neighbour_that_takes_three_tenths_of_the_time_and_hits_cases_unequally_is_left_out() {
        let script = Script {
            pace: Box::new(|at| match (at.now_ns / MS % 2000 < 600, at.spec) {
                (false, _) => 1.0,
                (true, REFERENCE) => 1.5,
                (true, "stride:1") => 1.1,
                (true, _) => 3.0,
            }),
            ..Script::default()
        };
        let outcome = play(script, endless(20.0), &SPECS);
        assert_true(&outcome, 0.01);
        assert!(outcome.rows.iter().all(|row| row.samples_disturbed > 0));
    }

    #[test]
    fn two_outliers_in_a_hundred_do_not_matter() {
        let script = Script {
            outliers: 0.02,
            ..Script::default()
        };
        let outcome = play(script, budget(40.0), &SPECS);
        assert_true(&outcome, 0.01);
        assert!(outcome.rows.iter().all(|row| row.status == Status::Ok));
    }

    #[test]
    fn in_none_of_twenty_runs_do_outliers_move_a_figure_by_one_percent() {
        let mut missed = Vec::new();
        for seed in 0..20 {
            let script = Script {
                seed,
                outliers: 0.02,
                ..Script::default()
            };
            let outcome = play(script, budget(40.0), &SPECS);
            for row in &outcome.rows {
                let truth = outcome.truth_gb_per_s(&row.spec);
                let error = row.useful_gb_per_s.expect("a figure") / truth - 1.0;
                if error.abs() > 0.01 {
                    missed.push((seed, row.spec.clone(), row.samples, error));
                }
            }
        }
        assert!(missed.is_empty(), "{missed:#?}");
    }

    /// One slice in four is half as fast: the figure is that of a whole footprint, and the interval does not widen.
    #[test]
    fn slices_of_unequal_speed_give_the_speed_of_the_footprint_and_a_narrow_interval() {
        let script = Script {
            slice_pace: Box::new(|slice| if slice % 4 == 3 { 2.0 } else { 1.0 }),
            ..Script::default()
        };
        // One dispatch a sample each: one over several slices is a mixture, whose median is not its mean.
        let outcome = play(script, budget(40.0), &SPECS[..5]);
        for row in &outcome.rows {
            let truth = outcome.truth_gb_per_s(&row.spec);
            assert_close(
                row.useful_gb_per_s.expect("a figure"),
                truth,
                0.015,
                &row.spec,
            );
            assert!(half_width(row) <= 0.02, "{}: {}", row.spec, half_width(row));
            assert_eq!(row.stop_reason, StopReason::Converged, "{}", row.spec);
        }
        assert_ratios_true(&outcome, 0.015);
    }
}

#[test]
fn slices_a_tenth_apart_leave_samples_over_several_of_them_within_two_percent() {
    let script = Script {
        slice_pace: Box::new(|slice| if slice % 4 == 3 { 1.1 } else { 1.0 }),
        ..Script::default()
    };
    assert_true(&play(script, budget(40.0), &SPECS), 0.02);
}

mod stopping {
    use super::*;

    #[test]
    fn a_case_is_done_at_two_percent_with_ten_samples_or_more() {
        let outcome = play(Script::default(), budget(40.0), &SPECS);
        assert_eq!(outcome.ending, Ending::Complete);
        for row in &outcome.rows {
            assert_eq!(row.stop_reason, StopReason::Converged, "{}", row.spec);
            assert!(half_width(row) <= 0.02, "{}", row.spec);
            assert!(row.samples >= 10, "{}: {}", row.spec, row.samples);
        }
    }

    #[test]
    fn the_budget_ends_a_run_in_which_nothing_converges() {
        let script = Script {
            noise: 0.3,
            ..Script::default()
        };
        let outcome = play(script, endless(3.0), &SPECS);
        assert_eq!(outcome.ending, Ending::Complete);
        for row in &outcome.rows {
            assert_eq!(row.stop_reason, StopReason::Budget, "{}", row.spec);
        }
        let longest = outcome
            .seen
            .samples
            .iter()
            .map(|(_, _, sample)| sample.host_ns);
        let over = outcome.campaign.sampling_ns - 3000 * MS;
        assert!(over <= longest.max().expect("samples"), "{over} ns over");
    }

    #[test]
    fn a_wide_interval_is_noisy_and_says_how_wide() {
        let script = Script {
            noise: 0.3,
            ..Script::default()
        };
        let outcome = play(script, budget(1.0), &SPECS);
        let row = outcome.row("stride:1");
        assert_eq!(row.status, Status::Noisy);
        assert!(row.reason.contains("--budget"), "{}", row.reason);
        assert!(row.is_measured());
    }

    #[test]
    fn no_budget_gives_one_sample_a_case_and_no_interval() {
        let outcome = play(Script::default(), budget(0.0), &SPECS);
        assert_eq!(outcome.ending, Ending::Complete);
        for row in &outcome.rows {
            assert_eq!(
                (row.samples, row.status),
                (1, Status::Noisy),
                "{}",
                row.spec
            );
            assert_eq!(row.stop_reason, StopReason::Budget);
            assert_eq!((row.ratio_low, row.ratio_high), (None, None));
            assert!(row.is_measured());
        }
    }

    #[test]
    fn the_cap_on_samples_is_kept_and_few_samples_have_no_interval() {
        for cap in [1, 2, 3, 30] {
            let settings = Settings {
                sample_cap: cap,
                ..endless(40.0)
            };
            let outcome = play(Script::default(), settings, &SPECS);
            for row in &outcome.rows {
                assert_eq!(row.samples, cap, "{}", row.spec);
                assert_eq!(row.stop_reason, StopReason::SampleCap, "{}", row.spec);
                assert_eq!(row.ratio_low.is_some(), cap == 30, "{}", row.spec);
                assert_eq!(row.status == Status::Noisy, cap < 30, "{}", row.spec);
            }
        }
    }

    /// At first the case swings; then it is steady while the memory is a little slower, and it closes. Then the
    /// reference turns out to be faster still, so the steady moments were disturbed ones.
    #[test]
    fn a_case_is_opened_again_when_later_rounds_widen_its_interval() {
        let stage = Cell::new(0);
        let script = Script {
            footprint: Footprint {
                buffers: 1,
                buffer_bytes: MIB,
                slice_bytes: MIB,
            },
            noise: 0.0,
            pace: Box::new(move |at| {
                let odd = at.of_case % 2 == 1;
                if at.spec == "stride:2" {
                    stage.set(at.of_case);
                }
                let level = match stage.get() {
                    0..14 => 0.95,
                    14..30 => 1.0,
                    _ => 0.88,
                };
                let own = match at.spec {
                    "stride:2" if odd => 1.5,
                    "stride:1" if odd && stage.get() < 14 => 1.2,
                    _ => 1.0,
                };
                level * own
            }),
            ..Script::default()
        };
        let outcome = play(script, budget(4.0), &["stride:1", "stride:2"]);
        let stops: Vec<StopReason> = outcome.seen.stops.iter().map(|stops| stops[0]).collect();
        let closed = stops.iter().position(|stop| *stop == StopReason::Converged);
        let closed = closed.expect("it closes");
        let again = stops[closed..]
            .iter()
            .position(|stop| *stop == StopReason::Pending);
        assert!(again.is_some(), "{stops:?}");
        assert_eq!(outcome.case("stride:1").stop, StopReason::Converged);
    }

    #[test]
    fn a_stop_that_is_asked_for_ends_the_run_and_keeps_the_figures() {
        let seen = Seen {
            stop_after: Some(60),
            ..Seen::default()
        };
        let outcome = play_to(
            Script::default(),
            endless(40.0),
            &[("stride", &SPECS)],
            seen,
        );
        assert_eq!(outcome.ending, Ending::Interrupted);
        assert_eq!(outcome.seen.samples.len(), 60);
        for row in &outcome.rows {
            assert_eq!(row.stop_reason, StopReason::Interrupted);
            assert!(row.is_measured());
        }
    }

    #[test]
    fn cases_that_a_stop_comes_before_are_skipped_and_not_for_lack_of_budget() {
        let seen = Seen {
            stop_after: Some(4),
            ..Seen::default()
        };
        let outcome = play_to(Script::default(), budget(40.0), &[("stride", &SPECS)], seen);
        let last = outcome.row("stride:64");
        assert_eq!(last.status, Status::Skipped);
        assert_eq!(last.stop_reason, StopReason::NotSampled);
        assert!(!last.reason.contains("budget"), "{}", last.reason);
        assert_no_figures(last);
    }
}

mod calibration {
    use super::*;

    /// Median device time of a sample of `spec`, in nanoseconds.
    fn sample_ns(outcome: &Outcome, spec: &str) -> f64 {
        let samples = &outcome.case(spec).samples;
        let mut times: Vec<f64> = samples
            .iter()
            .map(|sample| {
                sample
                    .ns(TimingMethod::PassTimestamps)
                    .expect("good stamps")
            })
            .collect();
        times.sort_by(f64::total_cmp);
        times[times.len() / 2]
    }

    #[test]
    fn samples_of_short_dispatches_take_five_milliseconds_or_more() {
        for ns in [25e3, 0.3e6, 1e6, 4e6] {
            let outcome = play(reference_takes(ns), budget(1.0), &SPECS);
            for spec in ["stride:1", "stride:8", "stride:32"] {
                let took = sample_ns(&outcome, spec);
                let all = outcome.case(spec).dispatches == 256;
                assert!(all || (4.9e6..11e6).contains(&took), "{spec}, {ns}: {took}");
            }
        }
    }

    /// Without stamps a lone dispatch looks ten times as long as it is.
    #[test]
    fn samples_are_long_enough_by_the_host_clock_too() {
        let script = Script {
            host_overhead_ns: 1_000_003,
            stamps: Box::new(|_, _| None),
            ..reference_takes(100e3)
        };
        let outcome = play(script, budget(1.0), &SPECS);
        for row in outcome.rows.iter().filter(|row| row.spec != "stride:64") {
            assert_eq!(row.timing_method, Some(TimingMethod::HostClock));
            let samples = &outcome.case(&row.spec).samples;
            let host_ns = samples.iter().map(|sample| sample.host_ns).min();
            assert!(host_ns >= Some(4_700_000), "{}: {host_ns:?}", row.spec);
        }
    }

    #[test]
    fn a_slow_first_dispatch_does_not_size_the_samples() {
        let slow = || Script {
            pace: Box::new(|at| if at.of_case == 0 { 20.0 } else { 1.0 }),
            noise: 0.0,
            ..reference_takes(1e6)
        };
        let usual = || Script {
            noise: 0.0,
            ..reference_takes(1e6)
        };
        let dispatches = |script: Script| {
            let outcome = play(script, budget(0.0), &SPECS);
            let cases = outcome.campaign.cases.into_iter();
            cases.map(|case| case.dispatches).collect::<Vec<_>>()
        };
        assert_eq!(dispatches(slow()), dispatches(usual()));
    }

    /// Every dispatch is a tenth faster than the one before, for ever.
    #[test]
    fn a_warm_up_without_an_end_ends() {
        let script = Script {
            pace: Box::new(|at| 0.9_f64.powi(at.of_case.min(200) as i32)),
            ..reference_takes(30e6)
        };
        let outcome = play(script, budget(0.0), &["stride:1"]);
        let before = outcome
            .executor
            .log
            .iter()
            .filter(|(spec, _, _)| spec == "stride:1");
        // Warm-up, calibration, the first round, and at most all pairs of the self-test.
        assert!(before.count() <= 6 + 3 + 1 + 62);
        assert_eq!(outcome.ending, Ending::Complete);
    }

    #[test]
    fn a_tiny_kernel_has_as_many_dispatches_as_are_allowed_and_ends() {
        let outcome = play(
            Script {
                cost: Box::new(|_, _| 1000.0),
                ..Script::default()
            },
            budget(5.0),
            &SPECS,
        );
        assert_eq!(outcome.ending, Ending::Complete);
        for row in &outcome.rows {
            assert_eq!(row.dispatches_per_sample, 256, "{}", row.spec);
            assert!(row.samples <= 400);
        }
        assert!(outcome.campaign.sampling_ns <= 5001 * MS);
    }

    #[test]
    fn a_slow_dispatch_is_divided_so_that_samples_are_short_and_the_budget_is_kept() {
        let outcome = play(reference_takes(300e6), endless(4.0), &SPECS);
        for spec in ["stride:1", "stride:8", "stride:16"] {
            let case = outcome.case(spec);
            assert_eq!(case.dispatches, 1);
            assert!((55..=60).contains(&case.parts), "{spec}: {}", case.parts);
            let took = sample_ns(&outcome, spec);
            assert!((4e6..7e6).contains(&took), "{spec}: {took}");
        }
        let longest = outcome
            .seen
            .samples
            .iter()
            .map(|(_, _, sample)| sample.host_ns);
        let over = outcome.campaign.sampling_ns.saturating_sub(4000 * MS);
        assert!(over <= longest.max().expect("samples"), "{over} ns over");
        assert_true(&outcome, 0.02);
    }

    /// A window as large as the slice cannot be divided.
    #[test]
    fn a_slice_of_few_windows_has_no_more_parts_than_windows() {
        let outcome = play(
            Script {
                cost: Box::new(|_, visit| 60e6 / f64::from(visit.parts)),
                ..Script::default()
            },
            budget(2.0),
            &["stride:1", "stride:4000", "stride:8000"],
        );
        for row in &outcome.rows {
            let case = outcome.case(&row.spec);
            let geometry = case.case.as_ref().expect("it fits");
            assert!(
                u64::from(case.parts) <= geometry.steps_per_slice,
                "{}",
                row.spec
            );
            assert!(case.samples.iter().all(|sample| sample.bytes_used > 0));
            assert!(row.is_measured(), "{}: {}", row.spec, row.reason);
        }
    }
}

mod clocks {
    use super::*;

    type Break = fn(Stamps) -> Option<Stamps>;

    const BREAKS: [(Break, ClockFault); 7] = [
        (|_| None, ClockFault::Missing),
        (|good| Some(Stamps { begin: 0, ..good }), ClockFault::Zero),
        (
            |good| {
                Some(Stamps {
                    begin: 0,
                    end: 0,
                    ..good
                })
            },
            ClockFault::Zero,
        ),
        (
            |good| {
                Some(Stamps {
                    end: good.begin,
                    ..good
                })
            },
            ClockFault::Equal,
        ),
        (
            |good| {
                Some(Stamps {
                    begin: good.end,
                    end: good.begin,
                    ..good
                })
            },
            ClockFault::Backward,
        ),
        // The counter wrapped in between.
        (
            |good| {
                Some(Stamps {
                    begin: u64::MAX - 5,
                    end: 1_000_000,
                    ..good
                })
            },
            ClockFault::Backward,
        ),
        (
            |good| {
                let ticks = good.end - good.begin;
                Some(Stamps {
                    end: good.begin + ticks * 3,
                    ..good
                })
            },
            ClockFault::LongerThanWall,
        ),
    ];

    fn broken(break_stamps: Break, every: u64) -> Script {
        Script {
            stamps: Box::new(move |at, good| {
                if at.spec != "empty" && at.sample % every == 7 % every {
                    break_stamps(good)
                } else {
                    Some(good)
                }
            }),
            ..Script::default()
        }
    }

    #[test]
    fn a_few_faulty_stamps_are_dropped_counted_and_named() {
        for (break_stamps, fault) in BREAKS {
            let outcome = play(broken(break_stamps, 23), endless(10.0), &SPECS);
            let samples = &outcome.case("stride:1").samples;
            let faulty = samples
                .iter()
                .filter(|sample| sample.device_ns == Err(fault));
            let faulty = faulty.count();
            assert!(faulty > 0, "{fault:?}");
            let row = outcome.row("stride:1");
            assert_eq!(row.samples_dropped as usize, faulty, "{fault:?}");
            assert_eq!(row.timing_method, Some(TimingMethod::PassTimestamps));
            assert_true(&outcome, 0.01);
        }
    }

    #[test]
    fn more_faults_than_one_in_ten_turn_the_whole_run_to_the_host_clock() {
        for (break_stamps, fault) in BREAKS {
            for every in [1, 5] {
                let outcome = play(broken(break_stamps, every), endless(5.0), &SPECS);
                for row in &outcome.rows {
                    let method = row.timing_method;
                    assert_eq!(method, Some(TimingMethod::HostClock), "{fault:?}");
                    assert_eq!(row.samples_dropped, 0, "{fault:?}");
                    assert!(row.is_measured(), "{fault:?}");
                }
                // The overhead of a submission is part of the host's times.
                assert_true(&outcome, 0.015);
            }
        }
    }

    #[test]
    fn ticks_are_multiplied_by_their_period() {
        for ns_per_tick in [0.5, 1.0, 52.08, 83.33] {
            let script = Script {
                ns_per_tick,
                ..Script::default()
            };
            let outcome = play(script, budget(20.0), &SPECS);
            assert_true(&outcome, 0.01);
            let dropped: u32 = outcome.rows.iter().map(|row| row.samples_dropped).sum();
            assert_eq!(dropped, 0);
        }
    }

    /// 52.08 ns a tick that the driver calls 1 ns: far too fast by the device, but never longer than the wall.
    #[test]
    fn times_far_longer_than_the_wall_by_a_wrong_period_are_not_believed() {
        let script = Script {
            stamps: Box::new(|_, good| {
                Some(Stamps {
                    ns_per_tick: 52.08,
                    ..good
                })
            }),
            ..Script::default()
        };
        let outcome = play(script, budget(10.0), &SPECS);
        let row = outcome.row("stride:1");
        assert_eq!(row.timing_method, Some(TimingMethod::HostClock));
        assert_true(&outcome, 0.015);
    }

    fn coarse(ns: f64, noise: f64) -> Script {
        Script {
            ticks_per_step: 65_536,
            noise,
            ..reference_takes(ns)
        }
    }

    #[test]
    fn stamps_in_steps_of_65_microseconds_give_true_figures() {
        for ns in [100e3, 330e3, 1e6, 6.5e6] {
            for noise in [0.0, 0.01] {
                let outcome = play(coarse(ns, noise), budget(40.0), &SPECS);
                for row in outcome
                    .rows
                    .iter()
                    .filter(|row| row.dispatches_per_sample < 256)
                {
                    let truth = outcome.truth_gb_per_s(&row.spec);
                    let useful = row.useful_gb_per_s.expect("a figure");
                    let what = format!("{} at {ns} ns, noise {noise}", row.spec);
                    assert_close(useful, truth, 0.015, &what);
                    assert_ne!(row.status, Status::LoadsSuspect, "{what}: {}", row.reason);
                }
            }
        }
    }

    /// 256 dispatches are four steps of the clock: no rule can make that a figure within two percent.
    #[test]
    fn samples_of_few_steps_of_the_clock_do_not_claim_a_narrow_interval() {
        let outcome = play(coarse(1e3, 0.01), budget(10.0), &["stride:1", "stride:4"]);
        for row in outcome.rows.iter().filter(|row| row.ratio_low.is_some()) {
            assert!(half_width(row) > 0.05, "{}: {}", row.spec, half_width(row));
        }
    }
}

mod guards {
    use super::*;

    #[test]
    fn a_kernel_whose_time_does_not_grow_with_its_windows_is_suspect() {
        let script = Script {
            cost: Box::new(|case, visit| match case.spec.to_string().as_str() {
                "struct:16B" => 3e6,
                _ => 6.25 * fetched_bytes(case, visit) as f64,
            }),
            ..Script::default()
        };
        let suites: [(&str, &[&str]); 2] = [("stride", &SPECS), ("struct", &["struct:16B"])];
        let outcome = play_to(script, budget(20.0), &suites, Seen::default());
        let row = outcome.row("struct:16B");
        assert_eq!(row.status, Status::LoadsSuspect);
        assert_close(
            row.self_test_half_over_whole.expect("told"),
            1.0,
            0.03,
            "half",
        );
        for spec in SPECS {
            let row = outcome.row(spec);
            assert_eq!(row.status, Status::Ok, "{spec}: {}", row.reason);
            assert_close(row.self_test_half_over_whole.expect("told"), 0.5, 0.1, spec);
        }
    }

    #[test]
    fn a_slow_kernel_that_skips_loads_is_found_in_some_seconds() {
        let script = Script {
            cost: Box::new(|_, _| 300e6),
            ..Script::default()
        };
        let outcome = play(script, budget(0.0), &["stride:1"]);
        assert_eq!(outcome.row("stride:1").status, Status::LoadsSuspect);
        let log = outcome.executor.log.iter();
        let took: f64 = log
            .filter(|(spec, _, _)| spec == "stride:1")
            .map(|(_, _, ns)| ns)
            .sum();
        // Tested twice, since it fails.
        assert!(took < 14e9, "{took} ns");
    }

    /// The first case of the kernel is too short to tell; another is not.
    #[test]
    fn a_kernel_is_tested_on_the_first_case_that_can_tell() {
        let script = Script {
            cost: Box::new(|case, _| match case.spec.to_string().as_str() {
                "stride:1" => 2e3,
                _ => 6e6,
            }),
            ..Script::default()
        };
        let outcome = play(script, budget(5.0), &["stride:1", "stride:2"]);
        assert_eq!(outcome.row("stride:2").status, Status::LoadsSuspect);
    }

    #[test]
    fn slices_of_unequal_speed_and_noise_make_no_kernel_suspect() {
        for step in 0..5 {
            let script = Script {
                slice_pace: Box::new(move |slice| 1.0 + 0.1 * f64::from((slice + step) * 5 % 8)),
                noise: 0.05,
                outliers: 0.05,
                ..Script::default()
            };
            let outcome = play(script, budget(5.0), &SPECS);
            for row in &outcome.rows {
                assert_ne!(row.status, Status::LoadsSuspect, "{}", row.reason);
            }
        }
    }

    #[test]
    fn a_dispatch_shorter_than_twenty_empty_ones_is_launch_bound_and_no_baseline() {
        let script = Script {
            empty_ns: 10e3,
            ..reference_takes(150e3)
        };
        let outcome = play(script, budget(5.0), &SPECS);
        for row in &outcome.rows {
            assert_eq!(row.status, Status::LaunchBound, "{}", row.spec);
            assert!(row.is_measured());
            assert_eq!(row.fetch_plateau_gb_per_s, None);
            assert_eq!(row.share_of_fetch_percent, None);
        }
        assert_close(
            outcome.campaign.empty_dispatch_ns.expect("told"),
            10e3,
            0.01,
            "empty",
        );
    }

    #[test]
    fn empty_dispatches_that_take_no_time_raise_no_guard() {
        let script = Script {
            empty_ns: 0.0,
            host_overhead_ns: 0,
            ..Script::default()
        };
        let outcome = play(script, budget(10.0), &SPECS);
        assert!(outcome.campaign.empty_dispatch_ns.is_none_or(|ns| ns > 0.0));
        assert!(outcome.rows.iter().all(|row| row.status == Status::Ok));
    }

    #[test]
    fn stamps_that_lie_about_empty_dispatches_leave_a_positive_upper_bound() {
        let script = Script {
            stamps: Box::new(|at, good| match at.spec {
                "empty" => Some(Stamps {
                    begin: 0,
                    end: 0,
                    ..good
                }),
                _ => Some(good),
            }),
            ..Script::default()
        };
        let outcome = play(script, budget(10.0), &SPECS);
        let empty_ns = outcome.campaign.empty_dispatch_ns.expect("the host's time");
        assert!((1000.0..2000.0).contains(&empty_ns), "{empty_ns}");
        assert_eq!(
            outcome.row("stride:1").timing_method,
            Some(TimingMethod::PassTimestamps)
        );
    }

    #[test]
    fn a_footprint_of_less_than_four_caches_is_cache_resident_and_no_baseline() {
        let outcome = play(Script::default(), budget(10.0), &SPECS);
        let rows = outcome.rows_with(|card| card.last_level_cache_bytes = Some(32 * MIB));
        for row in &rows {
            assert_eq!(row.status, Status::CacheResident, "{}", row.spec);
            assert_eq!(row.fetch_plateau_gb_per_s, None);
        }
        let rows = outcome.rows_with(|card| card.last_level_cache_bytes = Some(MIB / 2));
        assert!(rows.iter().all(|row| row.status == Status::Ok));
    }

    /// Its accesses lie all over a buffer of 4 MiB, whose slices have turns that are 8 MiB and more apart.
    #[test]
    fn a_cache_that_holds_the_buffer_of_a_shuffled_case_answers_for_it() {
        let specs = ["random", "stride:8", "stride:4"];
        let script = Script {
            footprint: Footprint {
                buffers: 8,
                buffer_bytes: 4 * MIB,
                slice_bytes: MIB,
            },
            ..Script::default()
        };
        let outcome = play(script, budget(10.0), &specs);
        let row = outcome.row("random");
        assert_eq!(row.bytes_fetched_between_visits, Some(4 * MIB));
        let others = |spec| outcome.row(spec).bytes_fetched_between_visits;
        assert!(
            others("stride:8") > Some(5 * MIB),
            "{:?}",
            others("stride:8")
        );
        for (cache_bytes, expected) in [(MIB, Status::Ok), (MIB + MIB / 4, Status::CacheResident)] {
            let rows = outcome.rows_with(|card| card.last_level_cache_bytes = Some(cache_bytes));
            let status = |spec: &str| {
                rows.iter()
                    .find(|row| row.spec == spec)
                    .map(|row| row.status)
            };
            assert_eq!(status("random"), Some(expected), "{cache_bytes}");
            assert_eq!(status("stride:8"), Some(Status::Ok), "{cache_bytes}");
        }
    }

    #[test]
    fn a_figure_above_the_peak_is_over_peak() {
        let outcome = play(Script::default(), budget(10.0), &SPECS);
        let useful = |spec| outcome.row(spec).useful_gb_per_s.expect("a figure");
        let peak = (useful("stride:1") + useful("stride:4")) / 2.0;
        for row in outcome.rows_with(|card| card.peak_gb_per_s = Some(peak)) {
            let above = row.useful_gb_per_s > Some(peak);
            assert_eq!(row.status == Status::OverPeak, above, "{}", row.spec);
            assert_eq!(row.status == Status::Ok, !above, "{}", row.spec);
        }
    }

    #[test]
    fn more_fetched_than_the_plateau_is_over_peak() {
        let script = Script {
            cost: Box::new(|case, visit| {
                let faster = if case.spec.to_string() == "struct:16B" {
                    0.9
                } else {
                    1.0
                };
                6.25 * faster * fetched_bytes(case, visit) as f64
            }),
            ..Script::default()
        };
        let suites: [(&str, &[&str]); 2] = [
            ("stride", &SPECS[..5]),
            ("struct", &["struct:16B", "struct:32B"]),
        ];
        let outcome = play_to(script, budget(20.0), &suites, Seen::default());
        assert_eq!(outcome.row("struct:16B").status, Status::OverPeak);
        assert_eq!(outcome.row("struct:32B").status, Status::Ok);
        let share = outcome.row("struct:16B").share_of_fetch_percent;
        assert_close(share.expect("a share"), 111.0, 0.02, "share");
    }

    #[test]
    fn plateau_and_share_are_blank_where_the_whole_stride_suite_failed() {
        let script = Script {
            fault: Box::new(|at| {
                (at.spec.starts_with("stride") && at.spec != REFERENCE).then_some(Fault::WrongSum)
            }),
            ..Script::default()
        };
        let suites: [(&str, &[&str]); 2] = [
            ("stride", &["stride:1", "stride:4"]),
            ("struct", &["struct:16B"]),
        ];
        let outcome = play_to(script, budget(5.0), &suites, Seen::default());
        let row = outcome.row("struct:16B");
        assert_eq!(row.status, Status::Ok, "{}", row.reason);
        assert!(row.is_measured());
        assert_eq!(row.fetch_plateau_gb_per_s, None);
        assert_eq!(row.share_of_fetch_percent, None);
        for spec in ["stride:1", "stride:4"] {
            assert_eq!(outcome.row(spec).status, Status::Failed);
            assert_eq!(outcome.row(spec).checksum, "wrong");
            assert_no_figures(outcome.row(spec));
        }
    }

    #[test]
    fn what_cannot_be_placed_or_addressed_is_skipped_with_its_reason() {
        let specs = ["stride:1", "stride:100000", "stride:4"];
        let script = Script {
            refuses: Box::new(|spec| {
                let refused = spec == "stride:4";
                refused.then(|| ExecutorError::Unsupported("no kernel for it".to_owned()))
            }),
            ..Script::default()
        };
        let outcome = play(script, budget(5.0), &specs);
        for spec in ["stride:100000", "stride:4"] {
            let row = outcome.row(spec);
            assert_eq!(row.status, Status::Skipped, "{spec}");
            assert!(!row.reason.is_empty(), "{spec}");
            assert_eq!(row.checksum, "", "{spec}");
            assert_no_figures(row);
        }
        assert!(outcome.row("stride:1").is_measured());
    }
}

mod faults {
    use super::*;

    /// `fault` at the sample of this number of the prepared kernel of `spec`.
    fn at_sample(spec: &'static str, number: u64, fault: Fault) -> Script {
        Script {
            fault: Box::new(move |at| (at.spec == spec && at.of_case == number).then_some(fault)),
            ..Script::default()
        }
    }

    #[test]
    fn a_wrong_checksum_at_any_sample_takes_all_figures_of_the_case_and_of_no_other() {
        for number in [0, 2, 40] {
            let outcome = play(
                at_sample("stride:4", number, Fault::WrongSum),
                endless(10.0),
                &SPECS,
            );
            let row = outcome.row("stride:4");
            assert_eq!(
                (row.status, row.checksum.as_str()),
                (Status::Failed, "wrong")
            );
            assert!(row.reason.contains("checksum"), "{}", row.reason);
            assert_no_figures(row);
            let others = outcome.rows.iter().filter(|row| row.spec != "stride:4");
            for row in others {
                assert_eq!((row.status, row.checksum.as_str()), (Status::Ok, "exact"));
            }
        }
    }

    #[test]
    fn a_kernel_that_reads_elsewhere_fails_before_it_is_timed() {
        let script = Script {
            echo_lies_of: "stride:4",
            ..Script::default()
        };
        let outcome = play(script, budget(5.0), &SPECS);
        let row = outcome.row("stride:4");
        assert_eq!(row.status, Status::Failed);
        assert!(row.reason.contains("lane 0 of window 0"), "{}", row.reason);
        assert_no_figures(row);
        assert!(
            outcome
                .executor
                .log
                .iter()
                .all(|(spec, _, _)| spec != "stride:4")
        );
    }

    #[test]
    fn memory_refused_to_one_case_fails_one_row() {
        let refusals: [fn() -> ExecutorError; 2] = [
            || ExecutorError::OutOfMemory {
                asked_bytes: MIB,
                reason: "none left".to_owned(),
            },
            || ExecutorError::Refused("a limit".to_owned()),
        ];
        for refusal in refusals {
            let script = Script {
                refuses: Box::new(move |spec| (spec == "stride:4").then(refusal)),
                ..Script::default()
            };
            let outcome = play(script, budget(10.0), &SPECS);
            assert_eq!(outcome.ending, Ending::Complete);
            for row in &outcome.rows {
                let failed = row.status == Status::Failed;
                assert_eq!(failed, row.spec == "stride:4", "{}", row.spec);
                assert_eq!(failed, !row.is_measured(), "{}", row.spec);
            }
            assert!(outcome.row("stride:4").reason.contains("refused"));
        }
    }

    #[test]
    fn a_device_lost_while_sampling_keeps_the_figures_until_then() {
        for spec in ["stride:4", REFERENCE] {
            let outcome = play(
                at_sample(spec, 40, Fault::DeviceLost),
                endless(40.0),
                &SPECS,
            );
            assert_eq!(outcome.ending, Ending::DeviceLost);
            for row in &outcome.rows {
                assert!(
                    row.is_measured(),
                    "{} after {spec}: {}",
                    row.spec,
                    row.reason
                );
                assert_eq!(row.stop_reason, StopReason::Interrupted, "{}", row.spec);
                assert_eq!(row.checksum, "exact");
            }
        }
    }

    #[test]
    fn a_device_lost_before_a_case_was_sampled_fails_it_and_all_that_follow() {
        for number in [0, 1, 3] {
            let outcome = play(
                at_sample("stride:16", number, Fault::DeviceLost),
                budget(40.0),
                &SPECS,
            );
            assert_eq!(outcome.ending, Ending::DeviceLost, "sample {number}");
            for row in &outcome.rows {
                let before = ["stride:1", "stride:2", "stride:4", "stride:8"];
                if before.contains(&row.spec.as_str()) {
                    assert!(row.is_measured(), "{}: {}", row.spec, row.reason);
                } else {
                    assert_eq!(row.status, Status::Failed, "{}", row.spec);
                    assert!(row.reason.contains("lost"), "{}", row.reason);
                    assert_no_figures(row);
                }
            }
        }
    }

    #[test]
    fn a_device_lost_while_compiling_ends_the_run() {
        for lost_at in [REFERENCE, "stride:1", "stride:64"] {
            let script = Script {
                refuses: Box::new(move |spec| {
                    let lost = spec == lost_at;
                    lost.then(|| ExecutorError::DeviceLost("a reset".to_owned()))
                }),
                ..Script::default()
            };
            let outcome = play(script, budget(0.0), &SPECS);
            assert_eq!(outcome.ending, Ending::DeviceLost, "{lost_at}");
            let row = outcome.row("stride:64");
            assert_eq!(row.status, Status::Failed);
            assert!(row.reason.contains("lost"), "{}", row.reason);
        }
    }

    /// Between the first round and the sampling, kernels are tested and variants timed.
    #[test]
    fn a_device_lost_between_the_rounds_ends_a_run_without_budget_too() {
        for (spec, number) in [("stride:1", 6), (REFERENCE, 8)] {
            let script = at_sample(spec, number, Fault::DeviceLost);
            let outcome = play(script, budget(0.0), &["stride:1", "stride:4"]);
            assert_eq!(outcome.ending, Ending::DeviceLost, "{spec}");
            assert!(outcome.rows.iter().all(Row::is_measured), "{spec}");
        }
    }

    #[test]
    fn a_reference_that_cannot_be_prepared_leaves_no_figures_and_says_why() {
        let script = Script {
            refuses: Box::new(|spec| {
                (spec == REFERENCE).then(|| ExecutorError::Refused("a limit".to_owned()))
            }),
            ..Script::default()
        };
        let outcome = play(script, budget(5.0), &["stride:1", "stride:4"]);
        for row in &outcome.rows {
            assert_eq!(row.status, Status::Failed, "{}", row.spec);
            assert!(row.reason.contains("reference"), "{}", row.reason);
            assert!(row.reason.contains("a limit"), "{}", row.reason);
            assert_no_figures(row);
        }
    }

    #[test]
    fn a_reference_that_fails_midway_takes_the_figures_with_it() {
        let outcome = play(
            at_sample(REFERENCE, 60, Fault::WrongSum),
            endless(40.0),
            &["stride:1", "stride:4"],
        );
        assert!(outcome.campaign.sampling_ns < 20_000 * MS, "it goes on");
        for row in &outcome.rows {
            assert_eq!(row.status, Status::Failed, "{}", row.spec);
            assert!(row.reason.contains("reference"), "{}", row.reason);
            assert!(row.reason.contains("checksum"), "{}", row.reason);
            assert_ne!(row.stop_reason, StopReason::NotSampled, "{}", row.spec);
            assert_no_figures(row);
        }
    }

    #[test]
    fn a_sample_that_is_refused_fails_its_case_alone() {
        let outcome = play(
            at_sample("stride:4", 20, Fault::Refused),
            endless(5.0),
            &SPECS,
        );
        assert_eq!(outcome.ending, Ending::Complete);
        assert_eq!(outcome.row("stride:4").status, Status::Failed);
        assert_no_figures(outcome.row("stride:4"));
        assert!(outcome.row("stride:1").is_measured());
    }
}

mod accounts {
    use super::*;

    fn share_inside(outcome: &Outcome) -> f64 {
        let campaign = &outcome.campaign;
        assert!(campaign.busy_ns <= campaign.sampling_ns);
        campaign.busy_ns as f64 / campaign.sampling_ns as f64
    }

    #[test]
    fn time_inside_submissions_is_all_of_sampling_where_the_host_needs_none() {
        let outcome = play(Script::default(), budget(5.0), &SPECS);
        assert!(share_inside(&outcome) >= 0.8);
        let within: u64 = outcome
            .seen
            .samples
            .iter()
            .filter(|(_, _, sample)| sample.round > 0)
            .map(|(_, _, sample)| sample.host_ns)
            .sum();
        assert_eq!(outcome.campaign.busy_ns, within);
    }

    #[test]
    fn what_the_host_needs_between_samples_is_not_inside_but_part_of_the_budget() {
        let script = Script {
            between_ns: 6 * MS,
            ..Script::default()
        };
        let outcome = play(script, endless(5.0), &SPECS);
        assert!((0.4..0.7).contains(&share_inside(&outcome)));
        assert!(outcome.campaign.sampling_ns <= 5030 * MS);
    }

    #[test]
    fn overheads_are_those_of_the_variants() {
        let overheads = play(Script::default(), budget(0.0), &SPECS)
            .campaign
            .overheads;
        let overheads = overheads.expect("they could be timed");
        assert!(
            (overheads.runtime_checks_percent - 20.0).abs() < 3.0,
            "{overheads:?}"
        );
        assert!(
            (overheads.index_arithmetic_percent - 10.0).abs() < 1.0,
            "{overheads:?}"
        );
    }
}
