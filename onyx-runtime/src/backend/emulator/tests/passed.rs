//! Where rows lie that a stage leaves for a later one.

use super::*;
use crate::graph::{Graph, GraphBuilder};
use crate::schedule::Schedule;

#[graph_data]
struct Handed<const K: usize> {
    value: VertexFeatures<K>,
    doubled: VertexFeatures<K, Scratch>,
    sum: VertexFeatures<K>,
}

#[vertex_fn]
fn double<const K: usize>(f: Feature, v: Vertex, d: &mut Handed<K>) -> bool {
    d.doubled[v][f] = 2.0 * d.value[v][f];
    true
}

#[edge_fn]
fn add<const K: usize>(f: Feature, e: Edge, d: &mut Handed<K>) -> bool {
    d.sum[e.dst][f] += d.doubled[e.src][f];
    true
}

foldmap! { hand_on<const K: usize>(Handed<K>) = [double; add]; features = [4] }

/// Rings of three vertices, side by side.
fn rings(count: u32) -> Graph {
    let ring = |first: u32| [(first, first + 1), (first + 1, first + 2), (first + 2, first)];
    let edges: Vec<(u32, u32)> = (0..count).flat_map(|number| ring(3 * number)).collect();
    let graph = GraphBuilder::new().vertices(3 * count as usize).edges(edges).build().unwrap();
    graph.with_members((0..=count).map(|number| 3 * number).collect()).unwrap()
}

/// What the fold leaves of `doubled` in memory, and the sums.
fn left(graph: &Graph, schedule: Schedule) -> [Vec<f32>; 2] {
    let mut store = Store::new(hand_on, graph, 4).unwrap();
    store.floats_mut(Handed::VALUE.index).fill(1.0);
    store.give(Handed::VALUE.index);
    let options = Options { schedule, ..Options::default() };
    let decider = Decider::new(hand_on::FACTS, graph, Form::narrow(4), &options, Processor::default());
    let shape = Shape::new(hand_on::FACTS, decider, &options);
    let device = EmulatedDevice::new(AnyFold::of::<hand_on>(), &store, Order::Forward).unwrap();
    let mut engine = DeviceEngine::new(hand_on::FACTS, device, graph, &mut store, shape, None).unwrap();
    engine.run(Batch { direction: Direction::Pull, keep_sums: false, count: 1, limits: None }).unwrap();
    [Handed::DOUBLED.index, Handed::SUM.index].map(|index| engine.values(index).unwrap().as_slice().to_vec())
}

#[test]
fn rows_lie_in_shared_memory_where_a_block_has_whole_graphs_and_room() {
    // A block of the last batch has more vertices than there is room for.
    for (count, schedule, doubled) in [
        (7, Schedule::GraphPerBlock, 0.0),
        (7, Schedule::NeighborGroup, 2.0),
        (1 + device::MOST_PASSED, Schedule::GraphPerBlock, 2.0),
    ] {
        let [found, sums] = left(&rings(count), schedule);
        assert!(found.iter().all(|value| *value == doubled), "{count} graphs by {schedule:?}: {found:?}");
        assert!(sums.iter().all(|sum| *sum == 2.0), "{sums:?}");
    }
}
