//! A warp emulator: 32 lanes on the host that run device code, really exchange values, and really meet at ballots and shuffles.
//!
//! Each lane is a coroutine. A lane that reaches a shuffle or a ballot stops until every lane that the operation names has arrived, as on
//! the GPU; a lane that never arrives is reported instead of hanging. Blocks run one after the other, so a launch is deterministic. The warps of
//! a block share memory, and go on together behind a barrier at which all of their lanes have arrived.
//!
//! Memory is checked: an access must lie inside of one array of the launch's [`Memory`] and be aligned, and two lanes must not write one
//! address unless they have met in between, or both add atomically, or both leave the same mark. Lanes of different blocks never meet. In
//! shared memory a load is checked against stores, too, and must have something to load.

mod block;
mod check;
mod error;
mod lane;
mod memory;
mod order;
mod warp;

pub use check::Access;
pub use error::{EmulatorError, Operation};
pub use lane::EmulatedLane;
pub use memory::{Memory, Place};

use check::Checking;

/// Lanes in a warp.
pub const WARP: u32 = 32;

/// The blocks of a launch.
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    /// How many there are.
    pub count: u64,
    /// The warps of each.
    pub warps: u32,
    /// The shared memory of each, in floats.
    pub shared_floats: usize,
}

/// Runs `body` once for each of `threads` threads, rounded up to whole warps, as a kernel launch would.
///
/// # Errors
/// [`EmulatorError`] if a lane did not arrive where the others of its group waited, or lanes got in each other's way in memory. What
/// earlier warps wrote stays written.
pub fn launch(threads: u64, body: &dyn Fn(EmulatedLane)) -> Result<(), EmulatorError> {
    run(None, threads, body)
}

/// As [`launch`], and every access must lie inside of one of the arrays of `memory`.
///
/// # Errors
/// As [`launch`], and [`EmulatorError::Outside`].
pub fn launch_in(memory: &Memory, threads: u64, body: &dyn Fn(EmulatedLane)) -> Result<(), EmulatorError> {
    run(Some(memory), threads, body)
}

/// As [`launch_in`], in blocks of several warps that share memory.
///
/// # Errors
/// As [`launch_in`], [`EmulatorError::Left`], and [`EmulatorError::Empty`].
pub fn launch_blocks(memory: &Memory, blocks: Blocks, body: &dyn Fn(EmulatedLane)) -> Result<(), EmulatorError> {
    run_blocks(Some(memory), blocks, body)
}

fn run(memory: Option<&Memory>, threads: u64, body: &dyn Fn(EmulatedLane)) -> Result<(), EmulatorError> {
    run_blocks(memory, Blocks { count: threads.div_ceil(u64::from(WARP)), warps: 1, shared_floats: 0 }, body)
}

fn run_blocks(memory: Option<&Memory>, blocks: Blocks, body: &dyn Fn(EmulatedLane)) -> Result<(), EmulatorError> {
    // Double words of 16 bytes, for rows that are aligned to them.
    let mut shared = vec![0_u128; blocks.shared_floats.div_ceil(4)];
    let begin = shared.as_mut_ptr().cast::<f32>();
    let addresses = begin.addr()..begin.addr() + blocks.shared_floats * size_of::<f32>();
    let _checking = Checking::begin(memory, (blocks.warps * WARP) as usize, addresses);
    (0..blocks.count).try_for_each(|block| block::run(block, blocks.warps, begin, body))
}

#[cfg(test)]
mod tests;
