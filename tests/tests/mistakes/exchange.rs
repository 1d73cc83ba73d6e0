//! Lanes that do not meet.

use onyx_device::emulator::EmulatedLane;
use onyx_device::launch::{Launch, Word};
use onyx_device::property::VertexValue;
use onyx_device::schedule::{activate, prefix_sum};
use onyx_device::{Group, Machine, Vertex};

use crate::careless::{Careless, NextGroupVotes, NoRemainder, Slip, TwiceTheDistance, WholeWarpVotes};
use crate::kernels;
use crate::plant::{Plant, as_it_is, check, incoming_groups, vertices, words};
use crate::program::{Believe, Data, L, Tell, V};
use crate::world::World;

fn pull(lane: EmulatedLane, slip: impl Slip, world: &World) {
    kernels::pull::<Tell, Believe>(Careless(lane, slip), world);
}

/// `activate`, whose lanes without a vertex have nothing to do.
fn return_early(lane: EmulatedLane, world: &World) {
    let arguments = &world.arguments;
    if lane.thread() >= arguments.vertex_count {
        return;
    }
    // SAFETY: there is a mark for each vertex.
    unsafe {
        let changed = lane.load_mark(arguments.marks.add(lane.thread() as usize)) != 0;
        let launch = Launch::<_, Data, (), (), activate::Activate>::new(lane, arguments);
        activate::publish(&launch, [Word::claim(lane.thread() / 32)], [changed], [1]);
    }
}

/// The begin of `warp_word`, in which lanes of inactive vertices take no part in the numbering.
fn number_active_alone(lane: EmulatedLane, world: &World) {
    // SAFETY: there is a word for each warp.
    let active = unsafe { lane.load_u32(world.arguments.active.add(lane.thread() as usize / 32)) };
    if active >> lane.lane() & 1 == 1 {
        prefix_sum::inclusive(lane, 1);
    }
}

/// A row's edges, of which each lane of a group takes some, with an operation of the group for each.
fn take_edges_by_lane(lane: EmulatedLane, world: &World) {
    let group = Group::<_, L, V>::of(lane, world.arguments.features);
    let mut edge = group.lane();
    while edge < 6 {
        group.sum([1.0; V]);
        edge += L as u32;
    }
}

/// A scalar's store, of which the caller has asked the leader alone.
fn store_by_leader(lane: EmulatedLane, world: &World) {
    let group = Group::<_, L, V>::of(lane, world.arguments.features);
    let vertex = Vertex((lane.thread() / L as u64) as u32);
    if group.is_leader() {
        // SAFETY: the emulator stops the lane before it stores.
        unsafe { group.store_scalar(VertexValue::value(&world.arguments.data.mass, vertex, false), 1.0) };
    }
    group.any([true; V]);
}

/// A value of the group's lane 1, asked of lane 1 of the warp.
fn ask_lane_of_warp(lane: EmulatedLane, world: &World) {
    let group = Group::<_, L, V>::of(lane, world.arguments.features);
    lane.shuffle_from(group.members(), 7, 1);
}

/// `recompute`, each lane of which asks the next whether its vertex is visited, past the last one.
fn ask_next_lane(lane: EmulatedLane, _: &World) {
    lane.shuffle_from(u32::MAX, 7, lane.lane() + 1);
}

#[test]
fn lanes_that_do_not_meet_are_found() {
    check(&[
        Plant {
            name: "lanes without a vertex return before the ballot",
            blocks: words,
            prepare: as_it_is,
            kernel: return_early,
            says: "warp 2: lanes 0-5 wait at a ballot of lanes 0-31, but lanes 6-31 have returned",
        },
        Plant {
            name: "groups vote in the whole warp",
            blocks: incoming_groups,
            prepare: as_it_is,
            kernel: |lane, world| pull(lane, WholeWarpVotes, world),
            says: "warp 0: lanes 0-11 wait at a ballot of lanes 0-31, but lanes 12-31 have returned",
        },
        Plant {
            name: "groups vote with the members of the next group",
            blocks: incoming_groups,
            prepare: as_it_is,
            kernel: |lane, world| pull(lane, NextGroupVotes, world),
            says: "warp 0: lane 0 calls a ballot of lanes 4-7, in which it takes no part",
        },
        Plant {
            name: "a sum over the lanes of a group begins with the whole group as its distance",
            blocks: incoming_groups,
            prepare: as_it_is,
            kernel: |lane, world| pull(lane, TwiceTheDistance, world),
            says: "warp 0: lane 0 reads lane 4 in a shuffle of lanes 0-3, in which that takes no part",
        },
        Plant {
            name: "a prefix sum asks past the last lane",
            blocks: words,
            prepare: as_it_is,
            kernel: |lane, world| kernels::warp_word::<Tell, Believe>(Careless(lane, NoRemainder), world),
            says: "warp 0: lane 0 reads lane 63 in a shuffle of lanes 0-31, in which that takes no part",
        },
        Plant {
            name: "lanes of inactive vertices skip the numbering of edges",
            blocks: words,
            // SAFETY: there are three words.
            prepare: |world| unsafe { *world.arguments.active = 0xff },
            kernel: number_active_alone,
            says: "warp 0: lanes 0-7 wait at a shuffle of lanes 0-31, but lanes 8-31 have returned",
        },
        Plant {
            name: "lanes of one group go round different numbers of times",
            blocks: vertices,
            prepare: as_it_is,
            kernel: take_edges_by_lane,
            says: "warp 0: lanes 0-1 wait at a shuffle of lanes 0-3, but lanes 2-3 have returned",
        },
        Plant {
            name: "the leader alone stores a scalar for its group",
            blocks: vertices,
            prepare: as_it_is,
            kernel: store_by_leader,
            says: "warp 0: lane 0 waits at a synchronization of lanes 0-3, but lanes 1-3 are at another operation",
        },
        Plant {
            name: "a lane of the warp is asked for a value of the group",
            blocks: vertices,
            prepare: as_it_is,
            kernel: ask_lane_of_warp,
            says: "warp 0: lane 4 reads lane 1 in a shuffle of lanes 4-7, in which that takes no part",
        },
        Plant {
            name: "the last lane asks the one after it",
            blocks: words,
            prepare: as_it_is,
            kernel: ask_next_lane,
            says: "warp 0: lane 31 reads lane 32 in a shuffle of lanes 0-31, in which that takes no part",
        },
    ]);
}
