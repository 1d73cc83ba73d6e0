//! The lowered form of user functions: what `#[edge_fn]` and `#[vertex_fn]` expand to.
//!
//! A function is lowered in two steps, so that a schedule can have the loads of several edges under way before it computes the first:
//! `load` brings every row and scalar that the function reads into the lane's registers, `compute` does the rest.

use crate::access::{EdgeAccess, Time, VertexAccess};
use crate::group::Group;
use crate::index::{Edge, Vertex};
use crate::machine::Machine;
use crate::reduction::Accumulator;
use crate::value::Value;

/// A function marked with `#[edge_fn]`, lowered for data `D`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an edge function of `{D}`",
    label = "an edge function is written with `#[edge_fn]` and takes `&mut` of the fold's data"
)]
pub trait EdgeFunction<D> {
    /// What the function reads, writes and reduces.
    const ACCESS: EdgeAccess;
    /// What the function reads of one edge and its ends.
    type Loads<const V: usize>: Copy;
    /// What the function adds to the destination.
    type Sums<const V: usize>: Accumulator<D, V>;

    /// Loads what the function reads.
    ///
    /// # Safety
    /// The edge exists, and nothing that is read is written at the same time.
    unsafe fn load<M: Machine, T: Time, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        edge: Edge,
        data: &D,
    ) -> Self::Loads<V>;

    /// Runs the function on what was loaded, adds to `sums`, and returns what the function returned for any of its features.
    ///
    /// # Safety
    /// As [`EdgeFunction::load`], and no other group writes the edge's properties.
    unsafe fn compute<M: Machine, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        edge: Edge,
        data: &D,
        loads: Self::Loads<V>,
        sums: &mut Self::Sums<V>,
    ) -> bool;
}

/// A function marked with `#[vertex_fn]`, lowered for data `D`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a vertex function of `{D}`",
    label = "a vertex function is written with `#[vertex_fn]` and takes `&mut` of the fold's data"
)]
pub trait VertexFunction<D> {
    /// What the function reads and writes.
    const ACCESS: VertexAccess;
    /// What the function reads of one vertex.
    type Loads<const V: usize>: Copy;

    /// Loads what the function reads. Sums that the same group has just computed come from its registers.
    ///
    /// # Safety
    /// The vertex exists, and no other group writes it.
    unsafe fn load<M: Machine, T: Time, A: Accumulator<D, V>, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        vertex: Vertex,
        data: &D,
        sums: Sums<'_, A>,
    ) -> Self::Loads<V>;

    /// Runs the function on what was loaded, stores what it wrote, and returns what the function returned for any of its features.
    ///
    /// # Safety
    /// As [`VertexFunction::load`].
    unsafe fn compute<M: Machine, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        vertex: Vertex,
        data: &D,
        loads: Self::Loads<V>,
    ) -> bool;
}

/// The sums that a group has in registers, less those that an earlier vertex function of the fold has overwritten.
#[derive(Debug)]
pub struct Sums<'a, A> {
    /// The sums.
    pub accumulator: &'a A,
    /// Bit `i` is set if property `i` must be read from memory.
    pub hidden: u64,
}

impl<A> Clone for Sums<'_, A> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<A> Copy for Sums<'_, A> {}

impl<A> Sums<'_, A> {
    #[inline(always)]
    fn is_hidden(self, property: u32) -> bool {
        self.hidden >> property & 1 == 1
    }

    /// The lane's part of a property's sums, if the group has them in registers.
    #[inline(always)]
    pub fn row<D, X: Value, const V: usize>(self, property: u32) -> Option<[X; V]>
    where
        A: Accumulator<D, V>,
    {
        if self.is_hidden(property) { None } else { self.accumulator.row(property) }
    }

    /// A scalar property's sum, if the group has it in registers.
    #[inline(always)]
    pub fn scalar<D, const V: usize>(self, property: u32) -> Option<f32>
    where
        A: Accumulator<D, V>,
    {
        if self.is_hidden(property) { None } else { self.accumulator.scalar(property) }
    }
}
