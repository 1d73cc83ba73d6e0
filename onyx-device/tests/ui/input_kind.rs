use onyx_device::prelude::*;

#[graph_data]
pub struct Layer<const K: usize, const J: usize, const E: usize> {
    input: VertexFeatures<J>,
    weight: GraphMatrix<K, J>,
    square: GraphMatrix<K>,
    attributes: EdgeFeatures<E>,
    bias: GraphFeatures<K>,
    hidden: VertexFeatures<K>,
    score: VertexScalar,
}

#[vertex_fn]
fn one_of_k<const K: usize, const J: usize, const E: usize>(f: Feature, v: Vertex, d: &mut Layer<K, J, E>) -> bool {
    d.hidden[v][f] = d.input[v][f];
    true
}

#[vertex_fn]
fn written<const K: usize, const J: usize, const E: usize>(f: Feature, v: Vertex, d: &mut Layer<K, J, E>) -> bool {
    d.input[v][f] = d.hidden[v][f];
    true
}

#[edge_fn]
fn of_an_edge<const K: usize, const J: usize, const E: usize>(f: Feature, e: Edge, d: &mut Layer<K, J, E>) -> bool {
    d.hidden[e.dst][f] += d.attributes[e][f];
    true
}

#[edge_fn]
fn other_width<const K: usize, const J: usize, const E: usize>(f: Feature, e: Edge, d: &mut Layer<K, J, E>) -> bool {
    d.hidden[e.dst][f] += matvec(d.weight[f], d.attributes[e][..]);
    true
}

#[vertex_fn]
fn by_a_square<const K: usize, const J: usize, const E: usize>(f: Feature, v: Vertex, d: &mut Layer<K, J, E>) -> bool {
    d.hidden[v][f] = matvec(d.square[f], d.input[v][..]);
    true
}

#[vertex_fn]
fn of_features<const K: usize, const J: usize, const E: usize>(f: Feature, v: Vertex, d: &mut Layer<K, J, E>) -> bool {
    d.hidden[v][f] = matvec(d.weight[f], d.hidden[v][..]);
    true
}

#[vertex_fn]
fn no_row<const K: usize, const J: usize, const E: usize>(f: Feature, v: Vertex, d: &mut Layer<K, J, E>) -> bool {
    d.hidden[v][f] = matvec(d.weight[f], d.score[v][..]);
    true
}

#[vertex_fn]
fn a_square<const K: usize, const J: usize, const E: usize>(f: Feature, v: Vertex, d: &mut Layer<K, J, E>) -> bool {
    d.hidden[v][f] = matvec(d.weight[f], d.hidden[v][f]);
    true
}

fn main() {}
