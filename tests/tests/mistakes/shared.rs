//! Mistakes of a block's warps: at its barrier, and in its shared memory.

use onyx_device::emulator::{Blocks, EmulatedLane};
use onyx_device::joined::Joined;
use onyx_device::launch::Owned;
use onyx_device::reduction::Accumulator;
use onyx_device::run::VertexRun;
use onyx_device::{Block, Group, Machine, Vertex, cholesky};

use crate::careless::{Careless, NoBarrier, RowBefore};
use crate::kernels;
use crate::plant::{GATHERING, Plant, as_it_is, check, gathering_blocks, group_blocks, rows};
use crate::program::{Believe, Data, L, Shout, Sums, Tell, V, nothing};
use crate::world::World;

type Lanes = Group<EmulatedLane, L, V>;

/// The floats in which one warp leaves its totals.
const ROW: u32 = (<Sums as Accumulator<Data, V>>::LANE_FLOATS * L + V) as u32;

/// The floats in which one warp leaves what it adds to totals of the graph.
const TOTALS: u32 = (<<Shout as VertexRun<Data>>::Totals<V> as Accumulator<Data, V>>::LANE_FLOATS * L) as u32;

/// Leaves totals of no edge for the block, from float `at` on.
fn leave(group: Lanes, at: u32) {
    // SAFETY: the emulator stops a lane that goes wrong.
    unsafe { Accumulator::<Data, V>::store_shared(nothing(), group, at) };
}

/// The totals that a warp has left.
fn take(group: Lanes, at: u32) -> Sums {
    // SAFETY: as above.
    unsafe { Accumulator::<Data, V>::load_shared(group, at) }
}

/// Where a warp but the first leaves its totals.
fn row(warp: u32) -> u32 {
    ROW * (warp - 1)
}

fn group(lane: EmulatedLane, world: &World) -> Lanes {
    Lanes::of(lane, world.arguments.features)
}

/// Whether the lane's group has the totals of its warp.
fn has_totals(lane: EmulatedLane) -> bool {
    lane.lane() < L as u32
}

/// The first warp leaves nothing, and does not wait.
fn first_warp_goes_on(lane: EmulatedLane, world: &World) {
    if lane.warp() > 0 {
        if has_totals(lane) {
            leave(group(lane, world), row(lane.warp()));
        }
        lane.synchronize_block();
    }
}

/// Only the lanes that have something to leave wait.
fn wait_where_left(lane: EmulatedLane, world: &World) {
    if lane.warp() > 0 && has_totals(lane) {
        leave(group(lane, world), row(lane.warp()));
        lane.synchronize_block();
    } else if lane.warp() == 0 {
        lane.synchronize_block();
    }
}

/// The block waits first and leaves its totals afterwards.
fn leave_late(lane: EmulatedLane, world: &World) {
    lane.synchronize_block();
    if lane.warp() > 0 && has_totals(lane) {
        leave(group(lane, world), row(lane.warp()));
    }
    if lane.warp() == 0 && has_totals(lane) {
        take(group(lane, world), row(1));
    }
}

/// The rows of shared memory are numbered as the warps are.
fn rows_by_warp(lane: EmulatedLane, world: &World) {
    if lane.warp() > 0 && has_totals(lane) {
        leave(group(lane, world), ROW * lane.warp());
    }
}

/// All groups of a warp leave their totals, not only the first.
fn leave_by_all(lane: EmulatedLane, world: &World) {
    if lane.warp() > 0 {
        leave(group(lane, world), row(lane.warp()));
    }
}

/// The totals of scalars begin right after the rows before them, so that those of the next warp are at no multiple of four floats.
fn without_padding(lane: EmulatedLane, world: &World) {
    if lane.warp() > 0 && has_totals(lane) {
        leave(group(lane, world), (ROW - 3) * (lane.warp() - 1));
    }
}

/// A block takes several vertices, with one barrier for each.
fn several_vertices(lane: EmulatedLane, world: &World) {
    for _ in 0..2 {
        if lane.warp() > 0 && has_totals(lane) {
            leave(group(lane, world), row(lane.warp()));
        }
        lane.synchronize_block();
        if lane.warp() == 0 && has_totals(lane) {
            take(group(lane, world), row(1));
        }
    }
}

/// One warp too many is asked for its totals.
fn take_one_more(lane: EmulatedLane, world: &World) {
    if lane.warp() > 0 && has_totals(lane) {
        leave(group(lane, world), row(lane.warp()));
    }
    lane.synchronize_block();
    if lane.warp() == 0 && has_totals(lane) {
        (1..=lane.warps()).for_each(|warp| _ = take(group(lane, world), row(warp)));
    }
}

/// Every group of the first warp runs the vertex functions.
fn finish_by_all(lane: EmulatedLane, world: &World) {
    let vertex = Vertex(lane.block() as u32);
    lane.synchronize_block();
    if lane.warp() == 0 {
        // SAFETY: the emulator stops a lane that goes wrong.
        let vertex = unsafe { Owned::claim(vertex) };
        kernels::worker::<_, Tell, Believe>(lane, world).finish(vertex, nothing(), true);
    }
}

/// The lanes of a block that is one group.
const JOINED: usize = 64;

/// One block of so many lanes.
fn joined(_: &mut World) -> Blocks {
    Blocks::of_tiles(1, 1, JOINED as u32 / 32, cholesky::shared_floats(JOINED))
}

/// Such a block solves a system of equations.
fn solve(lane: impl Block) {
    // SAFETY: the emulator stops a lane that goes wrong.
    let group = Group::<_, JOINED, 1>::of(unsafe { Joined::<_, JOINED>::claim(lane) }, JOINED as u32);
    let value = group.feature(0) as f32;
    group.solve::<JOINED>([group.diagonal([value + 1.0]).row(0)], [value]);
}

#[test]
fn mistakes_of_blocks_that_are_one_group_are_found() {
    check(&[
        Plant {
            name: "the block does not wait for a column",
            blocks: joined,
            prepare: as_it_is,
            kernel: |lane, _| solve(Careless(lane, NoBarrier)),
            says: "warp 0: lane 0 loads at offset 768 of the shared memory, where no lane has stored",
        },
        Plant {
            name: "there is no room for the factor",
            blocks: |world| Blocks { shared_floats: 3 * JOINED, ..joined(world) },
            prepare: as_it_is,
            kernel: |lane, _| solve(lane),
            says: "warp 0: lane 0 stores 4 bytes at offset 768 of the shared memory, which has 768 bytes: an out-of-bounds row",
        },
    ]);
}

#[test]
fn mistakes_of_blocks_of_groups_are_found() {
    check(&[
        Plant {
            name: "the leader of a row does not wait for the other groups",
            blocks: group_blocks,
            prepare: as_it_is,
            kernel: |lane, world| {
                kernels::groups_per_block::<Tell, Believe>(Careless(lane, NoBarrier), world);
            },
            says: "warp 0: lane 0 loads at offset 128 of the shared memory, where no lane has stored",
        },
        Plant {
            name: "two groups leave their totals in one place",
            blocks: group_blocks,
            prepare: as_it_is,
            kernel: |lane, world| {
                kernels::groups_per_block::<Tell, Believe>(Careless(lane, RowBefore { floats: ROW }), world);
            },
            says: "warp 0: lane 8 stores at offset 128 of the shared memory, where lane 4 of warp 0 has stored without meeting it",
        },
        Plant {
            name: "there is no room for the last group",
            blocks: |world| {
                let blocks = group_blocks(world);
                Blocks { shared_floats: blocks.shared_floats - ROW as usize, ..blocks }
            },
            prepare: as_it_is,
            kernel: |lane, world| kernels::groups_per_block::<Tell, Believe>(lane, world),
            says: "warp 1: lane 28 stores 4 bytes at offset 2144 of the shared memory, which has 2016 bytes: an out-of-bounds row",
        },
    ]);
}

#[test]
fn mistakes_of_blocks_are_found() {
    check(&[
        Plant {
            name: "the block does not wait for its warps",
            blocks: rows,
            prepare: as_it_is,
            kernel: |lane, world| {
                kernels::vertex_per_block::<Tell, Believe>(Careless(lane, NoBarrier), world);
            },
            says: "warp 0: lane 0 loads at offset 0 of the shared memory, where no lane has stored",
        },
        Plant {
            name: "a block that gathers totals does not wait for its warps",
            blocks: gathering_blocks,
            prepare: as_it_is,
            kernel: |lane, world| kernels::gather_totals::<(), Shout>(Careless(lane, NoBarrier), world),
            says: "warp 0: lane 0 loads at offset 0 of the shared memory, where no lane has stored",
        },
        Plant {
            name: "there is no room for the totals of the last warp",
            blocks: |world| {
                let blocks = gathering_blocks(world);
                // One warp's.
                Blocks { shared_floats: TOTALS as usize * 32 / L, ..blocks }
            },
            prepare: as_it_is,
            kernel: |lane, world| kernels::gather_totals::<(), Shout>(lane, world),
            says: "warp 2: lane 0 stores 4 bytes at offset 1024 of the shared memory, which has 1024 bytes: an out-of-bounds row",
        },
        Plant {
            name: "there are contributions of fewer blocks",
            blocks: |world| Blocks { count: GATHERING + 1, ..gathering_blocks(world) },
            prepare: as_it_is,
            kernel: |lane, world| kernels::gather_totals::<(), Shout>(lane, world),
            says: "warp 6: lane 0 stores 4 bytes at offset 8 of what blocks add to noise, which has 8 bytes: an out-of-bounds row",
        },
        Plant {
            name: "the first warp does not wait",
            blocks: rows,
            prepare: as_it_is,
            kernel: first_warp_goes_on,
            says: "block 0: 64 lanes wait at its barrier, but lanes 0-31 of warp 0 have returned",
        },
        Plant {
            name: "the barrier depends on the lane",
            blocks: rows,
            prepare: as_it_is,
            kernel: wait_where_left,
            says: "block 0: 40 lanes wait at its barrier, but lanes 4-31 of warp 1 have returned",
        },
        Plant {
            name: "totals are left after the barrier",
            blocks: rows,
            prepare: as_it_is,
            kernel: leave_late,
            says: "warp 0: lane 0 loads at offset 0 of the shared memory, where no lane has stored",
        },
        Plant {
            name: "the first warp has a row in shared memory",
            blocks: rows,
            prepare: as_it_is,
            kernel: rows_by_warp,
            says: "warp 2: lane 0 stores 16 bytes at offset 288 of the shared memory, which has 288 bytes: an out-of-bounds row",
        },
        Plant {
            name: "all groups of a warp leave totals",
            blocks: rows,
            prepare: as_it_is,
            kernel: leave_by_all,
            says: "warp 1: lane 4 stores at offset 0 of the shared memory, where lane 0 of warp 1 has stored without meeting it",
        },
        Plant {
            name: "rows in shared memory are not padded",
            blocks: rows,
            prepare: as_it_is,
            kernel: without_padding,
            says: "warp 2: lane 0 stores 16 bytes at offset 132 of the shared memory, which is no multiple of 16: a misaligned row",
        },
        Plant {
            name: "shared memory is used again without a barrier",
            blocks: rows,
            prepare: as_it_is,
            kernel: several_vertices,
            says: "warp 1: lane 0 stores at offset 0 of the shared memory, where lane 0 of warp 0 has loaded without meeting it",
        },
        Plant {
            name: "one warp too many is asked for totals",
            blocks: rows,
            prepare: as_it_is,
            kernel: take_one_more,
            says: "warp 0: lane 0 loads 16 bytes at offset 288 of the shared memory, which has 288 bytes: an out-of-bounds row",
        },
        Plant {
            name: "every group of the first warp runs the vertex functions",
            blocks: rows,
            prepare: as_it_is,
            kernel: finish_by_all,
            says: "warp 0: lane 4 stores at offset 0 of value, where lane 0 of warp 0 has stored without meeting it",
        },
    ]);
}
