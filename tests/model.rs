//! The model against the worked examples, and its closed forms against counting block by block.

use std::collections::{BTreeSet, HashMap, HashSet};

use coalescope::model::{
    Ceiling, CountError, Cut, Sequence, Window, count_affine, count_columns, count_covered,
    count_dispatch, count_sequence, count_window, expected_random_transactions,
};
use coalescope::pattern::Spec;
use coalescope::units::BytesPerSecond;
use proptest::prelude::*;

fn spec(text: &str) -> Spec {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn window(text: &str, lanes: u32) -> Window {
    spec(text)
        .window(lanes)
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn every_worked_example_is_exact() {
    let mut reader =
        csv::Reader::from_path("tests/worked_examples.csv").expect("the file is there");
    let mut rows = 0;
    for record in reader.records() {
        let record = record.expect("a row");
        let number = |column: usize| record[column].parse::<u64>().expect("a whole number");
        let (case, lanes) = (&record[0], number(2) as u32);
        let window = window(&record[1], lanes);
        assert_eq!(window.element_bytes, number(3), "{case}");
        let counts = count_window(&window, number(4));
        assert_eq!(counts.transactions, number(5), "{case}");
        assert_eq!(counts.bytes_requested, number(6), "{case}");
        assert_eq!(counts.bytes_used, number(7), "{case}");
        assert_eq!(counts.bytes_fetched, number(8), "{case}");
        let efficiency: f64 = record[9].parse().expect("a number");
        assert!((counts.efficiency() - efficiency).abs() < 1e-6, "{case}");
        rows += 1;
    }
    assert!(rows >= 34, "only {rows} rows");
}

#[test]
fn bandwidths_follow_from_efficiency() {
    let memory = Ceiling::of_fetch(BytesPerSecond(2e12));
    for (text, useful, requested) in [
        ("stride:1", 2000.0, 2000.0),
        ("stride:32", 62.5, 62.5),
        ("struct:24B", 333.3, 333.3),
        ("soa", 2000.0, 2000.0),
        ("offset:1", 1000.0, 1000.0),
        ("broadcast", 62.5, 2000.0),
    ] {
        let counts = count_window(&window(text, 32), 128);
        let (efficiency, reuse) = (counts.efficiency(), counts.reuse());
        let got = memory.useful(efficiency, reuse).gb_per_s();
        assert!((got - useful).abs() < 0.05, "{text}: {got} GB/s useful");
        let got = memory.requested(efficiency, reuse).gb_per_s();
        assert!(
            (got - requested).abs() < 0.05,
            "{text}: {got} GB/s requested"
        );
    }
    let issue_bound = Ceiling {
        issue: Some(BytesPerSecond(5e11)),
        ..memory
    };
    assert_eq!(issue_bound.useful(1.0, 1.0), BytesPerSecond(5e11));
    assert_eq!(issue_bound.useful(0.125, 1.0), BytesPerSecond(2.5e11));
}

#[test]
fn padded_windows_show_the_textbook_misalignment() {
    let (aligned, shifted) = (
        window("offset:0,layout=padded", 32),
        window("offset:1,layout=padded", 32),
    );
    assert_eq!((aligned.pitch_bytes, shifted.pitch_bytes), (1536, 1536));
    for (granule, numerator, denominator) in [(32, 4, 5), (64, 2, 3), (128, 1, 2)] {
        let fetched = |window| {
            count_dispatch(window, 1 << 20, granule)
                .expect("counted")
                .compulsory
        };
        assert_eq!(
            fetched(&aligned) * denominator,
            fetched(&shifted) * numerator,
            "{granule}"
        );
    }
}

#[test]
fn a_packed_shift_costs_one_block_in_all() {
    let counts = count_dispatch(&window("offset:1", 32), 1000, 32).expect("counted");
    assert_eq!((counts.unshared, counts.compulsory), (5000, 4001));
    assert_eq!(counts.bytes_used, 128_000);
}

#[test]
fn coverage_is_judged_over_the_dispatch() {
    let covered = |text: &str, windows, size| count_covered(&window(text, 32), windows, size);
    // 1000 windows of 128 bytes, end to end; shifted by a word, the first and the last block are partly touched.
    assert_eq!(covered("stride:1", 1000, 32), Ok(4000));
    assert_eq!(covered("offset:1", 1000, 32), Ok(3999));
    // A padded window of 128 bytes that begins at byte 4 of every 1536: blocks 32.., 64.. and 96.. of it.
    assert_eq!(covered("offset:1,layout=padded", 1000, 32), Ok(3000));
    assert_eq!(covered("offset:1,layout=padded", 1000, 128), Ok(0));
    // Every other word; one word in all.
    assert_eq!(covered("stride:2", 1 << 33, 32), Ok(0));
    assert_eq!(covered("stride:2", 1 << 33, 4), Ok(32 << 33));
    assert_eq!(covered("broadcast", 1, 4), Ok(1));
    // The rows of a matrix 1024 wide, column after column: 32 runs of 4096 bytes, end to end.
    let columns = Window {
        pitch_bytes: 4,
        ..window("column:1024", 32)
    };
    assert_eq!(count_covered(&columns, 1024, 128), Ok(1024));
    // One column less leaves the last block of every row open.
    assert_eq!(count_covered(&columns, 1023, 128), Ok(1024 - 32));
    assert!(count_covered(&columns, 1, 0).is_err());
    assert!(count_covered(&columns, u64::MAX, 32).is_err());
}

#[test]
fn billions_of_windows_are_counted() {
    // Without visiting windows, or this would not end; how long it takes is a matter of `cargo bench --bench model`.
    for (text, windows_compulsory) in [
        // 96 words in 12 blocks of 32 bytes, no two windows sharing one.
        ("stride:3", Some(12)),
        // 16 words in 2 blocks, and 16 blocks of a word each.
        ("mixed", Some(18)),
        ("offset:3B", None),
        ("struct:20B+4B,layout=padded", None),
        ("list:0,7,7,8", Some(2)),
    ] {
        let counts = count_dispatch(&window(text, 32), 1 << 33, 32).expect("counted");
        assert!(counts.compulsory <= counts.unshared, "{text}");
        if let Some(each) = windows_compulsory {
            assert_eq!(counts.compulsory, each << 33, "{text}");
        }
    }
}

#[test]
fn a_count_that_does_not_fit_is_refused() {
    assert!(count_dispatch(&window("stride:1", 32), u64::MAX / 16, 32).is_err());
    assert!(count_dispatch(&window("stride:1", 32), 1, 0).is_err());
    let far = Window {
        addresses: vec![u64::MAX, 0],
        element_bytes: 16,
        pitch_bytes: 1,
    };
    assert_eq!(count_window(&far, 1).transactions, 32);
    assert!(count_dispatch(&far, u64::MAX / 31, 1).is_err());
}

#[test]
fn a_list_that_falls_into_too_many_subgroups_is_refused() {
    let sequence = |lanes, cut| Sequence {
        list: Window {
            addresses: (0..(1 << 10) + 1).map(|entry| 8 * entry).collect(),
            element_bytes: 8,
            pitch_bytes: 8,
        },
        repeats: 1 << 33,
        lanes,
        cut,
    };
    for lanes in [1 << 20, 1 << 62] {
        let counted = count_sequence(&sequence(lanes, Cut::AcrossReadings), 32);
        let readings = CountError::TooIrregular {
            lanes: 1025,
            phases: lanes.min(1 << 33),
        };
        assert_eq!(counted, Err(readings));
    }
    assert!(count_sequence(&sequence(1 << 62, Cut::EachReading), 32).is_ok());
    // 2^33 readings of 1025 doubles, each one double on: 8 * (2^33 + 1024) bytes in 1025 * 2^33 / 128 subgroups.
    let counts = count_sequence(&sequence(128, Cut::AcrossReadings), 32).expect("counted");
    assert_eq!(counts.dispatch.windows, 1025 << 26);
    assert_eq!(counts.dispatch.bytes_used, 8 * ((1 << 33) + 1024));
}

#[test]
fn random_expectation_has_known_limits() {
    // All elements drawn: every block is touched; one drawn: one block.
    assert!((expected_random_transactions(64, 64, 4, 32) - 8.0).abs() < 1e-9);
    assert!((expected_random_transactions(1, 1 << 28, 4, 32) - 1.0).abs() < 1e-9);
    // 2 of 4 elements, 2 a block: the same block with probability 1/3.
    assert!((expected_random_transactions(2, 4, 4, 8) - (1.0 + 2.0 / 3.0)).abs() < 1e-9);
    // An element of two blocks is always two transactions.
    assert!((expected_random_transactions(32, 1 << 20, 16, 8) - 64.0).abs() < 1e-6);
}

/// Blocks of `unit` bytes that hold a byte of any element, one by one.
fn brute_force(addresses: impl Iterator<Item = u64>, element_bytes: u64, unit: u64) -> u64 {
    let mut blocks = HashSet::new();
    for address in addresses {
        blocks.extend(address / unit..=(address + element_bytes - 1) / unit);
    }
    blocks.len() as u64
}

/// Blocks of `unit` bytes that hold no byte outside of the elements, byte by byte.
fn brute_force_covered(addresses: impl Iterator<Item = u64>, element_bytes: u64, unit: u64) -> u64 {
    let bytes: HashSet<u64> = addresses.flat_map(|a| a..a + element_bytes).collect();
    let mut bytes_in_block: HashMap<u64, u64> = HashMap::new();
    for byte in bytes {
        *bytes_in_block.entry(byte / unit).or_default() += 1;
    }
    bytes_in_block
        .values()
        .filter(|&&bytes| bytes == unit)
        .count() as u64
}

fn repeated(window: &Window, windows: u64) -> impl Iterator<Item = u64> + '_ {
    (0..windows).flat_map(move |k| {
        window
            .addresses
            .iter()
            .map(move |a| a + k * window.pitch_bytes)
    })
}

fn element_bytes() -> impl Strategy<Value = u64> {
    prop_oneof![Just(4_u64), Just(8), Just(16), 1..20_u64]
}

fn transaction_bytes() -> impl Strategy<Value = u64> {
    prop_oneof![1..=300_u64, (0..10_u32).prop_map(|power| 1 << power)]
}

/// Scattered, clustered and regular windows, with pitches that are 0, overlapping, exact or wide.
fn any_window() -> impl Strategy<Value = Window> {
    let scattered = prop::collection::vec(0..3000_u64, 1..130);
    let clustered = prop::collection::vec(0..80_u64, 1..130);
    let regular = (0..200_u64, 0..80_u64, 1..130_u64, any::<bool>()).prop_map(
        |(origin, step, lanes, down)| {
            let mut addresses: Vec<u64> = (0..lanes).map(|lane| origin + step * lane).collect();
            if down {
                addresses.reverse();
            }
            addresses
        },
    );
    let addresses = prop_oneof![scattered, clustered, regular];
    (addresses, element_bytes(), 0..5_u8, 0..6000_u64).prop_map(
        |(addresses, element_bytes, kind, any_pitch)| {
            let lanes = addresses.len() as u64;
            let step = addresses
                .get(1)
                .map_or(4, |second| second.abs_diff(addresses[0]));
            let pitch_bytes = match kind {
                0 => 0,
                1 => any_pitch % 50,
                2 => step * lanes,
                3 => 128 * (any_pitch / 128),
                _ => any_pitch,
            };
            Window {
                addresses,
                element_bytes,
                pitch_bytes,
            }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_window_is_counted_exactly(window in any_window(), size in transaction_bytes()) {
        let counts = count_window(&window, size);
        let element = window.element_bytes;
        let brute = |unit| brute_force(window.addresses.iter().copied(), element, unit);
        prop_assert_eq!(counts.transactions, brute(size));
        prop_assert_eq!(counts.bytes_used, brute(1));
        prop_assert_eq!(counts.bytes_requested, window.lanes() * element);
        prop_assert!(counts.bytes_used.div_ceil(size) <= counts.transactions);
        prop_assert!(counts.efficiency() <= 1.0);
        prop_assert!(counts.reuse() >= 1.0);
    }

    #[test]
    fn a_dispatch_is_counted_exactly(window in any_window(), windows in 0..40_u64, size in transaction_bytes()) {
        let counts = count_dispatch(&window, windows, size).expect("small enough");
        let element = window.element_bytes;
        let brute = |unit| brute_force(repeated(&window, windows), element, unit);
        prop_assert_eq!(counts.compulsory, brute(size));
        prop_assert_eq!(counts.bytes_used, brute(1));
        let alone = |k: u64| window.addresses.iter().map(move |a| a + k * window.pitch_bytes);
        let unshared: u64 = (0..windows).map(|k| brute_force(alone(k), element, size)).sum();
        prop_assert_eq!(counts.unshared, unshared);
        prop_assert!(counts.efficiency_unshared() <= counts.efficiency_compulsory());
        prop_assert!(counts.efficiency_compulsory() <= 1.0);
    }

    #[test]
    fn coverage_is_exact(window in any_window(), windows in 0..40_u64, size in transaction_bytes()) {
        let covered = count_covered(&window, windows, size).expect("small enough");
        prop_assert_eq!(covered, brute_force_covered(repeated(&window, windows), window.element_bytes, size));
    }

    /// Windows of contiguous pieces, which cover more than scattered lanes do.
    #[test]
    fn coverage_of_pieces_is_exact(
        pieces in prop::collection::vec((0..400_u64, 1..60_u64), 1..6), element in element_bytes(),
        pitch in 0..600_u64, windows in 0..40_u64, size in 1..70_u64,
    ) {
        let piece = |(first, lanes): &(u64, u64)| (0..*lanes).map(|lane| first + element * lane).collect::<Vec<_>>();
        let window = Window { addresses: pieces.iter().flat_map(piece).collect(), element_bytes: element, pitch_bytes: pitch };
        let covered = count_covered(&window, windows, size).expect("small enough");
        prop_assert_eq!(covered, brute_force_covered(repeated(&window, windows), element, size));
        prop_assert!(covered <= count_dispatch(&window, windows, size).expect("small enough").compulsory);
    }

    #[test]
    fn a_progression_is_counted_exactly(
        origin in 0..500_u64, step in 0..700_u64, count in 0..300_u64, element in element_bytes(), size in transaction_bytes(),
    ) {
        let addresses = (0..count).map(|i| origin + step * i);
        prop_assert_eq!(count_affine(origin, step, count, element, size), Ok(brute_force(addresses, element, size)));
    }

    #[test]
    fn an_affine_run_is_the_dispatch(window in any_window(), windows in 1..20_u64) {
        if let Some(run) = window.affine_run() {
            let mut dispatched: Vec<u64> = repeated(&window, windows).collect();
            dispatched.sort_unstable();
            let progression = (0..windows * run.count_per_window).map(|i| run.origin + run.step * i);
            let mut described: Vec<u64> = progression
                .flat_map(|address| std::iter::repeat_n(address, run.multiplicity as usize))
                .collect();
            described.sort_unstable();
            prop_assert_eq!(dispatched, described);
        }
    }

    #[test]
    fn a_sequence_is_counted_exactly(
        list in any_window(), repeats in 0..30_u64, lanes in 1..70_u64, across in any::<bool>(), size in transaction_bytes(),
    ) {
        let cut = if across { Cut::AcrossReadings } else { Cut::EachReading };
        let sequence = Sequence { list: list.clone(), repeats, lanes, cut };
        let counts = count_sequence(&sequence, size).expect("small enough");
        let accesses: Vec<u64> = repeated(&list, repeats).collect();
        let chunk = |addresses: &[u64]| -> Vec<u64> {
            addresses
                .chunks(lanes as usize)
                .map(|lanes| brute_force(lanes.iter().copied(), list.element_bytes, size))
                .collect()
        };
        let subgroups: Vec<u64> = if across {
            chunk(&accesses)
        } else {
            accesses.chunks(list.addresses.len()).flat_map(chunk).collect()
        };
        prop_assert_eq!(counts.dispatch.unshared, subgroups.iter().sum::<u64>());
        prop_assert_eq!(counts.dispatch.compulsory, brute_force(accesses.iter().copied(), list.element_bytes, size));
        prop_assert_eq!(counts.dispatch.bytes_used, brute_force(accesses.iter().copied(), list.element_bytes, 1));
        prop_assert_eq!(counts.dispatch.bytes_requested, accesses.len() as u64 * list.element_bytes);
        prop_assert_eq!(counts.dispatch.windows, subgroups.len() as u64);
        if !across {
            prop_assert_eq!(counts.load_instructions, if repeats == 0 { 0 } else { list.lanes().div_ceil(lanes) });
        }
        let period = &subgroups[..counts.load_instructions as usize];
        prop_assert_eq!(counts.subgroups.transactions, period.iter().sum::<u64>());
        prop_assert_eq!(counts.transactions_max, period.iter().max().copied().unwrap_or(0));
        prop_assert_eq!(counts.transactions_min, period.iter().min().copied().unwrap_or(0));
    }
}

/// Every window of every column, block by block.
#[test]
fn columns_of_a_matrix_are_counted_as_if_each_was_walked() {
    for (width, lanes, windows, element) in
        [(5, 3, 4, 4), (16, 8, 2, 4), (33, 4, 3, 8), (7, 32, 1, 16)]
    {
        let window = Window {
            addresses: (0..lanes)
                .map(|lane| 20 * element + lane * width * element)
                .collect(),
            element_bytes: element,
            pitch_bytes: lanes * width * element,
        };
        for size in [4, 32, 64, 100, 128] {
            let (mut unshared, mut blocks) = (0, BTreeSet::new());
            for column in 0..width {
                for number in 0..windows {
                    let of_window: BTreeSet<u64> = window
                        .addresses
                        .iter()
                        .map(|address| address + column * element + number * window.pitch_bytes)
                        .flat_map(|first| (first..first + element).map(|byte| byte / size))
                        .collect();
                    unshared += of_window.len() as u64;
                    blocks.extend(of_window);
                }
            }
            let counts = count_columns(&window, windows, width, size).expect("countable");
            assert_eq!(counts.unshared, unshared, "{width} wide, {size} B");
            assert_eq!(
                counts.compulsory,
                blocks.len() as u64,
                "{width} wide, {size} B"
            );
            assert_eq!(counts.bytes_used, windows * lanes * width * element);
            assert_eq!(counts.windows, windows * width);
        }
    }
}
