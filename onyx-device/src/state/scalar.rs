//! The state of a scalar property.

use core::marker::PhantomData;

use super::relative::{self, Meeting, is_relative};
use super::{State, begun, beyond, is_begun, never_added, part};
use crate::block::Block;
use crate::group::Group;
use crate::index::Vertex;
use crate::machine::Machine;
use crate::operator::{StateOperator, Sum};
use crate::parts::{PartPlace, Parts};
use crate::reduction::{Accumulator, Target};
use crate::stored::{Register, same};
use crate::value::Value;

/// The state of a scalar property, the same in every lane of a group.
#[derive(Debug)]
pub struct ScalarState<T, S> {
    /// The state.
    pub state: S,
    target: PhantomData<T>,
}

impl<T, S: Copy> Clone for ScalarState<T, S> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, S: Copy> Copy for ScalarState<T, S> {}

impl<T, S: State> ScalarState<T, S> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    const fn new(state: S) -> Self {
        Self { state, target: PhantomData }
    }

    /// Combines a contribution into the state.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn take<O: StateOperator<State = S>>(&mut self, contribution: S) {
        self.state = O::combine(self.state, O::admitted(contribution));
    }
}

impl<T, S: State> ScalarState<T, S> {
    /// Adds the state to that of its row, or stores it apart.
    ///
    /// # Safety
    /// As [`Accumulator::add_part`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn add_relative<D, M: Machine, const L: usize, const V: usize>(
        self,
        group: Group<M, L, V>,
        parts: &D,
        at: PartPlace,
    ) where
        T: Target<D, Operator: StateOperator<State = S>>,
    {
        let (reference, part) = (T::Operator::REFERENCE, |row| place::<D, T, M, L, V>(group, parts, row));
        let (own, meeting) = (self.state.get(reference), meeting::<T::Operator>(part(at.row)));
        if own == f32::NEG_INFINITY {
            return;
        }
        // SAFETY: the caller's.
        unsafe {
            let Some(agreed) = meeting.agree(group, own) else {
                Accumulator::<D, V>::store_part(self, group, parts, at.apart);
                return meeting.leave(group, self::meeting::<T::Operator>(part(at.apart)).list, at.apart);
            };
            let added = T::Operator::relative_to(self.state, agreed);
            S::each(|float| {
                if float != reference {
                    group.reduce_scalar::<Sum, f32>(part(at.row).add(float), added.get(float));
                }
            });
        }
    }
}

/// The floats of a part: of the state, and of the list of those apart.
const fn floats<O: StateOperator>() -> usize {
    O::State::FLOATS + is_relative::<O>() as usize
}

/// Where the part of a group lies in a row of the partials, in which those of all heads follow each other.
#[cfg_attr(not(debug_assertions), inline(always))]
fn place<D, T, M: Machine, const L: usize, const V: usize>(group: Group<M, L, V>, parts: &D, row: u32) -> *mut f32
where
    T: Target<D, Operator: StateOperator>,
{
    let ((head, heads), floats) = (group.heads(), floats::<T::Operator>());
    let first = part::<D, T>(parts, row, heads as usize * floats).wrapping_sub(head as usize);
    first.wrapping_add(head as usize * floats)
}

/// Where the groups of a row whose part lies there meet.
#[cfg_attr(not(debug_assertions), inline(always))]
fn meeting<O: StateOperator>(part: *mut f32) -> Meeting {
    Meeting { reference: part.wrapping_add(O::REFERENCE), list: part.wrapping_add(O::State::FLOATS) }
}

// SAFETY: `Target`: the property is `T`'s alone.
unsafe impl<D, T, S, const V: usize> Accumulator<D, V> for ScalarState<T, S>
where
    T: Target<D>,
    T::Operator: StateOperator<State = S>,
    S: State,
{
    const LANE_FLOATS: usize = V * S::FLOATS;
    const PARTS: Parts = relative::parts::<T::Operator>(T::PROPERTY, floats::<T::Operator>(), 0);

    never_added!();

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn zero() -> Self {
        Self::new(T::Operator::IDENTITY)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn begun(edges: u32) -> Self {
        Self::new(begun::<T::Operator>(edges))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combined_with(self, other: Self) -> Self {
        Self::new(T::Operator::combine(self.state, other.state))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn join<M: Machine>(self, machine: M, lane_mask: u32) -> Self {
        let other = S::of(|float| machine.shuffle_xor(u32::MAX, self.state.get(float), lane_mask));
        Self::new(T::Operator::combine(self.state, other))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store<M: Machine, const L: usize>(self, group: Group<M, L, V>, data: &D, vertex: Vertex) {
        // SAFETY: the caller's.
        unsafe { group.store_scalar(T::place(data, vertex), T::Operator::finish(self.state)) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_part<M: Machine, const L: usize>(self, group: Group<M, L, V>, parts: &D, row: u32) {
        let to = place::<D, T, M, L, V>(group, parts, row);
        if group.keeps_scalars() {
            // SAFETY: the part has the floats of a state, which one lane alone stores, and where states are relative a list.
            unsafe {
                S::each(|float| group.machine().store(to.add(float), [self.state.get(float)]));
                if const { is_relative::<T::Operator>() } {
                    group.machine().store(to.add(S::FLOATS), [0.0]);
                }
            }
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn add_part<M: Machine, const L: usize>(self, group: Group<M, L, V>, parts: &D, at: PartPlace) {
        let to = place::<D, T, M, L, V>(group, parts, at.row);
        if const { is_relative::<T::Operator>() } {
            // SAFETY: the caller's.
            return unsafe { self.add_relative::<D, M, L, V>(group, parts, at) };
        }
        S::each(|float| {
            let added = beyond::<T::Operator>(float, self.state.get(float), at.edges);
            if !is_begun::<T::Operator>(float) || added != 0.0 {
                // SAFETY: the part has the floats of a state.
                unsafe { group.reduce_scalar::<Sum, f32>(to.add(float), added) }
            }
        });
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_part<M: Machine, const L: usize>(group: Group<M, L, V>, parts: &D, row: u32) -> Self {
        let from = place::<D, T, M, L, V>(group, parts, row);
        // SAFETY: as `store_part` has left it.
        Self::new(S::of(|float| unsafe { group.load_scalar(from.add(float)) }))
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
        let meeting = |row: u32| meeting::<T::Operator>(place::<D, T, M, L, V>(group, parts, row));
        // SAFETY: the caller's.
        unsafe { relative::gathered(group.machine(), row, load, meeting, <Self as Accumulator<D, V>>::combined_with) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_shared<M: Block, const L: usize>(self, group: Group<M, L, V>, at: u32) {
        let own = |float: usize| at + (float * L * V) as u32 + group.place();
        // SAFETY: the caller's.
        S::each(|float| unsafe { group.machine().store_shared(own(float), [self.state.get(float)]) });
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_shared<M: Block, const L: usize>(group: Group<M, L, V>, at: u32) -> Self {
        let own = |float: usize| at + (float * L * V) as u32 + group.place();
        // SAFETY: the caller's.
        Self::new(S::of(|float| unsafe { group.machine().load_shared::<1>(own(float))[0] }))
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row<X: Value>(&self, _property: u32) -> Option<[X; V]> {
        None
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn scalar<X: Register>(&self, property: u32) -> Option<X> {
        if property == T::PROPERTY { Some(same(T::Operator::finish(self.state))) } else { None }
    }
}
