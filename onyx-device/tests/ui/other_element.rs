use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    weight: EdgeScalar,
    message: EdgeFeatures<K>,
    seed: VertexFeatures<K>,
    label: VertexFeatures<K, Tracked>,
    sum: VertexFeatures<K>,
    rank: VertexScalar,
    total: VertexScalar,
    alpha: Parameter,
}

#[vertex_fn]
fn peek<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let other = Vertex(0);
    d.label[v][f] = d.seed[other][f];
    d.rank[Vertex(1)] = 1.0;
    true
}

#[edge_fn]
fn reach<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    let end = e.src;
    d.sum[e.dst][f] += d.label[end][f] * d.weight[e.id];
    true
}

fn main() {}
