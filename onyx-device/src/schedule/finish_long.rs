//! The finish of rows that very many groups share, whose totals are states that nothing adds to memory: a block for each.
//!
//! One group of lanes, as in [`cut_rows`](crate::schedule::cut_rows), would go through all parts of a hub while the rest of the GPU has ended. Here the groups of a block take
//! the parts in turn, and join what they have as those of [`vertex_per_block`](crate::schedule::vertex_per_block) do.

use crate::block::Block;
use crate::index::Vertex;
use crate::launch::{Launch, Owned};
use crate::property::GraphData;
use crate::run::{EdgeRun, VertexRun};
use crate::schedule::pull::marks_parts;
use crate::schedule::row_block::share;

/// Rows of more parts are finished by a block each.
pub const MOST_PARTS: u32 = 32;

/// Launches of `finish_long`: units are entries of the list of cut rows of more than [`MOST_PARTS`] parts, which the groups have left. A block has
/// [`shared_floats`](crate::schedule::row_block::shared_floats) of shared memory.
#[derive(Debug)]
pub struct FinishLong;

/// The body of the kernel `finish_long`: a block for each of these rows, whose vertex functions run on the sums of its parts.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn run<M, D, E, W, const L: usize, const V: usize>(launch: Launch<'_, M, D, E, W, FinishLong>)
where
    M: Block,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let (machine, arguments) = (launch.machine(), launch.arguments());
    machine.let_next_begin();
    machine.wait_for_launch_before();
    // The whole block returns, or none of it.
    let unit = arguments.units.first + machine.block();
    if launch.is_done(unit) {
        return;
    }
    let worker = launch.worker::<L, V>();
    // SAFETY: `FinishLong`: the unit is an entry of the list, in which a row is once, and its parts are there. One group runs the vertex functions, after the block has met.
    unsafe {
        let index = machine.load_u32(arguments.parts.long.add(unit as usize));
        let sums = worker.join(worker.add_parts(index.into(), share::<M, L>(machine)));
        worker.leave(sums, false);
        machine.synchronize_block();
        if machine.warp() == 0 && machine.lane() < L as u32 {
            let (sums, _) = worker.take(sums, false);
            let vertex = Owned::claim(Vertex(machine.load_u32(arguments.cut.add(index as usize))));
            let reached = marks_parts::<D, E, W>() && worker.is_marked(vertex);
            worker.finish(vertex, sums, reached);
        }
    }
}
