//! What a push cannot do for products: destinations whose total cannot be corrected by quotients are computed again from all of their edges.
//!
//! It runs between a push and the vertex functions, while nothing else is written. A total is of each source's value at the end of the push:
//! the current one of active sources, the previous one of the others.

use core::ops::Range;

use crate::access::CurrentVersion;
use crate::index::Vertex;
use crate::launch::{Launch, Owned, Word, Worker};
use crate::machine::Machine;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::{EdgeRun, VertexRun};

const WORD: u32 = u32::BITS;

/// Launches of `recompute`: the incoming edges have offsets, there are changes beside the totals, and no vertex function runs in the launch.
#[derive(Debug)]
pub struct Recompute;

/// The body of the kernel `recompute`: a warp for each word of the active set, whose groups take the vertices that the kernel `vertex` will.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn run<M, D, E, W, const L: usize, const V: usize>(launch: Launch<'_, M, D, E, W, Recompute>)
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let word = launch.word();
    if launch.is_word_done(&word) {
        return;
    }
    let (machine, incoming) = (launch.machine(), &launch.arguments().incoming);
    let worker = launch.worker::<L, V>();
    let visited = machine.ballot(u32::MAX, is_visited(&launch, &word));
    let mut slot = machine.lane() / L as u32;
    while slot < WORD {
        if visited >> slot & 1 == 1 {
            let index = word.vertex(slot);
            // SAFETY: `Word`: the vertex is the warp's alone, of which one group has it. `Recompute`: there are offsets, and no vertex function runs.
            unsafe {
                let (begin, end) = (incoming.offset(machine, index), incoming.offset(machine, index + 1));
                worker.recompute(Owned::claim(Vertex(index as u32)), begin..end);
            }
        }
        slot += WORD / L as u32;
    }
}

/// Whether the kernel `vertex` will run on the lane's own vertex of the word.
#[cfg_attr(not(debug_assertions), inline(always))]
fn is_visited<M, D, E, W>(launch: &Launch<'_, M, D, E, W, Recompute>, word: &Word) -> bool
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let (machine, arguments) = (launch.machine(), launch.arguments());
    let index = word.own_vertex(machine);
    // SAFETY: `Word`: the word exists; the mark is read only where the vertex exists.
    unsafe {
        let active = machine.load_u32(arguments.active.add(word.number() as usize));
        let is_active = active >> machine.lane() & 1 == 1;
        index < arguments.vertex_count && (is_active || machine.load_mark(arguments.mark(machine, index)) != 0)
    }
}

impl<M, D, E, W, const L: usize, const V: usize> Worker<'_, M, D, E, W, L, V>
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    /// Computes the totals of one vertex again if they cannot take what was pushed to them. Its incoming edges are at the positions `row`.
    ///
    /// # Safety
    /// The launch is as said at [`Recompute`], and the positions are.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn recompute(&self, vertex: Owned<Vertex>, row: Range<u64>) {
        let (totals, changes) = (self.totals(vertex), self.changes(vertex));
        if self.group.any_lane(totals.needs_recompute(changes, self.group)) {
            // SAFETY: the caller's.
            let totals = unsafe { self.gather_after_push(vertex.get(), row) };
            self.store_totals(vertex, totals);
            self.clear_changes(vertex);
        }
    }

    /// The totals of all edges of the row, as the push has left them.
    ///
    /// # Safety
    /// As [`Worker::recompute`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn gather_after_push(&self, vertex: Vertex, row: Range<u64>) -> E::Sums<V> {
        let mut totals = E::Sums::<V>::zero();
        let mut position = row.start;
        while position < row.end {
            // SAFETY: the caller's: the edge is the vertex's. `Recompute`: nothing that edge functions read is written.
            unsafe {
                let edge = self.incoming_edge(vertex, position);
                let loads = if self.is_active(edge.known().source()) {
                    self.load::<CurrentVersion>(edge.known())
                } else {
                    self.load_previous(edge.known())
                };
                self.compute(&edge, loads, &mut totals);
            }
            position += 1;
        }
        totals
    }
}
