//! Edges on the CPU whose products with logarithms are made together, a number of each in a vector: those of a row, or of rows that follow each other.

use core::ops::Range;

use crate::index::{Edge, Vertex};
use crate::launch::{Owned, Worker};
use crate::log_products::{Given, Noter, Notes};
use crate::machine::Machine;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::{EdgeRun, VertexRun};
use crate::schedule::looking_ahead::fetches;
use crate::unrolled::each;

/// How many edges of a row are taken together: a vector of every processor, and as many as most rows of a grid have.
pub(super) const TOGETHER_IN_A_ROW: usize = 4;
/// How many are where they may be of several rows: the widest vector that code is compiled for.
const TOGETHER: usize = 8;
/// The most features of such rows. To note the matrices of more takes longer than it saves (`docs/performance.md`).
const MOST_FEATURES: usize = 4;

/// Whether products with logarithms are made for several edges together, for which functions run twice: rows are no vectors by themselves, or short ones, and functions do
/// nothing but to write values of their edge.
pub(super) const fn multiplies_together<D: GraphData, E: EdgeRun<D>, const V: usize>() -> bool {
    let does_nothing_else = E::ACCESS.gathers == 0 && E::ACCESS.adds == 0 && E::ACCESS.reduces == 0;
    V > 1 && V <= MOST_FEATURES && E::LOG_PRODUCTS > 0 && does_nothing_else
}

/// Whether edges of several rows are taken together: so are their products, and nothing is done for a row when its edges are done.
pub const fn crosses_rows<D: GraphData, E: EdgeRun<D>, W: VertexRun<D>, const V: usize>() -> bool {
    multiplies_together::<D, E, V>() && W::IS_EMPTY && E::IS_SILENT
}

impl<M, D, E, W, const V: usize> Worker<'_, M, D, E, W, 1, V>
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    /// Runs the edge functions on all edges of `rows`, of which vertex `row` has those of `edges_of(row)`; what they read is fetched ahead for edges up to `last`.
    ///
    /// # Safety
    /// As [`Worker::gather`], for all of these rows.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn gather_across_rows(&self, rows: Range<u32>, last: u64, edges_of: impl Fn(u32) -> Range<u64>) {
        let (mut rows, mut vertex, mut left) = (rows, Vertex(0), 0..0);
        let next = || {
            while left.is_empty() {
                vertex = Vertex(rows.next()?);
                left = edges_of(vertex.0);
            }
            let position = left.next()?;
            if const { fetches::<D, V>() } && position.is_multiple_of(TOGETHER as u64) {
                // SAFETY: the caller's.
                unsafe { self.fetch_after(vertex, &(position..position + TOGETHER as u64), last) };
            }
            Some((vertex, position))
        };
        // SAFETY: the caller's.
        unsafe { self.gather_log_products::<TOGETHER>(next, &mut E::Sums::<V>::zero()) };
    }

    /// Runs the edge functions on all edges that come next, `N` at a time.
    ///
    /// # Safety
    /// As [`Worker::gather`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn gather_log_products<const N: usize>(
        &self,
        mut next: impl FnMut() -> Option<(Vertex, u64)>,
        sums: &mut E::Sums<V>,
    ) -> bool {
        let mut reached = false;
        loop {
            // SAFETY: the caller's.
            let (edges, taken) = unsafe { self.next_active::<N>(&mut next) };
            if taken == 0 {
                return reached;
            }
            // SAFETY: the caller's.
            reached |= unsafe { self.multiply_together(&edges, taken, sums) };
        }
    }

    /// Runs the edge functions on the first `taken` of some edges.
    ///
    /// # Safety
    /// As [`Worker::gather`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn multiply_together<const N: usize>(
        &self,
        edges: &[(Vertex, u64); N],
        taken: usize,
        sums: &mut E::Sums<V>,
    ) -> bool {
        // SAFETY: the caller's.
        let edge = |number: usize| unsafe { self.incoming_edge(edges[number].0, edges[number].1) };
        let notes = Notes::<V, N>::default();
        each::<N>(|number| {
            if number < taken {
                let noter = Noter { lane: self.machine(), notes: &notes, edge: number };
                self.compute_loading(noter, &edge(number), &mut E::Sums::<V>::zero());
            }
        });
        let Some(products) = notes.products(self.group) else {
            return (0..taken).fold(false, |any, number| any | self.compute_alone(&edge(number), sums));
        };
        let mut reached = false;
        each::<N>(|number| {
            if number < taken {
                let given = Given { lane: self.machine(), products: &products, edge: number };
                reached |= self.compute_loading(given, &edge(number), sums);
            }
        });
        reached
    }

    /// Runs the edge functions on an edge, where that is seldom.
    #[cold]
    #[inline(never)]
    fn compute_alone(&self, edge: &Owned<Edge>, sums: &mut E::Sums<V>) -> bool {
        self.compute(edge, self.load_previous(edge.known()), sums)
    }
}
