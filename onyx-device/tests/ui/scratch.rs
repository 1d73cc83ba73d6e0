use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    weight: EdgeScalar,
    message: EdgeFeatures<K, Scratch>,
    seed: VertexFeatures<K>,
    share: VertexFeatures<K, Scratch>,
    sum: VertexFeatures<K>,
    kept: VertexFeatures<K>,
}

#[edge_fn]
fn note<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.message[e][f] = d.seed[e.src][f];
    true
}

#[edge_fn]
fn write_some<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    if d.weight[e] > 0.5 {
        d.message[e][f] = d.seed[e.src][f];
    }
    true
}

#[edge_fn]
fn deliver<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.dst][f] += d.message[e][f];
    true
}

#[edge_fn]
fn distant<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.dst][f] += d.share[e.src][f];
    true
}

#[edge_fn]
fn reduce<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.share[e.dst][f] += d.seed[e.src][f];
    true
}

#[vertex_fn]
fn share<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.share[v][f] = d.sum[v][f];
    true
}

#[vertex_fn]
fn take<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.kept[v][f] = d.share[v][f];
    true
}

foldmap! { whole<const K: usize>(Data<K>) = [note, deliver, share, take]; features = [4] }
foldmap! { first<const K: usize>(Data<K>) = [note]; features = [4] }
foldmap! { second<const K: usize>(Data<K>) = [deliver]; features = [4] }
foldmap! { cut<const K: usize>(Data<K>) = [note; deliver]; features = [4] }
foldmap! { backward<const K: usize>(Data<K>) = [deliver, note]; features = [4] }
foldmap! { sometimes<const K: usize>(Data<K>) = [write_some, deliver]; features = [4] }
foldmap! { at_vertex<const K: usize>(Data<K>) = [take, share]; features = [4] }
foldmap! { at_source<const K: usize>(Data<K>) = [distant, share, take]; features = [4] }
foldmap! { total<const K: usize>(Data<K>) = [reduce, take]; features = [4] }

fn main() {}
