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
fn shift<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let g = Feature(0);
    d.label[v][f] = d.seed[v][g] + d.seed[v][0];
    d.label[v][f] = d.seed[f];
    d.label[v][f] = d.seed[f][v];
    d.label[v][f][f] > 0.0
}

fn main() {}
