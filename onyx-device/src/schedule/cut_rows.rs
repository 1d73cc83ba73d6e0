//! What a pull leaves over: rows that several groups share. `clear` runs before the first pull of a batch, or before each, `finish` after it, but for rows of very many parts
//! ([`finish_long`](crate::schedule::finish_long)).

use core::ops::Range;

use crate::index::Vertex;
use crate::launch::{Launch, Owned, Worker};
use crate::machine::Machine;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::{EdgeRun, VertexRun};
use crate::schedule::finish_long::MOST_PARTS;
use crate::schedule::pull::marks_parts;
use crate::schedule::{EDGES_IN_FLIGHT, is_large};
use crate::unrolled::{array, each};

/// Launches of `clear` or `finish`: units are entries of the list of cut rows, in which a vertex is once.
trait CutRows {}

/// Launches of `clear`: as of `CutRows`.
#[derive(Debug)]
pub struct Clear;

/// Launches of `finish`: as of `CutRows`, and where the partials have rows, the groups of each cut row have left theirs, or added to its own.
#[derive(Debug)]
pub struct Finish;

impl CutRows for Clear {}

impl CutRows for Finish {}

/// The body of the kernel `clear`: `L` lanes for each cut row, whose mark is set to zero, and its sums, or the part that groups add to.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn clear<M, D, E, const L: usize, const V: usize>(launch: Launch<'_, M, D, E, (), Clear>)
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
{
    launch.machine().let_next_begin();
    if let Some((index, vertex)) = cut_vertex(&launch, L) {
        let (worker, parts) = (launch.worker::<L, V>(), &launch.arguments().parts);
        if parts.is_none() {
            worker.store_totals(vertex, E::Sums::<V>::zero());
        } else if const { <E::Sums<V> as Accumulator<D, V>>::PARTS.are_added() } && parts.are_added() {
            // SAFETY: `CutRows`: the entry is this group's alone, and so is its row of the partials.
            unsafe {
                let begun = E::Sums::<V>::begun(launch.machine().load_u32(parts.edges.add(index as usize)));
                begun.store_part(worker.group, &launch.arguments().partials, index as u32);
            }
        }
        if !E::KEEPS_MARKS {
            worker.mark(vertex, false);
        }
    }
}

/// The body of the kernel `finish`: `L` lanes for each cut row, whose vertex functions run on the sums in memory.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn finish<M, D, E, W, const L: usize, const V: usize>(launch: Launch<'_, M, D, E, W, Finish>)
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    launch.machine().let_next_begin();
    let unit = cut_vertex(&launch, L);
    launch.machine().wait_for_launch_before();
    if let Some((index, vertex)) = unit {
        let worker = launch.worker::<L, V>();
        if is_long(&launch, index) {
            return;
        }
        let sums = if const { <E::Sums<V> as Accumulator<D, V>>::IS_ATOMIC } && launch.arguments().parts.is_none() {
            worker.take_totals(vertex)
        } else {
            // SAFETY: `Finish`: the cut row's groups have left their parts.
            unsafe { worker.add_parts(index, (0, 1)) }
        };
        let reached = marks_parts::<D, E, W>() && worker.is_marked(vertex);
        worker.finish(vertex, sums, reached);
    }
}

/// The unit of the group of `lanes` lanes: an entry of the list of cut rows, and its vertex.
#[cfg_attr(not(debug_assertions), inline(always))]
fn cut_vertex<M, D, E, W, S: CutRows>(launch: &Launch<'_, M, D, E, W, S>, lanes: usize) -> Option<(u64, Owned<Vertex>)>
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let index = launch.unit(lanes);
    if launch.is_done(index) {
        return None;
    }
    // SAFETY: `CutRows`: units are entries of the list, in which a vertex is once.
    Some((index, unsafe {
        Owned::claim(Vertex(launch.machine().load_u32(launch.arguments().cut.add(index as usize))))
    }))
}

/// Whether the cut row is one of those that [`finish_long`](crate::schedule::finish_long) takes.
#[cfg_attr(not(debug_assertions), inline(always))]
fn is_long<M, D, E, W>(launch: &Launch<'_, M, D, E, W, Finish>, index: u64) -> bool
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let parts = &launch.arguments().parts;
    // SAFETY: `Finish`: where there are long rows there are parts, and the cut row is one of those that have some.
    !parts.long.is_null() && unsafe { parts.rows(launch.machine(), index) }.len() > MOST_PARTS as usize
}

impl<M, D, E, W, const L: usize, const V: usize> Worker<'_, M, D, E, W, L, V>
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    /// The sums of cut row number `index`, of every `share.1` of its parts from number `share.0` on, in their order, with several loads under way.
    ///
    /// # Safety
    /// The cut row exists, and the launch does not write the partials.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn add_parts(&self, index: u64, (first, stride): (u32, u32)) -> E::Sums<V> {
        const SOME: u32 = EDGES_IN_FLIGHT as u32;
        let mut sums = E::Sums::<V>::zero();
        // SAFETY: the caller's; the partials have a row for each part.
        unsafe {
            if const { <E::Sums<V> as Accumulator<D, V>>::PARTS.are_added() } && self.arguments.parts.are_added() {
                return E::Sums::<V>::load_added(self.group, &self.arguments.partials, index as u32);
            }
            let Range { start, end } = self.arguments.parts.rows(self.machine(), index);
            let mut row = start + first;
            while !const { is_large::<E::Sums<V>>() } && row + (SOME - 1) * stride < end {
                sums = self.add_rows::<EDGES_IN_FLIGHT>(row, stride, sums);
                row += SOME * stride;
            }
            while row < end {
                sums = self.add_rows::<1>(row, stride, sums);
                row += stride;
            }
        }
        sums
    }

    /// Adds `N` rows of the partials, every `stride`th, all of which are loaded first.
    ///
    /// # Safety
    /// The rows exist, and the launch does not write them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn add_rows<const N: usize>(&self, row: u32, stride: u32, sums: E::Sums<V>) -> E::Sums<V> {
        let mut sums = sums;
        let load = |ahead: usize| {
            // SAFETY: the caller's.
            unsafe { E::Sums::<V>::load_part(self.group, &self.arguments.partials, row + ahead as u32 * stride) }
        };
        let parts: [E::Sums<V>; N] = array(load);
        each::<N>(|ahead| sums = sums.combined_with(parts[ahead]));
        sums
    }
}
