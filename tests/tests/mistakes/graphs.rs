//! All stages at once: as the schedule is, nothing is said of it; without its barrier, or where an edge leads from one block into another, something is.

use onyx_device::emulator::{Blocks, Launch as Lanes};
use onyx_device::schedule::graph_per_block;
use onyx_device::stage::{Passing, Stage};
use onyx_device::{Block, Launch};

use crate::careless::{Careless, NoBarrier};
use crate::plant::{ORDERS, Plant, check};
use crate::program::{Believe, BelieveFollowing, Data, L, MeasureAndShrink, ReweighAndHear, Tell, TellFollowing, V};
use crate::world::{VERTICES, World};

/// Two stages, the second of which reads what the first one writes.
type TwoStages = (Stage<Tell, Believe>, (Stage<Tell, Believe>, Passing<0>));
/// Three stages, one of them without edges.
type ThreeStages = (
    Stage<ReweighAndHear, MeasureAndShrink>,
    (Stage<(), Believe>, (Stage<TellFollowing, BelieveFollowing>, Passing<0>)),
);

/// The schedule on a world.
fn two_stages(lane: impl Block, world: &World) {
    // SAFETY: the arrays are the world's; the emulator stops a lane that goes wrong.
    unsafe { graph_per_block::run::<_, Data, TwoStages, L, V>(Launch::new(lane, &world.arguments)) }
}

/// So many blocks of three warps.
fn blocks(world: &mut World, count: u64) -> Blocks {
    Blocks::of_tiles(world.take(count), 1, 3, 0)
}

/// The whole graph is one member of the batch.
fn whole(world: &mut World) {
    world.take_graphs(&[0, VERTICES as u32]);
}

/// The graph is cut in the middle.
fn halves(world: &mut World) {
    world.take_graphs(&[0, VERTICES as u32 / 2, VERTICES as u32]);
}

#[test]
fn graphs_by_blocks_are_right() {
    for order in ORDERS {
        let mut world = World::new();
        whole(&mut world);
        let blocks = blocks(&mut world, 1);
        let launch = || Lanes { memory: Some(&world.memory), blocks, order, is_over: false, begins_early: false };
        launch().run(&|lane| two_stages(lane, &world)).unwrap_or_else(|error| panic!("two stages: {error}"));
        // SAFETY: as above.
        let three = launch().run(&|lane| unsafe {
            graph_per_block::run::<_, Data, ThreeStages, L, V>(Launch::new(lane, &world.arguments));
        });
        three.unwrap_or_else(|error| panic!("three stages: {error}"));
    }
}

#[test]
fn mistakes_of_stages_in_one_launch_are_found() {
    check(&[
        Plant {
            name: "the block does not meet between two stages",
            blocks: |world| blocks(world, 1),
            prepare: whole,
            kernel: |lane, world| two_stages(Careless(lane, NoBarrier), world),
            says: "warp 0: lane 4 stores at offset 64 of value (tracked), where lane 0 of warp 0 has loaded without meeting it",
        },
        Plant {
            name: "an edge leads from one block into another",
            blocks: |world| blocks(world, 2),
            prepare: halves,
            kernel: |lane, world| two_stages(lane, world),
            says: "warp 3: lane 0 stores at offset 2240 of value (tracked), where lane 12 of warp 0 has loaded without meeting it",
        },
        Plant {
            name: "there is no end of the last block",
            blocks: |world| blocks(world, 2),
            prepare: whole,
            kernel: |lane, world| two_stages(lane, world),
            says: "warp 3: lane 0 loads 4 bytes at offset 8 of the blocks of graphs, which has 8 bytes: an out-of-bounds row",
        },
    ]);
}
