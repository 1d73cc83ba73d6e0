//! Vertex functions on every vertex that add to totals of the graph, between other stages of a fold: a block takes many vertices, and leaves one contribution of all of them.
//!
//! What the functions add stays in a group's registers from vertex to vertex. The groups of a warp join it by shuffles, then the warps of a block through shared memory. So
//! the kernel `total` has a row for each block to add up, not one for each vertex.

use core::cell::Cell;

use crate::block::Block;
use crate::index::Vertex;
use crate::launch::{Launch, Owned, Worker};
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::registers::Taking;
use crate::run::{EdgeRun, VertexRun};

/// Launches of `gather_totals`: units are vertices; the contributions have a row for each block, and a block has [`shared_floats`].
#[derive(Debug)]
pub struct GatherTotals;

/// The most blocks of a launch, for each tile: as many as a large GPU runs at once.
pub const MOST_BLOCKS: u64 = 1024;

const WARP: u32 = 32;

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
    let (machine, worker) = (launch.machine(), launch.worker::<L, V>());
    let totals = Cell::new(W::Totals::<V>::zero());
    let groups = machine.blocks() * u64::from(machine.warps() * WARP / (machine.beside() * L as u32));
    let mut vertex = launch.unit(L);
    while vertex < launch.arguments().units.end {
        // SAFETY: `GatherTotals`: the unit is a vertex, which is one group's.
        let owned = unsafe { Owned::claim(Vertex(vertex as u32)) };
        let is_due = worker.is_due_everywhere(&owned);
        worker.finish_holding(owned, E::Sums::<V>::zero(), is_due, Taking(&totals));
        vertex += groups;
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
            if is_joined && machine.warp() > 0 {
                totals.store_shared(self.group, self.totals_of(machine.warp()));
            }
            machine.synchronize_block();
            if is_joined && machine.warp() == 0 {
                self.take_totals_of_warps(totals).store(self.group, &self.arguments.data, Vertex(row));
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

    /// Where warp number `warp`, which is not the first, leaves the totals of the calling group's head.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn totals_of(&self, warp: u32) -> u32 {
        let machine = self.machine();
        let floats = (<W::Totals<V> as Accumulator<D, V>>::LANE_FLOATS * L) as u32;
        ((warp - 1) * machine.beside() + machine.lane() / L as u32) * floats
    }

    /// The totals of the first warp and of all others, in the order of the warps.
    ///
    /// # Safety
    /// All warps have left theirs, and the block has met.
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn take_totals_of_warps(&self, mut totals: W::Totals<V>) -> W::Totals<V> {
        let mut warp = 1;
        while warp < self.machine().warps() {
            // SAFETY: the caller's.
            let others = unsafe { W::Totals::<V>::load_shared(self.group, self.totals_of(warp)) };
            totals = totals.combined_with(others);
            warp += 1;
        }
        totals
    }
}
