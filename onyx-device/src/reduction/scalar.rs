//! The total of a property with one number: every lane of a group has it.

use core::marker::PhantomData;

use super::{Accumulator, Target};
use crate::block::Block;
use crate::group::Group;
use crate::index::Vertex;
use crate::machine::Machine;
use crate::operator::Operator;
use crate::parts::{PartPlace, Parts};
use crate::registers::Registers;
use crate::stored::{Register, Scalar, same};
use crate::value::Value;

/// The total of a scalar property, the same in every lane of a group: a float or an integer.
#[derive(Debug)]
pub struct ScalarReduction<T, X> {
    /// The total.
    pub value: X,
    target: PhantomData<T>,
}

impl<T, X: Copy> Clone for ScalarReduction<T, X> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, X: Copy> Copy for ScalarReduction<T, X> {}

impl<T, X> ScalarReduction<T, X> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    const fn new(value: X) -> Self {
        Self { value, target: PhantomData }
    }
}

// SAFETY: `Target`: the property is `T`'s alone.
unsafe impl<D, T, X, const V: usize> Accumulator<D, V> for ScalarReduction<T, X>
where
    T: Target<D>,
    T::Operator: Operator,
    X: Scalar,
{
    const LANE_FLOATS: usize = V;
    const PARTS: Parts = Parts::of(T::PROPERTY, 1, 0, T::Operator::ADDS);
    const PROPERTIES: u64 = 1 << T::PROPERTY;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn zero() -> Self {
        Self::new(X::identity::<T::Operator>())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn left_in(registers: &impl Registers<D, V>) -> Self {
        registers.scalar::<X>(T::PROPERTY).map_or_else(<Self as Accumulator<D, V>>::zero, Self::new)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn change_from(self, before: Self) -> Self {
        Self::new(self.value.change::<T::Operator>(before.value))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combined_with(self, other: Self) -> Self {
        Self::new(self.value.combine::<T::Operator>(other.value))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn join<M: Machine>(self, machine: M, lane_mask: u32) -> Self {
        let other = machine.shuffle_xor_u32(u32::MAX, self.value.bits(), lane_mask);
        Self::new(self.value.combine::<T::Operator>(X::from_bits(other)))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe { group.store_scalar(T::place(data, vertex).cast::<X>(), self.value) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn add<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe { group.reduce_scalar::<T::Operator, X>(T::place(data, vertex).cast(), self.value) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn add_change<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe { group.change_scalar::<T::Operator, X>(T::place(data, vertex).cast(), self.value) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn needs_recompute<M: Machine, const L: usize>(self, changes: Self, _group: Group<M, L, V>) -> bool {
        self.value.refuses::<T::Operator>(changes.value)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load<M: Machine, const L: usize>(group: Group<M, L, V>, data: &D, vertex: Vertex) -> Self {
        // SAFETY: the caller's.
        Self::new(unsafe { group.load_scalar(T::place(data, vertex).cast::<X>()) })
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
        unsafe { group.machine().store_shared(at + group.place(), [same(self.value)]) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_shared<M: Block, const L: usize>(group: Group<M, L, V>, at: u32) -> Self {
        // SAFETY: the caller's.
        let [value] = unsafe { group.machine().load_shared::<1>(at + group.place()) };
        Self::new(same(value))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row<Y: Value>(&self, _property: u32) -> Option<[Y; V]> {
        None
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn scalar<Y: Register>(&self, property: u32) -> Option<Y> {
        if property == T::PROPERTY { Some(same(self.value)) } else { None }
    }
}
