//! Lanes of a group that reach one place and do not synchronize, or do so in vain.

use std::cell::Cell;

use onyx_device::emulator::EmulatedLane;
use onyx_device::group::Group;
use onyx_device::launch::Owned;
use onyx_device::property::{VertexRow, VertexValue};
use onyx_device::reduction::Accumulator;
use onyx_device::{Machine, Vertex};

use crate::careless::{AloneInSynchronization, BallotForSynchronization, Careless, NoSynchronization, Slip};
use crate::kernels;
use crate::plant::{Plant, check, cut_rows, vertices, warps, words, words_by};
use crate::program::{
    Believe, BelieveRowsActive, BelieveRowsFollowing, K, L, Lean, Settle, Sums, Tell, TellRowsActive,
    TellRowsFollowing, V, nothing,
};
use crate::world::{HUB, World};

/// Leaves out synchronization number `number`, where no group has been asked for one before.
fn without(number: u32, asked: &[Cell<u32>]) -> NoSynchronization<'_> {
    NoSynchronization { number, asked }
}

/// The vertex functions of a cut row that follow those of another stage, whose mark all lanes read and the leader writes.
fn follow(lane: EmulatedLane, slip: impl Slip, world: &World) {
    kernels::finish::<TellRowsFollowing, BelieveRowsFollowing>(Careless(lane, slip), world);
}

/// The vertex functions of a cut row whose scalar total all lanes read and the leader stores again.
fn finish(lane: EmulatedLane, slip: impl Slip, world: &World) {
    kernels::finish::<Tell, Believe>(Careless(lane, slip), world);
}

/// The end of an iteration of rows alone: nothing but the word and the marks makes the lanes meet.
fn end(lane: EmulatedLane, slip: impl Slip, world: &World) {
    kernels::vertex::<TellRowsActive, BelieveRowsActive>(Careless(lane, slip), world);
}

/// The end of a cut row that waits for active sources, whose mark all lanes read and the leader writes.
fn end_cut(lane: EmulatedLane, slip: impl Slip, world: &World) {
    kernels::finish::<TellRowsActive, BelieveRowsActive>(Careless(lane, slip), world);
}

/// Clears a row and finishes it, as if it had no edges.
fn clear_and_finish(lane: EmulatedLane, slip: impl Slip, world: &World) {
    if lane.thread() >= L as u64 {
        return;
    }
    let worker = kernels::worker::<_, Tell, Believe>(Careless(lane, slip), world);
    let (group, data) = (Group::<_, L, V>::of(worker.machine(), world.arguments.features), &world.arguments.data);
    // SAFETY: the vertex is the group's alone.
    unsafe {
        nothing().store(group, data, Vertex(HUB));
        let sums = Sums::load(group, data, Vertex(HUB));
        worker.finish(Owned::claim(Vertex(HUB)), sums, true);
    }
}

/// A vertex function that stores its scalar in every lane.
fn store_by_all(lane: EmulatedLane, world: &World) {
    let vertex = Vertex((lane.thread() / L as u64) as u32);
    if u64::from(vertex.0) < world.arguments.vertex_count {
        // SAFETY: the emulator stops the lane before it stores.
        unsafe { lane.store(VertexValue::value(&world.arguments.data.size, vertex, false), [1.0]) };
    }
}

/// Lanes that hand their features on through memory, with a vote in between.
fn hand_on(lane: EmulatedLane, world: &World) {
    let row = VertexRow::row(&world.arguments.data.value, Vertex((lane.thread() / L as u64) as u32), false);
    let group = Group::<_, L, V>::of(lane, world.arguments.features);
    if lane.thread() < world.arguments.vertex_count * L as u64 {
        // SAFETY: the emulator stops the lane before it loads.
        unsafe {
            group.store_row(row, [1.0; V]);
            group.any([true; V]);
            let next = (group.first_feature() as usize + V) % K;
            lane.load::<V>(row.add(next));
        }
    }
}

fn keep_sums(world: &mut World) {
    world.arguments.keep_sums = 1;
}

/// The hub's mark is set.
fn mark(world: &mut World) {
    // SAFETY: there is a mark for each vertex.
    unsafe { *world.arguments.marks.add(HUB as usize) = 1 };
}

#[test]
fn lanes_that_do_not_synchronize_are_found() {
    check(&[
        Plant {
            name: "a mark is stored before all lanes have read it",
            blocks: cut_rows,
            prepare: mark,
            kernel: |lane, world| follow(lane, without(0, &world.asked), world),
            says: "warp 0: lane 1 loads at offset 3 of the marks, where lane 0 of warp 0 has marked without meeting it",
        },
        Plant {
            name: "a scalar is stored before all lanes have read it",
            blocks: cut_rows,
            prepare: keep_sums,
            kernel: |lane, world| finish(lane, without(0, &world.asked), world),
            says: "warp 0: lane 1 loads at offset 12 of mass, where lane 0 of warp 0 has stored without meeting it",
        },
        Plant {
            name: "a scalar is read again before it is stored",
            blocks: cut_rows,
            prepare: keep_sums,
            kernel: |lane, world| clear_and_finish(lane, without(1, &world.asked), world),
            says: "warp 0: lane 1 loads at offset 12 of mass, where lane 0 of warp 0 has stored without meeting it",
        },
        Plant {
            name: "a ballot stands where lanes must synchronize",
            blocks: cut_rows,
            prepare: keep_sums,
            kernel: |lane, world| finish(lane, BallotForSynchronization, world),
            says: "warp 0: lane 0 stores at offset 12 of mass, where lane 1 of warp 0 has loaded without meeting it",
        },
        Plant {
            name: "each lane synchronizes with itself",
            blocks: cut_rows,
            prepare: keep_sums,
            kernel: |lane, world| finish(lane, AloneInSynchronization, world),
            says: "warp 0: lane 1 loads at offset 12 of mass, where lane 0 of warp 0 has stored without meeting it",
        },
        Plant {
            name: "the word is stored before all lanes have read it",
            blocks: words,
            prepare: |_| (),
            kernel: |lane, world| end(lane, without(0, &world.asked), world),
            says: "warp 0: lane 0 stores at offset 0 of the active words, where lane 1 of warp 0 has loaded without meeting it",
        },
        Plant {
            name: "the mark of a cut row is stored before all lanes have read it",
            blocks: cut_rows,
            prepare: mark,
            kernel: |lane, world| end_cut(lane, without(0, &world.asked), world),
            says: "warp 0: lane 1 loads at offset 3 of the marks, where lane 0 of warp 0 has marked without meeting it",
        },
        Plant {
            name: "a vertex is written before all groups of its warp have read it",
            blocks: warps,
            prepare: |_| (),
            kernel: |lane, world| {
                kernels::vertex_per_warp::<Lean, Settle>(Careless(lane, without(0, &world.asked)), world);
            },
            says: "warp 1: lane 0 stores at offset 4 of bias, where lane 4 of warp 1 has loaded without meeting it",
        },
        Plant {
            name: "what a warp's groups have left is taken before they have met",
            blocks: words_by::<Tell, L, V>,
            prepare: |_| (),
            kernel: |lane, world| {
                kernels::word_per_warp::<Tell, Believe>(Careless(lane, without(0, &world.asked)), world)
            },
            says: "warp 0: lane 4 loads at offset 256 of the shared memory, where no lane has stored",
        },
        Plant {
            name: "a warp's groups leave more before all has been taken",
            blocks: words_by::<Tell, L, V>,
            prepare: |_| (),
            kernel: |lane, world| {
                kernels::word_per_warp::<Tell, Believe>(Careless(lane, without(1, &world.asked)), world)
            },
            says: "warp 1: lane 4 stores at offset 128 of the shared memory, where lane 0 of warp 1 has loaded without meeting it",
        },
        Plant {
            name: "every lane stores the scalar",
            blocks: vertices,
            prepare: |_| (),
            kernel: store_by_all,
            says: "warp 0: lane 1 stores at offset 0 of size, where lane 0 of warp 0 has stored without meeting it",
        },
        Plant {
            name: "features are handed on through memory after a vote",
            blocks: vertices,
            prepare: |_| (),
            kernel: hand_on,
            says: "warp 0: lane 0 loads at offset 16 of value, where lane 1 of warp 0 has stored without meeting it",
        },
    ]);
}
