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
fn kinds<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.dst][f] += d.weight[e.src][f];
    d.total[e.dst] += d.label[e.src];
    d.sum[e.dst][f] += d.rank[e][f];
    d.sum[e.dst][f] += d.seed[e];
    d.sum[e.dst][f] += d.rank;
    true
}

#[vertex_fn]
fn unknown<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.lable[v][f] = 1.0;
    true
}

#[vertex_fn]
fn types<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let total = sum(d.seed[v][f] > 0.0);
    d.label[v][f] = 1;
    d.rank[v]
}

fn main() {}
