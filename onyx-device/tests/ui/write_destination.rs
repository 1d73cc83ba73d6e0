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
fn assign<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.dst][f] = d.label[e.src][f];
    d.rank[e.dst] = 1.0;
    true
}

#[edge_fn]
fn divide<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.dst][f] /= d.label[e.src][f];
    d.rank[e.dst] %= 2.0;
    true
}

#[edge_fn]
fn mark<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.dst][f] |= d.label[e.src][f];
    true
}

#[edge_fn]
fn backwards<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.src][f] = d.label[e.dst][f];
    d.rank[e.src] = 1.0;
    true
}

foldmap! { step<const K: usize>(Data<K>) = [assign, divide, mark, backwards] }

fn main() {}
