use onyx_device::prelude::*;

#[graph_data]
struct Data<const K: usize> {
    x: VertexFeatures<K>,
    alpha: Parameter,
    bias: GraphFeatures<K>,
    loss: GraphScalar,
}

#[vertex_fn]
fn add_to_a_parameter<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.alpha += sum(d.x[v][f]);
    true
}

#[vertex_fn]
fn add_without_features<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.bias += sum(d.x[v][f]);
    true
}

#[vertex_fn]
fn add_what_differs<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.loss += d.x[v][f];
    true
}

#[vertex_fn]
fn assign<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.bias[f] = d.x[v][f];
    d.loss *= 2.0;
    true
}

#[vertex_fn]
fn measure<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.loss += sum(d.x[v][f]);
    true
}

#[vertex_fn]
fn scale<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    d.x[v][f] *= d.loss;
    true
}

foldmap! { too_early<const K: usize>(Data<K>) = [measure, scale] }
foldmap! { twice<const K: usize>(Data<K>) = [measure; measure] }

fn main() {}
