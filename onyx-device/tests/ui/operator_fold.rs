use onyx_device::prelude::*;

#[graph_data]
struct Data<const K: usize> {
    score: VertexScalar,
    x: VertexFeatures<K, Tracked>,
    out: VertexFeatures<K>,
}

#[edge_fn]
fn attend<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.out[e.dst][f].softmax_add(d.score[e.src], d.x[e.src][f]);
    true
}

#[edge_fn]
fn average<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.out[e.dst][f].mean_with(d.x[e.src][f]);
    true
}

#[edge_fn]
fn again<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.out[e.dst][f].softmax_add(d.score[e.dst], d.x[e.src][f]);
    true
}

#[vertex_fn]
fn keep<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let moved = any(d.x[v][f] != d.out[v][f]);
    d.x[v][f] = d.out[v][f];
    moved
}

foldmap! { mixed<const K: usize>(Data<K>) = [attend, average] }
foldmap! { twice<const K: usize>(Data<K>) = [attend, again] }
foldmap! { changed<const K: usize>(Data<K>) = [average, keep]; edges = changed }

fn main() {}
