//! What a push cannot do for products: destinations whose total cannot be corrected by quotients are computed again from all of their edges.
//!
//! It runs between a push and the vertex functions, while nothing else is written. A total is of each source's value at the end of the push:
//! the current one of active sources, the previous one of the others.

use core::ops::Range;

use crate::access::CurrentVersion;
use crate::arguments::Arguments;
use crate::group::Group;
use crate::index::Vertex;
use crate::machine::Machine;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::{EdgeRun, PreviousVersion, VertexRun};

const WORD: u32 = u32::BITS;

/// The body of the kernel `recompute`: a warp for each word of the active set, whose groups take the vertices that the kernel `vertex` will.
///
/// # Safety
/// As [`crate::schedule::pull::run`], and the incoming edges have offsets.
#[inline(always)]
pub unsafe fn run<M, D, E, W, const L: usize, const V: usize>(machine: M, arguments: &Arguments<D>)
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let word = machine.thread() / u64::from(WORD);
    // SAFETY: the caller's.
    if word >= arguments.vertex_count.div_ceil(u64::from(WORD)) || unsafe { arguments.is_over(machine) } {
        return;
    }
    let group = arguments.group::<M, L, V>(machine);
    // SAFETY: the warp owns the word; each of its vertices is one group's.
    unsafe {
        let visited = machine.ballot(u32::MAX, is_visited(machine, arguments, word));
        let mut slot = machine.lane() / L as u32;
        while slot < WORD {
            if visited >> slot & 1 == 1 {
                let index = word * u64::from(WORD) + u64::from(slot);
                let begin = arguments.incoming.offset(machine, index);
                let end = arguments.incoming.offset(machine, index + 1);
                vertex::<M, D, E, W, L, V>(group, arguments, Vertex(index as u32), begin..end);
            }
            slot += WORD / L as u32;
        }
    }
}

/// Whether the kernel `vertex` will run on the lane's own vertex of the word.
#[inline(always)]
unsafe fn is_visited<M: Machine, D>(machine: M, arguments: &Arguments<D>, word: u64) -> bool {
    let index = word * u64::from(WORD) + u64::from(machine.lane());
    // SAFETY: the word exists; the mark is read only where the vertex exists.
    unsafe {
        let active = machine.load_u32(arguments.active.add(word as usize));
        let is_active = active >> machine.lane() & 1 == 1;
        index < arguments.vertex_count && (is_active || machine.load_mark(arguments.mark(machine, index)) != 0)
    }
}

/// Computes the totals of one vertex again if they cannot take what was pushed to them. Its incoming edges are at the positions `row`.
///
/// # Safety
/// The calling group is the only one that reaches the vertex's totals, and nothing else is written.
#[inline(always)]
pub unsafe fn vertex<M, D, E, W, const L: usize, const V: usize>(
    group: Group<M, L, V>,
    arguments: &Arguments<D>,
    vertex: Vertex,
    row: Range<u64>,
) where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    // SAFETY: the caller's.
    unsafe {
        let totals = E::Sums::<V>::load(group, &arguments.data, vertex);
        let changes = E::Sums::<V>::load(group, &arguments.pending, vertex);
        if group.any_lane(totals.needs_recompute(changes, group)) {
            let totals = gather::<M, D, E, W, L, V>(group, arguments, vertex, row);
            totals.store(group, &arguments.data, vertex);
            E::Sums::<V>::zero().store(group, &arguments.pending, vertex);
        }
    }
}

/// The totals of all edges of the row, as the push has left them.
#[inline(always)]
unsafe fn gather<M, D, E, W, const L: usize, const V: usize>(
    group: Group<M, L, V>,
    arguments: &Arguments<D>,
    vertex: Vertex,
    row: Range<u64>,
) -> E::Sums<V>
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let mut totals = E::Sums::<V>::zero();
    let mut position = row.start;
    // SAFETY: the positions are of the vertex's row; only existing vertices are sources.
    unsafe {
        while position < row.end {
            let edge = arguments.incoming_edge::<M, E>(group.machine(), vertex, position);
            let loads = if arguments.is_active(group.machine(), edge.src) {
                E::load::<M, CurrentVersion, L, V>(group, edge, &arguments.data)
            } else {
                E::load::<M, PreviousVersion<D, W>, L, V>(group, edge, &arguments.data)
            };
            E::compute(group, edge, &arguments.data, loads, &mut totals);
            position += 1;
        }
    }
    totals
}
