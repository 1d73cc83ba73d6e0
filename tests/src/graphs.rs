//! Graphs that break schedules: empty, isolated vertices, loops, duplicates, hubs.

use onyx_runtime::graph::{Generator, Graph, GraphBuilder};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

/// A graph from its edges.
pub fn graph(vertices: usize, edges: Vec<(u32, u32)>) -> Graph {
    GraphBuilder::new().vertices(vertices).edges(edges).build().expect("the edges lie among the vertices")
}

/// Random graphs of up to 80 vertices with loops, duplicates and isolated vertices; some have a hub whose row is cut.
pub fn any() -> impl Strategy<Value = Graph> {
    (1_usize..80, proptest::bool::ANY).prop_flat_map(|(vertices, has_hub)| {
        let vertex = 0..vertices as u32;
        let edges = prop::collection::vec((vertex.clone(), vertex.clone()), 0..200);
        let spokes = prop::collection::vec(vertex, if has_hub { 60..150 } else { 0..1 });
        (edges, spokes).prop_map(move |(mut edges, spokes)| {
            edges.extend(spokes.into_iter().flat_map(|spoke| [(spoke, 0), (0, spoke)]));
            graph(vertices, edges)
        })
    })
}

/// The graphs that every schedule is tried on, by name.
pub fn special() -> Vec<(&'static str, Graph)> {
    let star = |leaves: u32| (1..=leaves).flat_map(|leaf| [(leaf, 0), (0, leaf)]).collect();
    vec![
        ("no vertex", graph(0, vec![])),
        ("one vertex", graph(1, vec![])),
        ("one loop", graph(1, vec![(0, 0)])),
        ("only isolated vertices", graph(70, vec![])),
        ("duplicates", graph(3, vec![(0, 1); 40])),
        ("one word and a vertex", graph(33, (0..32).map(|vertex| (vertex, vertex + 1)).collect())),
        ("hub", graph(301, star(300))),
        ("grid", generate("grid:17x9")),
        ("R-MAT", generate("rmat:7:6")),
    ]
}

/// A generated graph.
pub fn generate(specification: &str) -> Graph {
    let generator: Generator = specification.parse().expect("a valid specification");
    generator.generate(7).expect("a graph that fits")
}

/// The first `count` graphs of [`any`], the same every time.
pub fn random(count: usize) -> Vec<Graph> {
    let mut runner = TestRunner::deterministic();
    let tree = |_| any().new_tree(&mut runner).expect("a graph").current();
    (0..count).map(tree).collect()
}

/// Graphs side by side, as a batch.
pub fn batch(graphs: &[Graph]) -> Graph {
    let (mut edges, mut offsets) = (Vec::new(), vec![0]);
    for graph in graphs {
        let first = offsets[offsets.len() - 1];
        edges.extend(graph.edges().map(|(_, source, destination)| (first + source, first + destination)));
        offsets.push(first + graph.vertex_count() as u32);
    }
    let vertices = offsets[offsets.len() - 1] as usize;
    let graph = GraphBuilder::new().vertices(vertices).edges(edges).build().expect("edges among the vertices");
    graph.with_members(offsets).expect("no edge leads from one graph into another")
}
