use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    seed: VertexFeatures<K>,
    label: VertexFeatures<K, Tracked>,
}

#[vertex_fn]
fn arguments<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.label[v][f] = max(d.seed[v][f], 2.0);
    d.label[v][f] = min(d.seed[v][f], 2.0, 3.0);
    d.label[v][f] = dot(d.seed[v][f]);
    any()
}

fn main() {}
