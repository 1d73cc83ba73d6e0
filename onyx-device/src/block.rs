//! Blocks: warps that share memory and wait for each other.

use crate::machine::Machine;

/// A lane of a machine that has blocks. All blocks of a launch have the same number of warps, and as much shared memory as the launch gives.
///
/// Shared memory is an array of floats, the same for all lanes of a block and nobody else's. Nothing is in it at first.
///
/// # Safety
/// As [`Machine`]: blocks and their warps are numbered as said.
pub unsafe trait Block: Machine {
    /// This lane's block in the launch.
    fn block(self) -> u64;

    /// How many blocks the launch has, for each tile or for those that lie side by side in a block.
    fn blocks(self) -> u64;

    /// How many tiles lie side by side in a block: a group of lanes for the first one, then one for the next.
    fn beside(self) -> u32;

    /// This lane's warp in its block, `0..warps()`.
    fn warp(self) -> u32;

    /// How many warps the block has.
    fn warps(self) -> u32;

    /// Waits until every lane of the block has arrived, and lets each see what the others have written.
    fn synchronize_block(self);

    /// Where float number `float` of the shared memory lies, for accesses to what lies anywhere: [`Machine::load_anywhere`].
    fn shared_place(self, float: u32) -> *mut f32;

    /// Loads `V` consecutive floats of the shared memory, from number `from` on.
    ///
    /// # Safety
    /// They exist, `from` is a multiple of `V`, and no lane that has not met this one writes them.
    unsafe fn load_shared<const V: usize>(self, from: u32) -> [f32; V];

    /// Stores `V` consecutive floats of the shared memory, from number `to` on.
    ///
    /// # Safety
    /// As [`Block::load_shared`], and no lane that has not met this one reads them.
    unsafe fn store_shared<const V: usize>(self, to: u32, values: [f32; V]);
}
