//! The lowered form of user functions: what `#[edge_fn]` and `#[vertex_fn]` expand to.
//!
//! A function is lowered in two steps, so that a schedule can have the loads of several edges under way before it computes the first:
//! `load` brings every row and scalar that the function reads into the lane's registers, `compute` does the rest. What earlier functions of
//! the run have written is in registers already, and is not loaded.

use crate::access::{EdgeAccess, Version, VertexAccess};
use crate::group::Group;
use crate::index::{Edge, Vertex};
use crate::machine::Machine;
use crate::reduction::Accumulator;
use crate::registers::Registers;

/// A function marked with `#[edge_fn]`, lowered for data `D`.
///
/// # Safety
/// It reaches what `ACCESS` says, and nothing else.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a function of `{D}`",
    label = "all functions of a fold take `&mut` of the fold's data"
)]
pub unsafe trait EdgeFunction<D> {
    /// What the function reads, writes and reduces.
    const ACCESS: EdgeAccess;
    /// How many collaborative operations it has, in all branches.
    const OPERATIONS: usize = 0;
    /// How many products of a matrix with logarithms it makes, in all branches.
    const LOG_PRODUCTS: usize = 0;
    /// How many outer products it adds to totals as they are.
    const ADDED_PRODUCTS: usize = 0;
    /// Whether the lanes of a group meet in what is not such an operation: where they take from each other what lanes without features have not computed, or vote on what it returns.
    const MEETS: bool = false;
    /// What the function reads of one edge and its ends.
    type Loads<const V: usize>: Copy;
    /// What the function adds to the destination.
    type Sums<const V: usize>: Accumulator<D, V>;
    /// What the function writes of one edge.
    type Written<const V: usize>: Registers<D, V>;

    /// Loads what the function reads, but for what `T` says that earlier functions write.
    ///
    /// # Safety
    /// The edge exists, and nothing that is read is written at the same time.
    unsafe fn load<M: Machine, T: Version, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        edge: Edge,
        data: &D,
    ) -> Self::Loads<V>;

    /// Runs the function on what was loaded and on what earlier functions have left in registers; adds to `sums` and stores what it wrote.
    ///
    /// Returns what the function returned for any of its features, and what it wrote.
    ///
    /// # Safety
    /// As [`EdgeFunction::load`], and no other group writes the edge's properties.
    unsafe fn compute<M: Machine, G: Registers<D, V>, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        edge: Edge,
        data: &D,
        loads: Self::Loads<V>,
        registers: G,
        sums: &mut Self::Sums<V>,
    ) -> (bool, Self::Written<V>);
}

/// A function marked with `#[vertex_fn]`, lowered for data `D`.
///
/// # Safety
/// It reaches what `ACCESS` says, and nothing else.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a function of `{D}`",
    label = "all functions of a fold take `&mut` of the fold's data"
)]
pub unsafe trait VertexFunction<D> {
    /// What the function reads and writes.
    const ACCESS: VertexAccess;
    /// Whether it multiplies matrices of the graph where they lie, which groups of a warp do together.
    const MULTIPLIES: bool = false;
    /// Whether it returns true for every vertex.
    const GOES_ON: bool = false;
    /// The rows and matrices of the graph that the function reads: the same for all vertices.
    type Held<const V: usize>: Registers<D, V>;
    /// What the function reads of one vertex.
    type Loads<const V: usize>: Copy;
    /// What the function writes of one vertex.
    type Written<const V: usize>: Registers<D, V>;
    /// What the function adds to numbers and rows of the whole graph: its contributions, which it writes as well.
    type Totals<const V: usize>: Accumulator<D, V>;

    /// Loads the rows of the graph, for a group that has several vertices one after the other.
    ///
    /// # Safety
    /// They are there, and nothing writes them at the same time.
    unsafe fn hold<M: Machine, const L: usize, const V: usize>(group: Group<M, L, V>, data: &D) -> Self::Held<V>;

    /// Loads what the function reads, but for what is in registers and for what `T` says that earlier functions write.
    ///
    /// # Safety
    /// The vertex exists, and no other group writes it.
    unsafe fn load<M: Machine, T: Version, G: Registers<D, V>, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        vertex: Vertex,
        data: &D,
        registers: G,
    ) -> Self::Loads<V>;

    /// Runs the function on what was loaded and on what earlier functions have left in registers; stores what it wrote.
    ///
    /// Returns what the function returned for any of its features, and what it wrote. The type `G` says whether scratch is stored.
    ///
    /// # Safety
    /// As [`VertexFunction::load`].
    unsafe fn compute<M: Machine, G: Registers<D, V>, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        vertex: Vertex,
        data: &D,
        loads: Self::Loads<V>,
        registers: G,
    ) -> (bool, Self::Written<V>);
}
