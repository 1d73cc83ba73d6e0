//! Pull, a block for each vertex: its groups of lanes take the edges of the row in turn. Sums are joined by shuffles in each warp, then
//! through shared memory across the warps.
//!
//! As [`vertex_per_warp`] nothing is added to memory, and all is joined in the same order each time; a long row has eight warps instead of
//! one. For few rows that are very long: on a short one most of its lanes have no edge.

use crate::arguments::Arguments;
use crate::block::Block;
use crate::group::Group;
use crate::index::Vertex;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::{EdgeRun, VertexRun};
use crate::schedule::row_block::row_floats;
use crate::schedule::{pull, vertex_per_warp};

/// The body of the kernel `vertex_per_block`: a block for each vertex.
///
/// # Safety
/// As [`pull::run`], and the block has [`shared_floats`](crate::schedule::row_block::shared_floats) of shared memory.
#[inline(always)]
pub unsafe fn run<M, D, E, W, const L: usize, const V: usize>(machine: M, arguments: &Arguments<D>)
where
    M: Block,
    D: GraphData,
    E: EdgeRun<D>,
    W: VertexRun<D>,
{
    let index = arguments.units.first + machine.block();
    // SAFETY: the caller's. The whole block returns, or none of it.
    if index >= arguments.units.end || unsafe { arguments.is_over(machine) } {
        return;
    }
    let group = arguments.group::<M, L, V>(machine);
    let vertex = Vertex(index as u32);
    let (first, groups) = (machine.warp() * 32 + machine.lane(), machine.warps() * 32);
    let share = (u64::from(first / L as u32), u64::from(groups / L as u32));
    // SAFETY: the block owns the vertex and its row; one of its groups runs the vertex functions.
    unsafe {
        let (sums, reached) = vertex_per_warp::gather::<M, D, E, W, L, V>(group, arguments, vertex, share);
        let sums = vertex_per_warp::join::<M, D, E, L, V>(machine, sums);
        let reached = machine.ballot(u32::MAX, reached) != 0;
        leave::<M, D, E, L, V>(group, sums, reached);
        machine.synchronize_block();
        if machine.warp() == 0 && machine.lane() < L as u32 {
            let (sums, reached) = take::<M, D, E, L, V>(group, sums, reached);
            pull::finish::<M, D, E, W, L, V>(group, arguments, vertex, sums, reached);
        }
    }
}

/// Where warp number `warp`, which is not the first, leaves its sums.
#[inline(always)]
const fn row<D: GraphData, E: EdgeRun<D>, const L: usize, const V: usize>(warp: u32) -> u32 {
    row_floats::<D, E, L, V>() as u32 * (warp - 1)
}

/// Leaves the sums of each warp but the first in shared memory.
#[inline(always)]
unsafe fn leave<M, D, E, const L: usize, const V: usize>(group: Group<M, L, V>, sums: E::Sums<V>, reached: bool)
where
    M: Block,
    D: GraphData,
    E: EdgeRun<D>,
{
    let machine = group.machine();
    if machine.warp() == 0 || machine.lane() >= L as u32 {
        return;
    }
    let row = row::<D, E, L, V>(machine.warp());
    let flag = row + row_floats::<D, E, L, V>() as u32 - V as u32;
    // SAFETY: the row is this group's alone, until the block has met.
    unsafe {
        sums.store_shared(group, row);
        if group.is_leader() {
            machine.store_shared(flag, [f32::from(u8::from(reached)); V]);
        }
    }
}

/// The sums of all warps, added to those of the first in the order of the warps.
#[inline(always)]
unsafe fn take<M, D, E, const L: usize, const V: usize>(
    group: Group<M, L, V>,
    sums: E::Sums<V>,
    reached: bool,
) -> (E::Sums<V>, bool)
where
    M: Block,
    D: GraphData,
    E: EdgeRun<D>,
{
    let machine = group.machine();
    let (mut sums, mut reached) = (sums, reached);
    let mut warp = 1;
    while warp < machine.warps() {
        let row = row::<D, E, L, V>(warp);
        let flag = row + row_floats::<D, E, L, V>() as u32 - V as u32;
        // SAFETY: every warp has left its row, and the block has met.
        unsafe {
            sums = sums.combined_with(E::Sums::<V>::load_shared(group, row));
            reached |= machine.load_shared::<V>(flag)[0] != 0.0;
        }
        warp += 1;
    }
    (sums, reached)
}
