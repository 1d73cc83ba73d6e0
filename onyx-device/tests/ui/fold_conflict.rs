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

#[edge_fn]
fn spread<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.dst][f] += d.seed[e.src][f];
    true
}

#[edge_fn]
fn spread_more<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.dst][f] += d.weight[e];
    true
}

#[edge_fn]
fn compare<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.message[e][f] = d.sum[e.src][f];
    true
}

#[vertex_fn]
fn absorb<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.seed[v][f] = d.sum[v][f];
    true
}

#[edge_fn]
fn lower<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.dst][f].min_with(d.seed[e.src][f]);
    true
}

foldmap! { untracked<const K: usize>(Data<K>) = [spread, absorb]; features = [4, 8] }
foldmap! { shared<const K: usize>(Data<K>) = [spread, spread_more]; features = [4] }
foldmap! { unfinished<const K: usize>(Data<K>) = [compare, spread]; features = [4] }
foldmap! { mixed<const K: usize>(Data<K>) = [spread, lower]; features = [4] }

fn main() {}
