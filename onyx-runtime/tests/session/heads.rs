//! Scratch of heads.

use ndarray::Array2;
use onyx_device::prelude::*;
use onyx_runtime::RunFold;

use crate::heat::{graph, sessions};

/// Numbers that functions of a head hand on.
#[graph_data]
struct Heads<const K: usize> {
    x: VertexFeatures<K>,
    size: VertexScalar<Scratch>,
    weight: EdgeScalar<u32, Scratch>,
    kept: VertexHeads,
    total: VertexHeads<u32>,
}

#[vertex_fn]
fn measure<const K: usize>(f: Feature, v: Vertex, d: &mut Heads<K>) -> bool {
    d.size[v] = sum(d.x[v][f]);
    true
}

#[vertex_fn]
fn keep<const K: usize>(v: Vertex, d: &mut Heads<K>) -> bool {
    d.kept[v] = d.size[v];
    true
}

#[edge_fn]
fn weigh_edge<const K: usize>(e: Edge, d: &mut Heads<K>) -> bool {
    d.weight[e] = d.kept[e.src] as u32;
    true
}

#[edge_fn]
fn bring<const K: usize>(e: Edge, d: &mut Heads<K>) -> bool {
    d.total[e.dst] += d.weight[e];
    true
}

foldmap! { hand_on<const K: usize>(Heads<K>) = unfolded [measure, keep, weigh_edge, bring]; features = [4] }

#[test]
fn scratch_is_of_each_head_where_it_has_memory() {
    let graph = graph();
    for session in sessions() {
        let resident = session.graph(&graph);
        let mut data = session.data_of_heads(hand_on, &resident, 3, 4).unwrap();
        let x = Array2::from_shape_fn((graph.vertex_count(), 12), |(vertex, feature)| (vertex + feature / 4) as f32);
        data.write(Heads::X, &x).unwrap();
        hand_on.on(&resident, &mut data).once().unwrap();
        let size = |vertex: usize, head: usize| 4 * (vertex + head);
        let kept = Array2::from_shape_fn((graph.vertex_count(), 3), |(vertex, head)| size(vertex, head) as f32);
        assert_eq!(data.read(Heads::KEPT).unwrap(), kept, "{session:?}");
        let mut total = Array2::<u32>::zeros(kept.dim());
        for (_, from, to) in graph.edges() {
            (0..3).for_each(|head| total[(to as usize, head)] += size(from as usize, head) as u32);
        }
        assert_eq!(data.read(Heads::TOTAL).unwrap(), total, "{session:?}");
    }
}
