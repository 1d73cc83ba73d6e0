//! Graphs, sessions and options that tests run on.

use std::env;

use onyx_runtime::graph::{Generator, Graph, GraphBuilder};
use onyx_runtime::{Options, Schedule, Session};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

const PULLS: [Schedule; 6] = [
    Schedule::NeighborGroup,
    Schedule::GroupsPerBlock,
    Schedule::VertexPerWarp,
    Schedule::VertexPerBlock,
    Schedule::WordPerWarp,
    Schedule::EdgeFlat,
];

/// Numbers that come again with the same seed.
pub fn random(seed: u64) -> Pcg64 {
    Pcg64::seed_from_u64(seed)
}

/// So many whole numbers below `end`, as floats.
pub fn numbers(random: &mut Pcg64, count: usize, end: usize) -> Vec<f32> {
    (0..count).map(|_| random.random_range(0..end.max(1)) as f32).collect()
}

/// A graph of these edges.
pub fn graph(vertices: usize, edges: Vec<(u32, u32)>) -> Graph {
    GraphBuilder::new().vertices(vertices).edges(edges).build().expect("a graph")
}

/// Graphs of all shapes.
pub fn graphs() -> Vec<(&'static str, Graph)> {
    let hub = (1..700).flat_map(|leaf| [(leaf, 0), (0, leaf)]).collect();
    vec![
        ("no vertex", graph(0, vec![])),
        ("one vertex", graph(1, vec![])),
        ("one loop", graph(1, vec![(0, 0)])),
        ("isolated vertices", graph(70, vec![])),
        ("loops and duplicates", graph(3, [vec![(0, 1); 40], vec![(2, 2); 3]].concat())),
        ("hub", graph(700, hub)),
        ("R-MAT", "rmat:8:6".parse::<Generator>().expect("a generator").generate(3).expect("a graph")),
    ]
}

/// Where tests run; on a GPU, too, where `cargo xtask test --gpu` asks for that.
pub fn sessions() -> Vec<Session> {
    let gpu = env::var_os("ONYX_TEST_GPU").map(|_| Session::cuda(0).expect("a GPU"));
    let emulator = cfg!(feature = "emulator").then(Session::emulator);
    [Session::cpu()].into_iter().chain(emulator).chain(gpu).collect()
}

/// Every way to pull.
pub fn options() -> Vec<Options> {
    let by = |schedule| Options { schedule, ..Options::new() };
    let exact = Options { deterministic: true, ..Options::new() };
    PULLS.map(by).into_iter().chain([exact]).collect()
}
