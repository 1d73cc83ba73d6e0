use onyx_device::prelude::*;

#[graph_data]
struct Data<const K: usize> {
    x: VertexFeatures<K>,
    gram: VertexMatrix<K>,
}

#[edge_fn]
fn average<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.gram[e.dst][f].mean_with(d.x[e.src][f]);
    true
}

fn main() {}
