use onyx_device::prelude::*;

#[graph_data]
pub struct Data<const K: usize> {
    x: VertexFeatures<K, Tracked, f16>,
    y: VertexFeatures<K, bf16>,
    weight: EdgeScalar,
}

#[edge_fn]
fn gather<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.x[e.dst][f] += d.weight[e] * d.y[e.src][f];
    true
}

#[edge_fn]
fn least<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.y[e.dst][f].min_with(d.x[e.src][f]);
    true
}

#[graph_data]
pub struct Other<const K: usize> {
    scalar: VertexScalar<f16>,
    matrix: VertexMatrix<K, f16>,
    bias: GraphFeatures<K, bf16>,
    table: Table<K, saturating_f16>,
    both: VertexFeatures<K, saturating_f16, f16>,
}

fn main() {}
