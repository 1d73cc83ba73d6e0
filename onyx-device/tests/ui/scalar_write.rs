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

#[vertex_fn]
fn varying<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let seed = d.seed[v][f];
    d.rank[v] = seed;
    d.rank[v] += d.label[v][f] * 2.0;
    d.rank[v] = f.index() as f32;
    if seed > 0.5 {
        d.total[v] = 1.0;
    }
    true
}

#[edge_fn]
fn reduced<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.total[e.dst] += d.label[e.src][f];
    true
}

#[vertex_fn]
fn through_variables<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let mut count = 0.0;
    if d.seed[v][f] > 0.5 {
        count += 1.0;
    }
    d.total[v] = count;
    true
}

#[vertex_fn]
fn through_loops<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let mut count = 0.0;
    while count < d.seed[v][f] {
        count += 1.0;
    }
    d.total[v] = count;
    let mut last = 0.0;
    let mut next = 0.0;
    for _ in 0..3 {
        last = next;
        next = d.seed[v][f];
    }
    d.rank[v] = last;
    true
}

#[vertex_fn]
fn after_leaving<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    if d.seed[v][f] > 0.5 {
        return false;
    }
    d.total[v] = 1.0;
    true
}

fn main() {}
