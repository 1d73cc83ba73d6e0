use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    x: VertexFeatures<K>,
    label: VertexScalar<u32, Tracked>,
    mask: VertexScalar<u8>,
    weight: EdgeScalar,
    total: VertexScalar<u32>,
    heat: VertexScalar,
}

#[edge_fn]
fn narrow<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.mask[e.dst] += 1;
    true
}

#[edge_fn]
fn multiply<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.total[e.dst] *= d.label[e.src];
    true
}

#[edge_fn]
fn average<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.total[e.dst].mean_with(d.weight[e]);
    true
}

#[edge_fn]
fn add<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.total[e.dst] += d.weight[e];
    true
}

#[edge_fn]
fn set<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.heat[e.dst] |= d.weight[e];
    true
}

#[vertex_fn]
fn mix<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.x[v][f] = d.x[v][f] + d.label[v];
    true
}

fn main() {}
