//! PageRank on a graph and on its reverse.

use ndarray::{Array1, array};
use onyx_device::prelude::*;
use onyx_runtime::graph::{Graph, GraphBuilder};
use onyx_runtime::{Data, Direction, Options, ResidentGraph, RunError, RunFold, Session, Status};

use crate::heat::{graph, sessions};

#[graph_data]
struct Surfers {
    weight: EdgeScalar,
    rank: VertexScalar<Tracked>,
    share: VertexScalar,
    arrived: VertexScalar,
    base: Parameter,
}

#[edge_fn]
fn follow(e: Edge, d: &mut Surfers) -> bool {
    d.arrived[e.dst] += d.share[e.src] * d.rank[e.src];
    true
}

#[edge_fn]
fn follow_weighted(e: Edge, d: &mut Surfers) -> bool {
    d.arrived[e.dst] += d.weight[e] * d.rank[e.src];
    true
}

#[vertex_fn]
fn land(v: Vertex, d: &mut Surfers) -> bool {
    let new = d.base + 0.85 * d.arrived[v];
    let moved = (new - d.rank[v]).abs() > 1e-7;
    d.rank[v] = new;
    moved
}

foldmap! { pub pagerank(Surfers) = [follow, land] }
foldmap! { pub weighted(Surfers) = [follow_weighted, land] }

/// The ranks of a graph's vertices, and of its reverse in the same session and by the same data.
fn ranks(session: &Session, graph: &ResidentGraph<'_>, data: &mut Data<Surfers>, options: &Options) -> Array1<f32> {
    let count = graph.graph().vertex_count();
    let share = |vertex| 1.0 / graph.graph().out_degree(vertex).max(1) as f32;
    data.write(Surfers::SHARE, &Array1::from_iter((0..count as u32).map(share))).unwrap();
    data.write(Surfers::RANK, &Array1::from_elem(count, 1.0 / count as f32)).unwrap();
    data.set(Surfers::BASE, 0.15 / count as f32);
    let report = pagerank.on(graph, data).until_settled(options).unwrap();
    assert!(report.status.is_at_rest(), "{session:?}");
    data.read(Surfers::RANK).unwrap().to_owned()
}

fn turned(graph: &Graph) -> Graph {
    let edges = graph.edges().map(|(_, source, destination)| (destination, source)).collect();
    GraphBuilder::new().vertices(graph.vertex_count()).edges(edges).build().unwrap()
}

#[test]
fn pagerank_on_the_reverse_is_that_of_the_graph_of_reversed_edges() {
    let (graph, directions) = (graph(), [None, Some(Direction::Pull), Some(Direction::Push)]);
    let built = turned(&graph);
    for (session, direction) in sessions().iter().flat_map(|session| directions.map(|direction| (session, direction))) {
        let options = Options { direction, iterations: 500, ..Options::default() };
        let resident = session.graph(&graph);
        let mut data = session.data(pagerank, &resident, 1).unwrap();
        let forward = ranks(session, &resident, &mut data, &options);
        let found = ranks(session, &resident.reversed().unwrap(), &mut data, &options);
        let again = ranks(session, &resident.reversed().unwrap().reversed().unwrap(), &mut data, &options);
        let other = session.graph(&built);
        let expected = ranks(session, &other, &mut session.data(pagerank, &other, 1).unwrap(), &options);
        let apart = |left: &Array1<f32>, right: &Array1<f32>| {
            left.iter().zip(right).fold(0.0_f32, |most, (left, right)| most.max((left - right).abs()))
        };
        assert!(apart(&found, &expected) < 1e-6, "{session:?}, {direction:?}");
        assert!(apart(&forward, &again) < 1e-6 && apart(&forward, &found) > 1e-3, "{session:?}, {direction:?}");
    }
}

#[test]
fn values_of_edges_belong_to_one_direction() {
    let graph = GraphBuilder::new().edges(vec![(0, 1), (0, 2), (2, 1)]).weights(vec![0.5, 0.25, 0.75]).build().unwrap();
    for session in sessions() {
        let resident = session.graph(&graph);
        let reversed = resident.reversed().unwrap();
        let mut data = session.data(weighted, &resident, 1).unwrap();
        let error = weighted.on(&reversed, &mut data).once().unwrap_err();
        assert!(matches!(error, RunError::ReversedEdges { property: "weight", .. }), "{error}");
        assert!(error.to_string().contains("make data for the graph of this run"), "{error}");
        pagerank.on(&reversed, &mut data).once().unwrap();
        let mut data = session.data(weighted, &reversed, 1).unwrap();
        data.write(Surfers::WEIGHT, reversed.graph().weights().unwrap()).unwrap();
        data.write(Surfers::RANK, &[0.0, 1.0, 0.0]).unwrap();
        weighted.on(&reversed, &mut data).once().unwrap();
        assert_eq!(data.read(Surfers::RANK).unwrap(), array![0.85 * 0.5, 0.0, 0.85 * 0.75], "{session:?}");
        let error = weighted.on(&resident, &mut data).once().unwrap_err();
        assert!(matches!(error, RunError::ReversedEdges { .. }), "{error}");
    }
}

#[test]
fn a_sum_that_leaves_the_range_of_floats_is_found_where_it_is() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data(weighted, &resident, 1).unwrap();
        data.write(Surfers::WEIGHT, &Array1::from_elem(graph.edge_count(), 1.0)).unwrap();
        data.write(Surfers::RANK, &Array1::from_elem(graph.vertex_count(), 1.0)).unwrap();
        weighted.on(&resident, &mut data).times(2, &Options::new()).unwrap();
        data.write(Surfers::WEIGHT, &Array1::from_elem(graph.edge_count(), f32::MAX)).unwrap();
        let report = weighted.on(&resident, &mut data).until_settled(&Options::new().iterations(3)).unwrap();
        assert_eq!((report.status, report.diverged), (Status::Diverged, Some("rank")), "{session:?}");
        let infinite = data.read(Surfers::RANK).unwrap().iter().any(|rank| rank.is_infinite());
        let report = weighted.on(&resident, &mut data).until_settled(&Options::new().iterations(1)).unwrap();
        assert!(infinite && report.diverged.is_none(), "{session:?}: it was infinite before");
    }
}
