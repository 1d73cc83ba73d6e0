//! The long rows of [`word_per_warp`](crate::schedule::word_per_warp), before it: a warp for each piece of one. Its lanes take the edges of the piece in turn,
//! join what the functions reduce by shuffles, and add it to memory once. `clear` runs before.

use crate::arguments::Arguments;
use crate::index::Vertex;
use crate::machine::Machine;
use crate::property::GraphData;
use crate::run::{EdgeRun, PreviousVersion, VertexRun};
use crate::schedule::{EDGES_IN_FLIGHT, has_large_edges, pull, vertex_per_warp};

/// Rows of more edges are long.
pub const LONG: u32 = 16;
/// The edges of a piece of a long row, at most.
pub const PIECE: u32 = 256;

/// The body of the kernel `long_rows`: a warp for each piece.
///
/// # Safety
/// As [`pull::run`].
#[inline(always)]
pub unsafe fn run<M, D, E, W, const L: usize, const V: usize>(machine: M, arguments: &Arguments<D>)
where
    M: Machine,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let index = arguments.units.first + machine.thread() / 32;
    // SAFETY: the caller's. The whole warp returns, or none of it.
    if index >= arguments.units.end || unsafe { arguments.is_over(machine) } {
        return;
    }
    let group = arguments.group::<M, L, V>(machine);
    // SAFETY: the piece is this warp's alone; the row's sums were cleared, and are only added to atomically.
    unsafe {
        let vertex = Vertex(machine.load_u32(arguments.incoming.vertex.add(index as usize)));
        let begin = machine.load_u64(arguments.incoming.begin.add(index as usize));
        let end = arguments.incoming.offset(machine, u64::from(vertex.0) + 1).min(begin + u64::from(PIECE));
        let (edges, stride) = (begin + u64::from(machine.lane() / L as u32)..end, 32 / L as u64);
        let (sums, reached) = if const { has_large_edges::<D, E, L, V>() } {
            pull::gather_strided::<M, D, E, PreviousVersion<D, W>, L, V, 1>(group, arguments, vertex, edges, stride)
        } else {
            pull::gather_strided::<M, D, E, PreviousVersion<D, W>, L, V, EDGES_IN_FLIGHT>(
                group, arguments, vertex, edges, stride,
            )
        };
        let sums = vertex_per_warp::join::<M, D, E, L, V>(machine, sums);
        let reached = machine.ballot(u32::MAX, reached) != 0;
        if machine.lane() < L as u32 {
            pull::add_part::<M, D, E, W, L, V>(group, arguments, vertex, sums, reached);
        }
    }
}
