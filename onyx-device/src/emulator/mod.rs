//! A warp emulator: 32 lanes on the host that run device code, really exchange values, and really meet at ballots and shuffles.
//!
//! Each lane is a coroutine. A lane that reaches a shuffle or a ballot stops until every lane that the operation names has arrived, as on
//! the GPU; a lane that never arrives is reported instead of hanging. Blocks run one after the other, and lanes a turn at a time, in an
//! [`Order`] that is the same each time, so that a launch is deterministic. The warps of a block share memory, and go on together after a
//! barrier at which all of their lanes have arrived.
//!
//! Memory is checked as [`Machine`](crate::Machine) and [`Block`](crate::Block) say: each access lies inside of one array of the launch's
//! [`Memory`] and is aligned, reads what holds something, and is in no other lane's way. Two lanes are in each other's way where both reach
//! one address, at least one of them writes, and they have not *met* in between: at a [`synchronize`](crate::Machine::synchronize) that
//! names both or at the block's barrier, directly or by way of other lanes. Shuffles and ballots exchange values alone, and order no memory.
//! Lanes of different blocks never meet. Where a launch may begin before the one before it has ended, a lane is in the way of all that one has done until it
//! [waits](crate::Machine::wait_for_launch_before). It is not an error that lanes leave equal marks, or combine atomically by one operator; nothing else
//! is excepted. So a mistake is found in whichever order the lanes happen to run, and whatever values they find.
//!
//! What is wrong but in nobody's way is not seen here, and left to tests that compare results:
//! - a value of the wrong edge, of the wrong lane of the right group, or of shared memory that the same lane has stored over;
//! - an atomic addition too many, such as of a scalar by every lane of a group, and an edge or a row left out;
//! - a sum that a lane has loaded before it met another that stored it, and stores again afterwards;
//! - launches in the wrong order, but where a total is read that no lane has stored;
//! - an access so far out of bounds that it lies in another array;
//! - lanes that go round forever, and all that a compiler or a GPU does with code that is right.

mod access;
mod block;
mod check;
mod clocks;
mod history;
mod lane;
mod memory;
mod mistake;
mod moments;
mod shadow;
mod turns;
mod warp;

pub use crate::order::Order;
pub use access::Access;
pub use lane::EmulatedLane;
pub use memory::{Memory, Place};
pub use mistake::{EmulatorError, Mistake, Operation};

use check::Checking;
use turns::Turns;

/// Lanes in a warp.
pub const WARP: u32 = 32;

/// The blocks of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    /// How many there are, for each tile, or for as many as lie side by side.
    pub count: u64,
    /// The tiles.
    pub tiles: u32,
    /// How many of them lie side by side in a block: the lanes of a group for the first one, then those for the next.
    pub beside: u32,
    /// The lanes of such a group.
    pub lanes: u32,
    /// The warps of each, 32 at most.
    pub warps: u32,
    /// The shared memory of each, in floats.
    pub shared_floats: usize,
}

impl Blocks {
    /// Blocks of one warp, as many as have at least this number of threads together.
    pub fn of_threads(threads: u64) -> Self {
        Self::of_tiles(threads.div_ceil(u64::from(WARP)), 1, 1, 0)
    }

    /// So many blocks of so many warps for each tile.
    pub fn of_tiles(count: u64, tiles: u32, warps: u32, shared_floats: usize) -> Self {
        Self { count, tiles, beside: 1, lanes: WARP, warps, shared_floats }
    }
}

/// A kernel launch.
#[derive(Clone, Copy, Debug)]
pub struct Launch<'a> {
    /// The arrays that may be reached; `None` for any address.
    pub memory: Option<&'a Memory>,
    /// The blocks.
    pub blocks: Blocks,
    /// The order of lanes, warps and blocks.
    pub order: Order,
    /// Whether the launch comes after the run's end, so that nothing may be written.
    pub is_over: bool,
    /// Whether it may begin before the launch before it on this thread has ended: a lane must not be in the way of that before it
    /// [waits](crate::Machine::wait_for_launch_before).
    pub begins_early: bool,
}

impl Launch<'_> {
    /// Runs `body` once for each thread.
    ///
    /// # Errors
    /// [`EmulatorError`] if a lane did not arrive where others waited for it, or reached memory in a way that is not allowed. What was written
    /// before stays written.
    pub fn run(&self, body: &dyn Fn(EmulatedLane)) -> Result<(), EmulatorError> {
        let Blocks { count, tiles, beside, warps, shared_floats, .. } = self.blocks;
        assert!((1..=WARP).contains(&warps), "a block of {warps} warps: there are 1 to {WARP}");
        // Double words of 16 bytes, for rows that are aligned to them.
        let mut shared = vec![0_u128; shared_floats.div_ceil(4)];
        let begin = shared.as_mut_ptr().cast::<f32>();
        let addresses = begin.addr()..begin.addr() + shared_floats * size_of::<f32>();
        let checking = Checking::begin(self, (warps * WARP) as usize, addresses);
        let mut turns = Turns::new(self.order);
        let mut blocks = turns.blocks(count * u64::from(tiles / beside));
        let ran = blocks.try_for_each(|block| block::run(block, self.blocks, begin, &mut turns, body));
        let ran = ran.and_then(|()| checking.end());
        ran.map_err(|mistake| EmulatorError { mistake, order: self.order })
    }
}

/// Runs `body` once for each of `threads` threads, rounded up to whole warps, as a kernel launch would; in forward order, with any address
/// allowed.
///
/// # Errors
/// As [`Launch::run`].
pub fn launch(threads: u64, body: &dyn Fn(EmulatedLane)) -> Result<(), EmulatorError> {
    let (blocks, order) = (Blocks::of_threads(threads), Order::Forward);
    Launch { memory: None, blocks, order, is_over: false, begins_early: false }.run(body)
}

#[cfg(test)]
mod tests;
