//! Pull, a block for each vertex whose edges add up a matrix: each lane has a row of it, and all lanes together are one group.
//!
//! A matrix of more than 32 rows fills a warp's registers, but not a block's. What lanes need of each other, and the factor of a system of equations, lie in
//! shared memory ([`Joined`](crate::joined::Joined)). No row is cut, nothing is added to memory, and all is in the same order each time.

use crate::block::Block;
use crate::index::Vertex;
use crate::launch::{Launch, Owned};
use crate::property::GraphData;
use crate::run::{EdgeRun, VertexRun};

/// Launches of `matrix_per_block`: units are vertices, and the incoming edges have offsets. A block has `L` lanes, and
/// [`shared_floats`](crate::cholesky::shared_floats) of shared memory.
#[derive(Debug)]
pub struct MatrixPerBlock;

/// The body of the kernel `matrix_per_block`: a block of `L` lanes for each vertex.
#[inline(always)]
pub fn run<M, D, E, W, const L: usize, const V: usize>(launch: Launch<'_, M, D, E, W, MatrixPerBlock>)
where
    M: Block,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let launch = launch.joined::<L>();
    // The whole block returns, or none of it.
    let index = launch.arguments().units.first + launch.machine().block();
    if launch.is_done(index) {
        return;
    }
    let (worker, vertex) = (launch.worker::<L, V>(), Vertex(index as u32));
    // SAFETY: `MatrixPerBlock`: the unit is a vertex, which is the block's alone, and the block is one group.
    unsafe {
        let (sums, reached) = worker.gather_share(vertex, (0, 1));
        worker.finish(Owned::claim(vertex), sums, reached);
    }
}
