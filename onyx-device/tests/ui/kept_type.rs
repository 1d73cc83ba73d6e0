use core::cell::Cell as Hidden;
use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    seed: VertexFeatures<K>,
    label: VertexFeatures<K>,
}

struct Pair {
    first: f32,
}

fn hidden() -> Hidden<f32> {
    Hidden::new(0.0)
}

#[vertex_fn]
fn cell<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let kept = hidden();
    let total = sum(d.seed[v][f]);
    kept.set(total);
    d.label[v][f] = kept.get();
    true
}

#[vertex_fn]
fn structure<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let pair = Pair { first: d.seed[v][f] };
    let total = sum(pair.first);
    d.label[v][f] = pair.first + total;
    true
}

#[vertex_fn]
fn changing_closure<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let mut level = 0.0;
    let place = &mut level;
    let mut add = move |x: f32| *place += x;
    add(sum(d.seed[v][f]));
    true
}

fn main() {}
