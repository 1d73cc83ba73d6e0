//! What a pull leaves over: rows that several groups share. `clear` runs before the pull, `finish` after it.

use crate::arguments::Arguments;
use crate::group::Group;
use crate::index::Vertex;
use crate::machine::Machine;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::{EdgeRun, VertexRun};
use crate::schedule::{EDGES_IN_FLIGHT, is_large, pull};
use crate::unrolled::{array, each};

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
        if let Some((_, vertex)) = cut_vertex::<M, D, L>(machine, arguments) {
            let group = arguments.group::<M, L, V>(machine);
            E::Sums::<V>::zero().store(group, &arguments.data, vertex);
            if group.is_leader() && !E::KEEPS_MARKS {
                machine.store_mark(arguments.mark(machine, u64::from(vertex.0)), 0);
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
        if let Some((index, vertex)) = cut_vertex::<M, D, L>(machine, arguments) {
            let group = arguments.group::<M, L, V>(machine);
            let sums = if const { <E::Sums<V> as Accumulator<D, V>>::IS_ATOMIC } && arguments.parts.is_none() {
                E::Sums::<V>::load(group, &arguments.data, vertex)
            } else {
                add_parts::<M, D, E, L, V>(group, arguments, index)
            };
            let reached = pull::marks_parts::<D, E, W>()
                && group.load_mark(arguments.mark(group.machine(), u64::from(vertex.0))) != 0;
            pull::finish::<M, D, E, W, L, V>(group, arguments, vertex, sums, reached);
        }
    }
}

/// The sums of cut row number `index`, added in the order of its groups, with several loads under way.
#[inline(always)]
unsafe fn add_parts<M, D, E, const L: usize, const V: usize>(
    group: Group<M, L, V>,
    arguments: &Arguments<D>,
    index: u64,
) -> E::Sums<V>
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
{
    let mut sums = E::Sums::<V>::zero();
    // SAFETY: `begin` has one entry more than there are cut rows, and the partials a row for each of their groups.
    unsafe {
        let begin = arguments.parts.begin.add(index as usize);
        let (mut row, end) = (group.machine().load_u32(begin), group.machine().load_u32(begin.add(1)));
        while !const { is_large::<E::Sums<V>>() } && row + EDGES_IN_FLIGHT as u32 <= end {
            sums = add_rows::<M, D, E, L, V, EDGES_IN_FLIGHT>(group, arguments, row, sums);
            row += EDGES_IN_FLIGHT as u32;
        }
        while row < end {
            sums = add_rows::<M, D, E, L, V, 1>(group, arguments, row, sums);
            row += 1;
        }
    }
    sums
}

/// Adds `N` rows of the partials, all of which are loaded first.
#[inline(always)]
unsafe fn add_rows<M, D, E, const L: usize, const V: usize, const N: usize>(
    group: Group<M, L, V>,
    arguments: &Arguments<D>,
    row: u32,
    sums: E::Sums<V>,
) -> E::Sums<V>
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
{
    let mut sums = sums;
    let load = |ahead: usize| {
        // SAFETY: the caller's: the rows exist.
        unsafe { E::Sums::<V>::load_part(group, &arguments.partials, row + ahead as u32) }
    };
    let parts: [E::Sums<V>; N] = array(load);
    each::<N>(|ahead| sums = sums.combined_with(parts[ahead]));
    sums
}

#[inline(always)]
unsafe fn cut_vertex<M: Machine, D, const L: usize>(machine: M, arguments: &Arguments<D>) -> Option<(u64, Vertex)> {
    let index = arguments.units.first + machine.thread() / L as u64;
    // SAFETY: the caller's.
    if index >= arguments.units.end || unsafe { arguments.is_over(machine) } {
        return None;
    }
    // SAFETY: units are entries of the list.
    Some((index, Vertex(unsafe { machine.load_u32(arguments.cut.add(index as usize)) })))
}
