use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    weight: EdgeScalar,
    value: VertexFeatures<K>,
    total: VertexFeatures<K>,
    least: VertexFeatures<K>,
}

#[edge_fn]
fn twice<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.total[e.dst][f] += d.value[e.src][f];
    d.total[e.dst][f] *= d.weight[e];
    d.least[e.dst][f].min_with(d.value[e.src][f]);
    d.least[e.dst][f].max_with(d.value[e.src][f]);
    true
}

#[vertex_fn]
fn elsewhere<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let mut least = 1.0_f32;
    least.min_with(d.value[v][f]);
    d.least[v][f].min_with(least);
    true
}

#[vertex_fn]
fn pick<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.value[v][f] = broadcast(d.value[v][f], f.index() + 1);
    true
}

foldmap! { step<const K: usize>(Data<K>) = [twice, elsewhere, pick] }

fn main() {}
