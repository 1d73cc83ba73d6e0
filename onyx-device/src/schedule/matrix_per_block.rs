//! Pull, a block for each vertex whose edges add up a matrix: each lane has a row of it, and all lanes together are one group.
//!
//! A matrix of more than 32 rows fills a warp's registers, but not a block's. What lanes need of each other, and the factor of a system of equations, lie in
//! shared memory ([`Joined`]). No row is cut, nothing is added to memory, and all is in the same order each time.

use crate::block::Block;
use crate::index::Vertex;
use crate::joined::Joined;
use crate::launch::{Known, Launch, Owned, Worker};
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::{EdgeRun, VertexRun};

/// The lanes of a warp.
const WARP: u32 = 32;

/// Launches of `matrix_per_block`: units are vertices, and the incoming edges have offsets. A block has `L` lanes, and
/// [`shared_floats`](crate::cholesky::shared_floats) of shared memory.
#[derive(Debug)]
pub struct MatrixPerBlock;

/// The body of the kernel `matrix_per_block`: a block of `L` lanes for each vertex.
#[cfg_attr(not(debug_assertions), inline(always))]
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
        let (sums, reached) = worker.gather_row(vertex);
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
    /// The sums over a row, and whether any edge reached the vertex. Each warp asks for as many edges at once as it has lanes, whether they count, and so finds
    /// the same as the others.
    ///
    /// # Safety
    /// The vertex exists, the incoming edges have offsets, and no other group has the row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn gather_row(&self, vertex: Vertex) -> (E::Sums<V>, bool) {
        let (machine, incoming) = (self.machine(), &self.arguments.incoming);
        let (mut sums, mut reached) = (E::Sums::<V>::zero(), false);
        // SAFETY: the caller's.
        let (mut first, end) = unsafe {
            (incoming.offset(machine, u64::from(vertex.0)), incoming.offset(machine, u64::from(vertex.0) + 1))
        };
        while first < end {
            // SAFETY: the edges are of the row.
            reached |= unsafe { self.gather_votes(vertex, first, self.votes(vertex, first, end), &mut sums) };
            first += u64::from(WARP);
        }
        (sums, reached)
    }

    /// Which of the edges from `first` on, one for each lane of a warp, count: those that are there, and where it takes an active source have one.
    ///
    /// # Safety
    /// As [`Worker::gather_row`], and edges `first..end` are of the row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn votes(&self, vertex: Vertex, first: u64, end: u64) -> u32 {
        let Joined(machine) = self.machine();
        let own = first + u64::from(machine.lane());
        // SAFETY: the edge exists.
        let edge = unsafe { Known::claim(self.arguments.incoming_edge::<_, E>(machine, vertex, own.min(end - 1))) };
        machine.ballot(u32::MAX, own < end && (!E::IS_ACTIVE || self.is_active(edge.source())))
    }

    /// Runs the edge functions over the edges from `first` on that have a vote. The next one is loaded while one is computed: several at once would take
    /// registers that the matrix has.
    ///
    /// # Safety
    /// As [`Worker::gather_row`], and those edges are of the row.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn gather_votes(&self, vertex: Vertex, first: u64, votes: u32, sums: &mut E::Sums<V>) -> bool {
        let (mut votes, mut reached) = (votes, false);
        if votes == 0 {
            return false;
        }
        // SAFETY: the caller's; each edge is computed once.
        unsafe {
            let load = |votes: u32| {
                let position = first + u64::from(votes.trailing_zeros());
                let edge = self.arguments.incoming_edge::<_, E>(self.machine(), vertex, position);
                (edge, self.load_previous(&Known::claim(edge)))
            };
            let (mut edge, mut loads) = load(votes);
            while votes != 0 {
                let rest = votes & (votes - 1);
                let next = load(if rest == 0 { votes } else { rest });
                reached |= self.compute(&Owned::claim(edge), loads, sums);
                (votes, (edge, loads)) = (rest, next);
            }
        }
        reached
    }
}
