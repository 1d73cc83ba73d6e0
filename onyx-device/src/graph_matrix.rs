//! Products of a matrix of the whole graph with a row of a vertex: the matrix stays in memory, and goes through registers four columns at a time.
//!
//! Groups of a warp that come to such a product at once, each with a row of its own, share it. Eight of four lanes multiply in tiles, on the tensor cores of a GPU
//! (`tile.rs`). Of others, each loads a part of the matrix, multiplies the rows of all by it, and gets the sum for its own row from the others. So a piece of the
//! matrix that was loaded serves several rows. A group that comes alone adds up in the same order as the latter, and gets the same bits: a change is one of the vertex, not of who came
//! along. In tiles it gets others, so that these are for folds in which nothing asks for changes.

use crate::group::Group;
use crate::machine::Machine;
use crate::matrix::GraphMatrix;
use crate::property::GraphRow;
use crate::row::Row;
use crate::unrolled::{array, each, steps};
use crate::value::Value;

/// The floats of one access to memory.
const QUAD: usize = 4;
/// The lanes of a warp.
const WARP: usize = 32;

/// A property that is a matrix of the whole graph.
#[diagnostic::on_unimplemented(
    message = "this is no `GraphMatrix<K>`",
    label = "the first argument is row `f` of a `GraphMatrix<K>`; a `GraphMatrix<K, J>` multiplies whole rows, `matvec(d.weight[f], d.input[v][..])`"
)]
pub trait IsGraphMatrix<const K: usize>: GraphRow {}

impl<const K: usize> IsGraphMatrix<K> for GraphMatrix<K> {}

/// Where the matrix lies.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn matrix<const K: usize>(property: &impl IsGraphMatrix<K>) -> *const f32 {
    property.row().cast_const()
}

/// How many groups of `lanes` lanes with `features` features each share a product: each takes four columns of the matrix or more, and a row that has been shared lies in
/// the same place of each lane.
const fn sharing(lanes: usize, features: usize) -> usize {
    let (mut groups, most) = (1, if lanes < features { lanes } else { features });
    while groups * 2 <= most && groups * 2 * lanes <= WARP && lanes * features / (groups * 2) >= QUAD {
        groups *= 2;
    }
    groups
}

impl<M: Machine, const L: usize, const V: usize> Group<M, L, V> {
    /// How many groups share a product.
    pub(crate) const SHARING: usize = if M::LANES == 1 { 1 } else { sharing(L, V) };

    /// The matrix at `matrix` times a vector, as [`Group::matvec`].
    ///
    /// # Safety
    /// There are `K` x `K` floats, aligned as [`Machine`] says, which nothing writes at the same time.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn graph_matvec<const K: usize>(self, matrix: *const f32, x: [f32; V]) -> [f32; V] {
        // SAFETY: the caller's.
        unsafe {
            if const { M::LANES == 1 || K < QUAD } {
                return self.matvec(Row::<K>::load(self, matrix), x);
            }
            self.graph_product::<false, K>(matrix, x)
        }
    }

    /// The transposed matrix at `matrix` times a vector, as [`Group::transpose_matvec`].
    ///
    /// # Safety
    /// As [`Group::graph_matvec`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn graph_transpose_matvec<const K: usize>(self, matrix: *const f32, x: [f32; V]) -> [f32; V] {
        // SAFETY: the caller's.
        unsafe {
            if const { M::LANES == 1 } {
                return self.transposed_on_host::<K>(matrix, x);
            }
            if const { K < QUAD } {
                return self.transpose_matvec(Row::<K>::load(self, matrix), x);
            }
            self.graph_product::<true, K>(matrix, x)
        }
    }

    /// The product where one lane has the whole row: a sum of rows of the matrix.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn transposed_on_host<const K: usize>(self, matrix: *const f32, x: [f32; V]) -> [f32; V] {
        let mut totals = [0.0; V];
        for (number, factor) in x.iter().enumerate().take(self.features() as usize) {
            // SAFETY: the caller's; a lane has a whole row.
            let row = unsafe { self.load_row(matrix.add(number * K)) };
            each::<V>(|index| totals[index] += row[index] * factor);
        }
        array(|index| if self.is_live(index) { totals[index] } else { 0.0 })
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn graph_product<const TRANSPOSED: bool, const K: usize>(self, matrix: *const f32, x: [f32; V]) -> [f32; V] {
        // SAFETY: the caller's.
        unsafe {
            if Self::FITS_TILES && self.has_tiles() {
                let is_whole = self.peers() == u32::MAX && self.features() as usize == K;
                return if is_whole {
                    self.tile_product::<TRANSPOSED, K>(matrix, x)
                } else {
                    self.lone_product::<TRANSPOSED, K>(matrix, x)
                };
            }
            match self.sharers::<K>() {
                Some(sharers) => self.shared_product::<TRANSPOSED, K>(sharers, matrix, x),
                None => self.own_product::<TRANSPOSED, K>(matrix, x),
            }
        }
    }

    /// The lanes of the groups that share a product with this one, if all of them have come, and there is no padding.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn sharers<const K: usize>(self) -> Option<u32> {
        if const { Self::SHARING == 1 } {
            return None;
        }
        let lanes = (Self::SHARING * L) as u32;
        let first = self.machine().lane() & !(lanes - 1);
        let sharers = (u32::MAX >> (WARP as u32 - lanes)) << first;
        (self.peers() & sharers == sharers && self.features() as usize == K).then_some(sharers)
    }

    /// The product for the row of a group that comes alone where others multiply in tiles, in few registers.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn lone_product<const TRANSPOSED: bool, const K: usize>(self, matrix: *const f32, x: [f32; V]) -> [f32; V] {
        let (mut totals, mut lane) = ([0.0; V], 0);
        while lane < L {
            each::<V>(|index| {
                let (column, factor) = (lane * V + index, self.of_lane(x[index], lane));
                // SAFETY: the caller's.
                let weights = unsafe { self.column::<TRANSPOSED, K>(matrix, column) };
                if self.is_feature(column) {
                    each::<V>(|index| totals[index] += weights[index] * factor);
                }
            });
            lane += 1;
        }
        array(|index| if self.is_live(index) { totals[index] } else { 0.0 })
    }

    /// What the lane has of a column of the matrix, or of the transposed one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn column<const TRANSPOSED: bool, const K: usize>(self, matrix: *const f32, column: usize) -> [f32; V] {
        // SAFETY: the caller's.
        unsafe {
            if TRANSPOSED {
                return self.load_row(matrix.add(column * K));
            }
            array(|index| self.load_scalar(matrix.add((self.place() as usize + index) * K + column)))
        }
    }

    /// The product for the group's own row, in as many parts as groups share one. Padding is left out.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn own_product<const TRANSPOSED: bool, const K: usize>(self, matrix: *const f32, x: [f32; V]) -> [f32; V] {
        let mut parts = [[0.0; V]; V];
        steps::<K, QUAD>(|column| {
            // SAFETY: the caller's.
            let columns = unsafe { self.columns::<TRANSPOSED, K>(matrix, column) };
            let part = column / (K / Self::SHARING);
            each::<QUAD>(|offset| {
                let factor = self.of_lane(x[(column + offset) % V], (column + offset) / V);
                let weights = columns.number(offset);
                if self.is_feature(column + offset) {
                    each::<V>(|index| parts[part][index] += weights[index] * factor);
                }
            });
        });
        halves::<V>(Self::SHARING, |part, other, _| {
            each::<V>(|index| parts[part][index] += parts[other][index]);
        });
        array(|index| if self.is_live(index) { parts[0][index] } else { 0.0 })
    }

    /// The product for the rows of all groups that share it, of which this one gets its own.
    ///
    /// A group has its own row in the first place, and that of the group which differs from it by the bits of `number` in place `number`: so each adds what another
    /// one has of its row from a place that is the same for all.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn shared_product<const TRANSPOSED: bool, const K: usize>(
        self,
        sharers: u32,
        matrix: *const f32,
        x: [f32; V],
    ) -> [f32; V] {
        let (machine, first) = (self.machine(), sharers.trailing_zeros());
        let (own, count) = ((machine.lane() - first) as usize / L, K / Self::SHARING);
        let mut rows = [[0.0; V]; V];
        steps::<K, QUAD>(|column| {
            if column >= count {
                return;
            }
            // SAFETY: the caller's.
            let columns = unsafe { self.columns::<TRANSPOSED, K>(matrix, own * count + column) };
            each::<QUAD>(|offset| {
                let (weights, place) = (columns.number(offset), column + offset);
                each::<V>(|number| {
                    if number < Self::SHARING {
                        let lane = first as usize + (own ^ number) * L + own * (count / V) + place / V;
                        let factor = machine.shuffle_from(sharers, x[place % V].to_bits(), lane as u32);
                        each::<V>(|index| rows[number][index] += weights[index] * f32::from_bits(factor));
                    }
                });
            });
        });
        halves::<V>(Self::SHARING, |kept, given, distance| {
            each::<V>(|index| {
                rows[kept][index] += machine.shuffle_xor(sharers, rows[given][index], (distance * L) as u32);
            });
        });
        rows[0]
    }

    /// Four columns of the matrix, or of the transposed one, from number `column` on.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn columns<const TRANSPOSED: bool, const K: usize>(
        self,
        matrix: *const f32,
        column: usize,
    ) -> Columns<M, TRANSPOSED, K, L, V> {
        const { assert!(K == L * V, "a matrix has as many rows as a group has features") };
        let quad = |index| {
            let from = (self.place() as usize + index) * K + column;
            // SAFETY: the caller's.
            unsafe { self.machine().load(matrix.wrapping_add(from)) }
        };
        let quads = if TRANSPOSED { [[0.0; QUAD]; V] } else { array(quad) };
        Columns { group: self, rows: matrix.wrapping_add(column * K), quads }
    }
}

/// What four columns of a matrix count for the features of a lane.
struct Columns<M, const TRANSPOSED: bool, const K: usize, const L: usize, const V: usize> {
    group: Group<M, L, V>,
    /// Columns of the transposed matrix are its rows: these, each of which is loaded when it is asked for.
    rows: *const f32,
    /// Of another matrix, what each row has of the columns.
    quads: [[f32; QUAD]; V],
}

impl<M: Machine, const TRANSPOSED: bool, const K: usize, const L: usize, const V: usize>
    Columns<M, TRANSPOSED, K, L, V>
{
    /// Column `offset` of the four.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn number(&self, offset: usize) -> [f32; V] {
        if TRANSPOSED {
            // SAFETY: who made it has said that the matrix is there.
            return unsafe { self.group.load_row(self.rows.add(offset * K)) };
        }
        array(|index| self.quads[index][offset])
    }
}

/// Calls `join` with two of `count` parts and how far apart they are, until all have come together in the first.
#[cfg_attr(not(debug_assertions), inline(always))]
fn halves<const V: usize>(count: usize, mut join: impl FnMut(usize, usize, usize)) {
    let mut at = |distance: usize| {
        if distance >= count {
            return;
        }
        each::<V>(|part| {
            if part < distance {
                join(part, part + distance, distance);
            }
        });
    };
    at(4);
    at(2);
    at(1);
}
