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
fn branch<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    if d.seed[v][f] > 0.0 {
        d.label[v][f] = normalize(d.seed[v][f]);
    }
    let closure = |x: f32| sum(x);
    let block = { sum(d.seed[v][f]) };
    for _ in 0..2 {
        d.label[v][f] += sum(d.seed[v][f]);
    }
    while sum(d.label[v][f]) > 1.0 {}
    loop {
        if any(true) {
            break;
        }
    }
    match 1 {
        1 => sum(closure(block)),
        _ => 0.0,
    };
    d.alpha > 0.0 && any(d.seed[v][f] > 0.0) || any(true)
}

#[vertex_fn]
fn leave<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    if d.seed[v][f] > 0.0 {
        return false;
    }
    d.label[v][f] = normalize(d.seed[v][f]);
    true
}

#[vertex_fn]
fn later<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let x;
    let total = sum(d.seed[v][f]);
    x = total;
    d.label[v][f] = x;
    true
}

fn main() {}
