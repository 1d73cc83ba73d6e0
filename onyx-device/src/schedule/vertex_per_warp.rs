//! Pull, a warp for each vertex: its groups of lanes take the edges of the row in turn, and their sums are joined by shuffles.
//!
//! No row is cut, so that nothing is added to memory; but a long row holds its warp up. For rows that are long and alike.

use crate::index::Vertex;
use crate::launch::{Launch, Owned, Worker};
use crate::machine::Machine;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::{EdgeRun, VertexRun};

/// Launches of `vertex_per_warp`: units are vertices, whose rows have [`MOST_EDGES`](crate::schedule::incoming::MOST_EDGES) at most, and the incoming edges have offsets.
#[derive(Debug)]
pub struct VertexPerWarp;

/// The body of the kernel `vertex_per_warp`: a warp for each vertex.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn run<M, D, E, W, const L: usize, const V: usize>(launch: Launch<'_, M, D, E, W, VertexPerWarp>)
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    launch.machine().let_next_begin();
    let index = launch.unit(32);
    if launch.is_done(index) {
        return;
    }
    let (machine, worker, vertex) = (launch.machine(), launch.worker::<L, V>(), Vertex(index as u32));
    // SAFETY: `VertexPerWarp`: the unit is a vertex, which is the warp's alone. One of its groups runs the vertex functions, on what all have read.
    unsafe {
        let share = (machine.lane() / L as u32, 32 / L as u32);
        let (sums, reached) = worker.gather_share(vertex, share);
        let sums = worker.join(sums);
        let reached = machine.ballot(u32::MAX, reached) != 0;
        if const { E::READS_OWN & W::ACCESS.writes & !D::TRACKED != 0 } {
            // One group writes what all groups have read.
            machine.synchronize(u32::MAX);
        }
        if machine.lane() < L as u32 {
            worker.finish(Owned::claim(vertex), sums, reached);
        }
    }
}

impl<M, D, E, W, const L: usize, const V: usize> Worker<'_, M, D, E, W, L, V>
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    /// The sums of the group's share of the row: of every edge `share.1` from number `share.0` on.
    ///
    /// # Safety
    /// The vertex exists, the incoming edges have offsets, and no other group has the share.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn gather_share(&self, vertex: Vertex, share: (u32, u32)) -> (E::Sums<V>, bool) {
        let (machine, incoming, (first, groups)) = (self.machine(), &self.arguments.incoming, share);
        // SAFETY: the caller's.
        unsafe {
            let begin = incoming.offset(machine, u64::from(vertex.0));
            let end = incoming.offset(machine, u64::from(vertex.0) + 1);
            self.gather_in_flight(vertex, begin + u64::from(first)..end, groups)
        }
    }

    /// The sums of all groups of the warp together, in each of them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn join(&self, sums: E::Sums<V>) -> E::Sums<V> {
        let mut sums = sums;
        let mut distance = L as u32;
        while distance < 32 {
            sums = sums.join(self.machine(), distance);
            distance *= 2;
        }
        sums
    }
}
