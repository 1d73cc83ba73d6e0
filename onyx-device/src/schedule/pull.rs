//! Pull, balanced by neighbor groups: a group of lanes owns up to `group_size` incoming edges of one vertex.
//!
//! The sums of a whole row stay in registers and its vertex functions follow at once. The groups of a cut row add their sums to memory; its
//! vertex functions run in the kernel `finish`. So a hub of 70,000 neighbors never stalls a warp. Where the same bits are asked for in every
//! run, and where they are states of more than a float, they store them apart instead, and `finish` combines those in order.

use core::ops::Range;

use crate::access::Version;
use crate::arguments::{Arguments, Part};
use crate::group::Group;
use crate::index::{Edge, Vertex};
use crate::machine::Machine;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::registers::Sums;
use crate::run::{EdgeRun, PreviousVersion, VertexRun};
use crate::schedule::{EDGES_IN_FLIGHT, has_large_edges};
use crate::unrolled::{array, each};

/// The body of the kernel `pull`: `L` lanes for each neighbor group of incoming edges.
///
/// # Safety
/// The arguments are those of the graph and the data, and no other launch reaches them.
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
    // SAFETY: the group owns its part of the row, and the whole row if it is not cut.
    unsafe {
        let part = arguments.incoming.part(machine, index);
        let (vertex, begin, end) = (part.vertex, part.begin, part.end);
        let (sums, reached) = if const { has_large_edges::<D, E, L, V>() } {
            gather::<M, D, E, PreviousVersion<D, W>, L, V, 1>(group, arguments, vertex, begin, end)
        } else {
            gather::<M, D, E, PreviousVersion<D, W>, L, V, EDGES_IN_FLIGHT>(group, arguments, vertex, begin, end)
        };
        if part.is_cut {
            add_cut::<M, D, E, W, L, V>(group, arguments, index, part, sums, reached);
        } else {
            finish::<M, D, E, W, L, V>(group, arguments, part.vertex, sums, reached);
        }
    }
}

/// Runs the edge functions over incoming edges `begin..end` of one vertex. Returns the sums, and whether any edge reached the vertex.
///
/// # Safety
/// As [`gather_strided`].
#[inline(always)]
pub unsafe fn gather<M, D, E, T, const L: usize, const V: usize, const IN_FLIGHT: usize>(
    group: Group<M, L, V>,
    arguments: &Arguments<D>,
    vertex: Vertex,
    begin: u64,
    end: u64,
) -> (E::Sums<V>, bool)
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    T: Version,
{
    // SAFETY: the caller's.
    unsafe { gather_strided::<M, D, E, T, L, V, IN_FLIGHT>(group, arguments, vertex, begin..end, 1) }
}

/// [`gather`] over every `stride`th of the incoming `edges`, from the first.
///
/// `IN_FLIGHT` edges are loaded before the first of them is computed; what is left goes by twos and ones. No load is behind a condition of its
/// own edge, so that none has to wait for another.
///
/// # Safety
/// The edges are the vertex's, and nothing that the functions read is written at the same time.
#[inline(always)]
pub unsafe fn gather_strided<M, D, E, T, const L: usize, const V: usize, const IN_FLIGHT: usize>(
    group: Group<M, L, V>,
    arguments: &Arguments<D>,
    vertex: Vertex,
    edges: Range<u64>,
    stride: u64,
) -> (E::Sums<V>, bool)
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    T: Version,
{
    let mut sums = E::Sums::<V>::zero();
    let mut reached = false;
    let mut chunk = Chunk { vertex, position: edges.start, stride };
    // SAFETY: every chunk lies inside the row.
    unsafe {
        while chunk.last(IN_FLIGHT) < edges.end {
            reached |= gather_chunk::<M, D, E, T, L, V, IN_FLIGHT>(group, arguments, chunk, &mut sums);
            chunk.position += IN_FLIGHT as u64 * stride;
        }
        if IN_FLIGHT > 2 && chunk.last(2) < edges.end {
            reached |= gather_chunk::<M, D, E, T, L, V, 2>(group, arguments, chunk, &mut sums);
            chunk.position += 2 * stride;
        }
        if IN_FLIGHT > 1 && chunk.position < edges.end {
            reached |= gather_chunk::<M, D, E, T, L, V, 1>(group, arguments, chunk, &mut sums);
        }
    }
    (sums, reached)
}

/// Some incoming edges of one vertex.
#[derive(Clone, Copy)]
struct Chunk {
    vertex: Vertex,
    position: u64,
    stride: u64,
}

impl Chunk {
    /// The position of the edge `ahead` of the first.
    #[inline(always)]
    fn at(self, ahead: usize) -> u64 {
        self.position + ahead as u64 * self.stride
    }

    /// The position of the last of `count` edges.
    #[inline(always)]
    fn last(self, count: usize) -> u64 {
        self.at(count - 1)
    }
}

/// Runs the edge functions over `N` incoming edges, all of which are loaded first.
#[inline(always)]
unsafe fn gather_chunk<M, D, E, T, const L: usize, const V: usize, const N: usize>(
    group: Group<M, L, V>,
    arguments: &Arguments<D>,
    chunk: Chunk,
    sums: &mut E::Sums<V>,
) -> bool
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    T: Version,
{
    // SAFETY: the caller's.
    unsafe {
        let edges: [_; N] =
            array(|ahead| arguments.incoming_edge::<M, E>(group.machine(), chunk.vertex, chunk.at(ahead)));
        if E::IS_ACTIVE {
            return gather_active::<M, D, E, T, L, V, N>(group, arguments, edges, sums);
        }
        let loads: [_; N] = array(|ahead| E::load::<M, T, L, V>(group, edges[ahead], &arguments.data));
        let mut reached = false;
        each::<N>(|ahead| reached |= E::compute(group, edges[ahead], &arguments.data, loads[ahead], sums));
        reached
    }
}

/// Runs the edge functions over those edges whose source is active.
#[inline(always)]
unsafe fn gather_active<M, D, E, T, const L: usize, const V: usize, const N: usize>(
    group: Group<M, L, V>,
    arguments: &Arguments<D>,
    edges: [Edge; N],
    sums: &mut E::Sums<V>,
) -> bool
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    T: Version,
{
    let mut reached = false;
    each::<N>(|ahead| {
        let edge = edges[ahead];
        // SAFETY: the caller's.
        unsafe {
            if arguments.is_active(group.machine(), edge.src) {
                let loads = E::load::<M, T, L, V>(group, edge, &arguments.data);
                reached |= E::compute(group, edge, &arguments.data, loads, sums);
            }
        }
    });
    reached
}

/// Leaves the sums of group number `index`, one of several of its vertex: added atomically, or stored apart for `finish` to add in order.
#[inline(always)]
unsafe fn add_cut<M, D, E, W, const L: usize, const V: usize>(
    group: Group<M, L, V>,
    arguments: &Arguments<D>,
    index: u64,
    part: Part,
    sums: E::Sums<V>,
    reached: bool,
) where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    // SAFETY: the row's sums were cleared; a row of the partials is this group's alone.
    unsafe {
        if const { <E::Sums<V> as Accumulator<D, V>>::IS_ATOMIC } && arguments.parts.is_none() {
            add_part::<M, D, E, W, L, V>(group, arguments, part.vertex, sums, reached);
            return;
        }
        let row = group.machine().load_u32(arguments.parts.row.add(index as usize));
        store_part::<M, D, E, W, L, V>(group, arguments, part.vertex, row, sums, reached);
    }
}

/// Stores sums of some of a vertex's edges in a row of the partials, and marks whether the vertex was reached where somebody asks.
#[inline(always)]
pub(super) unsafe fn store_part<M, D, E, W, const L: usize, const V: usize>(
    group: Group<M, L, V>,
    arguments: &Arguments<D>,
    vertex: Vertex,
    row: u32,
    sums: E::Sums<V>,
    reached: bool,
) where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    // SAFETY: the row of the partials is this group's alone.
    unsafe {
        sums.store_part(group, &arguments.partials, row);
        if marks_parts::<D, E, W>() && reached {
            mark(group, arguments, vertex, true);
        }
    }
}

/// Whether the groups of a cut row mark whether the vertex was reached, which the row's finish asks.
#[inline(always)]
pub(super) const fn marks_parts<D: GraphData, E: EdgeRun<D>, W: VertexRun<D>>() -> bool {
    (W::IS_EMPTY || E::IS_ACTIVE) && !E::IS_SILENT
}

/// Adds sums of some of a vertex's edges to those in memory, atomically, and marks whether the vertex was reached where somebody asks.
#[inline(always)]
pub(super) unsafe fn add_part<M, D, E, W, const L: usize, const V: usize>(
    group: Group<M, L, V>,
    arguments: &Arguments<D>,
    vertex: Vertex,
    sums: E::Sums<V>,
    reached: bool,
) where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    // SAFETY: the row's sums were cleared, and are only added to atomically.
    unsafe {
        sums.add(group, &arguments.data, vertex);
        if marks_parts::<D, E, W>() && reached {
            mark(group, arguments, vertex, true);
        }
    }
}

/// Runs the vertex functions of one vertex on its finished sums, and marks whether it has changed.
///
/// Where it takes an active source to run them, `reached` says whether there was one.
///
/// # Safety
/// The calling group is the only one that reaches the vertex.
#[inline(always)]
pub unsafe fn finish<M, D, E, W, const L: usize, const V: usize>(
    group: Group<M, L, V>,
    arguments: &Arguments<D>,
    vertex: Vertex,
    sums: E::Sums<V>,
    reached: bool,
) where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    // SAFETY: the group owns the vertex.
    unsafe {
        if !W::IS_EMPTY && !is_due::<M, D, E, W, L, V>(group, arguments, vertex, reached) {
            keep_sums::<M, D, E, W, L, V>(group, arguments, vertex, sums);
            arguments.data.restore_previous(group, vertex, PreviousVersion::<D, W>::PREVIOUS);
            mark(group, arguments, vertex, false);
            return;
        }
        let ran = update::<M, D, E, W, L, V>(group, arguments, vertex, sums);
        if !E::IS_SILENT {
            mark(group, arguments, vertex, if W::IS_EMPTY { reached } else { ran });
        }
    }
}

/// Runs the vertex functions of one vertex on its finished sums. Returns whether all returned true.
///
/// # Safety
/// As [`finish`].
#[inline(always)]
pub(super) unsafe fn update<M, D, E, W, const L: usize, const V: usize>(
    group: Group<M, L, V>,
    arguments: &Arguments<D>,
    vertex: Vertex,
    sums: E::Sums<V>,
) -> bool
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    // SAFETY: the caller's.
    unsafe {
        keep_sums::<M, D, E, W, L, V>(group, arguments, vertex, sums);
        // The first function always runs and stores what it writes; the rest may not run.
        arguments.data.restore_previous(group, vertex, PreviousVersion::<D, W>::PREVIOUS & !W::FIRST_WRITES);
        W::run::<M, PreviousVersion<D, W>, _, L, V>(group, vertex, &arguments.data, Sums(&sums))
    }
}

/// Stores finished sums where somebody reads them in memory.
#[inline(always)]
unsafe fn keep_sums<M, D, E, W, const L: usize, const V: usize>(
    group: Group<M, L, V>,
    arguments: &Arguments<D>,
    vertex: Vertex,
    sums: E::Sums<V>,
) where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    if W::IS_EMPTY || E::IS_KEPT || arguments.keep_sums != 0 {
        // SAFETY: the caller's.
        unsafe { sums.store(group, &arguments.data, vertex) }
    }
}

/// Whether the vertex functions of a stage run on a vertex.
#[inline(always)]
unsafe fn is_due<M, D, E, W, const L: usize, const V: usize>(
    group: Group<M, L, V>,
    arguments: &Arguments<D>,
    vertex: Vertex,
    reached: bool,
) -> bool
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    if E::IS_ACTIVE && !reached {
        return false;
    }
    // SAFETY: there is a mark for each vertex.
    !W::FOLLOWS || unsafe { group.load_mark(arguments.mark(group.machine(), u64::from(vertex.0))) } != 0
}

/// Marks whether a vertex has changed.
#[inline(always)]
pub(super) unsafe fn mark<M: Machine, D, const L: usize, const V: usize>(
    group: Group<M, L, V>,
    arguments: &Arguments<D>,
    vertex: Vertex,
    changed: bool,
) {
    if group.is_leader() {
        // SAFETY: there is a mark for each vertex.
        unsafe { group.machine().store_mark(arguments.mark(group.machine(), u64::from(vertex.0)), u8::from(changed)) }
    }
}
