//! Distinct blocks of ranges that repeat at a constant distance.
//!
//! Cut the line of blocks into rows as long as the distance: a repeated block then fills consecutive rows of one
//! column, a repeated range a rectangle, and the distinct blocks are the area of the rectangles' union.

/// Blocks `first..=last`, and again `repeats - 1` times, each time one row further on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progression {
    pub(super) first: u64,
    pub(super) last: u64,
    pub(super) repeats: u64,
}

/// Number of distinct blocks in all `progressions`, `row` (at least 1) blocks being the distance of a repetition.
///
/// The last block of the last repetition is below 2^63, so that no sum here leaves 64 bits.
pub(super) fn distinct_blocks(progressions: impl Iterator<Item = Progression>, row: u64) -> u64 {
    let mut rectangles = Vec::new();
    for progression in progressions {
        push_rectangles(&mut rectangles, progression, row);
    }
    union_area(rectangles)
}

/// Columns and rows of blocks, both half open.
#[derive(Clone, Copy)]
struct Rectangle {
    column_first: u64,
    column_end: u64,
    row_first: u64,
    row_end: u64,
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

/// Sweeps over the columns; between two edges the covered rows do not change.
fn union_area(mut rectangles: Vec<Rectangle>) -> u64 {
    rectangles.sort_unstable_by_key(|r| (r.column_first, r.row_first));
    let mut edges: Vec<u64> = rectangles
        .iter()
        .flat_map(|r| [r.column_first, r.column_end])
        .collect();
    edges.sort_unstable();
    edges.dedup();

    let mut area = 0;
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
        area += covered_rows(&active) * (right - left);
    }
    area
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
