use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    message: EdgeFeatures<K>,
    next: EdgeFeatures<K>,
    sum: VertexFeatures<K>,
}

#[edge_fn]
fn send<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.next[e][f] = d.sum[e.src][f] - d.message[e.rev][f];
    true
}

#[edge_fn]
fn copy<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.message[e][f] = 1.0;
    true
}

foldmap! { forward<const K: usize>(Data<K>) = [send, copy]; features = [4] }
foldmap! { backward<const K: usize>(Data<K>) = [copy, send]; features = [4] }
foldmap! { fine<const K: usize>(Data<K>) = [send; copy]; features = [4] }

fn main() {}
