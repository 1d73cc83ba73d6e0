//! Mistakes in schedules that push.

use onyx_device::arguments::Part;
use onyx_device::emulator::EmulatedLane;
use onyx_device::launch::Owned;
use onyx_device::run::{EdgeRun, PreviousVersion};
use onyx_device::schedule::prefix_sum;
use onyx_device::{Edge, Group, Machine, Vertex};

use crate::careless::{Careless, MarkByThread, MarkIfNone, NoSynchronization, Slip, StoreForAdd};
use crate::kernels;
use crate::plant::{Plant, as_it_is, check, outgoing_groups, words};
use crate::program::{Believe, Data, L, ReweighAndHear, Scale, Tell, V};
use crate::world::World;

type Lanes = Group<EmulatedLane, L, V>;

fn slip(lane: EmulatedLane, slip: impl Slip, world: &World) {
    kernels::push::<Tell, Believe>(Careless(lane, slip), world);
}

/// The group of lanes and its part of the outgoing edges.
fn part(lane: EmulatedLane, world: &World) -> Option<(Lanes, Part)> {
    let (arguments, index) = (&world.arguments, lane.thread() / L as u64);
    // SAFETY: the group exists.
    let part = (index < arguments.outgoing.count).then(|| unsafe { arguments.outgoing.part(lane, index) });
    Some((Lanes::of(lane, arguments.features), part?))
}

/// A push that leaves a mark in any case: whether the source is active.
fn mark_activity(lane: EmulatedLane, world: &World) {
    let (arguments, Some((group, part))) = (&world.arguments, part(lane, world)) else { return };
    for position in part.begin..part.end {
        // SAFETY: the position exists, and so does a mark for each vertex.
        unsafe {
            let edge = arguments.outgoing_edge::<_, Tell>(lane, part.vertex, position);
            let is_active = arguments.is_active(lane, part.vertex);
            if group.is_leader() {
                lane.store_mark(arguments.marks.add(edge.dst.0 as usize), u8::from(is_active));
            }
        }
    }
}

/// A push whose groups go on with the vertex functions of their source.
fn push_and_update(lane: EmulatedLane, world: &World) {
    let Some((_, part)) = part(lane, world) else { return };
    // SAFETY: the emulator stops a lane that goes wrong.
    unsafe {
        let worker = kernels::worker::<_, Tell, Believe>(lane, world);
        worker.scatter::<1>(part.vertex, part.begin..part.end);
        if !part.is_cut {
            worker.update(Owned::claim(part.vertex), true);
        }
    }
}

/// An update of active vertices that reads the previous value of their neighbors as well, in one launch.
fn remember_and_gather(lane: EmulatedLane, world: &World) {
    let (arguments, Some((group, part))) = (&world.arguments, part(lane, world)) else { return };
    // SAFETY: the emulator stops a lane that goes wrong.
    unsafe {
        for position in part.begin..part.end {
            let edge = arguments.outgoing_edge::<_, Tell>(lane, part.vertex, position);
            let edge = Edge { src: edge.dst, dst: edge.src, ..edge };
            Tell::load::<_, PreviousVersion<Data, Believe>, L, V>(group, edge, &arguments.data);
        }
        if !part.is_cut {
            kernels::worker::<_, Tell, Believe>(lane, world).update(Owned::claim(part.vertex), true);
        }
    }
}

/// The first edges of a word, of which lanes past the last one take some, too.
fn find_past_the_last(lane: EmulatedLane, world: &World) {
    let (arguments, vertex) = (&world.arguments, lane.thread());
    let (mut begin, mut count) = (0, 0);
    if vertex < arguments.vertex_count {
        // SAFETY: the vertex exists.
        (begin, count) = unsafe {
            let begin = arguments.outgoing.offset(lane, vertex);
            (begin, (arguments.outgoing.offset(lane, vertex + 1) - begin) as u32)
        };
    }
    let inclusive = prefix_sum::inclusive(lane, count);
    let base = begin.wrapping_sub(u64::from(inclusive - count));
    let total = lane.shuffle_from(u32::MAX, inclusive, 31);
    let mut first = 0;
    while first < total {
        let number = first + lane.lane();
        let owner = prefix_sum::owner(lane, inclusive, number);
        let position = lane.shuffle_from_u64(u32::MAX, base, owner).wrapping_add(u64::from(number));
        // SAFETY: the emulator stops a lane that goes wrong.
        let edge = unsafe { arguments.outgoing_edge::<_, Tell>(lane, Vertex(0), position) };
        hear(lane, world, edge);
        first += 32;
    }
}

/// Stores at an edge, which is the lane's alone.
fn hear(lane: EmulatedLane, world: &World, edge: Edge) {
    let heard = onyx_device::property::EdgeRow::row(&world.arguments.data.heard, edge.id);
    // SAFETY: the emulator stops a lane that goes wrong.
    unsafe { lane.store(heard, [0.0; V]) };
}

/// `recompute`, in which each group takes every vertex of its word.
fn recompute_everywhere(lane: EmulatedLane, world: &World) {
    let (arguments, word) = (&world.arguments, lane.thread() / 32);
    let worker = kernels::worker::<_, Scale, Believe>(lane, world);
    for index in word * 32..arguments.vertex_count.min(word * 32 + 32) {
        // SAFETY: the emulator stops a lane that goes wrong.
        unsafe {
            let row = arguments.incoming.offset(lane, index)..arguments.incoming.offset(lane, index + 1);
            worker.recompute(Owned::claim(Vertex(index as u32)), row);
        }
    }
}

/// Edge functions that load and store a scalar at each edge; the warp has fewer edges than groups.
fn reweigh_without_meeting(lane: EmulatedLane, world: &World) {
    let slip = NoSynchronization { number: 0, asked: &world.asked };
    kernels::warp_word::<ReweighAndHear, ()>(Careless(lane, slip), world);
}

fn every_second_is_active(world: &mut World) {
    // SAFETY: there are three words.
    unsafe { world.arguments.active.copy_from([0x5555_5555, 0x5555_5555, 0x15].as_ptr(), 3) };
}

#[test]
fn mistakes_in_pushes_are_found() {
    check(&[
        Plant {
            name: "marks are the numbers of threads",
            blocks: outgoing_groups,
            prepare: as_it_is,
            kernel: |lane, world| slip(lane, MarkByThread, world),
            says: "warp 0: lane 8 marks at offset 3 of the marks, where lane 0 of warp 0 has marked without meeting it",
        },
        Plant {
            name: "marks are stored where there are none yet",
            blocks: outgoing_groups,
            prepare: as_it_is,
            kernel: |lane, world| slip(lane, MarkIfNone, world),
            says: "warp 0: lane 8 loads at offset 3 of the marks, where lane 0 of warp 0 has marked without meeting it",
        },
        Plant {
            name: "inactive sources mark as well",
            blocks: outgoing_groups,
            prepare: every_second_is_active,
            kernel: mark_activity,
            says: "warp 0: lane 20 marks at offset 3 of the marks, where lane 0 of warp 0 has marked without meeting it",
        },
        Plant {
            name: "changes are stored",
            blocks: outgoing_groups,
            prepare: as_it_is,
            kernel: |lane, world| slip(lane, StoreForAdd, world),
            says: "warp 0: lane 8 stores at offset 192 of total (pending), where lane 0 of warp 0 has stored without meeting it",
        },
        Plant {
            name: "sources are updated in the launch that pushes",
            blocks: outgoing_groups,
            prepare: as_it_is,
            kernel: push_and_update,
            says: "warp 0: lane 4 adds at offset 0 of total (pending), where lane 0 of warp 0 has stored without meeting it",
        },
        Plant {
            name: "previous values are read where others remember theirs",
            blocks: outgoing_groups,
            prepare: as_it_is,
            kernel: remember_and_gather,
            says: "warp 0: lane 4 loads at offset 0 of value (tracked), where lane 0 of warp 0 has stored without meeting it",
        },
        Plant {
            name: "edges are found past the last of a word",
            blocks: words,
            prepare: as_it_is,
            kernel: find_past_the_last,
            says: "warp 1: lane 0 stores at offset 1472 of heard, where lane 20 of warp 0 has stored without meeting it",
        },
        Plant {
            name: "groups without an edge load that of another, which stores it",
            blocks: words,
            // SAFETY: there are three words.
            prepare: |world| unsafe { *world.arguments.active = 1 },
            kernel: reweigh_without_meeting,
            says: "warp 0: lane 28 stores at offset 952 of weight, where lane 0 of warp 0 has loaded without meeting it",
        },
        Plant {
            name: "each group of a warp computes every total again",
            blocks: words,
            prepare: as_it_is,
            kernel: recompute_everywhere,
            says: "warp 0: lane 4 loads at offset 0 of total, where lane 0 of warp 0 has stored without meeting it",
        },
    ]);
}
