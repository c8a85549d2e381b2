//! Distinct blocks of ranges that repeat at a constant distance.
//!
//! Cut the line of blocks into rows as long as the distance: a repeated block then fills consecutive rows of one
//! column, a repeated range a rectangle, and the distinct blocks are the area of the rectangles' union.

use super::dispatch::gcd;

/// Blocks `first..=last`, and again `repeats - 1` times, each time one row further on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progression {
    pub(super) first: u64,
    pub(super) last: u64,
    pub(super) repeats: u64,
}

impl Progression {
    /// Whether `next` begins within this range or right behind it, and repeats as often.
    fn meets(&self, next: &Self) -> bool {
        self.repeats == next.repeats && (self.first..=self.last + 1).contains(&next.first)
    }
}

/// How byte ranges that repeat at a pitch lie in blocks.
///
/// Repetitions whose numbers are congruent modulo `period` lie alike in their blocks, so each of their blocks repeats
/// at a constant distance, the row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lattice {
    pitch_bytes: u64,
    unit_bytes: u64,
    period: u64,
}

impl Lattice {
    /// Of repetitions `pitch_bytes` apart in blocks of `unit_bytes`; both are at least 1.
    pub(super) fn new(pitch_bytes: u64, unit_bytes: u64) -> Self {
        let period = unit_bytes / gcd(pitch_bytes, unit_bytes);
        Self {
            pitch_bytes,
            unit_bytes,
            period,
        }
    }

    /// Blocks from one row to the next.
    pub(super) fn row(&self) -> u64 {
        // The pitch over what it shares with a block, in an order that stays below the pitch.
        self.pitch_bytes / (self.unit_bytes / self.period)
    }

    /// The most progressions that a byte range with `repeats` repetitions becomes.
    pub(super) fn phases(&self, repeats: u64) -> u64 {
        if self.pitch_bytes < self.unit_bytes {
            1
        } else {
            self.period.min(repeats)
        }
    }

    /// The blocks under bytes `first..=last` and their repetitions, all of them below byte 2^63.
    pub(super) fn blocks(&self, bytes: Progression) -> impl Iterator<Item = Progression> {
        let Self {
            pitch_bytes,
            unit_bytes,
            period,
        } = *self;
        let Progression {
            first,
            last,
            repeats,
        } = bytes;
        // A range that leaves less than a block between itself and its repetition leaves no block out on its way.
        let sweeps = pitch_bytes <= unit_bytes.saturating_add(last - first);
        let (starts, travel) = if sweeps {
            (1, pitch_bytes * (repeats - 1))
        } else {
            (period.min(repeats), 0)
        };
        (0..starts).map(move |phase| {
            let base = pitch_bytes * phase;
            let again = (repeats - phase).div_ceil(period);
            Progression {
                first: (base + first) / unit_bytes,
                last: (base + travel + last) / unit_bytes,
                repeats: if sweeps { 1 } else { again },
            }
        })
    }
}

/// Number of distinct blocks in all `progressions`, `row` (at least 1) blocks being the distance of a repetition.
///
/// The last block of the last repetition is below 2^63, so that no sum here leaves 64 bits.
pub(super) fn distinct_blocks(progressions: impl Iterator<Item = Progression>, row: u64) -> u64 {
    let mut area = 0;
    sweep(rectangles(progressions, row), |left, right, active| {
        area += covered_rows(active) * (right - left);
    });
    area
}

/// What no progression covers of the first `rows` rows, which hold all of them, as progressions of the same `row`.
pub(super) fn gaps(
    progressions: impl Iterator<Item = Progression>,
    row: u64,
    rows: u64,
) -> Vec<Progression> {
    let mut rectangles = rectangles(progressions, row);
    // Without height: so that the columns that nobody covers are swept as well.
    rectangles.push(Rectangle {
        column_first: 0,
        column_end: row,
        row_first: 0,
        row_end: 0,
    });
    let mut gaps = Vec::new();
    sweep(rectangles, |left, right, active| {
        let mut gap_first = 0;
        let below = [(rows, rows)];
        for (row_first, row_end) in active.iter().map(|r| (r.row_first, r.row_end)).chain(below) {
            if row_first > gap_first {
                gaps.push(Progression {
                    first: gap_first * row + left,
                    last: gap_first * row + right - 1,
                    repeats: row_first - gap_first,
                });
            }
            gap_first = gap_first.max(row_end);
        }
    });
    gaps
}

/// Columns and rows of blocks, both half open.
#[derive(Clone, Copy)]
struct Rectangle {
    column_first: u64,
    column_end: u64,
    row_first: u64,
    row_end: u64,
}

/// Neighbours that meet and repeat equally often are one, as those that sweep usually are.
fn rectangles(progressions: impl Iterator<Item = Progression>, row: u64) -> Vec<Rectangle> {
    let mut rectangles = Vec::new();
    let mut joined: Option<Progression> = None;
    for next in progressions {
        match &mut joined {
            Some(range) if range.meets(&next) => range.last = range.last.max(next.last),
            _ => {
                if let Some(range) = joined.replace(next) {
                    push_rectangles(&mut rectangles, range, row);
                }
            }
        }
    }
    if let Some(range) = joined {
        push_rectangles(&mut rectangles, range, row);
    }
    rectangles
}

/// A range is part of a row, whole rows, and part of a row; repeating moves each of them down.
fn push_rectangles(rectangles: &mut Vec<Rectangle>, range: Progression, row: u64) {
    let (first_row, last_row) = (range.first / row, range.last / row);
    let mut push = |column_first, column_end, row_first, row_last: u64| {
        rectangles.push(Rectangle {
            column_first,
            column_end,
            row_first,
            row_end: row_last + range.repeats,
        });
    };
    if first_row == last_row {
        push(
            range.first % row,
            range.last % row + 1,
            first_row,
            first_row,
        );
        return;
    }
    push(range.first % row, row, first_row, first_row);
    push(0, range.last % row + 1, last_row, last_row);
    if first_row + 1 < last_row {
        push(0, row, first_row + 1, last_row - 1);
    }
}

/// Calls `strip(left, right, rectangles)` for every strip of columns between two edges, in which covered rows do not
/// change; the rectangles that cross it are sorted by their first row.
fn sweep(mut rectangles: Vec<Rectangle>, mut strip: impl FnMut(u64, u64, &[Rectangle])) {
    rectangles.sort_unstable_by_key(|r| (r.column_first, r.row_first));
    let mut edges: Vec<u64> = rectangles
        .iter()
        .flat_map(|r| [r.column_first, r.column_end])
        .collect();
    edges.sort_unstable();
    edges.dedup();

    let mut active: Vec<Rectangle> = Vec::new();
    let mut coming = rectangles.into_iter().peekable();
    for pair in edges.windows(2) {
        let (left, right) = (pair[0], pair[1]);
        active.retain(|r| r.column_end > left);
        while let Some(rectangle) = coming.next_if(|r| r.column_first == left) {
            active.push(rectangle);
        }
        // Nearly sorted already, which the stable sort makes use of.
        active.sort_by_key(|r| r.row_first);
        strip(left, right, &active);
    }
}

/// Rows in the union of rectangles that are sorted by their first row.
fn covered_rows(sorted: &[Rectangle]) -> u64 {
    let mut covered = 0;
    let mut end = 0;
    for rectangle in sorted {
        let first = rectangle.row_first.max(end);
        covered += rectangle.row_end.saturating_sub(first);
        end = end.max(rectangle.row_end);
    }
    covered
}
