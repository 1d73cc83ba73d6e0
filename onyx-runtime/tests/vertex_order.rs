//! Orders of vertices: nothing is lost on the way there and back, and they do what they are for.

use std::collections::BTreeSet;

use onyx_runtime::graph::order::{self, Method, OrderError, Renumbered, VertexOrder};
use onyx_runtime::graph::{Generator, Graph, GraphBuilder};
use proptest::prelude::*;

type Edge = (u32, u32);

/// The number of vertices, some of which have no edge, and edges between them, with loops and equal ones.
fn edge_lists() -> impl Strategy<Value = (usize, Vec<Edge>)> {
    let edges = |vertices: usize, most| prop::collection::vec((0..vertices as u32, 0..vertices as u32), 0..most);
    prop_oneof![
        (1..12_usize).prop_flat_map(move |vertices| (Just(vertices), edges(vertices, 40))),
        (1..400_usize).prop_flat_map(move |vertices| (Just(vertices), edges(vertices, 600)))
    ]
}

fn build(vertices: usize, edges: &[Edge], undirected: bool) -> Graph {
    let weights = edges.iter().map(|(one, other)| (one.min(other) * 1000 + one.max(other)) as f32);
    let builder = GraphBuilder::new().vertices(vertices).undirected(undirected).edges(edges.to_vec());
    builder.weights(weights.collect()).build().unwrap()
}

fn generated(specification: &str) -> Graph {
    specification.parse::<Generator>().unwrap().generate(1).unwrap()
}

fn shuffled(graph: &Graph, seed: u64) -> Graph {
    graph.renumbered(&VertexOrder::shuffled(graph.vertex_count() as u32, seed).unwrap()).unwrap().graph
}

/// Blocks of vertices with many edges inside of each and few between them, block after block.
fn blocks(count: u32, size: u32) -> Graph {
    let inside = (0..count * size).flat_map(|vertex| {
        let first = vertex / size * size;
        // Steps without a common divisor with the size, so that each vertex has as many neighbors.
        [1, 3, 7, 9].map(move |step| (vertex, first + (vertex - first + step) % size))
    });
    let between = (0..count).map(|block| (block * size, (block + 1) % count * size + size / 2));
    let edges = inside.chain(between).collect();
    GraphBuilder::new().vertices((count * size) as usize).undirected(true).edges(edges).build().unwrap()
}

/// Whether each number is there once.
fn is_order(order: &VertexOrder) -> bool {
    let numbers: BTreeSet<u32> = order.new_ids().iter().copied().collect();
    let leads_back = |(new, old): (usize, &u32)| order.new_ids()[*old as usize] == new as u32;
    numbers.into_iter().eq(0..order.len() as u32) && order.old_ids().iter().enumerate().all(leads_back)
}

/// The edges with their weights, by the numbers that `number` gives to vertices.
fn edges(graph: &Graph, number: impl Fn(u32) -> u32) -> Vec<(u32, u32, u32)> {
    let weights = graph.weights().unwrap();
    let mut edges: Vec<_> =
        graph.edges().map(|(id, from, to)| (number(to), number(from), weights[id].to_bits())).collect();
    edges.sort_unstable();
    edges
}

fn check_renumbered(graph: &Graph, order: &VertexOrder) -> Result<(), TestCaseError> {
    let Renumbered { graph: renumbered, vertices, edges: edge_order } = graph.renumbered(order).unwrap();
    prop_assert_eq!(&vertices, order);
    prop_assert_eq!(edges(&renumbered, |vertex| vertex), edges(graph, |vertex| order.new_ids()[vertex as usize]));
    prop_assert_eq!(renumbered.is_symmetric(), graph.is_symmetric());
    // Edges are the ones they are said to be, equal ones in their order.
    let ends: Vec<_> = graph.edges().collect();
    let old_ids: Vec<usize> = edge_order.old_ids().collect();
    for (edge, source, destination) in renumbered.edges() {
        let (_, from, to) = ends[old_ids[edge]];
        prop_assert_eq!([source, destination], [from, to].map(|vertex| order.new_ids()[vertex as usize]));
    }
    let numbers: Vec<usize> = (0..graph.edge_count()).collect();
    prop_assert_eq!(edge_order.to_new(&numbers, 1).unwrap(), old_ids);
    prop_assert_eq!(edge_order.to_old(&edge_order.to_new(&numbers, 1).unwrap(), 1).unwrap(), numbers);
    // The way back is the graph itself, its edge order and its weights included.
    let back = renumbered.renumbered(&vertices.clone().inverse()).unwrap();
    prop_assert_eq!(&back.graph, graph);
    let values: Vec<u32> = (0..2 * graph.vertex_count() as u32).collect();
    prop_assert_eq!(vertices.to_old(&vertices.to_new(&values, 2).unwrap(), 2).unwrap(), values);
    Ok(())
}

proptest! {
    #[test]
    fn every_order_has_each_vertex_once((vertices, edges) in edge_lists(), undirected: bool) {
        let graph = build(vertices, &edges, undirected);
        for method in Method::ALL {
            let order = method.order(&graph).unwrap();
            prop_assert!(order.len() == vertices && is_order(&order), "{}: {:?}", method.name(), order);
            prop_assert_eq!(&order, &in_pool(1, || method.order(&graph).unwrap()));
            prop_assert_eq!(&order, &in_pool(3, || method.order(&graph).unwrap()));
            check_renumbered(&graph, &order)?;
        }
        check_renumbered(&graph, &VertexOrder::shuffled(vertices as u32, 5).unwrap())?;
        check_renumbered(&graph, &VertexOrder::unchanged(vertices as u32).unwrap())?;
    }

    #[test]
    fn communities_are_ranges_of_joined_vertices((vertices, edges) in edge_lists()) {
        let graph = build(vertices, &edges, true);
        let communities = order::rabbit(&graph).unwrap();
        let renumbered = graph.renumbered(&communities.order).unwrap().graph;
        let mut next = 0;
        for range in communities.ranges() {
            prop_assert!(range.start == next && !range.is_empty());
            next = range.end;
            // Whoever is merged has an edge to what it is merged with.
            let joined = |vertex: u32| renumbered.incoming().row(vertex).iter().any(|other| *other != vertex && range.contains(other));
            prop_assert!(range.len() == 1 || range.clone().all(joined), "{:?}", range);
        }
        prop_assert_eq!(next as usize, vertices);
    }
}

fn in_pool<T: Send>(threads: usize, work: impl FnOnce() -> T + Send) -> T {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(work)
}

#[test]
fn rabbit_brings_the_ends_of_edges_together() {
    let grid = shuffled(&generated("grid:40x40"), 3);
    let ordered = grid.renumbered(&Method::Rabbit.order(&grid).unwrap()).unwrap().graph;
    // A shuffled order has a third of the vertices between the ends of an edge, on average.
    assert!((grid.mean_edge_span() - 1600.0 / 3.0).abs() < 30.0, "{}", grid.mean_edge_span());
    assert!(ordered.mean_edge_span() < 120.0, "{}", ordered.mean_edge_span());

    let blocks = shuffled(&blocks(50, 20), 4);
    let ordered = blocks.renumbered(&Method::Rabbit.order(&blocks).unwrap()).unwrap().graph;
    assert!(blocks.mean_edge_span() > 300.0 && ordered.mean_edge_span() < 12.0, "{}", ordered.mean_edge_span());
}

#[test]
fn rabbit_finds_planted_blocks() {
    let (count, size) = (50, 20);
    let communities = order::rabbit(&blocks(count, size)).unwrap();
    let mut community_of = vec![0; (count * size) as usize];
    for (community, range) in communities.ranges().enumerate() {
        // Modularity has a finest grain: some blocks in a row may be one community, but never many.
        assert!(range.len() <= 4 * size as usize, "{range:?}");
        range.for_each(|vertex| community_of[communities.order.old_ids()[vertex as usize] as usize] = community);
    }
    for block in community_of.chunks(size as usize) {
        // The two vertices with an edge out of the block may have gone along it.
        let together = block.iter().filter(|community| **community == block[1]).count();
        assert!(together >= size as usize - 2, "{block:?}");
    }
}

#[test]
fn reverse_cuthill_mckee_lowers_the_bandwidth() {
    let grid = shuffled(&generated("grid:30x50"), 7);
    let ordered = grid.renumbered(&order::reverse_cuthill_mckee(&grid).unwrap()).unwrap().graph;
    // Levels from a corner have at most 30 vertices, and an edge leads from one to the next.
    assert!(grid.greatest_edge_span() > 1400 && ordered.greatest_edge_span() <= 60, "{}", ordered.greatest_edge_span());

    let path = shuffled(&generated("grid:500x1"), 7);
    let ordered = path.renumbered(&order::reverse_cuthill_mckee(&path).unwrap()).unwrap().graph;
    assert_eq!(ordered.greatest_edge_span(), 1);
}

#[test]
fn degree_order_falls() {
    let graph = generated("rmat:9:6");
    let order = order::by_degree(&graph).unwrap();
    let degrees: Vec<usize> =
        order.old_ids().iter().map(|vertex| graph.in_degree(*vertex) + graph.out_degree(*vertex)).collect();
    assert!(degrees.is_sorted_by(|one, next| one >= next));
    let equal = order.old_ids().windows(2).zip(degrees.windows(2)).filter(|(_, degrees)| degrees[0] == degrees[1]);
    assert!(equal.into_iter().all(|(pair, _)| pair[0] < pair[1]));
}

#[test]
fn spans_are_those_of_the_edges() {
    let graph = GraphBuilder::new().vertices(9).edges(vec![(0, 8), (8, 0), (3, 3), (4, 6)]).build().unwrap();
    assert_eq!((graph.mean_edge_span(), graph.greatest_edge_span()), (18.0 / 4.0, 8));
    let empty = GraphBuilder::new().build().unwrap();
    assert_eq!((empty.mean_edge_span(), empty.greatest_edge_span()), (0.0, 0));
}

#[test]
fn the_rule_asks_for_long_edges() {
    let ring = |vertices: u32, step: u32| {
        let edges = (0..vertices - step).map(|vertex| (vertex, vertex + step)).collect();
        GraphBuilder::new().vertices(vertices as usize).edges(edges).build().unwrap()
    };
    // The roots of 10,000 and 40,000, by 100 and rounded down, are 1 and 2.
    assert!(order::is_worth_it(&ring(9_999, 1)));
    assert!(!order::is_worth_it(&ring(10_000, 1)) && order::is_worth_it(&ring(10_000, 2)));
    assert!(!order::is_worth_it(&ring(40_000, 4)) && order::is_worth_it(&ring(40_000, 5)));
    assert!(!order::is_worth_it(&GraphBuilder::new().vertices(5).edges(vec![(2, 2)]).build().unwrap()));
    assert!(!order::is_worth_it(&GraphBuilder::new().build().unwrap()));
}

#[test]
fn graphs_with_next_to_nothing_have_orders() {
    for (vertices, edges) in
        [(0, vec![]), (1, vec![]), (1, vec![(0, 0)]), (3, vec![]), (2, vec![(0, 0), (0, 0), (1, 0)])]
    {
        let graph = GraphBuilder::new().vertices(vertices).edges(edges).build().unwrap();
        for method in Method::ALL {
            let order = method.order(&graph).unwrap();
            assert!(order.len() == vertices && is_order(&order), "{method:?}");
            let renumbered = graph.renumbered(&order).unwrap();
            assert_eq!(
                (renumbered.graph.edge_count(), renumbered.edges.len()),
                (graph.edge_count(), graph.edge_count())
            );
        }
        let communities = order::rabbit(&graph).unwrap();
        assert_eq!(communities.is_empty(), vertices == 0);
    }
}

#[test]
fn what_is_no_order_is_refused() {
    let error = |ids: &[u32]| VertexOrder::of_new_ids(ids.to_vec()).unwrap_err().to_string();
    assert!(error(&[0, 2]).starts_with("vertex 1 is to become 2, which is beyond the last of 2 vertices, or another"));
    assert!(error(&[1, 0, 1]).starts_with("vertex 2 is to become 1, "));
    assert!(error(&[u32::MAX]).starts_with("vertex 0 is to become 4294967295, "));
    let order = VertexOrder::of_new_ids(vec![1, 0]).unwrap();
    assert!(matches!(order.to_new(&[1, 2, 3], 1), Err(OrderError::Values { found: 3, expected: 2, width: 1 })));
    let graph = generated("grid:3x1");
    let message = graph.renumbered(&order).unwrap_err().to_string();
    assert_eq!(message, "an order of 2 vertices was given for a graph of 3: make the order of this graph");
    assert_eq!(VertexOrder::of_sequence(vec![2, 0, 1]).unwrap().new_ids(), [1, 2, 0]);
}
