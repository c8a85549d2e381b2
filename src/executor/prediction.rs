//! Everything that the model says of a case, counted once: a long list takes its time.

use super::case::{Case, Plan};
use super::counts::CaseCounts;
use crate::model::Counts;
use crate::pattern::{Side, Tile};

/// The transaction sizes in bytes that every row and chart shows: sector, DRAM granule or short line, long line.
pub const TRANSACTION_BYTES: [u64; 3] = [32, 64, 128];

/// What the model says of a case; arrays are over [`TRANSACTION_BYTES`].
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// Counts of one repetition of the pattern; `None` where they cannot be counted.
    pub subgroups: Option<[Counts; 3]>,
    /// Counts of all steps that are visited; `None` where they cannot be counted.
    pub dispatch: Option<[CaseCounts; 3]>,
    /// Bytes of index lists that those steps read, and distinct ones.
    pub index_bytes: (u64, u64),
    /// Bytes from one window, or one reading of a list, to the next; 0 where there is no such distance.
    pub pitch_bytes: u64,
    /// The sides on which lanes do not access consecutive elements.
    pub strided_sides: Vec<Side>,
}

impl Prediction {
    /// Predicts `steps` of a slice, visited once in each of so many slices.
    pub fn new(case: &Case, steps: u64, slices: u64) -> Self {
        let slice = each_size(|size| case.count(steps, size).ok());
        let (requested, used) = case.index_bytes(steps);
        Self {
            subgroups: each_size(|size| case.count_subgroups(size).ok()),
            dispatch: slice.map(|counts| counts.map(|counts| counts.times(slices))),
            index_bytes: (requested * slices, used),
            pitch_bytes: case.pitch_bytes(),
            strided_sides: case.strided_sides(),
        }
    }
}

fn each_size<T>(count: impl Fn(u64) -> Option<T>) -> Option<[T; 3]> {
    let [a, b, c] = TRANSACTION_BYTES.map(count);
    Some([a?, b?, c?])
}

impl Case {
    /// The sides on which the lanes of some window access other than consecutive elements, in whatever order.
    pub fn strided_sides(&self) -> Vec<Side> {
        match &self.plan {
            Plan::Walk { walk, scatter } => self
                .sides(walk, scatter.as_ref())
                .into_iter()
                .filter(|(_, walk)| walk.is_strided(self.lanes))
                .map(|(side, _)| side)
                .collect(),
            Plan::Transpose(transpose) => match transpose.tile {
                Tile::None => vec![Side::Store],
                Tile::Plain | Tile::Padded => Vec::new(),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor::Footprint;

    #[test]
    fn sides_are_strided_where_lanes_are_not_consecutive() {
        let footprint = Footprint {
            buffers: 1,
            buffer_bytes: 8 << 20,
            slice_bytes: 8 << 20,
        };
        let (load, store) = (&[Side::Load][..], &[Side::Store][..]);
        for (spec, expected) in [
            ("stride:1", &[][..]),
            ("stride:-1", &[]),
            ("stride:8B,element=8B", &[]),
            ("stride:0", load),
            ("stride:2", load),
            ("stride:2,op=store", store),
            ("stride:2,op=copy", &[Side::Load, Side::Store]),
            ("stride:1,op=copy", &[]),
            ("stride:1,layout=padded", &[]),
            ("offset:3", &[]),
            ("reversed,op=store", &[]),
            ("permuted", &[]),
            ("interleaved:4", &[]),
            ("broadcast,op=store", store),
            ("soa", &[]),
            ("struct:4B", &[]),
            ("struct:8B+4B", load),
            ("struct:4B+all", &[]),
            ("struct:8B+all", load),
            ("row:100", &[]),
            ("column:100", load),
            ("column:1", &[]),
            ("mixed", load),
            ("list:3,1,2", &[]),
            ("list:0,7,7,8", load),
            ("random", load),
            ("random,op=copy", &[Side::Load, Side::Store]),
            ("UNIFORM:256:1:NR", &[]),
            ("UNIFORM:256:2:NR,op=store", store),
            ("MS1:16:8:20", load),
            ("transpose:64", store),
            ("transpose:64,tile=plain", &[]),
            ("transpose:64,tile=padded", &[]),
        ] {
            let case = Case::new(spec.parse().expect(spec), 32, &footprint).expect(spec);
            assert_eq!(case.strided_sides(), expected, "{spec}");
        }
    }
}
