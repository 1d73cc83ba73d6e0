//! Sums of outer products that a warp has together, of a row of each of its eight groups: each lane has a part of the matrix, and all add to it on the tensor cores of a GPU.
//!
//! A group has the row of its vertex across its four lanes. A tile needs the same feature of several vertices across four lanes, so that lanes exchange what they have before.
//! Features are counted so that each exchange gives every lane a number that it needs.

use crate::group::Group;
use crate::machine::Machine;
use crate::tile::halves;
use crate::unrolled::{array, each};

/// The floats of one access to memory.
const QUAD: usize = 4;
/// The lanes of a warp.
const WARP: usize = 32;
/// The most tiles of a matrix: those of 32 x 32 floats.
const MOST_TILES: usize = 8;

/// Whether the eight groups of a warp multiply rows with `width` features together, where a lane has so many of a row.
pub const fn fits(width: usize, of_lane: usize) -> bool {
    width == QUAD * of_lane && (of_lane == QUAD || of_lane == 2 * QUAD)
}

/// A lane's part of the sum: of tile number `i * V / 2 + j`, what [`Machine::add_tile`] says.
///
/// Row `r` of the tiles of row `i` is feature `2 i` of those that lanes `r` to `r + 3` turn up, or `2 i + 1` from `r = 8` on; column `c` of the tiles of column `j` is feature `j`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TileSum {
    tiles: [[f32; QUAD]; MOST_TILES],
}

impl TileSum {
    /// The sum of nothing.
    pub(crate) const ZERO: Self = Self { tiles: [[0.0; QUAD]; MOST_TILES] };

    /// How many floats of a sum a lane has, where it has `of_lane` features of a row.
    pub(crate) const fn lane_floats(of_lane: usize) -> usize {
        of_lane * of_lane / 2
    }

    /// Adds the outer product of both rows of each group of the warp. All lanes of the warp must arrive.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn add<M: Machine, const L: usize, const V: usize>(
        &mut self,
        group: Group<M, L, V>,
        [left, right]: [[f32; V]; 2],
    ) {
        let (left, right) = (turned(group, left), turned(group, right));
        each::<2>(|row| {
            if row < V / QUAD {
                let [one, two] = [left[2 * row], left[2 * row + 1]];
                let [upper, lower] = parts([one[0], two[0], one[1], two[1]]);
                each::<QUAD>(|column| {
                    if column < V / 2 {
                        let [upper_column, lower_column] = parts(right[column]);
                        let total = &mut self.tiles[row * (V / 2) + column];
                        *total = group.machine().add_tile(upper, lower_column, *total);
                        *total = group.machine().add_tile(lower, upper_column, *total);
                        *total = group.machine().add_tile(upper, upper_column, *total);
                    }
                });
            }
        });
    }

    /// Both added.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn plus(self, other: Self) -> Self {
        Self { tiles: array(|tile| array(|number| self.tiles[tile][number] + other.tiles[tile][number])) }
    }

    /// Calls `body` with each tile that rows of `V` floats a lane have, and where it lies among [`TileSum::lane_floats`] of each lane of a warp.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn each_tile<M: Machine, const V: usize>(machine: M, mut body: impl FnMut(usize, u32)) {
        each::<MOST_TILES>(|tile| {
            if tile < Self::lane_floats(V) / QUAD {
                body(tile, ((tile * WARP) as u32 + machine.lane()) * QUAD as u32);
            }
        });
    }

    /// What the lane has of tile number `tile`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) fn tile(&mut self, tile: usize) -> &mut [f32; QUAD] {
        &mut self.tiles[tile]
    }

    /// Stores the lane's part of the matrix at `to`.
    ///
    /// # Safety
    /// There are `K` x `K` floats, aligned as [`Machine`] says, which no other warp reaches at the same time.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(crate) unsafe fn store<M: Machine, const K: usize, const V: usize>(&self, machine: M, to: *mut f32) {
        let (row, pair) = (machine.lane() as usize / 4, machine.lane() as usize % 4);
        each::<QUAD>(|number| {
            if number < V / 2 {
                let (tiles, lower) = (number / 2 * (V / 2), number % 2);
                each::<2>(|next| {
                    let values: [f32; QUAD] =
                        array(|column| if column < V / 2 { self.tiles[tiles + column][2 * lower + next] } else { 0.0 });
                    let to = to.wrapping_add((first::<V>(row) + number) * K + first::<V>(2 * pair + next));
                    // SAFETY: the caller's; the floats are the lane's alone.
                    unsafe { store_half(machine, to, values, V > QUAD) }
                });
            }
        });
    }
}

/// The upper and the lower halves of numbers.
#[cfg_attr(not(debug_assertions), inline(always))]
fn parts<const N: usize>(numbers: [f32; N]) -> [[f32; N]; 2] {
    let halves = numbers.map(halves);
    [halves.map(|[upper, _]| upper), halves.map(|[_, lower]| lower)]
}

/// The first of the features that row or column `number` of the tiles has: half of those of a lane.
#[cfg_attr(not(debug_assertions), inline(always))]
fn first<const V: usize>(number: usize) -> usize {
    number % 4 * V + number / 4 * (V / 2)
}

/// Half as many features as a lane has of a row, from [`first`] of the lane's row in tiles on: each of the groups' rows `p` and `p + 4`, where the lane is number `p` of its group.
#[cfg_attr(not(debug_assertions), inline(always))]
fn turned<M: Machine, const L: usize, const V: usize>(group: Group<M, L, V>, x: [f32; V]) -> [[f32; 2]; QUAD] {
    let machine = group.machine();
    let (row, place) = (machine.lane() / 4, machine.lane() % 4);
    let is_late = row >= 4;
    let (near, far) = if is_late { (place + 4, place) } else { (place, place + 4) };
    let of_group =
        |value: f32, group: u32| f32::from_bits(machine.shuffle_from(u32::MAX, value.to_bits(), 4 * group + row % 4));
    array(|number| {
        if number >= V / 2 {
            return [0.0; 2];
        }
        let (one, two) = (x[number], x[V / 2 + number]);
        let near = of_group(if is_late { two } else { one }, near);
        let far = of_group(if is_late { one } else { two }, far);
        if is_late { [far, near] } else { [near, far] }
    })
}

/// Stores four floats, or two.
#[cfg_attr(not(debug_assertions), inline(always))]
unsafe fn store_half<M: Machine>(machine: M, to: *mut f32, values: [f32; QUAD], has_four: bool) {
    // SAFETY: the caller's.
    unsafe { if has_four { machine.store(to, values) } else { machine.store(to, [values[0], values[1]]) } }
}
