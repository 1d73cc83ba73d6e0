//! A block that takes a whole row: how many warps it has, and the shared memory in which they leave their sums.

use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::EdgeRun;

/// The shared memory that a block may have on every GPU, in floats.
const SHARED: usize = (48 << 10) / 4;

/// How many floats of shared memory one warp leaves its sums in: `V` in each lane of a group for every reduced property, and `V` that say
/// whether an edge has reached the vertex, so that every row begins at a multiple of `V`.
pub(super) const fn row_floats<D: GraphData, E: EdgeRun<D>, const L: usize, const V: usize>() -> usize {
    <E::Sums<V> as Accumulator<D, V>>::LANE_FLOATS * L + V
}

/// The shared memory of a block of `warps` warps, in floats: the first warp keeps its sums.
pub const fn shared_floats<D: GraphData, E: EdgeRun<D>, const L: usize, const V: usize>(warps: u32) -> usize {
    row_floats::<D, E, L, V>() * (warps as usize - 1)
}

/// How many warps a block has: `most`, or as many fewer as what they have in shared memory leaves room for.
pub fn warps(most: u32, shared_floats: fn(u32) -> usize) -> u32 {
    let mut warps = most;
    while warps > 1 && shared_floats(warps) > SHARED {
        warps /= 2;
    }
    warps
}
