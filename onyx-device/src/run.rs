//! Runs: maximal sequences of edge functions, or of vertex functions, that share one traversal.
//!
//! A run is a nested pair, `(first, (second, ()))`, so that the order of the functions and the progress rule (`false` stops the rest) are
//! resolved at compile time.

use core::marker::PhantomData;

use crate::access::{EdgeAccess, Version, VertexAccess};
use crate::function::{EdgeFunction, VertexFunction};
use crate::group::Group;
use crate::index::{Edge, Vertex};
use crate::machine::Machine;
use crate::property::{GraphData, scalars};
use crate::reduction::Accumulator;
use crate::registers::{Registers, StoresScratch};
use crate::stage;

/// A sequence of edge functions.
///
/// # Safety
/// It reaches what `ACCESS` says, and nothing else.
pub unsafe trait EdgeRun<D: GraphData>: 'static {
    /// Whether there is no function at all.
    const IS_EMPTY: bool;
    /// The accesses of all functions.
    const ACCESS: EdgeAccess;
    /// How its stage runs: see [`crate::stage`].
    const FLAGS: u32 = 0;
    /// Whether the functions run along edges of active sources alone.
    const IS_ACTIVE: bool = Self::FLAGS & stage::ACTIVE != 0;
    /// Whether what the functions return marks no vertex.
    const IS_SILENT: bool = Self::FLAGS & stage::SILENT != 0;
    /// Whether what was reduced is stored, though vertex functions have used it.
    const IS_KEPT: bool = Self::FLAGS & stage::KEPT != 0;
    /// Whether the fold has other stages, so that marks say what is active in the end.
    const IS_OF_SEVERAL: bool = Self::FLAGS & stage::OF_SEVERAL != 0;
    /// Whether the functions reduce into the sources of their edges.
    const IS_REVERSED: bool = Self::FLAGS & stage::REVERSED != 0;
    /// What the functions read at the end of their edge that they reduce into.
    const READS_OWN: u64 = if Self::IS_REVERSED { Self::ACCESS.reads_source } else { Self::ACCESS.reads_destination };
    /// Whether the marks that an earlier stage has left must stay until the vertex functions run.
    const KEEPS_MARKS: bool = Self::FLAGS & (stage::SILENT | stage::FOLLOWS) != 0;
    /// How many collaborative operations they have, in all branches.
    const OPERATIONS: usize = 0;
    /// How many products of a matrix with logarithms they make, in all branches.
    const LOG_PRODUCTS: usize = 0;
    /// How many outer products they add to totals as they are.
    const ADDED_PRODUCTS: usize = 0;
    /// How many of them the first function adds, which always runs.
    const FIRST_ADDED_PRODUCTS: usize = 0;
    /// Whether the lanes of a group meet in one: see [`EdgeFunction::MEETS`].
    const MEETS: bool = false;
    /// What the functions read of one edge.
    type Loads<const V: usize>: Copy;
    /// What the functions add to the destination.
    type Sums<const V: usize>: Accumulator<D, V>;

    /// Loads what the functions read.
    ///
    /// # Safety
    /// As [`EdgeFunction::load`].
    unsafe fn load<M: Machine, T: Version, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        edge: Edge,
        data: &D,
    ) -> Self::Loads<V>;

    /// Runs the functions in order, until one returns false. Returns whether all returned true.
    ///
    /// # Safety
    /// As [`EdgeFunction::compute`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn compute<M: Machine, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        edge: Edge,
        data: &D,
        loads: Self::Loads<V>,
        sums: &mut Self::Sums<V>,
    ) -> bool {
        // SAFETY: the caller's.
        unsafe { Self::compute_after(group, edge, data, loads, (), sums) }
    }

    /// [`EdgeRun::compute`] after functions that have left `registers`.
    ///
    /// # Safety
    /// As [`EdgeFunction::compute`].
    unsafe fn compute_after<M: Machine, G: Registers<D, V>, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        edge: Edge,
        data: &D,
        loads: Self::Loads<V>,
        registers: G,
        sums: &mut Self::Sums<V>,
    ) -> bool;
}

// SAFETY: there is no function.
unsafe impl<D: GraphData> EdgeRun<D> for () {
    const IS_EMPTY: bool = true;
    const ACCESS: EdgeAccess = EdgeAccess::NONE;
    type Loads<const V: usize> = ();
    type Sums<const V: usize> = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load<M: Machine, T: Version, const L: usize, const V: usize>(_: Group<M, L, V>, _: Edge, _: &D) {}

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn compute_after<M: Machine, G: Registers<D, V>, const L: usize, const V: usize>(
        _: Group<M, L, V>,
        _: Edge,
        _: &D,
        (): (),
        _: G,
        (): &mut (),
    ) -> bool {
        true
    }
}

// SAFETY: the functions do so.
unsafe impl<D: GraphData, H: EdgeFunction<D> + 'static, R: EdgeRun<D>> EdgeRun<D> for (H, R) {
    const IS_EMPTY: bool = false;
    const ACCESS: EdgeAccess = H::ACCESS.union(R::ACCESS);
    const OPERATIONS: usize = H::OPERATIONS + R::OPERATIONS;
    const LOG_PRODUCTS: usize = H::LOG_PRODUCTS + R::LOG_PRODUCTS;
    const ADDED_PRODUCTS: usize = H::ADDED_PRODUCTS + R::ADDED_PRODUCTS;
    const FIRST_ADDED_PRODUCTS: usize = H::ADDED_PRODUCTS;
    const MEETS: bool = H::MEETS || R::MEETS;
    type Loads<const V: usize> = (H::Loads<V>, R::Loads<V>);
    type Sums<const V: usize> = (H::Sums<V>, R::Sums<V>);

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load<M: Machine, T: Version, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        edge: Edge,
        data: &D,
    ) -> Self::Loads<V> {
        // SAFETY: the caller's.
        unsafe {
            (
                H::load::<M, T, L, V>(group, edge, data),
                R::load::<M, AfterEdgeFunction<D, H, T>, L, V>(group, edge, data),
            )
        }
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
        unsafe {
            let (goes_on, written) = H::compute(group, edge, data, loads.0, registers, &mut sums.0);
            goes_on && R::compute_after(group, edge, data, loads.1, (written, registers), &mut sums.1)
        }
    }
}

/// A sequence of vertex functions.
///
/// # Safety
/// It reaches what `ACCESS` says, and nothing else.
pub unsafe trait VertexRun<D: GraphData>: 'static {
    /// Whether there is no function at all.
    const IS_EMPTY: bool;
    /// The accesses of all functions.
    const ACCESS: VertexAccess;
    /// What the first function, which always runs, writes.
    const FIRST_WRITES: u64;
    /// Whether a function has something to do along with other groups of its warp, [`VertexFunction::MULTIPLIES`], which all of them come to.
    const JOINS: bool = false;
    /// How its stage runs: see [`crate::stage`].
    const FLAGS: u32 = 0;
    /// Whether the functions run only where those of an earlier stage returned true.
    const FOLLOWS: bool = Self::FLAGS & stage::FOLLOWS != 0;
    /// Whether what the functions add to totals of the graph meets in blocks.
    const GATHERS_TOTALS: bool = Self::FLAGS & stage::GATHERS_TOTALS != 0;
    /// Whether no function of the fold may return false.
    const NEVER_STOPS: bool = Self::FLAGS & stage::NEVER_STOPS != 0;

    /// The rows and matrices of the graph that the functions read.
    type Held<const V: usize>: Registers<D, V>;
    /// What the functions read of one vertex.
    type Loads<const V: usize>: Copy;

    /// What the functions add to numbers and rows of the whole graph.
    type Totals<const V: usize>: Accumulator<D, V>;

    /// Loads the rows of the graph.
    ///
    /// # Safety
    /// As [`VertexFunction::hold`].
    unsafe fn hold<M: Machine, const L: usize, const V: usize>(group: Group<M, L, V>, data: &D) -> Self::Held<V>;

    /// Loads what the functions read, but for what is in `registers` and what earlier functions write.
    ///
    /// The first function reads at `T`, the later ones at the current value, or at that of `T` which scalars begin with.
    ///
    /// # Safety
    /// As [`VertexFunction::load`].
    unsafe fn load<M: Machine, T: Version, G: Registers<D, V>, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        vertex: Vertex,
        data: &D,
        registers: G,
    ) -> Self::Loads<V>;

    /// Runs the functions in order on what was loaded, until one returns false. Returns whether all returned true.
    ///
    /// # Safety
    /// As [`VertexFunction::compute`].
    unsafe fn compute_after<M: Machine, G: Registers<D, V>, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        vertex: Vertex,
        data: &D,
        loads: Self::Loads<V>,
        registers: G,
    ) -> bool;

    /// Loads what all functions read, so that no load waits for an operation of an earlier function, and runs them.
    ///
    /// # Safety
    /// As [`VertexFunction::compute`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn run<M: Machine, T: Version, G: Registers<D, V>, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        vertex: Vertex,
        data: &D,
        registers: G,
    ) -> bool {
        // SAFETY: the caller's.
        unsafe {
            let loads = Self::load::<M, T, G, L, V>(group, vertex, data, registers);
            Self::compute_after(group, vertex, data, loads, registers)
        }
    }
}

// SAFETY: there is no function.
unsafe impl<D: GraphData> VertexRun<D> for () {
    const IS_EMPTY: bool = true;
    const ACCESS: VertexAccess = VertexAccess::NONE;
    const FIRST_WRITES: u64 = 0;
    type Held<const V: usize> = ();
    type Loads<const V: usize> = ();
    type Totals<const V: usize> = ();

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn hold<M: Machine, const L: usize, const V: usize>(_: Group<M, L, V>, _: &D) {}

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load<M: Machine, T: Version, G: Registers<D, V>, const L: usize, const V: usize>(
        _: Group<M, L, V>,
        _: Vertex,
        _: &D,
        _: G,
    ) {
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn compute_after<M: Machine, G: Registers<D, V>, const L: usize, const V: usize>(
        _: Group<M, L, V>,
        _: Vertex,
        _: &D,
        (): (),
        registers: G,
    ) -> bool {
        if const { G::TAKEN != 0 } {
            registers.take(&registers);
        }
        true
    }
}

// SAFETY: the functions do so.
unsafe impl<D: GraphData, H: VertexFunction<D> + 'static, R: VertexRun<D>> VertexRun<D> for (H, R) {
    const IS_EMPTY: bool = false;
    const ACCESS: VertexAccess = H::ACCESS.union(R::ACCESS);
    const FIRST_WRITES: u64 = H::ACCESS.writes;
    const JOINS: bool = H::MULTIPLIES || H::GOES_ON && R::JOINS;
    type Held<const V: usize> = (H::Held<V>, R::Held<V>);
    type Loads<const V: usize> = (H::Loads<V>, R::Loads<V>);
    type Totals<const V: usize> = (H::Totals<V>, R::Totals<V>);

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn hold<M: Machine, const L: usize, const V: usize>(group: Group<M, L, V>, data: &D) -> Self::Held<V> {
        // SAFETY: the caller's.
        unsafe { (H::hold(group, data), R::hold(group, data)) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load<M: Machine, T: Version, G: Registers<D, V>, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        vertex: Vertex,
        data: &D,
        registers: G,
    ) -> Self::Loads<V> {
        // SAFETY: the caller's.
        unsafe {
            let first = H::load::<M, T, G, L, V>(group, vertex, data, registers);
            (first, R::load::<M, AfterVertexFunction<D, H, T>, G, L, V>(group, vertex, data, registers))
        }
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
        unsafe {
            let (goes_on, written) = H::compute(group, vertex, data, loads.0, registers);
            if const { G::TAKEN != 0 } && !goes_on {
                registers.take(&(written, registers));
            }
            let group = if const { H::GOES_ON } { group } else { group.alone() };
            goes_on && R::compute_after(group, vertex, data, loads.1, (written, registers))
        }
    }
}

/// The run `R` with its scratch properties `P` in memory, for functions that another kernel or a later stage runs.
///
/// What it writes of scratch is stored as well, what no function before has left in registers is loaded.
#[derive(Debug)]
pub struct ScratchInMemory<R, const P: u64>(PhantomData<fn() -> R>);

// SAFETY: the run does so.
unsafe impl<D: GraphData, R: EdgeRun<D>, const P: u64> EdgeRun<D> for ScratchInMemory<R, P> {
    const IS_EMPTY: bool = R::IS_EMPTY;
    const ACCESS: EdgeAccess = R::ACCESS;
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
        unsafe { R::compute_after(group, edge, data, loads, StoresScratch::<_, P>(registers), sums) }
    }
}

// SAFETY: the run does so.
unsafe impl<D: GraphData, R: VertexRun<D>, const P: u64> VertexRun<D> for ScratchInMemory<R, P> {
    const IS_EMPTY: bool = R::IS_EMPTY;
    const ACCESS: VertexAccess = R::ACCESS;
    const FIRST_WRITES: u64 = R::FIRST_WRITES;
    const JOINS: bool = R::JOINS;
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
        unsafe { R::compute_after(group, vertex, data, loads, StoresScratch::<_, P>(registers)) }
    }
}

/// Reads at `T` after the edge function `H`: what that writes of the edge is in registers.
pub struct AfterEdgeFunction<D, H, T>(PhantomData<(D, H, T)>);

impl<D, H, T> Clone for AfterEdgeFunction<D, H, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D, H, T> Copy for AfterEdgeFunction<D, H, T> {}

impl<D: GraphData, H: EdgeFunction<D>, T: Version> Version for AfterEdgeFunction<D, H, T> {
    const PREVIOUS: u64 = T::PREVIOUS;
    const WRITTEN: u64 = T::WRITTEN | H::ACCESS.writes_edge;
}

/// Reads at the current value after the vertex function `H`, whose writes are in registers, as are those before `T`.
pub struct AfterVertexFunction<D, H, T>(PhantomData<(D, H, T)>);

impl<D, H, T> Clone for AfterVertexFunction<D, H, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D, H, T> Copy for AfterVertexFunction<D, H, T> {}

impl<D: GraphData, H: VertexFunction<D>, T: Version> Version for AfterVertexFunction<D, H, T> {
    // The first tile alone has made current scalars the previous ones.
    const PREVIOUS: u64 = T::PREVIOUS & scalars(D::PROPERTIES);
    const WRITTEN: u64 = T::WRITTEN | H::ACCESS.writes;
    const GATHERED: u64 = T::GATHERED;
}

/// Reads the tracked properties that `W` writes at their previous value: what neighbors see while `W` runs.
pub struct PreviousVersion<D, W>(PhantomData<fn() -> (D, W)>);

impl<D, W> Clone for PreviousVersion<D, W> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<D, W> Copy for PreviousVersion<D, W> {}

impl<D: GraphData, W: VertexRun<D>> Version for PreviousVersion<D, W> {
    const PREVIOUS: u64 = D::TRACKED & W::ACCESS.writes;
}
