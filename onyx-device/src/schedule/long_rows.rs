//! The long rows of [`word_per_warp`](crate::schedule::word_per_warp), before it: a warp for each piece of one. Its lanes take the edges of the piece in turn,
//! join what the functions reduce by shuffles, and add it to memory once. `clear` runs before.

use crate::arguments::Part;
use crate::launch::{Launch, Shared};
use crate::machine::Machine;
use crate::property::GraphData;
use crate::run::{EdgeRun, VertexRun};

/// Rows of more edges are long.
pub const LONG: u32 = 16;
/// The edges of a piece of a long row, at most.
pub const PIECE: u32 = 256;

/// Launches of `long_rows`: units are pieces of long rows, of at most [`PIECE`] edges. The totals of long rows were cleared.
#[derive(Debug)]
pub struct LongRows;

/// The body of the kernel `long_rows`: a warp for each piece.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn run<M, D, E, W, const L: usize, const V: usize>(launch: Launch<'_, M, D, E, W, LongRows>)
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    launch.machine().let_next_begin();
    let index = launch.unit(32);
    // The whole warp returns, or none of it.
    if launch.is_done(index) {
        return;
    }
    let (machine, incoming, worker) = (launch.machine(), &launch.arguments().incoming, launch.worker::<L, V>());
    // SAFETY: `LongRows`: the unit is a piece, which is the warp's alone; no group owns a vertex.
    unsafe {
        let Part { vertex, begin, end, .. } = incoming.part(machine, index);
        let (edges, stride) = (begin + u64::from(machine.lane() / L as u32)..end, 32 / L as u32);
        let (sums, reached) = worker.gather_in_flight(vertex, edges, stride);
        let sums = worker.join(sums);
        let reached = machine.ballot(u32::MAX, reached) != 0;
        if machine.lane() < L as u32 {
            worker.add_part(Shared::claim(vertex), sums, reached);
        }
    }
}
