//! What the functions of a run find in registers: the values that earlier functions of the run have written, and sums.
//!
//! An environment is a nested pair, the latest values first: `(third, (second, (first, sums)))`. Properties are known by their number, which
//! is a constant wherever one is asked for, so that nothing of the search is left in a kernel.

use core::cell::Cell;
use core::marker::PhantomData;

use crate::access::EdgeAccess;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::{EdgeRun, VertexRun};
use crate::stored::Register;
use crate::value::Value;

/// Values of one element, an edge or a vertex, that a group holds in registers.
pub trait Registers<D, const V: usize>: Copy {
    /// The scratch properties that are stored as well, for a function that another kernel or a later stage runs: see [`ScratchInMemory`](crate::run::ScratchInMemory).
    const SPILLED: u64 = 0;

    /// The properties that are taken from what functions leave in registers, so that they are not stored.
    const TAKEN: u64 = 0;

    /// Whether the vertex functions end the pull of a fold of one stage: what they store no other group reads in it.
    const PULLS: bool = false;

    /// The properties that edge functions read at the ends of their edges, or functions at an index, in a stage that [pulls](Registers::PULLS).
    const SHARED: u64 = 0;

    /// Takes those from what all functions have left that have run.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take(&self, _left: &impl Registers<D, V>) {}

    /// The lane's part of the rows of which a property is the outer product, if it is among these.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn factors(&self, _property: u32) -> Option<[[f32; V]; 2]> {
        None
    }

    /// The lane's part of a property with features, if it is among these. `X` is what it has for a feature.
    fn row<X: Value>(&self, property: u32) -> Option<[X; V]>;

    /// A scalar property, if it is among these. `X` is what it has.
    fn scalar<X: Register>(&self, property: u32) -> Option<X>;
}

/// The sums that a group has just computed.
#[derive(Debug)]
pub struct Sums<'a, A>(pub &'a A);

/// Nothing, but that edge functions `E` and vertex functions `W` pull.
#[derive(Debug)]
pub struct Pulled<E, W>(PhantomData<fn() -> (E, W)>);

impl<E, W> Pulled<E, W> {
    /// The only value.
    pub const BY_THEM: Self = Self(PhantomData);
}

impl<E, W> Clone for Pulled<E, W> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn clone(&self) -> Self {
        *self
    }
}

impl<E, W> Copy for Pulled<E, W> {}

impl<D: GraphData, const V: usize, E: EdgeRun<D>, W: VertexRun<D>> Registers<D, V> for Pulled<E, W> {
    // What another stage reads next may still be near then.
    const PULLS: bool = !E::IS_OF_SEVERAL;
    const SHARED: u64 = {
        let EdgeAccess { reads_source, reads_destination, gathers, .. } = E::ACCESS;
        reads_source | reads_destination | gathers | W::ACCESS.gathers
    };

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row<X: Value>(&self, _property: u32) -> Option<[X; V]> {
        None
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn scalar<X: Register>(&self, _property: u32) -> Option<X> {
        None
    }
}

/// The same values; the scratch properties `P` are stored as well.
#[derive(Clone, Copy, Debug)]
pub struct StoresScratch<G, const P: u64>(pub G);

/// Nothing, but what functions leave of some properties is combined into totals.
#[derive(Debug)]
pub struct Taking<'a, A: Copy>(pub &'a Cell<A>);

impl<A: Copy> Clone for Taking<'_, A> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn clone(&self) -> Self {
        *self
    }
}

impl<A: Copy> Copy for Taking<'_, A> {}

impl<D, const V: usize, A: Accumulator<D, V>> Registers<D, V> for Taking<'_, A> {
    const TAKEN: u64 = A::PROPERTIES;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take(&self, left: &impl Registers<D, V>) {
        self.0.set(self.0.get().with_left_in(left));
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row<X: Value>(&self, _property: u32) -> Option<[X; V]> {
        None
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn scalar<X: Register>(&self, _property: u32) -> Option<X> {
        None
    }
}

impl<A> Clone for Sums<'_, A> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for Sums<'_, A> {}

impl<D, const V: usize, A: Accumulator<D, V>> Registers<D, V> for Sums<'_, A> {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row<X: Value>(&self, property: u32) -> Option<[X; V]> {
        self.0.row(property)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn scalar<X: Register>(&self, property: u32) -> Option<X> {
        self.0.scalar(property)
    }
}

impl<D, const V: usize, G: Registers<D, V>, const P: u64> Registers<D, V> for StoresScratch<G, P> {
    const SPILLED: u64 = P;
    const TAKEN: u64 = G::TAKEN;
    const PULLS: bool = G::PULLS;
    const SHARED: u64 = G::SHARED;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take(&self, left: &impl Registers<D, V>) {
        self.0.take(left);
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn factors(&self, property: u32) -> Option<[[f32; V]; 2]> {
        self.0.factors(property)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row<X: Value>(&self, property: u32) -> Option<[X; V]> {
        self.0.row(property)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn scalar<X: Register>(&self, property: u32) -> Option<X> {
        self.0.scalar(property)
    }
}

impl<D, const V: usize> Registers<D, V> for () {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row<X: Value>(&self, _property: u32) -> Option<[X; V]> {
        None
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn scalar<X: Register>(&self, _property: u32) -> Option<X> {
        None
    }
}

impl<D, const V: usize, A: Registers<D, V>, B: Registers<D, V>> Registers<D, V> for (A, B) {
    const SPILLED: u64 = A::SPILLED | B::SPILLED;
    const TAKEN: u64 = A::TAKEN | B::TAKEN;
    const PULLS: bool = A::PULLS || B::PULLS;
    const SHARED: u64 = A::SHARED | B::SHARED;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take(&self, left: &impl Registers<D, V>) {
        if const { A::TAKEN != 0 } {
            self.0.take(left);
        }
        if const { B::TAKEN != 0 } {
            self.1.take(left);
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn factors(&self, property: u32) -> Option<[[f32; V]; 2]> {
        match self.0.factors(property) {
            None => self.1.factors(property),
            found => found,
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn row<X: Value>(&self, property: u32) -> Option<[X; V]> {
        match self.0.row(property) {
            None => self.1.row(property),
            found => found,
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn scalar<X: Register>(&self, property: u32) -> Option<X> {
        match self.0.scalar(property) {
            None => self.1.scalar(property),
            found => found,
        }
    }
}
