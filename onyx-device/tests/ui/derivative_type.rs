use onyx_device::prelude::*;

#[graph_data]
struct Data<const K: usize> {
    x: VertexFeatures<K>,
    y: VertexFeatures<K>,
    out: VertexFeatures<K>,
    x_gradient: VertexFeatures<K>,
    y_gradient: VertexFeatures<K>,
    out_gradient: VertexFeatures<K>,
}

fn gate(x: f32, y: f32) -> f32 {
    x * y
}

fn one_slope(_: f32, y: f32) -> f32 {
    y
}

#[vertex_fn]
fn join<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.out[v][f] = gate(d.x[v][f], d.y[v][f]);
    true
}

foldmap! { joined<const K: usize>(Data<K>) = [join]; gradient = [x, y]; derivative = [gate = one_slope] }

fn main() {}
