use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    seed: VertexFeatures<K>,
    label: VertexFeatures<K, Tracked>,
    rank: VertexScalar,
}

fn sum(x: f32) -> f32 {
    x
}

fn product<T>(x: T) -> T {
    x
}

fn dot(x: &[f32]) -> f32 {
    x[0]
}

mod imported {
    use std::cmp::max;

    use onyx_device::prelude::*;

    use super::Data;

    #[vertex_fn]
    fn other<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
        d.rank[v] = max(d.seed[v][f]);
        true
    }
}

mod not_imported {
    use onyx_device::prelude::{Feature, Vertex, vertex_fn};

    use super::Data;

    #[vertex_fn]
    fn missing<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
        any(d.seed[v][f] > 0.0)
    }
}

#[vertex_fn]
fn clash<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.label[v][f] = sum(d.seed[v][f]) + product(d.seed[v][f]) + dot(d.seed[v][f], d.label[v][f]);
    true
}

#[vertex_fn]
fn shadowed<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let normalize = |x: f32| x + 1.0;
    let max = max(d.seed[v][f]);
    d.label[v][f] = normalize(max);
    true
}

fn main() {}
