use core::cell::Cell as Hidden;
use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    seed: VertexFeatures<K>,
    label: VertexFeatures<K>,
    rank: VertexScalar,
    total: VertexScalar,
}

fn id(x: &mut f32) -> &mut f32 {
    x
}

fn hidden() -> Hidden<f32> {
    Hidden::new(0.0)
}

#[vertex_fn]
fn through_a_closure<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let mut q = 0.0;
    let mut set = |x: f32| q = x;
    set(d.seed[v][f]);
    d.rank[v] = q;
    true
}

#[vertex_fn]
fn through_references<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let mut list = [0.0; 2];
    for x in list.iter_mut() {
        *x = d.seed[v][f];
    }
    d.rank[v] = list[0];
    let mut maybe = Some(0.0);
    if let Some(x) = maybe.as_mut() {
        *x = d.seed[v][f];
    }
    d.rank[v] = maybe.unwrap_or(0.0);
    let mut q = 0.0;
    let ref mut x = q;
    *x = d.seed[v][f];
    d.total[v] = q;
    let mut q = 0.0;
    *id(&mut q) = d.seed[v][f];
    if q > 0.0 {
        d.total[v] = 1.0;
    }
    d.label[v][f] = broadcast(d.seed[v][f], q as u32);
    true
}

#[edge_fn]
fn reduced<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    let mut list = [0.0; 2];
    let (first, _) = list.split_at_mut(1);
    first[0] = d.seed[e.src][f];
    d.total[e.dst] += list[0];
    true
}

#[vertex_fn]
fn through_cells<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let q = core::cell::Cell::new(0.0);
    q.set(d.seed[v][f]);
    d.rank[v] = q.get();
    let q = hidden();
    q.set(d.seed[v][f]);
    d.total[v] = q.get();
    true
}

#[vertex_fn]
fn of_a_property<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let ref mut rank = d.rank[v];
    *rank = d.seed[v][f];
    #[cfg(any())]
    let x = 1.0;
    true
}

fn main() {}
