//! A block of emulated warps, which go on together after each barrier.

use std::mem;

use super::lane::{EmulatedLane, OwnBlock};
use super::turns::Turns;
use super::warp::{Body, Warp};
use super::{Blocks, Mistake, WARP, check};

/// Runs block number `block` of all tiles' to its end, a lane at a time, from one barrier to the next. Each tile has the blocks of the launch.
pub(super) fn run(
    block: u64,
    blocks: Blocks,
    shared: *mut f32,
    turns: &mut Turns,
    body: Body<'_>,
) -> Result<(), Mistake> {
    check::start(block);
    // SAFETY: the coroutines are dropped before this function returns, so they do not outlive the body.
    let body = unsafe { mem::transmute::<Body<'_>, Body<'static>>(body) };
    let first = block * u64::from(blocks.warps);
    let warp = |warp: u32| {
        let lanes = (warp * WARP..(warp + 1) * WARP).map(|number| lane(block, number, blocks, shared));
        Warp::new(first + u64::from(warp), (warp * WARP) as usize, lanes, body)
    };
    let mut warps: Vec<Warp> = (0..blocks.warps).map(warp).collect();
    loop {
        advance(&mut warps, turns)?;
        if warps.iter().all(Warp::has_returned) {
            return Ok(());
        }
        check_barrier(block, &warps)?;
        check::met(0..warps.len() * WARP as usize);
        warps.iter_mut().for_each(Warp::pass);
    }
}

/// Lane `number` of a block, with its tile, and its number among the threads of that.
fn lane(block: u64, number: u32, Blocks { count, beside, lanes, warps, .. }: Blocks, shared: *mut f32) -> EmulatedLane {
    let (group, of_group) = (number / lanes, number % lanes);
    let of_tile = block % count * u64::from(warps * WARP / beside);
    let thread = of_tile + u64::from(group / beside * lanes + of_group);
    let tile = (block / count) as u32 * beside + group % beside;
    EmulatedLane::new(number, thread, tile, OwnBlock { number: block % count, count, beside, warps, shared })
}

/// Runs lanes until each has returned or waits at the barrier.
fn advance(warps: &mut [Warp], turns: &mut Turns) -> Result<(), Mistake> {
    loop {
        let ready = (0..).zip(&*warps).fold(0, |bits, (number, warp)| bits | u32::from(warp.is_ready()) << number);
        if ready == 0 {
            return warps.iter().try_for_each(Warp::check_waiting);
        }
        warps[turns.pick(ready)].step(turns)?;
    }
}

/// Every lane waits at the barrier, or has returned: then none may have returned.
fn check_barrier(block: u64, warps: &[Warp]) -> Result<(), Mistake> {
    let waiting = warps.iter().map(|warp| (!warp.returned()).count_ones() as usize).sum();
    let left = warps.iter().find(|warp| warp.returned() != 0);
    left.map_or(Ok(()), |warp| Err(Mistake::Left { block, waiting, warp: warp.number(), returned: warp.returned() }))
}
