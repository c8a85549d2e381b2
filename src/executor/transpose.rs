//! Square matrices, one after another in a slice, each to be written transposed into another buffer.

use super::contents::word;
use super::visit::Steps;
use crate::pattern::Tile;

/// Matrices begin at multiples of this, so that none shares a granule with the next.
const GRAIN_BYTES: u64 = 512;

/// A kernel's tile has at least this edge: rows of it fill a line of any cache.
const EDGE_MIN: u64 = 32;

/// Rows of tiles are rows of workgroups, of which WebGPU promises so many.
const ROWS_OF_TILES_MAX: u64 = 65_535;

/// The matrices of a slice and the tiles they are cut into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transpose {
    /// Elements along a side of each matrix.
    pub width: u64,
    /// How tiles are staged.
    pub tile: Tile,
    /// Elements along a side of a tile; a multiple of the lanes.
    pub edge: u64,
    /// Matrices in a slice.
    pub matrices: u64,
    /// Elements from one matrix to the next.
    pub pitch_elements: u64,
    /// Bytes of an element.
    pub element_bytes: u64,
}

impl Transpose {
    /// As many matrices as fit `room_bytes`; `Err` has the bytes that one takes.
    pub(super) fn new(
        width: u64,
        tile: Tile,
        element_bytes: u64,
        lanes: u32,
        room_bytes: u64,
    ) -> Result<Self, u64> {
        let matrix_bytes = width
            .checked_mul(width)
            .and_then(|elements| elements.checked_mul(element_bytes))
            .and_then(|bytes| bytes.checked_next_multiple_of(GRAIN_BYTES))
            .unwrap_or(u64::MAX);
        let fit = room_bytes / matrix_bytes.max(1);
        if fit == 0 {
            return Err(matrix_bytes);
        }
        let lanes = u64::from(lanes);
        let edge = lanes * EDGE_MIN.div_ceil(lanes);
        Ok(Self {
            width,
            tile,
            edge,
            matrices: fit.min(ROWS_OF_TILES_MAX / width.div_ceil(edge)).max(1),
            pitch_elements: matrix_bytes / element_bytes,
            element_bytes,
        })
    }

    /// Tiles across and down each matrix.
    pub fn tiles(&self) -> u64 {
        self.width.div_ceil(self.edge)
    }

    /// Elements from one row of a tile to the next in workgroup memory; an odd number of them keeps a column of the tile
    /// from lying in one bank.
    pub fn tile_pitch(&self) -> u64 {
        match self.tile {
            Tile::Padded => self.edge + 1,
            Tile::None | Tile::Plain => self.edge,
        }
    }

    /// Bytes of workgroup memory.
    pub fn tile_bytes(&self) -> u64 {
        match self.tile {
            Tile::None => 0,
            Tile::Plain | Tile::Padded => self.edge * self.tile_pitch() * self.element_bytes,
        }
    }

    /// Rows of elements in `steps`, each a row of tiles.
    pub(super) fn rows(&self, steps: Steps) -> u64 {
        let before = |step: u64| step / self.tiles() * self.width + step % self.tiles() * self.edge;
        before(steps.end()) - before(steps.first)
    }

    /// Elements that are read in `steps` and where each is written, both counted from the first matrix.
    pub fn moves(&self, steps: Steps) -> impl Iterator<Item = (u64, u64)> + '_ {
        (steps.first..steps.end()).flat_map(move |step| {
            let (matrix, top) = (
                step / self.tiles() * self.pitch_elements,
                step % self.tiles() * self.edge,
            );
            (top..self.width.min(top + self.edge)).flat_map(move |row| {
                (0..self.width).map(move |column| {
                    (
                        matrix + row * self.width + column,
                        matrix + column * self.width + row,
                    )
                })
            })
        })
    }

    /// Words written in `steps` that by chance hold what a sentinel there would: contents plus `addend` against
    /// `sentinel`, for a first matrix that begins at word `base_word` of the footprint.
    pub fn coincidences(
        &self,
        steps: Steps,
        base_word: u64,
        addend: u32,
        sentinel: impl Fn(u32) -> u32,
    ) -> u64 {
        let words = self.element_bytes / 4;
        let coincide = |(from, to): (u64, u64)| {
            (0..words)
                .filter(|k| {
                    let at = |element: u64| (base_word + element * words + k) as u32;
                    word(at(from)).wrapping_add(addend) == sentinel(at(to))
                })
                .count() as u64
        };
        self.moves(steps).map(coincide).sum()
    }
}
