use onyx_device::prelude::*;

#[graph_data]
pub struct Typed<K> {
    label: VertexFeatures<K>,
    sum: VertexFeatures<K>,
}

#[graph_data]
pub struct Short<const K: u32> {
    label: VertexFeatures<K>,
    sum: VertexFeatures<K>,
}

#[graph_data]
pub struct Twice<const K: usize> {
    label: VertexFeatures<K>,
    label: VertexScalar,
}

#[graph_data]
pub struct Listed {
    label: Option<VertexScalar>,
}

#[vertex_fn]
fn typed<const K: usize>(f: Feature, v: Vertex, d: &mut Typed<K>) -> bool {
    d.label[v][f] = d.sum[v][f];
    true
}

#[vertex_fn]
fn short<const K: usize>(f: Feature, v: Vertex, d: &mut Short<K>) -> bool {
    d.label[v][f] = d.sum[v][f];
    true
}

fn main() {
    let _ = (Typed::<0>::LABEL, Short::<0>::SUM, Twice::<0>::LABEL);
}
