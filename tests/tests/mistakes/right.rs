//! The schedules as they are: nothing is said of them, in any order. What is said of a planted mistake is therefore said of it alone.

use onyx_device::Launch;
use onyx_device::emulator::{self, Blocks, EmulatedLane, Order};
use onyx_device::run::{EdgeRun, VertexRun};
use onyx_device::schedule::{
    activate, cut_rows, edge_flat, every_vertex, gather_totals, groups_per_block, long_rows, pull, push, recompute,
    vertex, vertex_per_block, vertex_per_warp, warp_word, word_per_warp,
};

use crate::plant::{ORDERS, gathering_by, groups_by, rows_by, words_by};
use crate::program::{
    self, Believe, BelieveActive, BelieveFollowing, BelieveRowsActive, BelieveRowsFollowing, Data, Lean,
    MeasureAndShrink, ReweighAndHear, Scale, Settle, Shout, Tell, TellActive, TellAndHear, TellFollowing,
    TellRowsActive, TellRowsFollowing,
};
use crate::world::World;

#[derive(Clone, Copy, Debug)]
enum Schedule {
    Clear,
    Pull,
    GroupsPerBlock,
    VertexPerWarp,
    VertexPerBlock,
    WordPerWarp,
    LongRows,
    EdgeFlat,
    Finish,
    Push,
    WarpWord,
    Recompute,
    Vertex,
    EveryVertex,
    GatherTotals,
    Activate,
}

const PULLS: [Schedule; 8] = [
    Schedule::Clear,
    Schedule::Pull,
    Schedule::GroupsPerBlock,
    Schedule::VertexPerWarp,
    Schedule::VertexPerBlock,
    Schedule::Finish,
    Schedule::EveryVertex,
    Schedule::Activate,
];

const GROUPS: [Schedule; 4] = [Schedule::Clear, Schedule::Pull, Schedule::Finish, Schedule::Activate];

const PUSHES: [Schedule; 4] = [Schedule::Push, Schedule::WarpWord, Schedule::Recompute, Schedule::Vertex];

const WORDS: [Schedule; 3] = [Schedule::Clear, Schedule::LongRows, Schedule::WordPerWarp];

const EDGES: [Schedule; 3] = [Schedule::Clear, Schedule::EdgeFlat, Schedule::Finish];

/// What a schedule is launched with.
fn blocks<E: EdgeRun<Data>, const L: usize, const V: usize>(schedule: Schedule, world: &mut World) -> Blocks {
    let arguments = world.arguments;
    let (count, lanes) = match schedule {
        Schedule::GroupsPerBlock => return groups_by::<E, L, V>(world),
        Schedule::VertexPerBlock => return rows_by::<E, L, V>(world),
        Schedule::WordPerWarp => return words_by::<E, L, V>(world),
        Schedule::GatherTotals => return gathering_by::<V>(world),
        Schedule::LongRows => (arguments.incoming.count, 32),
        Schedule::Clear | Schedule::Finish => (world.cut_count, L),
        Schedule::Pull | Schedule::EdgeFlat => (arguments.incoming.count, L),
        Schedule::Push => (arguments.outgoing.count, L),
        Schedule::EveryVertex => (arguments.vertex_count, L),
        Schedule::VertexPerWarp => (arguments.vertex_count, 32),
        _ => (arguments.vertex_count.div_ceil(32), 32),
    };
    Blocks::of_threads(world.take(count) * lanes as u64)
}

/// A lane of a schedule.
fn run_lane<E: EdgeRun<Data>, W: VertexRun<Data>, const L: usize, const V: usize>(
    schedule: Schedule,
    lane: EmulatedLane,
    world: &World,
) {
    let arguments = &world.arguments;
    // SAFETY: the arrays are the world's.
    unsafe {
        match schedule {
            Schedule::Clear => cut_rows::clear::<_, Data, E, L, V>(Launch::new(lane, arguments)),
            Schedule::Pull => pull::run::<_, Data, E, W, L, V>(Launch::new(lane, arguments)),
            Schedule::GroupsPerBlock => groups_per_block::run::<_, Data, E, W, L, V>(Launch::new(lane, arguments)),
            Schedule::VertexPerWarp => vertex_per_warp::run::<_, Data, E, W, L, V>(Launch::new(lane, arguments)),
            Schedule::VertexPerBlock => vertex_per_block::run::<_, Data, E, W, L, V>(Launch::new(lane, arguments)),
            Schedule::WordPerWarp => word_per_warp::run::<_, Data, E, W, L, V>(Launch::new(lane, arguments)),
            Schedule::LongRows => long_rows::run::<_, Data, E, W, L, V>(Launch::new(lane, arguments)),
            Schedule::EdgeFlat => edge_flat::run::<_, Data, E, W, L, V>(Launch::new(lane, arguments)),
            Schedule::Finish => cut_rows::finish::<_, Data, E, W, L, V>(Launch::new(lane, arguments)),
            Schedule::Push => push::run::<_, Data, E, W, L, V>(Launch::new(lane, arguments)),
            Schedule::WarpWord => warp_word::run::<_, Data, E, W, L, V>(Launch::new(lane, arguments)),
            Schedule::Recompute => recompute::run::<_, Data, E, W, L, V>(Launch::new(lane, arguments)),
            Schedule::Vertex => vertex::run::<_, Data, E, W, L, V>(Launch::new(lane, arguments)),
            Schedule::EveryVertex => every_vertex::run::<_, Data, E, W, L, V>(Launch::new(lane, arguments)),
            Schedule::GatherTotals => gather_totals::run::<_, Data, E, W, L, V>(Launch::new(lane, arguments)),
            Schedule::Activate => activate::run(Launch::new(lane, arguments)),
        }
    }
}

/// Whether a schedule may begin before the one before it has ended, as in a run.
fn may_begin_early(before: Option<Schedule>, schedule: Schedule) -> bool {
    use Schedule::{Activate, Clear, EdgeFlat, Finish, LongRows, Pull, WordPerWarp};
    matches!(
        (before, schedule),
        (Some(Clear), Pull)
            | (Some(LongRows), WordPerWarp)
            | (Some(Pull | EdgeFlat), Finish)
            | (Some(Pull | Finish), Activate)
    )
}

/// Runs schedules one after the other on one world.
fn run_by<E: EdgeRun<Data>, W: VertexRun<Data>, const L: usize, const V: usize>(
    schedules: &[Schedule],
    prepare: fn(&mut World),
    order: Order,
) {
    let mut world = World::new();
    prepare(&mut world);
    let mut before = None;
    for schedule in schedules {
        let blocks = blocks::<E, L, V>(*schedule, &mut world);
        let begins_early = may_begin_early(before.replace(*schedule), *schedule);
        let launch = emulator::Launch { memory: Some(&world.memory), blocks, order, is_over: false, begins_early };
        let ran = launch.run(&|lane| run_lane::<E, W, L, V>(*schedule, lane, &world));
        ran.unwrap_or_else(|error| panic!("{schedule:?} by {L} lanes: {error}"));
    }
}

/// The same by groups of some lanes, in every order.
fn run<E: EdgeRun<Data>, W: VertexRun<Data>>(schedules: &[Schedule], prepare: fn(&mut World)) {
    ORDERS.into_iter().for_each(|order| run_by::<E, W, { program::L }, { program::V }>(schedules, prepare, order));
}

/// The same by groups of one lane and of many.
fn run_narrow_and_wide<E: EdgeRun<Data>, W: VertexRun<Data>>(schedules: &[Schedule], prepare: fn(&mut World)) {
    for order in ORDERS {
        run_by::<E, W, 1, { program::K }>(schedules, prepare, order);
        run_by::<E, W, { program::K }, 1>(schedules, prepare, order);
    }
}

fn keep_sums(world: &mut World) {
    world.arguments.keep_sums = 1;
}

fn deterministic(world: &mut World) {
    world.arguments.parts = world.parts;
}

#[test]
fn pulls_are_right() {
    for prepare in [|_: &mut World| (), keep_sums, deterministic] {
        run::<TellAndHear, Believe>(&PULLS, prepare);
        run::<ReweighAndHear, MeasureAndShrink>(&PULLS, prepare);
        run_narrow_and_wide::<ReweighAndHear, MeasureAndShrink>(&PULLS, prepare);
        run::<Lean, Settle>(&PULLS, prepare);
        run::<Tell, ()>(&PULLS, prepare);
        run::<TellActive, BelieveActive>(&PULLS, prepare);
        run::<TellFollowing, BelieveFollowing>(&PULLS, prepare);
    }
}

#[test]
fn pulls_of_rows_alone_are_right() {
    for prepare in [|_: &mut World| (), deterministic] {
        run::<TellRowsActive, BelieveRowsActive>(&PULLS, prepare);
        run::<TellRowsActive, ()>(&PULLS, prepare);
        run::<TellRowsFollowing, BelieveRowsFollowing>(&PULLS, prepare);
    }
}

#[test]
fn launches_that_begin_early_are_right() {
    for prepare in [|_: &mut World| (), keep_sums, deterministic] {
        run::<TellAndHear, Believe>(&GROUPS, prepare);
        run_narrow_and_wide::<ReweighAndHear, MeasureAndShrink>(&GROUPS, prepare);
        run::<TellFollowing, BelieveFollowing>(&GROUPS, prepare);
    }
    run::<TellRowsActive, BelieveRowsActive>(&GROUPS, |_| ());
}

#[test]
fn totals_of_the_graph_are_right() {
    run::<(), Shout>(&[Schedule::GatherTotals], |_| ());
    run_narrow_and_wide::<(), Shout>(&[Schedule::GatherTotals], |_| ());
}

#[test]
fn pushes_are_right() {
    run::<Tell, Believe>(&PUSHES, keep_sums);
    run::<Scale, MeasureAndShrink>(&PUSHES, keep_sums);
    run_narrow_and_wide::<Scale, MeasureAndShrink>(&PUSHES, keep_sums);
    run::<TellActive, BelieveActive>(&PUSHES, keep_sums);
    run::<TellRowsActive, BelieveRowsActive>(&PUSHES, keep_sums);
    run::<ReweighAndHear, ()>(&PUSHES[..2], keep_sums);
}

#[test]
fn a_warp_for_each_word_is_right() {
    let keeping = |world: &mut World| {
        world.take_long_row();
        keep_sums(world);
    };
    for prepare in [World::take_long_row, keeping] {
        for order in ORDERS {
            run_by::<TellAndHear, Believe, 1, { program::K }>(&WORDS, prepare, order);
            run_by::<ReweighAndHear, MeasureAndShrink, { program::L }, { program::V }>(&WORDS, prepare, order);
            run_by::<Lean, Settle, { program::L }, { program::V }>(&WORDS, prepare, order);
        }
    }
}

#[test]
fn a_group_for_each_edge_is_right() {
    run::<ReweighAndHear, Believe>(&EDGES, World::take_edges);
    run::<TellActive, BelieveActive>(&EDGES, World::take_edges);
    run::<TellRowsActive, ()>(&EDGES, World::take_edges);
}
