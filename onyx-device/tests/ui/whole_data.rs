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

fn helper<const K: usize>(_: &mut Data<K>) {}

#[vertex_fn]
fn pass<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    helper(d);
    let copy = *d;
    let property = d.0;
    d.label[v][f] > 0.0
}

fn main() {}
