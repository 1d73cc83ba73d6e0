use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    message: EdgeFeatures<K>,
    next: EdgeFeatures<K>,
    sum: VertexFeatures<K>,
}

#[edge_fn]
fn answer<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.message[e][f] = 0.5 * d.message[e.rev][f];
    true
}

#[edge_fn]
fn reply<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.message[e.rev][f] = 1.0;
    true
}

fn main() {}
