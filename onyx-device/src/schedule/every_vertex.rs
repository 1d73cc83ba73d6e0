//! Vertex functions on every vertex, between other stages of a fold: a group of lanes for each vertex.

use crate::arguments::Arguments;
use crate::group::Group;
use crate::index::Vertex;
use crate::machine::Machine;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::{EdgeRun, VertexRun};
use crate::schedule::pull;

/// The body of the kernel `every_vertex`: `L` lanes for each vertex. Leaves a mark, and the active words to `activate`.
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
    let index = arguments.units.first + machine.thread() / L as u64;
    // SAFETY: the caller's.
    if index >= arguments.units.end || unsafe { arguments.is_over(machine) } {
        return;
    }
    let group = arguments.group::<M, L, V>(machine);
    // SAFETY: the vertex is this group's alone.
    unsafe { update::<M, D, E, W, L, V>(group, arguments, Vertex(index as u32)) }
}

/// Runs the vertex functions on one vertex, if it is active where that is asked for.
///
/// # Safety
/// The calling group is the only one that reaches the vertex.
#[inline(always)]
pub unsafe fn update<M, D, E, W, const L: usize, const V: usize>(
    group: Group<M, L, V>,
    arguments: &Arguments<D>,
    vertex: Vertex,
) where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    // SAFETY: the caller's.
    unsafe {
        let is_due = !E::IS_ACTIVE || W::FOLLOWS || arguments.is_active(group.machine(), vertex);
        pull::finish::<M, D, E, W, L, V>(group, arguments, vertex, E::Sums::<V>::zero(), is_due);
    }
}
