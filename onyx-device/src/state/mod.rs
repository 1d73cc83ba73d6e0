//! Totals that are states of a few floats: what a group keeps in registers of an operator that is more than a sum, product, minimum or maximum.
//!
//! States are joined as other totals are, by shuffles and through shared memory. Only their results lie in a property's memory, so that nothing can
//! be combined with what is there: the groups of a cut row store their states in rows of parts ([`crate::parts`]), and its `finish` merges them in
//! order, in every run. Where an operator adds floats, they add theirs to one such row instead, unless the same bits are asked for in every run; where these floats are relative to a number,
//! once they have agreed on one.

mod relative;
mod row;
mod scalar;
mod shared;

pub use row::RowStates;
pub use scalar::ScalarState;
pub use shared::SharedStates;

use crate::index::Vertex;
use crate::operator::StateOperator;
use crate::reduction::Target;
use crate::sealed::Sealed;

/// The most floats that a state has.
const MOST_FLOATS: usize = 4;

/// A few floats.
pub trait State: Sealed + Copy + 'static {
    /// How many, at least one.
    const FLOATS: usize;

    /// The state of what `make` gives for each number of a float.
    fn of(make: impl FnMut(usize) -> f32) -> Self;

    /// Calls `body` with each number of a float.
    fn each(body: impl FnMut(usize));

    /// The float of this number, below [`State::FLOATS`].
    fn get(self, index: usize) -> f32;

    /// What `change` makes of each float.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn map(self, mut change: impl FnMut(f32) -> f32) -> Self {
        Self::of(|index| change(self.get(index)))
    }

    /// A float by which states are compared: its bits come of those of all floats.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn digest(self) -> f32 {
        let mut bits = 0_u32;
        Self::each(|index| bits = bits.rotate_left(7) ^ self.get(index).to_bits());
        f32::from_bits(bits)
    }

    /// The same with another first float.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn with_first(self, first: f32) -> Self {
        Self::of(|index| if index == 0 { first } else { self.get(index) })
    }
}

macro_rules! states {
    ($($count:literal: $($index:literal),+;)+) => {
        $(impl State for [f32; $count] {
            const FLOATS: usize = $count;

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn of(mut make: impl FnMut(usize) -> f32) -> Self {
                [$(make($index)),+]
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn each(mut body: impl FnMut(usize)) {
                $(body($index);)+
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn get(self, index: usize) -> f32 {
                self[index]
            }
        })+
    };
}

states! {
    1: 0;
    2: 0, 1;
    3: 0, 1, 2;
    4: 0, 1, 2, 3;
}

/// Where the part in row number `row` begins, whose rows have this many floats.
#[cfg_attr(not(debug_assertions), inline(always))]
fn part<D, T: Target<D>>(parts: &D, row: u32, floats: usize) -> *mut f32 {
    T::place(parts, Vertex(0)).wrapping_add(row as usize * floats)
}

/// The floats from one row of a property with features to the next.
#[cfg_attr(not(debug_assertions), inline(always))]
fn row_floats<D, T: Target<D>>(parts: &D) -> usize {
    (T::place(parts, Vertex(1)).addr() - T::place(parts, Vertex(0)).addr()) / size_of::<f32>()
}

/// A state that has what so many contributions always bring of the floats after the first.
#[cfg_attr(not(debug_assertions), inline(always))]
fn begun<O: StateOperator>(edges: u32) -> O::State {
    let is_begun = |float| float > 0 && !relative::is_relative::<O>();
    O::State::of(|float| if is_begun(float) { edges as f32 * O::EACH.get(float) } else { O::IDENTITY.get(float) })
}

/// What groups of so many edges add to a part that has [`begun`] with what they bring.
#[cfg_attr(not(debug_assertions), inline(always))]
fn beyond<O: StateOperator>(float: usize, value: f32, edges: u32) -> f32 {
    if is_begun::<O>(float) { value - edges as f32 * O::EACH.get(float) } else { value }
}

/// Whether a part begins with what each contribution brings of a float, so that there is mostly nothing to add.
#[cfg_attr(not(debug_assertions), inline(always))]
fn is_begun<O: StateOperator>(float: usize) -> bool {
    float > 0 && O::EACH.get(float) != 0.0
}

/// What no fold with such totals does: it adds nothing to memory, and is not change-driven.
macro_rules! never_added {
    () => {
        #[cfg_attr(not(debug_assertions), inline(always))]
        fn change_from(self, _before: Self) -> Self {
            self
        }

        #[cfg_attr(not(debug_assertions), inline(always))]
        unsafe fn add<M: Machine, const L: usize>(self, _group: Group<M, L, V>, _data: &D, _vertex: Vertex) {}

        #[cfg_attr(not(debug_assertions), inline(always))]
        unsafe fn add_change<M: Machine, const L: usize>(self, _group: Group<M, L, V>, _data: &D, _vertex: Vertex) {}

        #[cfg_attr(not(debug_assertions), inline(always))]
        fn needs_recompute<M: Machine, const L: usize>(self, _changes: Self, _group: Group<M, L, V>) -> bool {
            false
        }

        #[cfg_attr(not(debug_assertions), inline(always))]
        unsafe fn load<M: Machine, const L: usize>(_group: Group<M, L, V>, _data: &D, _vertex: Vertex) -> Self {
            <Self as Accumulator<D, V>>::zero()
        }
    };
}

use never_added;

#[cfg(test)]
mod tests {
    use super::State;

    #[test]
    fn a_state_is_known_by_all_of_its_floats() {
        let state = [1.0_f32, -2.0, 0.5, 4.0];
        let others = (0..4).map(|other| <[f32; 4]>::of(|index| state[index] + f32::from(u8::from(index == other))));
        assert!(others.map(State::digest).all(|digest| digest.to_bits() != state.digest().to_bits()));
        assert_eq!(state.with_first(9.0), [9.0, -2.0, 0.5, 4.0]);
        assert_eq!([1.0_f32, 2.0].map(|float| 2.0 * float), State::map([1.0_f32, 2.0], |float| 2.0 * float));
    }
}
