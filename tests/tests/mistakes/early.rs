//! Launches that begin early, but do not wait for the one before.

use onyx_device::emulator::{Blocks, EmulatedLane, Launch};

use crate::careless::{Careless, NoWait};
use crate::kernels;
use crate::plant::{ORDERS, cut_rows, incoming_groups, words, words_by};
use crate::program::{Believe, L, Tell, V};
use crate::world::World;

/// A kernel, and how many threads are launched.
type Kernel = (fn(&mut World) -> Blocks, fn(EmulatedLane, &World));

/// What is said of the second of two kernels, in every order, where it does not wait.
fn said(prepare: fn(&mut World), first: Kernel, second: Kernel) -> Vec<String> {
    let find = |order| {
        let mut world = World::new();
        prepare(&mut world);
        let mut run = |(blocks, kernel): Kernel, begins_early| {
            let blocks = blocks(&mut world);
            let launch = Launch { memory: Some(&world.memory), blocks, order, is_over: false, begins_early };
            launch.run(&|lane| kernel(lane, &world)).map_err(|error| error.mistake.to_string())
        };
        run(first, false).unwrap();
        run(second, true).expect_err("a mistake")
    };
    ORDERS.into_iter().map(find).collect()
}

fn clear(lane: EmulatedLane, world: &World) {
    kernels::clear::<Tell>(lane, world);
}

fn pull(lane: EmulatedLane, world: &World) {
    kernels::pull::<Tell, Believe>(lane, world);
}

fn long_rows(lane: EmulatedLane, world: &World) {
    kernels::long_rows::<Tell, Believe>(lane, world);
}

fn pieces(world: &mut World) -> Blocks {
    Blocks::of_threads(world.take(world.arguments.incoming.count) * 32)
}

#[test]
fn who_does_not_wait_is_found() {
    let finish: Kernel = (cut_rows, |lane, world| kernels::finish::<Tell, Believe>(Careless(lane, NoWait), world));
    let found = said(|_| (), (incoming_groups, pull), finish);
    assert!(found.iter().all(|said| said.contains("of total, which the launch before writes")), "{found:?}");

    let careless_pull: Kernel =
        (incoming_groups, |lane, world| kernels::pull::<Tell, Believe>(Careless(lane, NoWait), world));
    let found = said(|_| (), (cut_rows, clear), careless_pull);
    assert!(found.iter().all(|said| said.contains("of total, which the launch before reaches")), "{found:?}");

    let activate: Kernel = (words, |lane, world| kernels::activate(Careless(lane, NoWait), world));
    let found = said(|_| (), (incoming_groups, pull), activate);
    assert!(found.iter().all(|said| said.contains("of the marks, which the launch before writes")), "{found:?}");

    let word: Kernel = (words_by::<Tell, L, V>, |lane, world| {
        kernels::word_per_warp::<Tell, Believe>(Careless(lane, NoWait), world);
    });
    let found = said(World::take_long_row, (pieces, long_rows), word);
    assert!(found.iter().all(|said| said.contains("of total, which the launch before writes")), "{found:?}");
}
