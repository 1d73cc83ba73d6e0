//! The states of a property with features whose weights are the same for all of them.

use core::marker::PhantomData;

use super::relative::{self, Meeting, is_relative};
use super::{State, begun, beyond, is_begun, never_added, part, row_floats};
use crate::block::Block;
use crate::group::Group;
use crate::index::Vertex;
use crate::machine::Machine;
use crate::operator::{StateOperator, Sum};
use crate::parts::{PartPlace, Parts, SHARED_FLOATS, row_stride};
use crate::reduction::{Accumulator, Target};
use crate::stored::Register;
use crate::streamed::streamed;
use crate::unrolled::{array, each};
use crate::value::{Value, cast};
use crate::weighing::Weighing;

/// Up to how many features a host takes the one of a row by a choice among all.
const FEW: usize = 8;

/// The lane's `V` states of a property with features, of which all but the first floats are the same for all features.
#[derive(Debug)]
pub struct SharedStates<T, S, const V: usize> {
    /// The first float of each feature.
    pub values: [f32; V],
    /// The others; the first one means nothing.
    pub shared: S,
    target: PhantomData<T>,
}

impl<T, S: Copy, const V: usize> Clone for SharedStates<T, S, V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, S: Copy, const V: usize> Copy for SharedStates<T, S, V> {}

impl<T, S: State, const V: usize> SharedStates<T, S, V> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn new(values: [f32; V], shared: S) -> Self {
        Self { values, shared: shared.with_first(0.0), target: PhantomData }
    }

    /// Combines a contribution into the state of the lane's feature `index`. What is shared, which is handed over apart so that it stays in registers, changes as well: each feature
    /// starts from the same, as it does with a scalar.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn take<O, M, const L: usize>(&mut self, group: Group<M, L, V>, shared: &mut S, index: usize, contribution: S)
    where
        O: StateOperator<State = S>,
        M: Machine,
    {
        match const { weighing::<O, M>() } {
            Weighing::Alone => self.take_alone::<O>(shared, index, O::admitted(contribution)),
            Weighing::Noted => *shared = O::noted(*shared, O::admitted(contribution)).with_first(0.0),
            Weighing::Given => self.values[index] += group.machine().weight() * contribution.get(0),
        }
    }

    /// Combines a contribution that nothing else is weighed with.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take_alone<O: StateOperator<State = S>>(&mut self, shared: &mut S, index: usize, contribution: S) {
        if const { V <= FEW && !cfg!(target_arch = "nvptx64") } {
            return self.take_by_constants::<O>(shared, index, contribution);
        }
        let state = O::combine(shared.with_first(self.values[index]), contribution);
        self.values[index] = state.get(0);
        *shared = state.with_first(0.0);
    }

    /// The same where each value is reached by a constant, so that what is shared stays in registers: weights are then computed once for all features.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take_by_constants<O: StateOperator<State = S>>(&mut self, shared: &mut S, index: usize, contribution: S) {
        let mut value = 0.0;
        each::<V>(|other| value = if other == index { self.values[other] } else { value });
        let state = O::combine(shared.with_first(value), contribution);
        each::<V>(|other| self.values[other] = if other == index { state.get(0) } else { self.values[other] });
        *shared = state.with_first(0.0);
    }

    /// The whole state of the lane's feature `index`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn state(&self, index: usize) -> S {
        self.shared.with_first(self.values[index])
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combined<O: StateOperator<State = S>>(self, other: Self) -> Self {
        let mut both = self;
        each::<V>(|index| {
            let state = O::combine(self.state(index), other.state(index));
            both.values[index] = state.get(0);
            both.shared = state.with_first(0.0);
        });
        both
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn totals<O: StateOperator<State = S>>(&self) -> [f32; V] {
        array(|index| O::finish(self.state(index)))
    }

    /// What is shared, where `load` gives the float of each number but the first.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn weights(mut load: impl FnMut(usize) -> f32) -> S {
        S::of(|float| if float == 0 { 0.0 } else { load(float) })
    }
}

impl<T, S: State, const V: usize> SharedStates<T, S, V> {
    /// Adds the states to those of their row, or stores them apart.
    ///
    /// # Safety
    /// As [`Accumulator::add_part`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn add_relative<D, M: Machine, const L: usize>(self, group: Group<M, L, V>, parts: &D, place: PartPlace)
    where
        T: Target<D, Operator: StateOperator<State = S>>,
    {
        let (reference, places) = (T::Operator::REFERENCE, |row| places::<D, T, M, L, V>(group, parts, row));
        let (own, (to, weights)) = (self.shared.get(reference), places(place.row));
        if own == f32::NEG_INFINITY {
            return;
        }
        // SAFETY: the caller's.
        unsafe {
            let Some(agreed) = meeting::<T::Operator>(weights).agree(group, own) else {
                Accumulator::<D, V>::store_part(self, group, parts, place.apart);
                let next = meeting::<T::Operator>(places(place.apart).1).list;
                return meeting::<T::Operator>(weights).leave(group, next, place.apart);
            };
            let added = T::Operator::relative_to(self.shared.with_first(1.0), agreed);
            group.reduce_row::<Sum>(to, self.values.map(|value| value * added.get(0)));
            each_weight::<S>(|float| {
                if float != reference {
                    group.reduce_scalar::<Sum, f32>(weights.wrapping_add(float), added.get(float));
                }
            });
        }
    }
}

/// Where the groups of a row meet whose shared floats lie there: the first one, which no state has, is the list.
#[cfg_attr(not(debug_assertions), inline(always))]
fn meeting<O: StateOperator>(shared: *mut f32) -> Meeting {
    Meeting { reference: shared.wrapping_add(O::REFERENCE), list: shared }
}

/// What a machine does with the contributions to totals of this operator.
const fn weighing<O: StateOperator, M: Machine>() -> Weighing {
    if O::WEIGHS { M::WEIGHING } else { Weighing::Alone }
}

/// Calls `body` with the number of each float that is shared.
#[cfg_attr(not(debug_assertions), inline(always))]
fn each_weight<S: State>(mut body: impl FnMut(usize)) {
    S::each(|float| {
        if float > 0 {
            body(float);
        }
    });
}

/// Where the part of a group lies in a row of the partials, and where the floats that its features share. Those of all heads follow the row's
/// features, of which a head's view begins with its own.
#[cfg_attr(not(debug_assertions), inline(always))]
fn places<D, T: Target<D>, M: Machine, const L: usize, const V: usize>(
    group: Group<M, L, V>,
    parts: &D,
    row: u32,
) -> (*mut f32, *mut f32) {
    let (floats, (head, heads)) = (row_floats::<D, T>(parts), group.heads());
    let place = part::<D, T>(parts, row, row_stride(floats, heads as usize * SHARED_FLOATS));
    let first = place.wrapping_sub(head as usize * L * V);
    (place, first.wrapping_add(floats + head as usize * SHARED_FLOATS))
}

// SAFETY: `Target`: the property is `T`'s alone.
unsafe impl<D, T, S, const V: usize> Accumulator<D, V> for SharedStates<T, S, V>
where
    T: Target<D>,
    T::Operator: StateOperator<State = S>,
    S: State,
{
    const LANE_FLOATS: usize = V * S::FLOATS;
    const PARTS: Parts = relative::parts::<T::Operator>(T::PROPERTY, 1, SHARED_FLOATS);
    const WEIGHS: usize = T::Operator::WEIGHS as usize;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn score(&self) -> (f32, bool) {
        T::Operator::score(self.shared)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn weigh<const N: usize>(&mut self, scores: [f32; N]) -> [f32; N] {
        let (shared, weights) = T::Operator::weigh(self.shared, scores);
        self.shared = shared;
        weights
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn is_finite(&self) -> bool {
        // 0 times a number that is not finite is none.
        let zeros = self.values.iter().fold(0.0, |all, value| all + 0.0 * value);
        T::Operator::has_finite_weights(self.shared) & (zeros == 0.0)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take_weights(&mut self, together: &Self) {
        if const { T::Operator::WEIGHS } && T::Operator::has_finite_weights(together.shared) {
            let settled = T::Operator::settled(together.shared);
            let reference = settled.get(T::Operator::REFERENCE);
            let moved = T::Operator::relative_to(self.shared.with_first(1.0), reference);
            each::<V>(|index| self.values[index] *= moved.get(0));
            self.shared = settled.with_first(0.0);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn settle_weights(&mut self) {
        if const { T::Operator::WEIGHS } {
            let settled = T::Operator::settled(self.shared.with_first(1.0));
            if settled.get(0) != 1.0 {
                each::<V>(|index| self.values[index] *= settled.get(0));
                self.shared = settled.with_first(0.0);
            }
        }
    }

    never_added!();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn zero() -> Self {
        Self::new([T::Operator::IDENTITY.get(0); V], T::Operator::IDENTITY)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn begun(edges: u32) -> Self {
        Self::new([T::Operator::IDENTITY.get(0); V], begun::<T::Operator>(edges))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combined_with(self, other: Self) -> Self {
        self.combined::<T::Operator>(other)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn join<M: Machine>(self, machine: M, lane_mask: u32) -> Self {
        let shuffle = |float: f32| machine.shuffle_xor(u32::MAX, float, lane_mask);
        let values = array(|index| shuffle(self.values[index]));
        self.combined::<T::Operator>(Self::new(values, Self::weights(|float| shuffle(self.shared.get(float)))))
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
        let (to, weights) = places::<D, T, M, L, V>(group, parts, row);
        // SAFETY: the part has the first floats of all features, then those that are shared, of each head.
        unsafe { group.store_row(to, self.values) }
        if group.keeps_scalars() {
            each_weight::<S>(|float| {
                // SAFETY: as above; one lane alone stores them.
                unsafe { group.machine().store(weights.wrapping_add(float), [self.shared.get(float)]) }
            });
            if const { is_relative::<T::Operator>() } {
                // SAFETY: as above.
                unsafe { group.machine().store(meeting::<T::Operator>(weights).list, [0.0]) }
            }
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn add_part<M: Machine, const L: usize>(self, group: Group<M, L, V>, parts: &D, place: PartPlace) {
        let (to, weights) = places::<D, T, M, L, V>(group, parts, place.row);
        if const { is_relative::<T::Operator>() } {
            // SAFETY: the caller's.
            return unsafe { self.add_relative::<D, M, L>(group, parts, place) };
        }
        // SAFETY: as `store_part`.
        unsafe { group.reduce_row::<Sum>(to, self.values) }
        each_weight::<S>(|float| {
            let added = beyond::<T::Operator>(float, self.shared.get(float), place.edges);
            if !is_begun::<T::Operator>(float) || added != 0.0 {
                // SAFETY: as above; one lane alone adds what is shared.
                unsafe { group.reduce_scalar::<Sum, f32>(weights.wrapping_add(float), added) }
            }
        });
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_part<M: Machine, const L: usize>(group: Group<M, L, V>, parts: &D, row: u32) -> Self {
        let (from, weights) = places::<D, T, M, L, V>(group, parts, row);
        // SAFETY: as `store_part` has left it.
        unsafe {
            let values = group.load_row(from);
            Self::new(values, Self::weights(|float| group.load_scalar(weights.wrapping_add(float))))
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_added<M: Machine, const L: usize>(group: Group<M, L, V>, parts: &D, row: u32) -> Self {
        let load = |row: u32| {
            // SAFETY: the caller's.
            unsafe { <Self as Accumulator<D, V>>::load_part(group, parts, row) }
        };
        if const { !is_relative::<T::Operator>() } {
            return load(row);
        }
        let meeting = |row: u32| meeting::<T::Operator>(places::<D, T, M, L, V>(group, parts, row).1);
        // SAFETY: the caller's.
        unsafe { relative::gathered(group.machine(), row, load, meeting, Self::combined::<T::Operator>) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_shared<M: Block, const L: usize>(self, group: Group<M, L, V>, at: u32) {
        // SAFETY: the caller's.
        unsafe {
            f32::store_shared(group, at, self.values);
            each_weight::<S>(|float| {
                let own = at + (float * L * V) as u32 + group.place();
                group.machine().store_shared(own, [self.shared.get(float)]);
            });
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_shared<M: Block, const L: usize>(group: Group<M, L, V>, at: u32) -> Self {
        // SAFETY: the caller's.
        unsafe {
            let values = f32::load_shared(group, at);
            let own = |float: usize| at + (float * L * V) as u32 + group.place();
            Self::new(values, Self::weights(|float| group.machine().load_shared::<1>(own(float))[0]))
        }
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
