use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    label: VertexFeatures<K, Tracked>,
    sum: VertexFeatures<K>,
    rank: VertexScalar,
}

#[vertex_fn]
fn alias<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let u = v;
    d.label[u][f] = 1.0;
    true
}

#[vertex_fn]
fn next<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.label[v][f] = d.sum[v + 1][f];
    true
}

#[vertex_fn]
fn next_scalar<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.rank[v] = d.rank[v + 1];
    true
}

#[vertex_fn]
fn cast<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.rank[v] = v as f32;
    true
}

#[vertex_fn]
fn power<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.label[v][f] = d.sum[v][f] ^ 2.0;
    true
}

#[vertex_fn]
fn stars<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.label[v][f] = d.sum[v][f] ** 2;
    true
}

#[vertex_fn]
fn literal<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.label[v][f] = 2 * d.sum[v][f];
    true
}

#[vertex_fn]
fn width<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.label[v][f] = 1.0 / K;
    true
}

#[vertex_fn]
fn dropped<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.label[v][f].abs();
    true
}

#[vertex_fn]
fn whose<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.label[f] = 1.0;
    true
}

#[edge_fn]
fn end<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    let source = e.src;
    d.sum[e.dst][f] += d.label[source][f];
    true
}

#[edge_fn]
fn edge_number<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.dst][f] += (e + 1) as f32;
    true
}

#[edge_fn]
fn end_number<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.rank[e.dst] += e.src as f32;
    true
}

#[edge_fn]
fn lesser<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.rank[e.dst].min(1.0);
    true
}

#[edge_fn]
fn ends<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[dst][f] += d.label[src][f];
    true
}

#[edge_fn]
fn field<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.dst][f] += e.weight * d.label[e.src][f];
    true
}

#[vertex_fn]
fn neighbors<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    for u in v.neighbors() {
        d.sum[v][f] += 1.0;
    }
    true
}

impl<const K: usize> Data<K> {
    #[vertex_fn]
    fn method(&mut self, v: Vertex) -> bool {
        true
    }
}

#[vertex_fn]
fn further<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>, alpha: f32) -> bool {
    d.label[v][f] = alpha;
    true
}

fn main() {}
