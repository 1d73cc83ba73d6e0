use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    label: VertexFeatures<K, Tracked>,
    sum: VertexFeatures<K>,
}

#[edge_fn]
fn spread<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.dst][f] += d.label[e.src][f];
    true
}

#[vertex_fn]
fn absorb<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.label[v][f] = d.sum[v][f];
    true
}

foldmap! { absorb<const K: usize>(Data<K>) = [spread, absorb]; features = [4] }
foldmap! { Data<const K: usize>(Data<K>) = [spread, absorb]; features = [4] }

fn take<F: onyx_device::FoldOf<Data<0>>>(_: F) {}

fn main() {
    take(absorb);
    take(Data);
}
