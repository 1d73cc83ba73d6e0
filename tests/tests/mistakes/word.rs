//! Mistakes in what ends an iteration: the words of the active set, the marks and the counters.

use onyx_device::Machine;
use onyx_device::emulator::{Blocks, EmulatedLane};

use crate::careless::{Careless, ConstantWord};
use crate::kernels;
use crate::plant::{Plant, as_it_is, check, words};
use crate::program::{Believe, Tell};
use crate::world::World;

/// The begin of `activate`: the word, and the bits of the vertices that have changed.
fn vote(lane: EmulatedLane, world: &World) -> (usize, u32) {
    let (arguments, vertex) = (&world.arguments, lane.thread());
    // SAFETY: there is a mark for each vertex.
    let changed =
        vertex < arguments.vertex_count && unsafe { lane.load_mark(arguments.marks.add(vertex as usize)) != 0 };
    ((vertex / 32) as usize, lane.ballot(u32::MAX, changed))
}

/// Every lane stores the word.
fn store_by_all(lane: EmulatedLane, world: &World) {
    let (word, bits) = vote(lane, world);
    // SAFETY: the emulator stops a lane that goes wrong.
    unsafe { lane.store_u32(world.arguments.active.add(word), bits) };
}

/// The first lane clears the marks of the word.
fn clear_by_first(lane: EmulatedLane, world: &World) {
    let (word, _) = vote(lane, world);
    let marks = world.arguments.marks;
    if lane.lane() == 0 {
        // SAFETY: the emulator stops a lane that goes wrong.
        (word * 32..word * 32 + 32).for_each(|vertex| unsafe { lane.store_mark(marks.add(vertex), 0) });
    }
}

/// Half of a warp for each word.
fn two_warps_a_word(lane: EmulatedLane, world: &World) {
    let word = (lane.thread() / 64) as usize;
    if lane.lane() == 0 && word < 3 {
        // SAFETY: the emulator stops a lane that goes wrong.
        unsafe { lane.store_u32(world.arguments.active.add(word), 0) };
    }
}

/// Counts by a load and a store.
fn count_without_atomics(lane: EmulatedLane, world: &World) {
    let (_, bits) = vote(lane, world);
    let counter = world.arguments.counters.cast::<u32>();
    if lane.lane() == 0 {
        // SAFETY: the emulator stops a lane that goes wrong.
        unsafe { lane.store_u32(counter, lane.load_word(counter) + bits.count_ones()) };
    }
}

/// Asks for the count while others add to it.
fn read_count(lane: EmulatedLane, world: &World) {
    let counter = world.arguments.counters;
    if lane.lane() == 0 {
        // SAFETY: the emulator stops a lane that goes wrong.
        unsafe {
            lane.add_u64(counter, 1);
            lane.load_word(counter.cast());
        }
    }
}

/// Clears the mark of the vertex that it has read, and of the three after it.
fn clear_four(lane: EmulatedLane, world: &World) {
    vote(lane, world);
    // SAFETY: the emulator stops a lane that goes wrong.
    unsafe { lane.store_u32(world.arguments.marks.add(lane.thread() as usize & !3).cast(), 0) };
}

#[test]
fn mistakes_at_the_end_of_an_iteration_are_found() {
    check(&[
        Plant {
            name: "a word is loaded as constant and stored in the same launch",
            blocks: words,
            prepare: as_it_is,
            kernel: |lane, world| kernels::vertex::<Tell, Believe>(Careless(lane, ConstantWord), world),
            says: "warp 0: lane 0 stores at offset 0 of the active words, where lane 0 of warp 0 has loaded what nothing may write in the same launch",
        },
        Plant {
            name: "every lane stores the word",
            blocks: words,
            prepare: as_it_is,
            kernel: store_by_all,
            says: "warp 0: lane 1 stores at offset 0 of the active words, where lane 0 of warp 0 has stored without meeting it",
        },
        Plant {
            name: "one lane clears the marks that all have read",
            blocks: words,
            prepare: as_it_is,
            kernel: clear_by_first,
            says: "warp 0: lane 0 marks at offset 1 of the marks, where lane 1 of warp 0 has loaded without meeting it",
        },
        Plant {
            name: "two warps have one word",
            blocks: |_| Blocks::of_threads(128),
            prepare: as_it_is,
            kernel: two_warps_a_word,
            says: "warp 1: lane 0 stores at offset 0 of the active words, where lane 0 of warp 0 has stored without meeting it",
        },
        Plant {
            name: "warps count without atomics",
            blocks: words,
            prepare: as_it_is,
            kernel: count_without_atomics,
            says: "warp 1: lane 0 loads at offset 0 of the counters, where lane 0 of warp 0 has stored without meeting it",
        },
        Plant {
            name: "a counter is read while others add to it",
            blocks: words,
            prepare: as_it_is,
            kernel: read_count,
            says: "warp 1: lane 0 adds at offset 0 of the counters, where lane 0 of warp 0 has loaded without meeting it",
        },
        Plant {
            name: "marks are cleared by fours",
            blocks: words,
            prepare: as_it_is,
            kernel: clear_four,
            says: "warp 0: lane 0 stores at offset 1 of the marks, where lane 1 of warp 0 has loaded without meeting it",
        },
    ]);
}
