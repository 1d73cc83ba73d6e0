//! The real schedules on a world, for lanes with a slip or without.

use onyx_device::launch::{Launch, Worker};
use onyx_device::run::{EdgeRun, VertexRun};
use onyx_device::{Block, Machine, schedule};

use crate::program::{Data, L, V};
use crate::world::World;

/// The group of a lane, with edge functions `E` and vertex functions `W`.
pub fn worker<M: Machine, E: EdgeRun<Data>, W: VertexRun<Data>>(
    lane: M,
    world: &World,
) -> Worker<'_, M, Data, E, W, L, V> {
    // SAFETY: the arrays are the world's; the emulator stops a lane that goes wrong.
    unsafe { Launch::<_, Data, E, W, ()>::new(lane, &world.arguments) }.worker()
}

/// A function for each schedule, which runs it with edge functions `E` and vertex functions `W`.
macro_rules! schedules {
    ($($(#[$documentation:meta])* $name:ident: $($schedule:ident)::+;)*) => {
        $(
            $(#[$documentation])*
            pub fn $name<E: EdgeRun<Data>, W: VertexRun<Data>>(lane: impl Block, world: &World) {
                // SAFETY: the arrays are the world's; the emulator stops a lane that goes wrong.
                unsafe { schedule::$($schedule)::+::<_, Data, E, W, L, V>(Launch::new(lane, &world.arguments)) }
            }
        )*
    };
}

schedules! {
    /// `pull`
    pull: pull::run;
    /// `groups_per_block`
    groups_per_block: groups_per_block::run;
    /// `finish`
    finish: cut_rows::finish;
    /// `edge_flat`
    edge_flat: edge_flat::run;
    /// `vertex_per_warp`
    vertex_per_warp: vertex_per_warp::run;
    /// `vertex_per_block`
    vertex_per_block: vertex_per_block::run;
    /// `gather_totals`
    gather_totals: gather_totals::run;
    /// `word_per_warp`
    word_per_warp: word_per_warp::run;
    /// `long_rows`
    long_rows: long_rows::run;
    /// `push`
    push: push::run;
    /// `warp_word`
    warp_word: warp_word::run;
    /// `vertex`
    vertex: vertex::run;
}

/// `clear`
pub fn clear<E: EdgeRun<Data>>(lane: impl Block, world: &World) {
    // SAFETY: the arrays are the world's; the emulator stops a lane that goes wrong.
    unsafe { schedule::cut_rows::clear::<_, Data, E, L, V>(Launch::new(lane, &world.arguments)) }
}

/// `activate`
pub fn activate(lane: impl Block, world: &World) {
    // SAFETY: the arrays are the world's; the emulator stops a lane that goes wrong.
    unsafe { schedule::activate::run(Launch::<_, Data, (), (), _>::new(lane, &world.arguments)) }
}
