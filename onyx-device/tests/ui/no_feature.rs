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
fn rows<const K: usize>(v: Vertex, d: &mut Data<K>) -> bool {
    d.rank[v] = d.seed[v][0];
    true
}

#[vertex_fn]
fn operation<const K: usize>(v: Vertex, d: &mut Data<K>) -> bool {
    d.rank[v] = sum(d.total[v]);
    any(d.rank[v] > 0.0)
}

fn main() {}
