//! What the emulator does, and what it says of small mistakes. Those that are planted in schedules are in `tests/tests/mistakes`.

mod blocks;
mod conflict;
mod early;
mod exchange;
mod memory;
mod oracle;
mod order;

use super::*;
use crate::block::Block;
use crate::group::Group;
use crate::machine::Machine;

/// An array that begins at a multiple of 16 bytes, by its name and its length in floats.
fn array(length: usize) -> (Vec<[u128; 1]>, Memory, *mut f32) {
    let mut values = vec![[0_u128]; length.div_ceil(4)];
    let pointer = values.as_mut_ptr().cast::<f32>();
    let mut memory = Memory::default();
    memory.add("label", pointer.addr(), length * 4);
    (values, memory, pointer)
}

fn launch_in(memory: &Memory, threads: u64, body: &dyn Fn(EmulatedLane)) -> Result<(), EmulatorError> {
    launch_blocks(memory, Blocks::of_threads(threads), body)
}

fn launch_blocks(memory: &Memory, blocks: Blocks, body: &dyn Fn(EmulatedLane)) -> Result<(), EmulatorError> {
    Launch { memory: Some(memory), blocks, order: Order::Forward, is_over: false, begins_early: false }.run(body)
}

/// Every order, one of them drawn by several seeds.
const ORDERS: [Order; 5] = [Order::Forward, Order::Reversed, Order::Random(1), Order::Random(2), Order::Random(3)];

/// Runs a warp, or several, on 64 floats in every order; what is said of it in each.
fn in_every_order(threads: u64, body: impl Fn(EmulatedLane, *mut f32)) -> Vec<Option<Mistake>> {
    let run = |order| {
        let (_values, memory, label) = array(64);
        let launch = Launch {
            memory: Some(&memory),
            blocks: Blocks::of_threads(threads),
            order,
            is_over: false,
            begins_early: false,
        };
        launch.run(&|lane| body(lane, label)).err().map(|error| error.mistake)
    };
    ORDERS.into_iter().map(run).collect()
}

/// Whether two lanes are in each other's way at one address, in every order.
fn conflicts(threads: u64, body: impl Fn(EmulatedLane, *mut f32)) -> bool {
    let found = in_every_order(threads, body);
    assert!(found.iter().all(|one| one.is_some() == found[0].is_some()), "{found:?}");
    assert!(found.iter().flatten().all(|mistake| matches!(mistake, Mistake::Conflict { .. })), "{found:?}");
    found[0].is_some()
}

/// What one warp does wrong with 64 floats.
fn mistake(threads: u64, body: impl Fn(EmulatedLane, *mut f32)) -> String {
    let (_values, memory, pointer) = array(64);
    launch_in(&memory, threads, &|lane| body(lane, pointer)).unwrap_err().mistake.to_string()
}

/// What one block of two warps does wrong with 64 floats of shared memory.
fn block_mistake(body: impl Fn(EmulatedLane)) -> String {
    let (_values, memory, _) = array(64);
    let blocks = Blocks::of_tiles(1, 1, 2, 64);
    launch_blocks(&memory, blocks, &body).unwrap_err().mistake.to_string()
}

/// This lane's number in its block.
fn number(lane: EmulatedLane) -> u32 {
    lane.warp() * WARP + lane.lane()
}
