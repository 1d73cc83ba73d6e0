use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    seed: VertexFeatures<K>,
    label: VertexFeatures<K>,
}

fn greater<'a>(a: &'a f32, b: &'a f32) -> &'a f32 {
    if a > b { a } else { b }
}

#[vertex_fn]
fn returned<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let (seed, label) = (d.seed[v][f], d.label[v][f]);
    let most = greater(&seed, &label);
    let total = sum(seed);
    d.label[v][f] = *most + total;
    true
}

fn main() {}
