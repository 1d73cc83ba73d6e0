//! A block of emulated warps, which go on together behind each barrier.

use std::mem;

use super::lane::EmulatedLane;
use super::warp::{self, Body, Lane};
use super::{EmulatorError, WARP, check};

/// Runs one block to its end: each warp as far as it comes, then all of them from one barrier to the next.
pub(super) fn run(block: u64, warps: u32, shared: *mut f32, body: Body<'_>) -> Result<(), EmulatorError> {
    check::start(block);
    // SAFETY: the coroutines are dropped before this function returns, so they do not outlive the body.
    let body = unsafe { mem::transmute::<Body<'_>, Body<'static>>(body) };
    let first = block * u64::from(warps);
    let threads = first * u64::from(WARP)..(first + u64::from(warps)) * u64::from(WARP);
    let mut lanes: Vec<Lane> =
        threads.map(|thread| Lane::new(EmulatedLane::new(thread, warps, shared), body)).collect();
    lanes.iter_mut().try_for_each(Lane::begin)?;
    loop {
        for (warp, lanes) in lanes.chunks_mut(WARP as usize).enumerate() {
            warp::advance(first + warp as u64, warp * WARP as usize, lanes)?;
        }
        if lanes.iter().all(Lane::has_returned) {
            return Ok(());
        }
        check_barrier(block, first, &lanes)?;
        check::met(0..lanes.len());
        lanes.iter_mut().try_for_each(Lane::pass)?;
    }
}

/// Every lane waits at the barrier, or has returned: then none may have returned.
fn check_barrier(block: u64, first: u64, lanes: &[Lane]) -> Result<(), EmulatorError> {
    let waiting = lanes.iter().filter(|lane| !lane.has_returned()).count();
    let returned = lanes.chunks(WARP as usize).map(warp::returned).zip(first..).find(|(returned, _)| *returned != 0);
    returned.map_or(Ok(()), |(returned, warp)| Err(EmulatorError::Left { block, waiting, warp, returned }))
}
