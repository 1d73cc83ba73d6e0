//! What a pull leaves over: rows that several groups share. `clear` runs before the pull, `finish` behind it.

use crate::arguments::Arguments;
use crate::group::Group;
use crate::index::Vertex;
use crate::machine::Machine;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::{EdgeRun, VertexRun};
use crate::schedule::pull;

/// The body of the kernel `clear`: `L` lanes for each cut row, whose sums and mark are set to zero.
///
/// # Safety
/// As [`pull::run`].
#[inline(always)]
pub unsafe fn clear<M, D, E, const L: usize, const V: usize>(machine: M, arguments: &Arguments<D>)
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
{
    // SAFETY: each vertex is in the list once.
    unsafe {
        if let Some(vertex) = cut_vertex::<M, D, L>(machine, arguments) {
            let group = Group::<M, L, V>::of(machine, arguments.features);
            E::Sums::<V>::zero().store(group, &arguments.data, vertex);
            if group.is_leader() {
                machine.store_mark(arguments.marks.add(vertex.0 as usize), 0);
            }
        }
    }
}

/// The body of the kernel `finish`: `L` lanes for each cut row, whose vertex functions run on the sums in memory.
///
/// # Safety
/// As [`pull::run`].
#[inline(always)]
pub unsafe fn finish<M, D, E, W, const L: usize, const V: usize>(machine: M, arguments: &Arguments<D>)
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    // SAFETY: each vertex is in the list once.
    unsafe {
        if let Some(vertex) = cut_vertex::<M, D, L>(machine, arguments) {
            let group = Group::<M, L, V>::of(machine, arguments.features);
            let sums = E::Sums::<V>::load(group, &arguments.data, vertex);
            pull::finish::<M, D, E, W, L, V>(group, arguments, vertex, sums, false);
        }
    }
}

#[inline(always)]
unsafe fn cut_vertex<M: Machine, D, const L: usize>(machine: M, arguments: &Arguments<D>) -> Option<Vertex> {
    let index = machine.thread() / L as u64;
    if index >= arguments.cut_count {
        return None;
    }
    // SAFETY: the list has `cut_count` entries.
    Some(Vertex(unsafe { machine.load_u32(arguments.cut.add(index as usize)) }))
}
