//! Push of changes: groups of outgoing edges of active sources add what has changed to their destinations, atomically.
//!
//! The edge functions are evaluated twice, on the previous and on the current value of what is tracked; the difference is added, so that a
//! destination's sum over all of its edges stays right while only the edges of active sources are visited. The changes of one iteration are
//! collected apart from the sums; the vertex kernel adds them once.

use crate::access::CurrentVersion;
use crate::arguments::{Arguments, Part};
use crate::group::Group;
use crate::index::{Edge, Vertex};
use crate::machine::Machine;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::{EdgeRun, PreviousVersion, VertexRun};
use crate::schedule::{EDGES_IN_FLIGHT, has_large_edges};
use crate::unrolled::{array, each};

/// The body of the kernel `push`: `L` lanes for each neighbor group of outgoing edges; those of inactive sources leave at once.
///
/// # Safety
/// As [`crate::schedule::pull::run`].
#[inline(always)]
pub unsafe fn run<M, D, E, W, const L: usize, const V: usize>(machine: M, arguments: &Arguments<D>)
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let index = machine.thread() / L as u64;
    // SAFETY: the caller's.
    if index >= arguments.outgoing.count || unsafe { arguments.is_over(machine) } {
        return;
    }
    // SAFETY: the group exists, and its vertex has a bit.
    unsafe {
        let part = arguments.outgoing.part(machine, index);
        if arguments.is_active(machine, part.vertex) {
            let group = arguments.group::<M, L, V>(machine);
            // A product is multiplied in a loop, which would keep the edges in flight in local memory.
            if const { has_large_edges::<D, E, L, V>() || E::ACCESS.multiplies != 0 } {
                scatter::<M, D, E, W, L, V, 1>(group, arguments, part);
            } else {
                scatter::<M, D, E, W, L, V, EDGES_IN_FLIGHT>(group, arguments, part);
            }
        }
    }
}

/// Adds the change of each edge of `part` to its destination, and marks the destinations.
///
/// # Safety
/// The part is of outgoing edges; destinations are only reached atomically.
#[inline(always)]
pub unsafe fn scatter<M, D, E, W, const L: usize, const V: usize, const IN_FLIGHT: usize>(
    group: Group<M, L, V>,
    arguments: &Arguments<D>,
    part: Part,
) where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let mut position = part.begin;
    // SAFETY: every chunk lies inside the part.
    unsafe {
        while position + IN_FLIGHT as u64 <= part.end {
            scatter_chunk::<M, D, E, W, L, V, IN_FLIGHT>(group, arguments, part.vertex, position);
            position += IN_FLIGHT as u64;
        }
        if IN_FLIGHT > 2 && position + 2 <= part.end {
            scatter_chunk::<M, D, E, W, L, V, 2>(group, arguments, part.vertex, position);
            position += 2;
        }
        if IN_FLIGHT > 1 && position < part.end {
            scatter_chunk::<M, D, E, W, L, V, 1>(group, arguments, part.vertex, position);
        }
    }
}

/// Adds the changes of `N` outgoing edges, all of which are loaded first.
#[inline(always)]
unsafe fn scatter_chunk<M, D, E, W, const L: usize, const V: usize, const N: usize>(
    group: Group<M, L, V>,
    arguments: &Arguments<D>,
    source: Vertex,
    position: u64,
) where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    // SAFETY: the caller's.
    unsafe {
        let edges: [_; N] =
            array(|ahead| arguments.outgoing_edge::<M, E>(group.machine(), source, position + ahead as u64));
        let now: [_; N] = array(|ahead| E::load::<M, CurrentVersion, L, V>(group, edges[ahead], &arguments.data));
        let before = load_before::<M, D, E, W, L, V, N>(group, arguments, edges, now);
        each::<N>(|ahead| add_change::<M, D, E, L, V>(group, arguments, edges[ahead], now[ahead], before[ahead]));
    }
}

/// Loads what the functions read of each edge at the previous value; where it is not asked for, it is what they read `now`.
#[inline(always)]
pub(super) unsafe fn load_before<M, D, E, W, const L: usize, const V: usize, const N: usize>(
    group: Group<M, L, V>,
    arguments: &Arguments<D>,
    edges: [Edge; N],
    now: [E::Loads<V>; N],
) -> [E::Loads<V>; N]
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    if E::IS_ACTIVE {
        return now;
    }
    // SAFETY: the caller's.
    array(|ahead| unsafe { E::load::<M, PreviousVersion<D, W>, L, V>(group, edges[ahead], &arguments.data) })
}

/// Adds what one edge has changed, from what was loaded of it now and before, and marks its destination.
///
/// Where totals are over all edges, an edge that does not reach its destination, or no longer, has changed its total as well.
#[inline(always)]
pub(super) unsafe fn add_change<M, D, E, const L: usize, const V: usize>(
    group: Group<M, L, V>,
    arguments: &Arguments<D>,
    edge: Edge,
    now: E::Loads<V>,
    before: E::Loads<V>,
) where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
{
    let mut sums = E::Sums::<V>::zero();
    let mut old = E::Sums::<V>::zero();
    // SAFETY: no other group has the edge; the sums and the mark are reached atomically.
    unsafe {
        let reached = E::compute(group, edge, &arguments.data, now, &mut sums);
        if E::IS_ACTIVE {
            sums.add(group, &arguments.pending, edge.dst);
        } else {
            E::compute(group, edge, &arguments.data, before, &mut old);
            sums.change_from(old).add_change(group, &arguments.pending, edge.dst);
        }
        if (reached || !E::IS_ACTIVE) && group.is_leader() && !E::IS_SILENT {
            group.machine().store_mark(arguments.mark(group.machine(), u64::from(edge.dst.0)), 1);
        }
    }
}
