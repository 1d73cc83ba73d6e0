//! Small graphs with all that a schedule may stumble over.

use onyx_runtime::graph::{Graph, GraphBuilder};
use rand::{Rng, RngExt, SeedableRng};
use rand_pcg::Pcg64;

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

/// Numbers between `low` and `high`.
pub fn numbers(dice: &mut impl Rng, count: usize, low: f32, high: f32) -> Vec<f32> {
    (0..count).map(|_| dice.random_range(low..high)).collect()
}
