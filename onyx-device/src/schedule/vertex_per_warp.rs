//! Pull, a warp for each vertex: its groups of lanes take the edges of the row in turn, and their sums are joined by shuffles.
//!
//! No row is cut, so that nothing is added to memory; but a long row holds its warp up. For rows that are long and alike.

use crate::arguments::Arguments;
use crate::group::Group;
use crate::index::Vertex;
use crate::machine::Machine;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::{EdgeRun, PreviousVersion, VertexRun};
use crate::schedule::{EDGES_IN_FLIGHT, has_large_edges, pull};

/// The body of the kernel `vertex_per_warp`: a warp for each vertex.
///
/// # Safety
/// As [`pull::run`].
#[inline(always)]
pub unsafe fn run<M, D, E, W, const L: usize, const V: usize>(machine: M, arguments: &Arguments<D>)
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let index = arguments.units.first + machine.thread() / 32;
    // SAFETY: the caller's.
    if index >= arguments.units.end || unsafe { arguments.is_over(machine) } {
        return;
    }
    let group = arguments.group::<M, L, V>(machine);
    let vertex = Vertex(index as u32);
    // SAFETY: the warp owns the vertex and its row; one of its groups runs the vertex functions.
    unsafe {
        let share = (u64::from(machine.lane() / L as u32), 32 / L as u64);
        let (sums, reached) = gather::<M, D, E, W, L, V>(group, arguments, vertex, share);
        let sums = join::<M, D, E, L, V>(machine, sums);
        let reached = machine.ballot(u32::MAX, reached) != 0;
        if const { E::READS_OWN & W::ACCESS.writes & !D::TRACKED != 0 } {
            // One group writes what all groups have read.
            machine.synchronize(u32::MAX);
        }
        if machine.lane() < L as u32 {
            pull::finish::<M, D, E, W, L, V>(group, arguments, vertex, sums, reached);
        }
    }
}

/// The sums of the group's share of the row: of every edge `share.1` from number `share.0` on.
#[inline(always)]
pub(super) unsafe fn gather<M, D, E, W, const L: usize, const V: usize>(
    group: Group<M, L, V>,
    arguments: &Arguments<D>,
    vertex: Vertex,
    share: (u64, u64),
) -> (E::Sums<V>, bool)
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let machine = group.machine();
    let (first, groups) = share;
    // SAFETY: the vertex has a row.
    unsafe {
        let begin = arguments.incoming.offset(machine, u64::from(vertex.0));
        let end = arguments.incoming.offset(machine, u64::from(vertex.0) + 1);
        let edges = begin + first..end;
        if const { has_large_edges::<D, E, L, V>() } {
            pull::gather_strided::<M, D, E, PreviousVersion<D, W>, L, V, 1>(group, arguments, vertex, edges, groups)
        } else {
            pull::gather_strided::<M, D, E, PreviousVersion<D, W>, L, V, EDGES_IN_FLIGHT>(
                group, arguments, vertex, edges, groups,
            )
        }
    }
}

/// The sums of all groups of the warp together, in each of them.
#[inline(always)]
pub(super) fn join<M, D, E, const L: usize, const V: usize>(machine: M, sums: E::Sums<V>) -> E::Sums<V>
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
{
    let mut sums = sums;
    let mut distance = L as u32;
    while distance < 32 {
        sums = sums.join(machine, distance);
        distance *= 2;
    }
    sums
}
