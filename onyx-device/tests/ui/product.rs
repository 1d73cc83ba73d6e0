use onyx_device::prelude::*;

#[graph_data]
pub struct Layer<const K: usize, const J: usize, const E: usize> {
    input: VertexFeatures<J>,
    halves: VertexFeatures<J, f16>,
    other: VertexFeatures<E>,
    attributes: EdgeFeatures<E>,
    weight: GraphMatrix<K, J>,
    own: GraphMatrix<K, J>,
    of_edge: GraphMatrix<K, E>,
    hidden: VertexFeatures<K>,
    input_gradient: VertexFeatures<J>,
    weight_gradient: GraphMatrix<K, J>,
    own_gradient: GraphMatrix<K, J>,
    of_edge_gradient: GraphMatrix<K, E>,
    hidden_gradient: VertexFeatures<K>,
}

#[vertex_fn]
fn of_another_width<const K: usize, const J: usize, const E: usize>(f: Feature, v: Vertex, d: &mut Layer<K, J, E>) -> bool {
    d.weight_gradient[f] += outer(d.hidden[v][f], d.other[v][..]);
    true
}

#[vertex_fn]
fn of_halves<const K: usize, const J: usize, const E: usize>(f: Feature, v: Vertex, d: &mut Layer<K, J, E>) -> bool {
    d.weight_gradient[f] += outer(d.hidden[v][f], d.halves[v][..]);
    true
}

#[vertex_fn]
fn replaced<const K: usize, const J: usize, const E: usize>(f: Feature, v: Vertex, d: &mut Layer<K, J, E>) -> bool {
    d.input_gradient[v][..] = transpose_matvec(d.weight[f], d.hidden[v][f]);
    true
}

#[edge_fn]
fn of_edges<const K: usize, const J: usize, const E: usize>(f: Feature, e: Edge, d: &mut Layer<K, J, E>) -> bool {
    d.of_edge_gradient[f] += outer(d.hidden[e.src][f], d.attributes[e][..]);
    true
}

#[vertex_fn]
fn floats<const K: usize, const J: usize, const E: usize>(f: Feature, v: Vertex, d: &mut Layer<K, J, E>) -> bool {
    d.weight_gradient[f] += d.hidden[v][f];
    true
}

#[vertex_fn]
fn both<const K: usize, const J: usize, const E: usize>(f: Feature, v: Vertex, d: &mut Layer<K, J, E>) -> bool {
    d.input_gradient[v][..] += transpose_matvec(d.weight[f], d.hidden[v][f]);
    d.input_gradient[v][..] += transpose_matvec(d.own[f], d.hidden[v][f]);
    true
}

foldmap! { pub a<const K: usize, const J: usize, const E: usize>(Layer<K, J, E>) = [floats]; features = [4] }
foldmap! { pub b<const K: usize, const J: usize, const E: usize>(Layer<K, J, E>) = [both]; features = [4] }

#[vertex_fn]
fn make<const K: usize, const J: usize, const E: usize>(f: Feature, v: Vertex, d: &mut Layer<K, J, E>) -> bool {
    d.hidden[v][f] = matvec(d.weight[f], d.input[v][..]) + matvec(d.own[f], d.input[v][..]);
    true
}

#[edge_fn]
fn relate<const K: usize, const J: usize, const E: usize>(f: Feature, e: Edge, d: &mut Layer<K, J, E>) -> bool {
    d.hidden[e.dst][f] += matvec(d.of_edge[f], d.attributes[e][..]);
    true
}

foldmap! {
    pub c<const K: usize, const J: usize, const E: usize>(Layer<K, J, E>) = [make];
    features = [4];
    gradient = [input]
}
foldmap! {
    pub g<const K: usize, const J: usize, const E: usize>(Layer<K, J, E>) = [relate];
    features = [4];
    gradient = [of_edge]
}

fn main() {}
