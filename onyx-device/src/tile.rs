//! Products of small tiles of matrices that a warp has together, as the tensor cores of a GPU multiply them.

use crate::group::Group;
use crate::machine::Machine;
use crate::tile_sum::fits;
use crate::unrolled::{array, each, steps};

/// The floats of one access to memory.
const QUAD: usize = 4;

/// The lanes of a warp.
const WARP: u32 = u32::MAX;
/// The bits of a float that count.
const COUNTED: u32 = 0xffff_e000;

/// The part of a number that counts in a tile.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn upper(value: f32) -> f32 {
    f32::from_bits(value.to_bits() & COUNTED)
}

/// A number as two that count in full, but for the last bits of the second: 22 of 24 digits together. Of a number that is not finite the second is NaN.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn halves(value: f32) -> [f32; 2] {
    let upper = upper(value);
    [upper, value - upper]
}

/// [`Machine::add_tile`] by what lanes exchange.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn added<M: Machine>(machine: M, left: [f32; 4], right: [f32; 2], totals: [f32; 4]) -> [f32; 4] {
    let (row, pair) = (machine.lane() / 4, machine.lane() % 4);
    let of_lane = |value: f32, lane: u32| upper(f32::from_bits(machine.shuffle_from(WARP, value.to_bits(), lane)));
    let mut totals = totals;
    for term in 0..8 {
        let (half, at) = (term as usize / 4, term % 4);
        let factors: [f32; 2] = array(|below| of_lane(left[2 * half + below], 4 * row + at));
        let columns: [f32; 2] = array(|column| of_lane(right[half], 4 * (2 * pair + column as u32) + at));
        totals = array(|number| totals[number] + factors[number / 2] * columns[number % 2]);
    }
    totals
}

impl<M: Machine, const L: usize, const V: usize> Group<M, L, V> {
    /// Whether the eight groups of a warp multiply their rows by a matrix in tiles: a lane then has what it needs of the rows, and gets what it needs of the products.
    pub(crate) const FITS_TILES: bool = M::LANES > 1 && fits(L * V, V);

    /// The matrix at `matrix`, or the transposed one, times the row of each group of the warp. All lanes of the warp must arrive.
    ///
    /// The left tiles have the upper halves of the groups' numbers in rows 0 to 7, and the lower ones in the others. Terms and columns are counted so that those of a
    /// lane lie side by side.
    ///
    /// # Safety
    /// There are `K` x `K` floats, aligned as [`Machine`] says, which nothing writes at the same time.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn tile_product<const TRANSPOSED: bool, const K: usize>(
        self,
        matrix: *const f32,
        x: [f32; V],
    ) -> [f32; V] {
        let mut totals = [[0.0; 4]; QUAD];
        steps::<V, QUAD>(|first| {
            // SAFETY: the caller's.
            let columns = unsafe { self.tile_columns::<TRANSPOSED, K>(matrix, first) };
            steps::<QUAD, 2>(|term| {
                let [one, two] = [0, 1].map(|next| halves(x[first + term + next]));
                let left = [one[0], one[1], two[0], two[1]];
                each::<QUAD>(|tile| {
                    if tile < V / 2 {
                        let [one, two] = [0, 1].map(|next| halves(columns[tile][term + next]));
                        totals[tile] = self.machine().add_tile(left, [one[1], two[1]], totals[tile]);
                        totals[tile] = self.machine().add_tile(left, [one[0], two[0]], totals[tile]);
                    }
                });
            });
        });
        array(|index| {
            let (tile, column) = (index % (V / 2), index / (V / 2));
            totals[tile][column] + totals[tile][column + 2]
        })
    }

    /// Four terms of the lane's column of each tile, from its number `first` on.
    ///
    /// # Safety
    /// As [`Group::tile_product`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn tile_columns<const TRANSPOSED: bool, const K: usize>(
        self,
        matrix: *const f32,
        first: usize,
    ) -> [[f32; QUAD]; QUAD] {
        let (term, column) = (self.place() as usize + first, self.machine().lane() as usize / 4 * (V / 2));
        let float = |row: usize, column: usize| matrix.wrapping_add(row * K + column);
        if !TRANSPOSED {
            return array(|tile| {
                // SAFETY: the caller's.
                if tile < V / 2 { unsafe { self.machine().load(float(column + tile, term)) } } else { [0.0; QUAD] }
            });
        }
        // SAFETY: the caller's.
        let rows: [_; QUAD] = array(|next| unsafe { self.half_quad(float(term + next, column)) });
        array(|tile| array(|next| rows[next][tile]))
    }

    /// Half as many floats as a lane has features, and nothing.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn half_quad(self, from: *const f32) -> [f32; QUAD] {
        // SAFETY: the caller's.
        unsafe {
            if const { V > QUAD } {
                return self.machine().load(from);
            }
            let [one, two] = self.machine().load(from);
            [one, two, 0.0, 0.0]
        }
    }
}
