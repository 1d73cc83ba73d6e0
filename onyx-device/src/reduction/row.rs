//! The totals of a property with features: each lane has those of its own.

use core::marker::PhantomData;

use super::{Accumulator, Target};
use crate::block::Block;
use crate::group::Group;
use crate::index::Vertex;
use crate::machine::Machine;
use crate::operator::Operator;
use crate::parts::{PartPlace, Parts};
use crate::registers::Registers;
use crate::stored::Register;
use crate::streamed::streamed;
use crate::unrolled::{array, each};
use crate::value::{Value, cast};

/// The lane's `V` totals of a property with features: floats, or rows of a matrix.
#[derive(Debug)]
pub struct RowReduction<T, X, const V: usize> {
    /// The totals.
    pub values: [X; V],
    target: PhantomData<T>,
}

impl<T, X: Copy, const V: usize> Clone for RowReduction<T, X, V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, X: Copy, const V: usize> Copy for RowReduction<T, X, V> {}

impl<T, X, const V: usize> RowReduction<T, X, V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    const fn new(values: [X; V]) -> Self {
        Self { values, target: PhantomData }
    }
}

// SAFETY: `Target`: the property is `T`'s alone.
unsafe impl<D, T, X: Value, const V: usize> Accumulator<D, V> for RowReduction<T, X, V>
where
    T: Target<D>,
    T::Operator: Operator,
{
    const LANE_FLOATS: usize = V * X::FLOATS;
    const PARTS: Parts = Parts::of(T::PROPERTY, 1, 0, T::Operator::ADDS);
    const PROPERTIES: u64 = 1 << T::PROPERTY;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn zero() -> Self {
        Self::new(array(|_| X::identity::<T::Operator>()))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn left_in(registers: &impl Registers<D, V>) -> Self {
        registers.row::<X>(T::PROPERTY).map_or_else(<Self as Accumulator<D, V>>::zero, Self::new)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn change_from(self, before: Self) -> Self {
        Self::new(array(|index| self.values[index].change::<T::Operator>(before.values[index])))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combined_with(self, other: Self) -> Self {
        Self::new(array(|index| self.values[index].combine::<T::Operator>(other.values[index])))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn join<M: Machine>(self, machine: M, lane_mask: u32) -> Self {
        let combine = |value: X| value.combine::<T::Operator>(value.shuffle_xor(machine, lane_mask));
        Self::new(array(|index| combine(self.values[index])))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe { X::store(group, T::place(data, vertex), self.values) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn stream<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe { X::store(group, streamed(T::place(data, vertex)), self.values) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn add<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe { X::reduce::<T::Operator, M, L, V>(group, T::place(data, vertex), self.values) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn add_change<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe { X::change_in_memory::<T::Operator, M, L, V>(group, T::place(data, vertex), self.values) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn needs_recompute<M: Machine, const L: usize>(self, changes: Self, group: Group<M, L, V>) -> bool {
        let mut any = false;
        each::<V>(|index| {
            any |= group.is_live(index) && self.values[index].refuses::<T::Operator>(changes.values[index])
        });
        any
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load<M: Machine, const L: usize>(group: Group<M, L, V>, data: &D, vertex: Vertex) -> Self {
        // SAFETY: the caller's.
        Self::new(unsafe { X::load(group, T::place(data, vertex)) })
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_part<M: Machine, const L: usize>(self, group: Group<M, L, V>, parts: &D, row: u32) {
        // SAFETY: the caller's.
        unsafe { Accumulator::<D, V>::store(self, group, parts, Vertex(row)) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn add_part<M: Machine, const L: usize>(self, group: Group<M, L, V>, parts: &D, place: PartPlace) {
        // SAFETY: the caller's.
        unsafe { Accumulator::<D, V>::add(self, group, parts, Vertex(place.row)) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_part<M: Machine, const L: usize>(group: Group<M, L, V>, parts: &D, row: u32) -> Self {
        // SAFETY: the caller's.
        unsafe { <Self as Accumulator<D, V>>::load(group, parts, Vertex(row)) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_shared<M: Block, const L: usize>(self, group: Group<M, L, V>, at: u32) {
        // SAFETY: the caller's.
        unsafe { X::store_shared(group, at, self.values) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_shared<M: Block, const L: usize>(group: Group<M, L, V>, at: u32) -> Self {
        // SAFETY: the caller's.
        Self::new(unsafe { X::load_shared(group, at) })
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row<Y: Value>(&self, property: u32) -> Option<[Y; V]> {
        if property == T::PROPERTY { cast(self.values) } else { None }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn scalar<Y: Register>(&self, _property: u32) -> Option<Y> {
        None
    }
}
