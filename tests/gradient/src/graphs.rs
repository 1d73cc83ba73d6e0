//! Small graphs with all that a schedule may stumble over.

use std::env;

use onyx_runtime::graph::{Graph, GraphBuilder};
use onyx_runtime::{Options, Schedule, Session};
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Where tests run; on a GPU, too, where `cargo xtask test --gpu` asks for that.
pub fn sessions() -> Vec<Session> {
    let gpu = env::var_os("ONYX_TEST_GPU").map(|_| Session::cuda(0).expect("a GPU"));
    [Session::cpu(), Session::emulator()].into_iter().chain(gpu).collect()
}

/// Every schedule that pulls, in groups of two edges.
pub fn pulls() -> Vec<Options> {
    let all = [
        Schedule::NeighborGroup,
        Schedule::VertexPerWarp,
        Schedule::VertexPerBlock,
        Schedule::WordPerWarp,
        Schedule::EdgeFlat,
    ];
    let some = all.map(|schedule| Options::new().schedule(schedule).group_size(2));
    some.into_iter().chain([Options::new().deterministic(true).group_size(2)]).collect()
}

/// A source of numbers that are the same in every run.
pub fn dice(seed: u64) -> Pcg64 {
    Pcg64::seed_from_u64(seed)
}

/// Loops, edges that are there several times, vertices without edges, and one that half of all edges start or end at.
pub fn random(seed: u64, vertices: u32, edges: usize) -> Graph {
    let mut dice = dice(seed);
    let mut end = |hub: u32| if dice.random_bool(0.3) { hub } else { dice.random_range(0..vertices - 2) };
    let mut list: Vec<(u32, u32)> = (0..edges).map(|_| (end(0), end(1))).collect();
    list.extend([(2, 2), (3, 4), (3, 4)]);
    GraphBuilder::new().vertices(vertices as usize).edges(list).build().expect("the edges are of the graph")
}

/// Edges in both directions, with loops, and vertices without edges.
pub fn symmetric(seed: u64, vertices: u32, pairs: usize) -> Graph {
    let mut dice = dice(seed);
    let mut ends = || (dice.random_range(0..vertices - 2), dice.random_range(0..vertices - 2));
    let list: Vec<(u32, u32)> = (0..pairs).map(|_| ends()).chain([(2, 2), (3, 4), (3, 4)]).collect();
    let both = list.iter().flat_map(|(u, v)| if u == v { vec![(*u, *v)] } else { vec![(*u, *v), (*v, *u)] });
    GraphBuilder::new().vertices(vertices as usize).edges(both.collect::<Vec<_>>()).build().expect("edges of the graph")
}

/// Numbers between `low` and `high`.
pub fn numbers(dice: &mut impl Rng, count: usize, low: f32, high: f32) -> Vec<f32> {
    (0..count).map(|_| dice.random_range(low..high)).collect()
}
