//! A block that takes a whole row: how many warps it has, and how they join their sums through shared memory.

use crate::block::Block;
use crate::launch::Worker;
use crate::property::GraphData;
use crate::reduction::Accumulator;
use crate::run::{EdgeRun, VertexRun};

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

/// The number of the calling lane's group in its block, and how many groups that has.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn share<M: Block, const L: usize>(machine: M) -> (u32, u32) {
    let lanes = |warps: u32| warps * 32;
    ((lanes(machine.warp()) + machine.lane()) / L as u32, lanes(machine.warps()) / L as u32)
}

/// Where warp number `warp`, which is not the first, leaves its sums.
#[cfg_attr(not(debug_assertions), inline(always))]
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
    /// A block has [`shared_floats`] of shared memory, and has not met.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn leave(&self, sums: E::Sums<V>, reached: bool) {
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
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub(super) unsafe fn take(&self, sums: E::Sums<V>, reached: bool) -> (E::Sums<V>, bool) {
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
