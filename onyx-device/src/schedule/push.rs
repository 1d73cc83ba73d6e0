//! Push of changes: groups of outgoing edges of active sources add what has changed to their destinations, atomically.
//!
//! The edge functions are evaluated twice, on the previous and on the current value of what is tracked; the difference is added, so that a
//! destination's sum over all of its edges stays right while only the edges of active sources are visited. The changes of one iteration are
//! collected apart from the sums; the vertex kernel adds them once.

use core::ops::Range;

use crate::access::CurrentVersion;
use crate::index::{Edge, Vertex};
use crate::launch::{Known, Launch, Owned, Shared, Worker};
use crate::machine::Machine;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::{EdgeRun, VertexRun};
use crate::schedule::{EDGES_IN_FLIGHT, has_large_edges};
use crate::unrolled::{array, each};

/// Launches of `push`: there are neighbor groups of outgoing edges, and changes beside the totals. No vertex function runs in the launch, and it reaches changes
/// and marks by `Worker::add_change` alone.
#[derive(Debug)]
pub struct Push;

/// The body of the kernel `push`: `L` lanes for each neighbor group of outgoing edges; those of inactive sources leave at once.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn run<M, D, E, W, const L: usize, const V: usize>(launch: Launch<'_, M, D, E, W, Push>)
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let (machine, outgoing) = (launch.machine(), &launch.arguments().outgoing);
    let index = machine.thread() / L as u64;
    if index >= outgoing.count || launch.is_over() {
        return;
    }
    // SAFETY: `Push`: the neighbor group exists, and is this group's alone.
    unsafe {
        let part = outgoing.part(machine, index);
        if launch.is_active(Known::claim(part.vertex)) {
            let worker = launch.worker::<L, V>();
            let (source, edges) = (part.vertex, part.begin..part.end);
            // A product is multiplied in a loop, which would keep the edges in flight in local memory.
            if const { has_large_edges::<D, E, L, V>() || E::ACCESS.multiplies != 0 } {
                worker.scatter::<1>(source, edges);
            } else {
                worker.scatter::<EDGES_IN_FLIGHT>(source, edges);
            }
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
    /// Adds the change of each edge at these positions among the outgoing ones to its destination, and marks the destinations.
    ///
    /// # Safety
    /// The launch is as said at [`Push`]; there are such edges of the source, and no other group has them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn scatter<const IN_FLIGHT: usize>(&self, source: Vertex, edges: Range<u64>) {
        let mut position = edges.start;
        // SAFETY: every chunk lies among the edges.
        unsafe {
            while position + IN_FLIGHT as u64 <= edges.end {
                self.scatter_chunk::<IN_FLIGHT>(source, position);
                position += IN_FLIGHT as u64;
            }
            if IN_FLIGHT > 2 && position + 2 <= edges.end {
                self.scatter_chunk::<2>(source, position);
                position += 2;
            }
            if IN_FLIGHT > 1 && position < edges.end {
                self.scatter_chunk::<1>(source, position);
            }
        }
    }

    /// Adds the changes of `N` outgoing edges, all of which are loaded first.
    ///
    /// # Safety
    /// As [`Worker::scatter`], and the edges are the source's, and this group's alone.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn scatter_chunk<const N: usize>(&self, source: Vertex, position: u64) {
        let machine = self.machine();
        // SAFETY: the caller's; `Push`: nothing that edge functions read is written.
        unsafe {
            let edges: [_; N] = array(|ahead| {
                Known::claim(self.arguments.outgoing_edge::<M, E>(machine, source, position + ahead as u64))
            });
            let now: [_; N] = array(|ahead| self.load::<CurrentVersion>(&edges[ahead]));
            let before = self.load_before::<N>(edges, now);
            each::<N>(|ahead| self.add_change(Owned::claim(edges[ahead].get()), now[ahead], before[ahead]));
        }
    }

    /// Loads what the functions read of each edge at the previous value; where it is not asked for, it is what they read `now`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn load_before<const N: usize>(
        &self,
        edges: [Known<Edge>; N],
        now: [E::Loads<V>; N],
    ) -> [E::Loads<V>; N] {
        if E::IS_ACTIVE {
            return now;
        }
        array(|ahead| self.load_previous(&edges[ahead]))
    }

    /// Adds what one edge has changed, from what was loaded of it now and before, and marks its destination.
    ///
    /// Where totals are over all edges, an edge that does not reach its destination, or no longer, has changed its total as well.
    ///
    /// # Safety
    /// The launch is as said at [`Push`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn add_change(&self, edge: Owned<Edge>, now: E::Loads<V>, before: E::Loads<V>) {
        let (mut sums, mut old) = (E::Sums::<V>::zero(), E::Sums::<V>::zero());
        let (group, pending, destination) = (self.group, &self.arguments.pending, edge.get().dst);
        // SAFETY: `Push`: the changes are reached atomically, and all groups store the same mark.
        unsafe {
            let reached = self.compute(&edge, now, &mut sums);
            if E::IS_ACTIVE {
                sums.add(group, pending, destination);
            } else {
                self.compute(&edge, before, &mut old);
                sums.change_from(old).add_change(group, pending, destination);
            }
            if (reached || !E::IS_ACTIVE) && !E::IS_SILENT {
                self.mark_shared(Shared::claim(destination));
            }
        }
    }
}
