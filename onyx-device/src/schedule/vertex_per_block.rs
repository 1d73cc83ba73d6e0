//! Pull, a block for each vertex: its groups of lanes take the edges of the row in turn. Sums are joined by shuffles in each warp, then
//! through shared memory across the warps.
//!
//! As [`vertex_per_warp`](crate::schedule::vertex_per_warp) nothing is added to memory, and all is joined in the same order each time; a long row has eight warps instead of
//! one. For few rows that are very long: on a short one most of its lanes have no edge.

use crate::block::Block;
use crate::index::Vertex;
use crate::launch::{Launch, Owned};
use crate::property::GraphData;
use crate::run::{EdgeRun, VertexRun};
use crate::schedule::row_block::share;

/// Launches of `vertex_per_block`: as of [`VertexPerWarp`](crate::schedule::vertex_per_warp::VertexPerWarp). A block has
/// [`shared_floats`](crate::schedule::row_block::shared_floats) of shared memory.
#[derive(Debug)]
pub struct VertexPerBlock;

/// The body of the kernel `vertex_per_block`: a block for each vertex.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn run<M, D, E, W, const L: usize, const V: usize>(launch: Launch<'_, M, D, E, W, VertexPerBlock>)
where
    M: Block,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let machine = launch.machine();
    machine.let_next_begin();
    // The whole block returns, or none of it.
    let index = launch.arguments().units.first + machine.block();
    if launch.is_done(index) {
        return;
    }
    let (worker, vertex) = (launch.worker::<L, V>(), Vertex(index as u32));
    // SAFETY: `VertexPerBlock`: the unit is a vertex, which is the block's alone. One of its groups runs the vertex functions, after the block has met.
    unsafe {
        let (sums, reached) = worker.gather_share(vertex, share::<M, L>(machine));
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
