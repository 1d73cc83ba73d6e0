//! Where integers and half precision are tried, and how.
#![allow(dead_code, reason = "each test program uses a part")]

use std::env;

use onyx_runtime::graph::{Generator, Graph, GraphBuilder};
use onyx_runtime::{Options, Schedule, Session};

const PULLS: [Schedule; 6] = [
    Schedule::NeighborGroup,
    Schedule::GroupsPerBlock,
    Schedule::VertexPerWarp,
    Schedule::VertexPerBlock,
    Schedule::WordPerWarp,
    Schedule::EdgeFlat,
];

pub fn graph(vertices: usize, edges: Vec<(u32, u32)>) -> Graph {
    GraphBuilder::new().vertices(vertices).edges(edges).build().unwrap()
}

pub fn graphs() -> Vec<(&'static str, Graph)> {
    let hub = (1..400).flat_map(|leaf| [(leaf, 0), (0, leaf)]).collect();
    let beside = (1..300).flat_map(|leaf| [(leaf, 0), (0, leaf)]).chain([(301, 300)]).collect();
    let chain = (0..40).map(|vertex| (vertex + 1, vertex)).collect();
    vec![
        ("no vertex", graph(0, vec![])),
        ("one vertex", graph(1, vec![])),
        ("isolated vertices", graph(70, vec![])),
        ("loops and duplicates", graph(4, [vec![(0, 1); 40], vec![(2, 2); 3], vec![(3, 1)]].concat())),
        ("chain", graph(41, chain)),
        ("hub", graph(400, hub)),
        ("hub beside an edge", graph(303, beside)),
        ("R-MAT", "rmat:8:6".parse::<Generator>().unwrap().generate(3).unwrap()),
    ]
}

/// Where tests run; on a GPU, too, where `cargo xtask test --gpu` asks for that.
pub fn sessions() -> Vec<Session> {
    let gpu = env::var_os("ONYX_TEST_GPU").map(|_| Session::cuda(0).expect("a GPU"));
    [Session::cpu(), Session::emulator()].into_iter().chain(gpu).collect()
}

/// Every schedule, rows that are cut, totals in order, and batches.
pub fn options() -> Vec<Options> {
    let by = |schedule| Options { schedule, ..Options::new() };
    let cut = Options { group_size: Some(4), ..Options::new() };
    let exact = Options { deterministic: true, group_size: Some(4), ..Options::new() };
    PULLS.map(by).into_iter().chain([cut, exact]).collect()
}
