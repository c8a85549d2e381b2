//! Counts of odd combinations, each computed a second time from the table of patterns alone: addresses by formulas of
//! this file, blocks byte by byte. Some are worked by hand as well.

use std::collections::BTreeSet;

use coalescope::model::{count_covered, count_sequence, count_window};
use coalescope::pattern::{Side, Spec};

const TRANSACTIONS_BYTES: [u64; 6] = [16, 32, 48, 64, 100, 128];

/// Windows, or readings of a list: more than one period of most alignments, and no power of two.
const REPEATS: u64 = 7;

/// What the table of patterns says about a spec, in bytes.
struct Expected {
    addresses: Vec<u64>,
    element: u64,
    pitch: u64,
}

impl Expected {
    /// A list of element indexes, all shifted by `offset` bytes.
    fn list(element: u64, pitch: u64, offset: u64, indices: &[u64]) -> Self {
        let address = |index: &u64| index * element + offset;
        Self {
            addresses: indices.iter().map(address).collect(),
            element,
            pitch,
        }
    }
}

/// `lanes` lanes, lane t at `address(t)`.
fn of(lanes: u64, element: u64, pitch: u64, address: impl Fn(u64) -> u64) -> Expected {
    Expected {
        addresses: (0..lanes).map(address).collect(),
        element,
        pitch,
    }
}

/// A spec, its lanes, the side in question, and its addresses.
type Case = (&'static str, u32, Side, Expected);

fn strides_and_offsets() -> Vec<Case> {
    vec![
        // Packed pitches are max(|D|, 1) * W * E.
        (
            "stride:-3,element=8B,offset=4B",
            24,
            Side::Load,
            of(24, 8, 3 * 24 * 8, |t| 24 * (23 - t) + 4),
        ),
        ("stride:6B", 33, Side::Load, of(33, 4, 6 * 33, |t| 6 * t)),
        (
            "stride:-6B",
            7,
            Side::Load,
            of(7, 4, 6 * 7, |t| 6 * (6 - t)),
        ),
        ("stride:2B", 32, Side::Load, of(32, 4, 4 * 32, |t| 2 * t)),
        (
            "stride:9B,element=8B",
            24,
            Side::Load,
            of(24, 8, 9 * 24, |t| 9 * t),
        ),
        (
            "stride:-21B,element=16B,offset=5B",
            8,
            Side::Load,
            of(8, 16, 21 * 8, |t| 21 * (7 - t) + 5),
        ),
        (
            "stride:0,element=16B,offset=8B",
            64,
            Side::Load,
            of(64, 16, 16 * 64, |_| 8),
        ),
        ("stride:5,element=16B", 1, Side::Load, of(1, 16, 80, |_| 0)),
        ("stride:7", 33, Side::Load, of(33, 4, 28 * 33, |t| 28 * t)),
        (
            "stride:-1",
            128,
            Side::Load,
            of(128, 4, 512, |t| 4 * (127 - t)),
        ),
        (
            "stride:33,element=8B,offset=1B",
            8,
            Side::Load,
            of(8, 8, 264 * 8, |t| 264 * t + 1),
        ),
        ("offset:3B", 7, Side::Load, of(7, 4, 28, |t| 4 * t + 3)),
        (
            "offset:5,element=8B,offset=12B",
            33,
            Side::Load,
            of(33, 8, 264, |t| 8 * t + 52),
        ),
        (
            "offset:31B,element=16B",
            64,
            Side::Load,
            of(64, 16, 1024, |t| 16 * t + 31),
        ),
        // Padded pitches: room for the window and for a shift of 512 bytes or its own, in odd multiples of 512.
        (
            "offset:1,layout=padded",
            32,
            Side::Load,
            of(32, 4, 1536, |t| 4 * t + 4),
        ),
        (
            "offset:7B,layout=padded",
            33,
            Side::Load,
            of(33, 4, 1536, |t| 4 * t + 7),
        ),
        (
            "offset:600B,layout=padded",
            128,
            Side::Load,
            of(128, 4, 1536, |t| 4 * t + 600),
        ),
        (
            "stride:3,element=16B,layout=padded",
            8,
            Side::Load,
            of(8, 16, 1536, |t| 48 * t),
        ),
        (
            "stride:-5,layout=padded",
            128,
            Side::Load,
            of(128, 4, 3584, |t| 20 * (127 - t)),
        ),
    ]
}

fn orders_structs_and_matrices() -> Vec<Case> {
    let mixed = |half| {
        move |t: u64| {
            if t < half {
                4 * t
            } else {
                4000 + 256 * (t - half)
            }
        }
    };
    vec![
        (
            "reversed,element=8B,offset=4B",
            24,
            Side::Load,
            of(24, 8, 192, |t| 8 * (23 - t) + 4),
        ),
        // Of a permutation only the set of addresses matters.
        (
            "permuted:9,offset=2B",
            33,
            Side::Load,
            of(33, 4, 132, |t| 4 * t + 2),
        ),
        (
            "broadcast,element=8B,offset=28B",
            7,
            Side::Load,
            of(7, 8, 56, |_| 28),
        ),
        (
            "struct:7B+3B",
            33,
            Side::Load,
            of(33, 4, 7 * 33, |t| 7 * t + 3),
        ),
        (
            "struct:13B+1B,element=8B",
            24,
            Side::Load,
            of(24, 8, 13 * 24, |t| 13 * t + 1),
        ),
        (
            "struct:17B,element=16B,offset=3B",
            8,
            Side::Load,
            of(8, 16, 17 * 8, |t| 17 * t + 3),
        ),
        (
            "struct:250B+246B",
            7,
            Side::Load,
            of(7, 4, 250 * 7, |t| 250 * t + 246),
        ),
        // 624 bytes and 512 more, in odd multiples of 512 that are whole structs: 5 * 512 = 128 structs.
        (
            "struct:20B+4B,layout=padded",
            32,
            Side::Load,
            of(32, 4, 2560, |t| 20 * t + 4),
        ),
        (
            "soa,element=16B,offset=4B",
            1,
            Side::Load,
            of(1, 16, 16, |_| 4),
        ),
        (
            "row:100,offset=8B",
            33,
            Side::Load,
            of(33, 4, 132, |t| 4 * t + 8),
        ),
        (
            "column:100",
            24,
            Side::Load,
            of(24, 4, 400 * 24, |t| 400 * t),
        ),
        (
            "column:3,element=8B,offset=6B",
            7,
            Side::Load,
            of(7, 8, 24 * 7, |t| 24 * t + 6),
        ),
        (
            "transpose:36,offset=4B",
            33,
            Side::Load,
            of(33, 4, 132, |t| 4 * t + 4),
        ),
        (
            "transpose:36,offset=4B",
            33,
            Side::Store,
            of(33, 4, 144 * 33, |t| 144 * t + 4),
        ),
        // Pitches: the highest byte and one, rounded up to 512: 8100, 4772 and 16016 bytes.
        ("mixed", 33, Side::Load, of(33, 4, 8192, mixed(16))),
        ("mixed", 7, Side::Load, of(7, 4, 5120, mixed(3))),
        (
            "mixed,element=16B",
            1,
            Side::Load,
            of(1, 16, 16_384, |_| 16_000),
        ),
    ]
}

fn lists_and_generators() -> Vec<Case> {
    let list = Expected::list;
    let long: Vec<u64> = (0..33).map(|i| 3 * i).collect();
    vec![
        (
            "list:0,7,7,8",
            32,
            Side::Load,
            list(4, 512, 0, &[0, 7, 7, 8]),
        ),
        (
            "list:9,9,9,9,9,9,9,9,3",
            7,
            Side::Load,
            list(4, 512, 0, &[9, 9, 9, 9, 9, 9, 9, 9, 3]),
        ),
        (
            "list:100,0,50,25,75,12,12,99,1,1,2,element=8B,offset=4B",
            8,
            Side::Load,
            list(8, 1024, 4, &[100, 0, 50, 25, 75, 12, 12, 99, 1, 1, 2]),
        ),
        (
            "list:5,4,3,element=16B",
            1,
            Side::Load,
            list(16, 512, 0, &[5, 4, 3]),
        ),
        // Spatter's default delta is 8 elements.
        ("UNIFORM:33:3", 32, Side::Load, list(4, 32, 0, &long)),
        (
            "UNIFORM:8:1:NR,element=8B",
            7,
            Side::Load,
            list(8, 64, 0, &[0, 1, 2, 3, 4, 5, 6, 7]),
        ),
        (
            "UNIFORM:5:4:3,offset=2B",
            64,
            Side::Load,
            list(4, 12, 2, &[0, 4, 8, 12, 16]),
        ),
        (
            "MS1:8:4:32,offset=4B",
            32,
            Side::Load,
            list(4, 32, 4, &[0, 1, 2, 3, 35, 36, 37, 38]),
        ),
        (
            "MS1:9:0,3,7:2,10,5,element=8B",
            7,
            Side::Load,
            list(8, 64, 0, &[1, 2, 3, 13, 14, 15, 16, 21, 22]),
        ),
        (
            "LAPLACIAN:2:2:10",
            7,
            Side::Load,
            list(4, 4, 0, &[0, 10, 18, 19, 20, 21, 22, 30, 40]),
        ),
        (
            "LAPLACIAN:3:1:5,element=16B",
            64,
            Side::Load,
            list(16, 16, 0, &[0, 20, 24, 25, 26, 30, 50]),
        ),
        (
            "LAPLACIAN:1:3:50,element=8B,offset=2B",
            3,
            Side::Load,
            list(8, 8, 2, &[0, 1, 2, 3, 4, 5, 6]),
        ),
    ]
}

/// The bytes of `addresses`, one by one.
fn bytes(addresses: &[u64], element: u64) -> BTreeSet<u64> {
    addresses
        .iter()
        .flat_map(|&address| address..address + element)
        .collect()
}

fn blocks(bytes: &BTreeSet<u64>, size: u64) -> BTreeSet<u64> {
    bytes.iter().map(|byte| byte / size).collect()
}

fn spec(text: &str) -> Spec {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn odd_combinations_are_counted_as_the_table_says() {
    let cases = [
        strides_and_offsets(),
        orders_structs_and_matrices(),
        lists_and_generators(),
    ];
    let cases: Vec<Case> = cases.into_iter().flatten().collect();
    assert!(cases.len() >= 30, "only {} cases", cases.len());
    for (text, lanes, side, expected) in &cases {
        for size in TRANSACTIONS_BYTES {
            compare(text, *lanes, *side, expected, size);
        }
    }
}

fn compare(text: &str, lanes: u32, side: Side, expected: &Expected, size: u64) {
    let Expected {
        addresses,
        element,
        pitch,
    } = expected;
    let (element, pitch) = (*element, *pitch);
    let context = format!("{text}, {side}, {lanes} lanes, {size} B");
    let sequence = spec(text)
        .sequence(side, lanes, REPEATS)
        .unwrap_or_else(|error| panic!("{context}: {error}"));
    let counts = count_sequence(&sequence, size).unwrap_or_else(|e| panic!("{context}: {e}"));

    // Per subgroup: the lanes, or a list cut into pieces of that many.
    let groups: Vec<BTreeSet<u64>> = addresses
        .chunks(lanes as usize)
        .map(|group| bytes(group, element))
        .collect();
    let own = groups.iter().map(|group| blocks(group, size).len() as u64);
    let requested = addresses.len() as u64 * element;
    let used: usize = groups.iter().map(BTreeSet::len).sum();
    assert_eq!(counts.load_instructions, groups.len() as u64, "{context}");
    assert_eq!(
        counts.subgroups.transactions,
        own.clone().sum::<u64>(),
        "{context}"
    );
    assert_eq!(
        Some(counts.transactions_min),
        own.clone().min(),
        "{context}"
    );
    assert_eq!(
        Some(counts.transactions_max),
        own.clone().max(),
        "{context}"
    );
    assert_eq!(counts.subgroups.bytes_requested, requested, "{context}");
    assert_eq!(counts.subgroups.bytes_used, used as u64, "{context}");
    if side == Side::Load {
        let windows = spec(text).windows(lanes).expect("as the sequence");
        let counted: Vec<u64> = windows
            .iter()
            .map(|w| count_window(w, size).transactions)
            .collect();
        assert_eq!(counted, own.collect::<Vec<u64>>(), "{context}");
    }

    // Over the dispatch.
    let (mut unshared, mut all) = (0, BTreeSet::new());
    for repeat in 0..REPEATS {
        for group in &groups {
            let moved = group.iter().map(|byte| byte + repeat * pitch).collect();
            unshared += blocks(&moved, size).len() as u64;
            all.extend(moved);
        }
    }
    let compulsory = blocks(&all, size);
    let full = |block: &&u64| (0..size).all(|byte| all.contains(&(**block * size + byte)));
    let covered = compulsory.iter().filter(full).count() as u64;
    let dispatch = counts.dispatch;
    assert_eq!(dispatch.windows, REPEATS * groups.len() as u64, "{context}");
    assert_eq!(dispatch.unshared, unshared, "{context}");
    assert_eq!(dispatch.compulsory, compulsory.len() as u64, "{context}");
    assert_eq!(dispatch.bytes_used, all.len() as u64, "{context}");
    assert_eq!(dispatch.bytes_requested, REPEATS * requested, "{context}");
    assert_eq!(
        count_covered(&sequence.list, REPEATS, size),
        Ok(covered),
        "{context}"
    );
}

/// Figures of one window (or reading), and of two.
#[derive(Debug, PartialEq)]
struct Worked {
    transactions: u64,
    bytes_requested: u64,
    bytes_used: u64,
    unshared_of_two: u64,
    compulsory_of_two: u64,
}

#[test]
fn counts_worked_by_hand_come_out() {
    for (
        text,
        lanes,
        size,
        [
            transactions,
            bytes_requested,
            bytes_used,
            unshared_of_two,
            compulsory_of_two,
        ],
    ) in [
        // Lanes at 4 + 24k, k = 0..8. 28..36 and 124..132 straddle: blocks 0 to 5. The pitch of 192 is six blocks.
        ("stride:-3,element=8B,offset=4B", 8, 32, [6, 64, 64, 12, 12]),
        // 0, 6, 12 | 18, 24, 30-33 | 36: three blocks. The next at 42, 48, 54, 60, 66, 72, 78-81: blocks 2 to 5.
        ("stride:6B", 7, 16, [3, 28, 28, 7, 6]),
        // Words at every second byte overlap: 2 * 7 + 4 = 18 bytes. The next window begins at 32.
        ("stride:2B", 8, 32, [1, 32, 18, 2, 2]),
        // Bytes 28..36 lie in two blocks; the next window's, 84..92, in one.
        ("broadcast,element=8B,offset=28B", 7, 32, [2, 56, 8, 3, 3]),
        // 3, 10 | 17, 24, 31-34: three blocks. The next at 38, 45-48, 52, 59, 66: blocks 2, 3 and 4.
        ("struct:7B+3B", 5, 16, [3, 20, 20, 6, 5]),
        // 64 bytes in blocks 0 and 1; 17 words 256 bytes apart at multiples of 4, none of which straddles 48.
        // The pitch of 8192 is 170 blocks and 32 bytes: 8192..8256 in 170 and 171 (from 8208), then 17 again; the
        // last word of the first window is at 8096, block 168.
        ("mixed", 33, 48, [19, 132, 132, 38, 38]),
        // Seven lanes at byte 36, then lanes at 36 and 12: block 0 each. The next reading at 548 and 524: block 5.
        ("list:9,9,9,9,9,9,9,9,3", 7, 100, [2, 36, 12, 4, 2]),
        // 0, 16 | 32, 48 | 64; the next reading at 12, 28 | 44, 60 | 76: the same three blocks.
        ("UNIFORM:5:4:3", 64, 32, [3, 20, 20, 6, 3]),
        // Doubles 0 | 99, 100, 101 | 200 at bytes 0 | 792..816 | 1600: blocks 0, 12 and 25, and again one double on.
        ("LAPLACIAN:2:1:100,element=8B", 32, 64, [3, 40, 40, 6, 3]),
        // 0, 24 | 48, 72 | 96, 120 | 144; the next from 168: 168 | 192, 216 | 240, 264 | 288, 312: blocks 3 to 6.
        ("column:3,element=8B", 7, 48, [4, 56, 56, 8, 7]),
        // Bytes 7..139; the pitch of 1536 is twelve blocks.
        ("offset:7B,layout=padded", 33, 128, [2, 132, 132, 4, 4]),
        // Bytes 8..24, and again 1024 bytes on.
        (
            "stride:0,element=16B,offset=8B",
            64,
            16,
            [2, 1024, 16, 4, 4],
        ),
        // Bytes 4..20 and 144..160: blocks 0 and 4; the next reading is 32 bytes on: blocks 1 and 5.
        ("MS1:8:4:32,offset=4B", 32, 32, [2, 32, 32, 4, 4]),
        // 33 words from byte 8 to 140: blocks 0 and 1. The next from 140 to 272: 1 and 2.
        ("row:100,offset=8B", 33, 100, [2, 132, 132, 4, 3]),
    ] {
        let sequence = spec(text).sequence(Side::Load, lanes, 2);
        let counts = count_sequence(&sequence.expect(text), size).expect(text);
        let got = Worked {
            transactions: counts.subgroups.transactions,
            bytes_requested: counts.subgroups.bytes_requested,
            bytes_used: counts.subgroups.bytes_used,
            unshared_of_two: counts.dispatch.unshared,
            compulsory_of_two: counts.dispatch.compulsory,
        };
        let worked = Worked {
            transactions,
            bytes_requested,
            bytes_used,
            unshared_of_two,
            compulsory_of_two,
        };
        assert_eq!(got, worked, "{text}, {lanes} lanes, {size} B");
    }
}
