//! Mistakes in schedules that pull.

use onyx_device::arguments::Part;
use onyx_device::emulator::EmulatedLane;
use onyx_device::group::Group;
use onyx_device::launch::Owned;
use onyx_device::reduction::Accumulator;
use onyx_device::run::{EdgeRun, VertexRun};
use onyx_device::{Machine, Vertex};

use crate::careless::{Careless, LoadAndStoreForAdd, NeverOver, RaiseInLaterGroups, RowsOfOneMore, Slip, StoreForAdd};
use crate::kernels;
use crate::plant::{Plant, as_it_is, check, cut_rows, incoming_groups, vertices};
use crate::program::{Believe, Data, L, Sums, Tell, TellAndHear, V, nothing};
use crate::world::World;

type Lanes = Group<EmulatedLane, L, V>;

fn lanes(lane: EmulatedLane, world: &World) -> Lanes {
    Lanes::of(lane, world.arguments.features)
}

fn slip(lane: EmulatedLane, slip: impl Slip, world: &World) {
    kernels::pull::<Tell, Believe>(Careless(lane, slip), world);
}

/// A pull as it should be, up to the end of the group's edges: the group, its number, its part and its sums, at the values that `W` does not write.
fn gathered<E: EdgeRun<Data>, W: VertexRun<Data>>(
    lane: EmulatedLane,
    world: &World,
    change: fn(&mut Part),
) -> Option<(Lanes, u64, Part, E::Sums<V>)> {
    let (arguments, index) = (&world.arguments, lane.thread() / L as u64);
    if index >= arguments.incoming.count {
        return None;
    }
    // SAFETY: the group exists; the emulator stops a lane that goes wrong.
    unsafe {
        let mut part = arguments.incoming.part(lane, index);
        change(&mut part);
        let (vertex, begin, end) = (part.vertex, part.begin, part.end);
        let (sums, _) = kernels::worker::<_, E, W>(lane, world).gather::<2>(vertex, begin, end);
        Some((lanes(lane, world), index, part, sums))
    }
}

/// The end of a pull for a row that is not cut.
fn finish(group: Lanes, world: &World, part: Part, sums: Sums) {
    // SAFETY: as above.
    let vertex = unsafe { Owned::claim(part.vertex) };
    kernels::worker::<_, Tell, Believe>(group.machine(), world).finish(vertex, sums, true);
}

/// Neighbors are read where vertices are written.
fn read_current(lane: EmulatedLane, world: &World) {
    if let Some((group, _, part, sums)) = gathered::<Tell, ()>(lane, world, |_| ())
        && !part.is_cut
    {
        finish(group, world, part, sums);
    }
}

/// Each group of a cut row takes it for its own.
fn finish_each_part(lane: EmulatedLane, world: &World) {
    if let Some((group, _, part, sums)) = gathered::<Tell, Believe>(lane, world, |_| ()) {
        finish(group, world, part, sums);
    }
}

/// The first group of a cut row clears its totals.
fn clear_in_pull(lane: EmulatedLane, world: &World) {
    if let Some((group, index, part, sums)) = gathered::<Tell, Believe>(lane, world, |_| ()) {
        let data = &world.arguments.data;
        // SAFETY: as above.
        unsafe {
            let is_first = world.arguments.incoming.part(lane, index.max(1) - 1).vertex != part.vertex;
            if part.is_cut && is_first {
                nothing().store(group, data, part.vertex);
            }
            if part.is_cut {
                sums.add(group, data, part.vertex);
            }
        }
    }
}

/// The last group of a cut row finishes it.
fn finish_in_pull(lane: EmulatedLane, world: &World) {
    if let Some((group, index, part, sums)) = gathered::<Tell, Believe>(lane, world, |_| ()) {
        let data = &world.arguments.data;
        // SAFETY: as above.
        unsafe {
            if part.is_cut {
                sums.add(group, data, part.vertex);
                if world.arguments.incoming.part(lane, index + 1).vertex != part.vertex {
                    finish(group, world, part, Accumulator::<Data, V>::load(group, data, part.vertex));
                }
            }
        }
    }
}

/// Each group takes the first edge of the next one, too.
fn one_edge_more(lane: EmulatedLane, world: &World) {
    let last = world.arguments.incoming.count - 1;
    if lane.thread() / (L as u64) < last {
        gathered::<TellAndHear, Believe>(lane, world, |part| part.end += 1);
    }
}

/// One group more than there are.
fn one_group_more(lane: EmulatedLane, world: &World) {
    let (arguments, index) = (&world.arguments, lane.thread() / L as u64);
    if index <= arguments.incoming.count {
        // SAFETY: the emulator stops the lane before it loads.
        unsafe { arguments.incoming.part(lane, index) };
    }
}

/// Partial totals lie in the row of the vertex, not of the group.
fn store_part_at_vertex(lane: EmulatedLane, world: &World) {
    if let Some((group, _, part, sums)) = gathered::<Tell, Believe>(lane, world, |_| ())
        && part.is_cut
    {
        // SAFETY: as above.
        unsafe { sums.store(group, &world.arguments.partials, part.vertex) };
    }
}

/// `every_vertex`, for the vertex that `vertex` says.
fn update(lane: EmulatedLane, world: &World, vertex: u64) {
    if lane.thread() / (L as u64) < world.arguments.vertex_count {
        // SAFETY: as above.
        let vertex = unsafe { Owned::claim(Vertex(vertex as u32)) };
        kernels::worker::<_, (), Believe>(lane, world).update_if_due(vertex);
    }
}

fn deterministic(world: &mut World) {
    world.arguments.parts = world.parts;
}

#[test]
fn mistakes_with_shared_totals_are_found() {
    check(&[
        Plant {
            name: "groups of a cut row store their totals",
            blocks: incoming_groups,
            prepare: as_it_is,
            kernel: |lane, world| slip(lane, StoreForAdd, world),
            says: "warp 0: lane 16 stores at offset 192 of total, where lane 12 of warp 0 has stored without meeting it",
        },
        Plant {
            name: "groups of a cut row add without atomics",
            blocks: incoming_groups,
            prepare: as_it_is,
            kernel: |lane, world| slip(lane, LoadAndStoreForAdd, world),
            says: "warp 0: lane 16 loads at offset 192 of total, where lane 12 of warp 0 has stored without meeting it",
        },
        Plant {
            name: "groups of a cut row combine by different operators",
            blocks: incoming_groups,
            prepare: as_it_is,
            kernel: |lane, world| slip(lane, RaiseInLaterGroups, world),
            says: "warp 0: lane 20 raises at offset 192 of total, where lane 12 of warp 0 has added without meeting it",
        },
        Plant {
            name: "totals of cut rows are not cleared",
            blocks: incoming_groups,
            prepare: |world| world.memory.forget("total"),
            kernel: |lane, world| kernels::pull::<Tell, Believe>(lane, world),
            says: "warp 0: lane 12 adds at offset 192 of total, where no lane has stored",
        },
        Plant {
            name: "the first group of a cut row clears it",
            blocks: incoming_groups,
            prepare: as_it_is,
            kernel: clear_in_pull,
            says: "warp 0: lane 16 adds at offset 192 of total, where lane 12 of warp 0 has stored without meeting it",
        },
        Plant {
            name: "the last group of a cut row finishes it",
            blocks: incoming_groups,
            prepare: as_it_is,
            kernel: finish_in_pull,
            says: "warp 0: lane 28 loads at offset 192 of total, where lane 12 of warp 0 has added without meeting it",
        },
        Plant {
            name: "each group of a cut row finishes it",
            blocks: incoming_groups,
            prepare: as_it_is,
            kernel: finish_each_part,
            says: "warp 0: lane 16 stores at offset 192 of value, where lane 12 of warp 0 has stored without meeting it",
        },
        Plant {
            name: "partial totals lie at the vertex",
            blocks: incoming_groups,
            prepare: as_it_is,
            kernel: store_part_at_vertex,
            says: "warp 0: lane 16 stores at offset 192 of total (partial), where lane 12 of warp 0 has stored without meeting it",
        },
        Plant {
            name: "one partial total too many is added",
            blocks: cut_rows,
            prepare: |world| {
                deterministic(world);
                // SAFETY: there are two beginnings.
                unsafe { *world.arguments.parts.begin.cast_mut().add(1) += 1 };
            },
            kernel: |lane, world| kernels::finish::<Tell, Believe>(lane, world),
            says: "warp 0: lane 0 loads 16 bytes at offset 320 of total (partial), which has 320 bytes: an out-of-bounds row",
        },
    ]);
}

#[test]
fn mistakes_with_rows_are_found() {
    check(&[
        Plant {
            name: "neighbors are read at their current value",
            blocks: incoming_groups,
            prepare: as_it_is,
            kernel: read_current,
            says: "warp 0: lane 4 stores at offset 64 of value, where lane 0 of warp 0 has loaded without meeting it",
        },
        Plant {
            name: "the groups end one edge late",
            blocks: incoming_groups,
            prepare: as_it_is,
            kernel: one_edge_more,
            says: "warp 0: lane 4 stores at offset 64 of heard, where lane 0 of warp 0 has stored without meeting it",
        },
        Plant {
            name: "the last group ends one edge late",
            blocks: incoming_groups,
            prepare: World::lengthen_last_group,
            kernel: |lane, world| kernels::pull::<Tell, Believe>(lane, world),
            says: "warp 9: lane 4 loads 4 bytes at offset 984 of the incoming neighbors, which has 984 bytes: an out-of-bounds row",
        },
        Plant {
            name: "there is one group too many",
            blocks: incoming_groups,
            prepare: as_it_is,
            kernel: one_group_more,
            says: "warp 9: lane 8 loads 4 bytes at offset 296 of the vertices of the incoming groups, which has 296 bytes: an out-of-bounds row",
        },
        Plant {
            name: "each edge has a group, but the rows are those of neighbor groups",
            blocks: incoming_groups,
            prepare: |world| {
                let groups = world.arguments.incoming.vertex;
                world.take_edges();
                world.arguments.incoming.vertex = groups;
            },
            kernel: |lane, world| kernels::edge_flat::<Tell, Believe>(lane, world),
            says: "warp 9: lane 8 loads 4 bytes at offset 296 of the vertices of the incoming groups, which has 296 bytes: an out-of-bounds row",
        },
        Plant {
            name: "vertices are numbered from 1",
            blocks: vertices,
            prepare: as_it_is,
            kernel: |lane, world| update(lane, world, lane.thread() / L as u64 + 1),
            says: "warp 8: lane 20 loads 16 bytes at offset 4480 of value (tracked), which has 4480 bytes: an out-of-bounds row",
        },
        Plant {
            name: "two groups take one vertex",
            blocks: vertices,
            prepare: as_it_is,
            kernel: |lane, world| update(lane, world, lane.thread() / (2 * L as u64)),
            says: "warp 0: lane 4 stores at offset 0 of value, where lane 0 of warp 0 has stored without meeting it",
        },
        Plant {
            name: "rows are not padded",
            blocks: incoming_groups,
            prepare: as_it_is,
            kernel: |lane, world| slip(lane, RowsOfOneMore, world),
            says: "warp 0: lane 0 loads 16 bytes at offset 68 of value (tracked), which is no multiple of 16: a misaligned row",
        },
        Plant {
            name: "nobody asks whether the run is over",
            blocks: incoming_groups,
            // SAFETY: the flag is one of the world's.
            prepare: |world| unsafe { *world.arguments.before.cast_mut() = 0 },
            kernel: |lane, world| slip(lane, NeverOver(world.arguments.before), world),
            says: "warp 0: lane 0 stores at offset 0 of value, although the run is over",
        },
    ]);
}
