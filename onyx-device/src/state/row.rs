//! The states of a property with features, each with weights of its own.

use core::marker::PhantomData;

use super::relative::is_relative;
use super::{MOST_FLOATS, State, begun, beyond, is_begun, never_added, part, row_floats};
use crate::block::Block;
use crate::group::Group;
use crate::index::Vertex;
use crate::machine::Machine;
use crate::operator::{StateOperator, Sum};
use crate::parts::{PartPlace, Parts};
use crate::reduction::{Accumulator, Target};
use crate::stored::Register;
use crate::streamed::streamed;
use crate::unrolled::array;
use crate::value::{Value, cast};

/// The lane's `V` states of a property with features.
#[derive(Debug)]
pub struct RowStates<T, S, const V: usize> {
    /// The states.
    pub states: [S; V],
    target: PhantomData<T>,
}

impl<T, S: Copy, const V: usize> Clone for RowStates<T, S, V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, S: Copy, const V: usize> Copy for RowStates<T, S, V> {}

impl<T, S: State, const V: usize> RowStates<T, S, V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    const fn new(states: [S; V]) -> Self {
        Self { states, target: PhantomData }
    }

    /// Combines a contribution into the state of the lane's feature `index`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn take<O: StateOperator<State = S>>(&mut self, index: usize, contribution: S) {
        self.states[index] = O::combine(self.states[index], O::admitted(contribution));
    }

    /// The states whose floats of each number `load` gives.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn loaded(mut load: impl FnMut(usize) -> [f32; V]) -> Self {
        let mut floats = [[0.0; V]; MOST_FLOATS];
        S::each(|float| floats[float] = load(float));
        Self::new(array(|index| S::of(|float| floats[float][index])))
    }

    /// The lane's floats of one number.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn floats(&self, float: usize) -> [f32; V] {
        array(|index| self.states[index].get(float))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn totals<O: StateOperator<State = S>>(&self) -> [f32; V] {
        array(|index| O::finish(self.states[index]))
    }
}

// SAFETY: `Target`: the property is `T`'s alone.
unsafe impl<D, T, S, const V: usize> Accumulator<D, V> for RowStates<T, S, V>
where
    T: Target<D>,
    T::Operator: StateOperator<State = S>,
    S: State,
{
    const LANE_FLOATS: usize = V * S::FLOATS;
    const PARTS: Parts = Parts::of(T::PROPERTY, S::FLOATS, 0, T::Operator::ADDS && !is_relative::<T::Operator>());

    never_added!();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn zero() -> Self {
        Self::new([T::Operator::IDENTITY; V])
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn begun(edges: u32) -> Self {
        Self::new([begun::<T::Operator>(edges); V])
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combined_with(self, other: Self) -> Self {
        Self::new(array(|index| T::Operator::combine(self.states[index], other.states[index])))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn join<M: Machine>(self, machine: M, lane_mask: u32) -> Self {
        let shuffle = |state: S| S::of(|float| machine.shuffle_xor(u32::MAX, state.get(float), lane_mask));
        Self::new(array(|index| T::Operator::combine(self.states[index], shuffle(self.states[index]))))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe { group.store_row(T::place(data, vertex), self.totals::<T::Operator>()) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn stream<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe { group.store_row(streamed(T::place(data, vertex)), self.totals::<T::Operator>()) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_part<M: Machine, const L: usize>(self, group: Group<M, L, V>, parts: &D, row: u32) {
        let floats = row_floats::<D, T>(parts);
        let to = part::<D, T>(parts, row, S::FLOATS * floats);
        // SAFETY: the part has a row for each float of a state.
        S::each(|float| unsafe { group.store_row(to.add(float * floats), self.floats(float)) });
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn add_part<M: Machine, const L: usize>(self, group: Group<M, L, V>, parts: &D, place: PartPlace) {
        let floats = row_floats::<D, T>(parts);
        let to = part::<D, T>(parts, place.row, S::FLOATS * floats);
        S::each(|float| {
            let own = self.floats(float);
            let added: [f32; V] = array(|index| beyond::<T::Operator>(float, own[index], place.edges));
            if !is_begun::<T::Operator>(float) || added.iter().any(|value| *value != 0.0) {
                // SAFETY: the part has a row for each float of a state.
                unsafe { group.reduce_row::<Sum>(to.add(float * floats), added) }
            }
        });
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_part<M: Machine, const L: usize>(group: Group<M, L, V>, parts: &D, row: u32) -> Self {
        let floats = row_floats::<D, T>(parts);
        let from = part::<D, T>(parts, row, S::FLOATS * floats);
        // SAFETY: the part has a row for each float of a state.
        Self::loaded(|float| unsafe { group.load_row(from.add(float * floats)) })
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_shared<M: Block, const L: usize>(self, group: Group<M, L, V>, at: u32) {
        // SAFETY: the caller's.
        S::each(|float| unsafe { f32::store_shared(group, at + (float * L * V) as u32, self.floats(float)) });
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_shared<M: Block, const L: usize>(group: Group<M, L, V>, at: u32) -> Self {
        // SAFETY: the caller's.
        Self::loaded(|float| unsafe { f32::load_shared(group, at + (float * L * V) as u32) })
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row<X: Value>(&self, property: u32) -> Option<[X; V]> {
        if property == T::PROPERTY { cast(self.totals::<T::Operator>()) } else { None }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn scalar<X: Register>(&self, _property: u32) -> Option<X> {
        None
    }
}
