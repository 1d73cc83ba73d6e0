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
fn tune<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.alpha = 0.5;
    d.alpha += d.seed[v][f];
    (d.label[v][f], d.rank[v]) = (1.0, 2.0);
    let label = &mut d.label[v][f];
    let write = |x: f32| d.label[v][f] = x;
    true
}

fn main() {}
