//! The totals of a matrix of the graph to which a vertex function adds one outer product: where rows fit, the lanes of a warp have them together.

use super::{Accumulator, RowReduction, Target};
use crate::block::Block;
use crate::group::Group;
use crate::index::Vertex;
use crate::machine::Machine;
use crate::operator::Operator;
use crate::parts::{PartPlace, Parts};
use crate::property::GraphData;
use crate::registers::Registers;
use crate::row::Row;
use crate::stored::Register;
use crate::tile_sum::{TileSum, fits};
use crate::value::Value;

/// The lane's part of the totals: rows of a matrix, or [tiles](crate::tile_sum), with what is to be added to them.
#[derive(Debug)]
pub struct OuterReduction<T, const K: usize, const V: usize> {
    rows: RowReduction<T, Row<K>, V>,
    tiles: TileSum,
    noted: [[f32; V]; 2],
}

impl<T, const K: usize, const V: usize> Clone for OuterReduction<T, K, V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const K: usize, const V: usize> Copy for OuterReduction<T, K, V> {}

impl<T, const K: usize, const V: usize> OuterReduction<T, K, V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    const fn of_rows(rows: RowReduction<T, Row<K>, V>) -> Self {
        Self { rows, tiles: TileSum::ZERO, noted: [[0.0; V]; 2] }
    }
}

/// The part of the totals that are rows.
type Rows<T, const K: usize, const V: usize> = RowReduction<T, Row<K>, V>;

// SAFETY: `Target`: the property is `T`'s alone.
unsafe impl<D: GraphData, T, const K: usize, const V: usize> Accumulator<D, V> for OuterReduction<T, K, V>
where
    T: Target<D>,
    T::Operator: Operator,
{
    const LANE_FLOATS: usize =
        if Self::IN_TILES { TileSum::lane_floats(V) } else { <Rows<T, K, V> as Accumulator<D, V>>::LANE_FLOATS };
    const PARTS: Parts = <Rows<T, K, V> as Accumulator<D, V>>::PARTS;
    const PROPERTIES: u64 = <Rows<T, K, V> as Accumulator<D, V>>::PROPERTIES;
    const IN_TILES: bool = adds_in_tiles::<D, K, V>();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn zero() -> Self {
        Self::of_rows(<Rows<T, K, V> as Accumulator<D, V>>::zero())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn left_in(registers: &impl Registers<D, V>) -> Self {
        Self::of_rows(<Rows<T, K, V> as Accumulator<D, V>>::left_in(registers))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with_left_in(self, registers: &impl Registers<D, V>) -> Self {
        if const { <Self as Accumulator<D, V>>::IN_TILES } {
            return Self { noted: registers.factors(T::PROPERTY).unwrap_or([[0.0; V]; 2]), ..self };
        }
        Self { rows: Accumulator::<D, V>::with_left_in(self.rows, registers), ..self }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn settle<M: Machine, const L: usize>(&mut self, group: Group<M, L, V>) {
        self.tiles.add(group, self.noted);
        self.noted = [[0.0; V]; 2];
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn change_from(self, before: Self) -> Self {
        Self::of_rows(Accumulator::<D, V>::change_from(self.rows, before.rows))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combined_with(self, other: Self) -> Self {
        let rows = Accumulator::<D, V>::combined_with(self.rows, other.rows);
        Self { tiles: self.tiles.plus(other.tiles), ..Self::of_rows(rows) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn join<M: Machine>(self, machine: M, lane_mask: u32) -> Self {
        if const { <Self as Accumulator<D, V>>::IN_TILES } {
            return self;
        }
        Self { rows: Accumulator::<D, V>::join(self.rows, machine, lane_mask), ..self }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn leave_shared<M: Block, const L: usize>(self, group: Group<M, L, V>, at: u32, is_joined: bool) {
        let mut tiles = self.tiles;
        // SAFETY: the caller's.
        unsafe {
            if const { !<Self as Accumulator<D, V>>::IN_TILES } {
                return Accumulator::<D, V>::leave_shared(self.rows, group, at, is_joined);
            }
            TileSum::each_tile::<M, V>(group.machine(), |tile, place| {
                group.machine().store_shared(at + place, *tiles.tile(tile));
            });
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn take_shared<M: Block, const L: usize>(self, group: Group<M, L, V>, at: u32, is_joined: bool) -> Self {
        // SAFETY: the caller's.
        unsafe {
            if const { !<Self as Accumulator<D, V>>::IN_TILES } {
                return Self { rows: Accumulator::<D, V>::take_shared(self.rows, group, at, is_joined), ..self };
            }
            let mut others = TileSum::ZERO;
            TileSum::each_tile::<M, V>(group.machine(), |tile, place| {
                *others.tile(tile) = group.machine().load_shared(at + place);
            });
            Self { tiles: self.tiles.plus(others), ..self }
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_joined<M: Machine, const L: usize>(
        self,
        group: Group<M, L, V>,
        data: &D,
        vertex: Vertex,
        is_joined: bool,
    ) {
        // SAFETY: the caller's.
        unsafe {
            if const { <Self as Accumulator<D, V>>::IN_TILES } {
                return self.tiles.store::<M, K, V>(group.machine(), T::place(data, vertex));
            }
            Accumulator::<D, V>::store_joined(self.rows, group, data, vertex, is_joined);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe { self.rows.store(group, data, vertex) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn add<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe { self.rows.add(group, data, vertex) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn add_change<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe { self.rows.add_change(group, data, vertex) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn needs_recompute<M: Machine, const L: usize>(self, changes: Self, group: Group<M, L, V>) -> bool {
        Accumulator::<D, V>::needs_recompute(self.rows, changes.rows, group)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load<M: Machine, const L: usize>(group: Group<M, L, V>, data: &D, vertex: Vertex) -> Self {
        // SAFETY: the caller's.
        Self::of_rows(unsafe { <Rows<T, K, V> as Accumulator<D, V>>::load(group, data, vertex) })
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_part<M: Machine, const L: usize>(self, group: Group<M, L, V>, parts: &D, row: u32) {
        // SAFETY: the caller's.
        unsafe { self.rows.store_part(group, parts, row) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn add_part<M: Machine, const L: usize>(self, group: Group<M, L, V>, parts: &D, place: PartPlace) {
        // SAFETY: the caller's.
        unsafe { self.rows.add_part(group, parts, place) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_part<M: Machine, const L: usize>(group: Group<M, L, V>, parts: &D, row: u32) -> Self {
        // SAFETY: the caller's.
        Self::of_rows(unsafe { <Rows<T, K, V> as Accumulator<D, V>>::load_part(group, parts, row) })
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_shared<M: Block, const L: usize>(self, group: Group<M, L, V>, at: u32) {
        // SAFETY: the caller's.
        unsafe { Accumulator::<D, V>::store_shared(self.rows, group, at) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_shared<M: Block, const L: usize>(group: Group<M, L, V>, at: u32) -> Self {
        // SAFETY: the caller's.
        Self::of_rows(unsafe { <Rows<T, K, V> as Accumulator<D, V>>::load_shared(group, at) })
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row<X: Value>(&self, property: u32) -> Option<[X; V]> {
        Accumulator::<D, V>::row(&self.rows, property)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn scalar<X: Register>(&self, _property: u32) -> Option<X> {
        None
    }
}

/// Whether a warp has a total of outer products of rows of data together.
pub const fn adds_in_tiles<D: GraphData, const K: usize, const V: usize>() -> bool {
    !D::HAS_HEADS && fits(K, V)
}
