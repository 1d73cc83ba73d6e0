use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    seed: VertexFeatures<K>,
    label: VertexFeatures<K>,
    alpha: Parameter,
}

#[vertex_fn]
fn references<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let seed = d.seed[v][f];
    let mut level = seed;
    let borrowed = &seed;
    let changed = &mut level;
    let (ref part, _) = (seed, 1.0);
    let total = sum(seed);
    *changed += total;
    d.label[v][f] = *borrowed + *part;
    true
}

#[vertex_fn]
fn closures<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let seed = d.seed[v][f];
    let scale = |x: f32| x * seed;
    let weigh = move |x: f32| x * d.alpha;
    let total = sum(seed);
    d.label[v][f] = scale(total) + weigh(total);
    true
}

fn main() {}
