//! A warp emulator: 32 lanes on the host that run device code, really exchange values, and really meet at ballots and shuffles.
//!
//! Each lane is a coroutine. A lane that reaches a shuffle or a ballot stops until every lane that the operation names has arrived, as on
//! the GPU; a lane that never arrives is reported instead of hanging. Warps run one after the other, so a launch is deterministic.
//!
//! Memory is checked: an access must lie inside of one array of the launch's [`Memory`] and be aligned, and two lanes must not write one
//! address unless they have met in between, or both add atomically, or both leave the same mark. Lanes of different warps never meet.

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

fn run(memory: Option<&Memory>, threads: u64, body: &dyn Fn(EmulatedLane)) -> Result<(), EmulatorError> {
    let _checking = Checking::begin(memory);
    (0..threads.div_ceil(u64::from(WARP))).try_for_each(|warp| warp::run(warp, body))
}

#[cfg(test)]
mod tests;
