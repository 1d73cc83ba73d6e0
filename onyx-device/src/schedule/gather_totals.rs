//! Vertex functions on every vertex that add to totals of the graph, between other stages of a fold: a block takes many vertices, and leaves one contribution of all of them.
//!
//! What the functions add stays in a group's registers from vertex to vertex. The groups of a warp join it by shuffles, then the warps of a block through shared memory. So
//! the kernel `total` has a row for each block to add up, not one for each vertex.

use core::cell::Cell;

use crate::access::Version;
use crate::block::Block;
use crate::index::Vertex;
use crate::launch::{Launch, Owned, Worker};
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::registers::{Registers, Taking};
use crate::run::{EdgeRun, PreviousVersion, VertexRun};

/// Launches of `gather_totals`: units are vertices; the contributions have a row for each block, and a block has [`shared_floats`].
#[derive(Debug)]
pub struct GatherTotals;

/// The most blocks of a launch, for each tile, as many as a large GPU runs at once: of those that add to a matrix fewer have room, and each leaves many floats.
pub const fn most_blocks(add_to_matrix: bool) -> u64 {
    if add_to_matrix { 384 } else { 1024 }
}

const WARP: u32 = 32;

/// The most floats that a lane keeps of totals in a block of as many warps as there may be, and the most warps where it keeps more: few have room at once.
const FEW_FLOATS: usize = 16;
const FEW_WARPS: u32 = 4;

/// The most warps of a block that may have up to `most`.
pub const fn most_warps<D: GraphData, W: VertexRun<D>, const V: usize>(most: u32) -> u32 {
    let has_room = <W::Totals<V> as Accumulator<D, V>>::LANE_FLOATS <= FEW_FLOATS;
    if has_room || most < FEW_WARPS { most } else { FEW_WARPS }
}

/// The shared memory of a block of `warps` warps, in floats: the first warp keeps its totals.
pub const fn shared_floats<D: GraphData, W: VertexRun<D>, const V: usize>(warps: u32) -> usize {
    <W::Totals<V> as Accumulator<D, V>>::LANE_FLOATS * WARP as usize * (warps as usize - 1)
}

/// The body of the kernel `gather_totals`: `L` lanes for each vertex, of which a group has several. Leaves a mark for each.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn run<M, D, E, W, const L: usize, const V: usize>(launch: Launch<'_, M, D, E, W, GatherTotals>)
where
    M: Block,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    // The whole block returns, or none of it.
    if launch.is_over() {
        return;
    }
    let machine = launch.machine();
    let totals = Cell::new(W::Totals::<V>::zero());
    let groups = machine.blocks() as u32 * (machine.warps() * WARP / (machine.beside() * L as u32));
    let (mut vertex, end) = (launch.unit(L) as u32, launch.arguments().units.end as u32);
    // SAFETY: `GatherTotals`: the unit is a vertex, which is one group's.
    let owned = |vertex: u32| (vertex < end).then(|| unsafe { Owned::claim(Vertex(vertex)) });
    let mut worker = launch.worker::<L, V>().along(u32::MAX, vertex < end);
    let mut ahead = worker.load_ahead(owned(vertex));
    while worker.goes_on(vertex < end) {
        let (loads, next) = (ahead, vertex.saturating_add(groups));
        ahead = worker.load_ahead(owned(next));
        if let Some(owned) = owned(vertex) {
            worker.take_vertex(owned, loads, Taking(&totals));
            vertex = next;
            worker = worker.still_along(vertex < end);
        }
        worker.settle(&totals);
    }
    // SAFETY: `GatherTotals`: the block has a row of its own, and shared memory, in which nothing is.
    unsafe { worker.leave_totals(totals.get(), machine.block() as u32) }
}

impl<M, D, E, W, const L: usize, const V: usize> Worker<'_, M, D, E, W, L, V>
where
    M: Block,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    /// Whether rows of the next vertex are loaded before those of this one are used: where few warps have room, and all vertices are due.
    const LOOKS_AHEAD: bool = W::Totals::<V>::IN_TILES && W::NEVER_STOPS && !W::FOLLOWS && !E::IS_ACTIVE;

    /// Whether the calling group goes on with a vertex, or is there for others of its warp, which add to totals together with it. All lanes must arrive that have gone on so far.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn goes_on(&self, has_vertex: bool) -> bool {
        if const { W::GATHERS_TOTALS && W::Totals::<V>::IN_TILES } {
            return self.machine().ballot(u32::MAX, has_vertex) != 0;
        }
        has_vertex
    }

    /// Adds what the groups of the warp have left to totals that they have together. All lanes must arrive that have gone on so far.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) fn settle(&self, totals: &Cell<W::Totals<V>>) {
        if const { W::GATHERS_TOTALS && W::Totals::<V>::IN_TILES } {
            let mut settled = totals.get();
            settled.settle(self.group);
            totals.set(settled);
        }
    }

    /// What the functions read of a vertex, if there is one that they are sure to run on.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn load_ahead(&self, vertex: Option<Owned<Vertex>>) -> Option<W::Loads<V>> {
        let vertex = vertex.filter(|_| const { Self::LOOKS_AHEAD })?;
        Some(self.load_own::<PreviousVersion<D, W>>(vertex, ()))
    }

    /// Runs the functions on a vertex, by what was loaded of it where something was.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn take_vertex(&self, vertex: Owned<Vertex>, loads: Option<W::Loads<V>>, held: impl Registers<D, V>) {
        let Some(loads) = loads.filter(|_| const { Self::LOOKS_AHEAD }) else {
            let is_due = self.is_due_everywhere(&vertex);
            return self.finish_holding(vertex, E::Sums::<V>::zero(), is_due, held);
        };
        self.restore_previous(vertex, PreviousVersion::<D, W>::PREVIOUS & !W::FIRST_WRITES);
        let ran = self.compute_own(vertex, loads, held);
        if !E::IS_SILENT {
            self.mark(vertex, ran);
        }
    }

    /// Joins what the groups of the block have added, and stores it as contribution number `row`. All lanes of the block must arrive.
    ///
    /// # Safety
    /// The contributions have the row, which no other block reaches; the block has [`shared_floats`], and has met since anything was read there.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn leave_totals(&self, totals: W::Totals<V>, row: u32) {
        let machine = self.machine();
        let totals = self.join_warp_totals(totals);
        let is_joined = machine.lane() < self.lanes_beside();
        // SAFETY: the caller's: the floats are this group's alone until the block has met.
        unsafe {
            if machine.warp() > 0 {
                totals.leave_shared(self.group, self.totals_of(machine.warp()), is_joined);
            }
            machine.synchronize_block();
            if machine.warp() == 0 {
                let totals = self.take_totals_of_warps(totals, is_joined);
                totals.store_joined(self.group, &self.arguments.data, Vertex(row), is_joined);
            }
        }
    }

    /// The lanes of the groups of a warp that have different heads.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn lanes_beside(&self) -> u32 {
        L as u32 * self.machine().beside()
    }

    /// What the groups of the warp that have the same head have added together, in each of them.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn join_warp_totals(&self, mut totals: W::Totals<V>) -> W::Totals<V> {
        let mut distance = self.lanes_beside();
        while distance < WARP {
            totals = totals.join(self.machine(), distance);
            distance *= 2;
        }
        totals
    }

    /// Where warp number `warp`, which is not the first, leaves its totals.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn totals_of(&self, warp: u32) -> u32 {
        (warp - 1) * WARP * <W::Totals<V> as Accumulator<D, V>>::LANE_FLOATS as u32
    }

    /// The totals of the first warp and of all others, in the order of the warps.
    ///
    /// # Safety
    /// All warps have left theirs, and the block has met.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn take_totals_of_warps(&self, mut totals: W::Totals<V>, is_joined: bool) -> W::Totals<V> {
        let mut warp = 1;
        while warp < self.machine().warps() {
            // SAFETY: the caller's.
            totals = unsafe { totals.take_shared(self.group, self.totals_of(warp), is_joined) };
            warp += 1;
        }
        totals
    }
}
