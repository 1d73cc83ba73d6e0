//! Pull, a block for each vertex whose edges add up a matrix: each lane has a row of it, and all lanes together are one group.
//!
//! A matrix of more than 32 rows fills a warp's registers, but not a block's. What lanes need of each other, and the factor of a system of equations, lie in
//! shared memory ([`Joined`](crate::joined::Joined)). No row is cut, nothing is added to memory, and all is in the same order each time.

use crate::block::Block;
use crate::index::Vertex;
use crate::joined::Joined;
use crate::launch::{Known, Launch, Owned, Worker};
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::{EdgeRun, VertexRun};
use crate::schedule::{EDGES_IN_FLIGHT, has_large_edges};
use crate::unrolled::array;

/// The lanes of a warp.
const WARP: u32 = 32;
/// The votes of as many edges as a group has under way.
const SEVERAL: u32 = (1 << EDGES_IN_FLIGHT) - 1;

/// Launches of `matrix_per_block`: units are vertices, and the incoming edges have offsets. A block has `L` lanes, and
/// [`shared_floats`](crate::cholesky::shared_floats) of shared memory.
#[derive(Debug)]
pub struct MatrixPerBlock;

/// The body of the kernel `matrix_per_block`: a block of `L` lanes for each vertex.
#[inline(always)]
pub fn run<M, D, E, W, const L: usize, const V: usize>(launch: Launch<'_, M, D, E, W, MatrixPerBlock>)
where
    M: Block,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let launch = launch.joined::<L>();
    // The whole block returns, or none of it.
    let index = launch.arguments().units.first + launch.machine().block();
    if launch.is_done(index) {
        return;
    }
    let (worker, vertex) = (launch.worker::<L, V>(), Vertex(index as u32));
    // SAFETY: `MatrixPerBlock`: the unit is a vertex, which is the block's alone, and the block is one group.
    unsafe {
        let (sums, reached) =
            if E::IS_ACTIVE { worker.gather_active_row(vertex) } else { worker.gather_share(vertex, (0, 1)) };
        worker.finish(Owned::claim(vertex), sums, reached);
    }
}

impl<M, D, E, W, const L: usize, const V: usize> Worker<'_, Joined<M, L>, D, E, W, L, V>
where
    M: Block,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    /// The sums over the edges of a row whose sources are active, and whether there was one that reached the vertex. Each warp asks for as many edges at once as
    /// it has lanes, and so finds the same as the others.
    ///
    /// # Safety
    /// The vertex exists, the incoming edges have offsets, and no other group has the row.
    #[inline(always)]
    unsafe fn gather_active_row(&self, vertex: Vertex) -> (E::Sums<V>, bool) {
        let (machine, incoming) = (self.machine(), &self.arguments.incoming);
        let (mut sums, mut reached) = (E::Sums::<V>::zero(), false);
        // SAFETY: the caller's.
        let (mut first, end) = unsafe {
            (incoming.offset(machine, u64::from(vertex.0)), incoming.offset(machine, u64::from(vertex.0) + 1))
        };
        while first < end {
            // SAFETY: the edges are of the row.
            reached |= unsafe { self.gather_votes(vertex, first, self.active_sources(vertex, first, end), &mut sums) };
            first += u64::from(WARP);
        }
        (sums, reached)
    }

    /// Which of the edges from `first` on, one for each lane of a warp, begin at an active vertex.
    ///
    /// # Safety
    /// As [`Worker::gather_active_row`], and edges `first..end` are of the row.
    #[inline(always)]
    unsafe fn active_sources(&self, vertex: Vertex, first: u64, end: u64) -> u32 {
        let Joined(machine) = self.machine();
        let own = first + u64::from(machine.lane());
        // SAFETY: the edge exists.
        let edge = unsafe { Known::claim(self.arguments.incoming_edge::<_, E>(machine, vertex, own.min(end - 1))) };
        machine.ballot(u32::MAX, own < end && self.is_active(edge.source()))
    }

    /// Runs the edge functions over the edges from `first` on that have a vote.
    ///
    /// # Safety
    /// As [`Worker::gather_active_row`], and those edges are of the row.
    #[inline(always)]
    unsafe fn gather_votes(&self, vertex: Vertex, first: u64, votes: u32, sums: &mut E::Sums<V>) -> bool {
        let (mut votes, mut position, mut reached) = (votes, first, false);
        while votes != 0 {
            let skipped = votes.trailing_zeros();
            (votes, position) = (votes >> skipped, position + u64::from(skipped));
            // SAFETY: the caller's.
            let edge = |ahead: usize| unsafe { self.incoming_edge(vertex, position + ahead as u64) };
            let several = !const { has_large_edges::<D, E, L, V>() } && votes & SEVERAL == SEVERAL;
            let count = if several {
                reached |= self.gather_each::<EDGES_IN_FLIGHT>(array(edge), sums);
                EDGES_IN_FLIGHT as u32
            } else {
                reached |= self.gather_each::<1>(array(edge), sums);
                1
            };
            (votes, position) = (votes >> count, position + u64::from(count));
        }
        reached
    }
}
