//! Pull, a block for each vertex: its groups of lanes take the edges of the row in turn. Sums are joined by shuffles in each warp, then
//! through shared memory across the warps.
//!
//! As [`vertex_per_warp`](crate::schedule::vertex_per_warp) nothing is added to memory, and all is joined in the same order each time; a long row has eight warps instead of
//! one. For few rows that are very long: on a short one most of its lanes have no edge.

use crate::block::Block;
use crate::index::Vertex;
use crate::launch::{Launch, Owned, Worker};
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::{EdgeRun, VertexRun};
use crate::schedule::row_block::row_floats;

/// Launches of `vertex_per_block`: as of [`VertexPerWarp`](crate::schedule::vertex_per_warp::VertexPerWarp). A block has
/// [`shared_floats`](crate::schedule::row_block::shared_floats) of shared memory.
#[derive(Debug)]
pub struct VertexPerBlock;

/// The body of the kernel `vertex_per_block`: a block for each vertex.
#[inline(always)]
pub fn run<M, D, E, W, const L: usize, const V: usize>(launch: Launch<'_, M, D, E, W, VertexPerBlock>)
where
    M: Block,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let machine = launch.machine();
    // The whole block returns, or none of it.
    let index = launch.arguments().units.first + machine.block();
    if launch.is_done(index) {
        return;
    }
    let (worker, vertex) = (launch.worker::<L, V>(), Vertex(index as u32));
    let (first, groups) = (machine.warp() * 32 + machine.lane(), machine.warps() * 32);
    let share = (u64::from(first / L as u32), u64::from(groups / L as u32));
    // SAFETY: `VertexPerBlock`: the unit is a vertex, which is the block's alone. One of its groups runs the vertex functions, after the block has met.
    unsafe {
        let (sums, reached) = worker.gather_share(vertex, share);
        let sums = worker.join(sums);
        let reached = machine.ballot(u32::MAX, reached) != 0;
        worker.leave(sums, reached);
        machine.synchronize_block();
        if machine.warp() == 0 && machine.lane() < L as u32 {
            let (sums, reached) = worker.take(sums, reached);
            worker.finish(Owned::claim(vertex), sums, reached);
        }
    }
}

/// Where warp number `warp`, which is not the first, leaves its sums.
#[inline(always)]
const fn row<D: GraphData, E: EdgeRun<D>, const L: usize, const V: usize>(warp: u32) -> u32 {
    row_floats::<D, E, L, V>() as u32 * (warp - 1)
}

impl<M, D, E, W, const L: usize, const V: usize> Worker<'_, M, D, E, W, L, V>
where
    M: Block,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    /// Leaves the sums of each warp but the first in shared memory.
    ///
    /// # Safety
    /// The launch is as said at [`VertexPerBlock`], and the block has not met.
    #[inline(always)]
    unsafe fn leave(&self, sums: E::Sums<V>, reached: bool) {
        let machine = self.machine();
        if machine.warp() == 0 || machine.lane() >= L as u32 {
            return;
        }
        let row = row::<D, E, L, V>(machine.warp());
        let flag = row + row_floats::<D, E, L, V>() as u32 - V as u32;
        // SAFETY: the row is this group's alone, until the block has met.
        unsafe {
            sums.store_shared(self.group, row);
            if self.group.is_leader() {
                machine.store_shared(flag, [f32::from(u8::from(reached)); V]);
            }
        }
    }

    /// The sums of all warps, added to those of the first in the order of the warps.
    ///
    /// # Safety
    /// Every warp has left its sums, and the block has met.
    #[inline(always)]
    unsafe fn take(&self, sums: E::Sums<V>, reached: bool) -> (E::Sums<V>, bool) {
        let machine = self.machine();
        let (mut sums, mut reached) = (sums, reached);
        let mut warp = 1;
        while warp < machine.warps() {
            let row = row::<D, E, L, V>(warp);
            let flag = row + row_floats::<D, E, L, V>() as u32 - V as u32;
            // SAFETY: the caller's.
            unsafe {
                sums = sums.combined_with(E::Sums::<V>::load_shared(self.group, row));
                reached |= machine.load_shared::<V>(flag)[0] != 0.0;
            }
            warp += 1;
        }
        (sums, reached)
    }
}
