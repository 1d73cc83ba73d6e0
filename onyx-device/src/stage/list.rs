//! The stages of a fold as types, with their functions.

use core::marker::PhantomData;

use crate::access::{EdgeAccess, Version, VertexAccess};
use crate::group::Group;
use crate::index::{Edge, Vertex};
use crate::machine::Machine;
use crate::property::GraphData;
use crate::registers::Registers;
use crate::run::{EdgeRun, VertexRun};

/// One stage: edge functions `E`, then vertex functions `W`.
pub struct Stage<E, W>(PhantomData<fn() -> (E, W)>);

/// The stages of a fold, `(Stage<E, W>, (Stage<E, W>, Passing<0>))`.
pub trait Stages<D: GraphData>: 'static {
    /// The edge functions of the first stage.
    type Edges: EdgeRun<D>;
    /// The vertex functions of the first stage.
    type Vertices: VertexRun<D>;
    /// The tracked properties whose arrays change places an odd number of times in an iteration of these stages.
    const EXCHANGES: u64;
    /// The scratch rows of vertices that some stage leaves for a later one.
    const PASSED: u64;

    /// Calls `visitor` with each stage, in order.
    fn each<N: EachStage<D>>(visitor: &N);

    /// Calls `visitor` with the functions of stage number `stage`.
    fn visit<N: StageVisitor<D>>(stage: usize, visitor: N) -> Option<N::Output>;
}

/// What is done with one stage of a fold.
pub trait StageVisitor<D: GraphData> {
    /// What it results in.
    type Output;

    /// Does it, for edge functions `E` and vertex functions `W`.
    fn visit<E: EdgeRun<D>, W: VertexRun<D>>(self) -> Self::Output;
}

/// What is done with each stage of a fold, one after the other.
pub trait EachStage<D: GraphData> {
    /// Does it, for edge functions `E` and vertex functions `W`. In the stages after it the arrays of `later` change places.
    fn stage<E: EdgeRun<D>, W: VertexRun<D>>(&self, later: u64);
}

/// The end of stages of which some leave the scratch rows of vertices `P` for later ones.
#[derive(Debug)]
pub struct Passing<const P: u64>(());

impl<D: GraphData, const P: u64> Stages<D> for Passing<P> {
    type Edges = ();
    type Vertices = ();
    const EXCHANGES: u64 = 0;
    const PASSED: u64 = P;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn each<N: EachStage<D>>(_: &N) {}

    fn visit<N: StageVisitor<D>>(_: usize, _: N) -> Option<N::Output> {
        None
    }
}

impl<D: GraphData, E: EdgeRun<D>, W: VertexRun<D>, R: Stages<D>> Stages<D> for (Stage<E, W>, R) {
    type Edges = E;
    type Vertices = W;
    const EXCHANGES: u64 = D::TRACKED & W::ACCESS.writes ^ R::EXCHANGES;
    const PASSED: u64 = R::PASSED;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn each<N: EachStage<D>>(visitor: &N) {
        visitor.stage::<E, W>(R::EXCHANGES);
        R::each(visitor);
    }

    fn visit<N: StageVisitor<D>>(stage: usize, visitor: N) -> Option<N::Output> {
        match stage.checked_sub(1) {
            None => Some(visitor.visit::<E, W>()),
            Some(later) => R::visit(later, visitor),
        }
    }
}

/// The run `R`, with flags that say how its stage runs.
pub struct Staged<R, const FLAGS: u32>(PhantomData<fn() -> R>);

// SAFETY: the run does so.
unsafe impl<D: GraphData, R: EdgeRun<D>, const FLAGS: u32> EdgeRun<D> for Staged<R, FLAGS> {
    const IS_EMPTY: bool = R::IS_EMPTY;
    const ACCESS: EdgeAccess = R::ACCESS;
    const OPERATIONS: usize = R::OPERATIONS;
    const LOG_PRODUCTS: usize = R::LOG_PRODUCTS;
    const ADDED_PRODUCTS: usize = R::ADDED_PRODUCTS;
    const FIRST_ADDED_PRODUCTS: usize = R::FIRST_ADDED_PRODUCTS;
    const MEETS: bool = R::MEETS;
    const FLAGS: u32 = FLAGS;
    type Loads<const V: usize> = R::Loads<V>;
    type Sums<const V: usize> = R::Sums<V>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load<M: Machine, T: Version, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        edge: Edge,
        data: &D,
    ) -> Self::Loads<V> {
        // SAFETY: the caller's.
        unsafe { R::load::<M, T, L, V>(group, edge, data) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn compute_after<M: Machine, G: Registers<D, V>, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        edge: Edge,
        data: &D,
        loads: Self::Loads<V>,
        registers: G,
        sums: &mut Self::Sums<V>,
    ) -> bool {
        // SAFETY: the caller's.
        unsafe { R::compute_after(group, edge, data, loads, registers, sums) }
    }
}

// SAFETY: the run does so.
unsafe impl<D: GraphData, R: VertexRun<D>, const FLAGS: u32> VertexRun<D> for Staged<R, FLAGS> {
    const IS_EMPTY: bool = R::IS_EMPTY;
    const ACCESS: VertexAccess = R::ACCESS;
    const FIRST_WRITES: u64 = R::FIRST_WRITES;
    const JOINS: bool = R::JOINS;
    const FLAGS: u32 = FLAGS;
    type Held<const V: usize> = R::Held<V>;
    type Loads<const V: usize> = R::Loads<V>;
    type Totals<const V: usize> = R::Totals<V>;

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn hold<M: Machine, const L: usize, const V: usize>(group: Group<M, L, V>, data: &D) -> Self::Held<V> {
        // SAFETY: the caller's.
        unsafe { R::hold(group, data) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load<M: Machine, T: Version, G: Registers<D, V>, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        vertex: Vertex,
        data: &D,
        registers: G,
    ) -> Self::Loads<V> {
        // SAFETY: the caller's.
        unsafe { R::load::<M, T, G, L, V>(group, vertex, data, registers) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn compute_after<M: Machine, G: Registers<D, V>, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        vertex: Vertex,
        data: &D,
        loads: Self::Loads<V>,
        registers: G,
    ) -> bool {
        // SAFETY: the caller's.
        unsafe { R::compute_after(group, vertex, data, loads, registers) }
    }
}
