use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    next: VertexScalar,
    seed: VertexFeatures<K>,
    label: VertexFeatures<K, Tracked>,
    plain: VertexFeatures<K>,
    sum: VertexFeatures<K>,
    gram: VertexMatrix<K>,
    kept: VertexFeatures<K, Scratch>,
}

#[vertex_fn]
fn differs<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.plain[v][f] = d.seed[Vertex(d.seed[v][f] as u32)][f] + d.next[Vertex(f.index())];
    true
}

#[vertex_fn]
fn put<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.plain[Vertex(0)][f] = 1.0;
    d.next[Vertex(v.0 + 1)] += 1.0;
    true
}

#[vertex_fn]
fn is_no_number<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.plain[v][f] = d.seed[Vertex(d.next[v])][f];
    true
}

#[vertex_fn]
fn matrix<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.gram[v][f] = d.gram[Vertex(0)][f];
    true
}

#[edge_fn]
fn spread<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.dst][f] += d.plain[Vertex(3)][f] * d.label[Vertex(3)][f];
    true
}

#[vertex_fn]
fn absorb<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.plain[v][f] = d.sum[v][f];
    d.label[v][f] = d.sum[v][f];
    true
}

#[vertex_fn]
fn early<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.seed[v][f] = d.sum[Vertex(0)][f];
    true
}

#[vertex_fn]
fn alone<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.label[v][f] = d.label[Vertex(0)][f];
    true
}

#[vertex_fn]
fn hidden<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.kept[v][f] = 1.0;
    d.seed[v][f] = d.kept[Vertex(0)][f];
    true
}

foldmap! { conflict<const K: usize>(Data<K>) = [spread, absorb]; features = [4] }
foldmap! { unfinished<const K: usize>(Data<K>) = [spread, early]; features = [4] }
foldmap! { single<const K: usize>(Data<K>) = [alone]; features = [4] }
foldmap! { scratch<const K: usize>(Data<K>) = [hidden]; features = [4] }

fn main() {}
