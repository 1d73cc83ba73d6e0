use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    seed: VertexFeatures<K>,
    label: VertexFeatures<K, Tracked>,
}

#[derive(Clone, Copy)]
struct Own(f32);

impl Own {
    fn sqrt(self) -> f32 {
        self.0
    }

    fn hypot(&self, other: f32) -> f32 {
        self.0 + other
    }
}

#[vertex_fn]
fn right<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let own = Own(d.seed[v][f]);
    let square = |x| x.powi(2) + 2.0.sqrt();
    d.label[v][f] = own.sqrt() + own.hypot(1.0) + square(d.seed[v][f]);
    true
}

#[vertex_fn]
fn wrong<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.label[v][f] = (d.seed[v][f] as f64).sqrt() as f32;
    d.label[v][f] += d.seed[v][f].hypot(1.0);
    d.label[v][f] += (d.seed[v][f] as f64).powf(2.0) as f32;
    true
}

#[vertex_fn]
fn misspelt<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.label[v][f] = Own(d.seed[v][f]).floor();
    true
}

fn main() {}
