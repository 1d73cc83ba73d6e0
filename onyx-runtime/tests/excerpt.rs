//! Components of a graph as graphs of their own.

use std::ops::Range;

use onyx_runtime::graph::{Graph, GraphBuilder, GraphError};
use proptest::prelude::*;

/// The edges of a component, by its own vertices, and how many these are.
type Component = (usize, Vec<(u32, u32)>);

fn component() -> impl Strategy<Value = Component> {
    let edges = |vertices: usize| prop::collection::vec((0..vertices as u32, 0..vertices as u32), 0..12);
    prop_oneof![1 => Just((0, vec![])), 6 => (1..8_usize).prop_flat_map(move |vertices| (Just(vertices), edges(vertices)))]
}

/// The components one after the other, each edge with a weight that says which it is, and the vertices of each.
fn joined(components: &[Component], undirected: bool) -> (Graph, Vec<Range<u32>>) {
    let (mut edges, mut weights, mut ranges, mut first) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for (vertices, own) in components {
        for (source, destination) in own {
            edges.push((first + source, first + destination));
            let (one, other) =
                if undirected { (source.min(destination), source.max(destination)) } else { (source, destination) };
            // Equal for equal edges, so that undirected ones may be joined.
            weights.push((one * 100 + other) as f32);
        }
        ranges.push(first..first + *vertices as u32);
        first += *vertices as u32;
    }
    let builder = GraphBuilder::new().vertices(first as usize).undirected(undirected).edges(edges).weights(weights);
    (builder.build().unwrap(), ranges)
}

proptest! {
    #[test]
    fn an_excerpt_is_the_graph_built_of_its_components(
        components in prop::collection::vec(component(), 1..6),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 0..8),
        undirected: bool,
    ) {
        let (graph, ranges) = joined(&components, undirected);
        let picks: Vec<usize> = picks.iter().map(|pick| pick.index(components.len())).collect();
        let picked: Vec<Component> = picks.iter().map(|pick| components[*pick].clone()).collect();
        let picked_ranges: Vec<Range<u32>> = picks.iter().map(|pick| ranges[*pick].clone()).collect();
        let (expected, ranges) = joined(&picked, undirected);
        let offsets = [0].into_iter().chain(ranges.iter().map(|range| range.end)).collect();
        let expected = if ranges.is_empty() { expected } else { expected.with_members(offsets).unwrap() };
        prop_assert_eq!(graph.excerpt(&picked_ranges).unwrap(), expected);
    }
}

#[test]
fn ranges_that_edges_cross_are_refused() {
    let graph = GraphBuilder::new().vertices(4).edges(vec![(0, 1), (2, 3)]).build().unwrap();
    let error = |range: Range<u32>| graph.excerpt(&[range]).unwrap_err().to_string();
    let open = |range: &str, edge: &str| {
        format!(
            "the vertices {range} are no graph of their own: the edge from {edge} leads into or out of them; give a range with both of its ends, \
             or remove the edge"
        )
    };
    assert_eq!(error(0..1), open("0..1", "0 to 1"));
    assert_eq!(error(1..2), open("1..2", "0 to 1"));
    assert_eq!(error(1..4), open("1..4", "0 to 1"));
    assert_eq!(
        error(2..5),
        "2..5 is no range of the graph's 4 vertices: give a range within 0..4 that does not end before it begins"
    );
    let backwards = Range { start: 2, end: 1 };
    assert!(matches!(graph.excerpt(&[backwards]), Err(GraphError::NotARange { begin: 2, end: 1, .. })));
    assert_eq!(graph.excerpt(&[]).unwrap(), GraphBuilder::new().build().unwrap());
}
