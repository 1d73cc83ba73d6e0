use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    message: EdgeFeatures<K, Scratch>,
    gap: EdgeScalar<Tracked>,
    sum: VertexFeatures<K>,
}

#[vertex_fn]
fn take<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.sum[v][f] = d.message[v][f];
    true
}

fn main() {}
