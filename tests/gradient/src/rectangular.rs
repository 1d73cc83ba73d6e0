//! Layers that make features of rows of another width, with their gradients.

use onyx_device::prelude::*;

/// Vertices with `J` numbers, of which `K` features are made, and the adjoints of both.
#[graph_data]
pub struct Trained<const K: usize, const J: usize> {
    /// What is known of a vertex.
    pub input: VertexFeatures<J>,
    /// Makes features of it.
    pub weight: GraphMatrix<K, J>,
    /// Makes features of a vertex's own.
    pub own: GraphMatrix<K, J>,
    /// Added to each row.
    pub bias: GraphFeatures<K>,
    /// The weight of an edge.
    pub share: EdgeScalar,
    /// The features.
    pub hidden: VertexFeatures<K>,
    /// What reaches a vertex.
    pub sum: VertexFeatures<K>,
    /// What comes of it.
    pub output: VertexFeatures<K>,
    /// The adjoint of what is known.
    pub input_gradient: VertexFeatures<J>,
    /// The adjoint of the matrix.
    pub weight_gradient: GraphMatrix<K, J>,
    /// The adjoint of the other one.
    pub own_gradient: GraphMatrix<K, J>,
    /// The adjoint of what is added.
    pub bias_gradient: GraphFeatures<K>,
    /// The adjoint of an edge's weight.
    pub share_gradient: EdgeScalar,
    /// The adjoint of the features.
    pub hidden_gradient: VertexFeatures<K>,
    /// The adjoint of what reaches a vertex.
    pub sum_gradient: VertexFeatures<K>,
    /// The adjoint of what comes of it: the user's.
    pub output_gradient: VertexFeatures<K>,
}

/// Makes the features.
#[vertex_fn]
pub fn make<const K: usize, const J: usize>(f: Feature, v: Vertex, d: &mut Trained<K, J>) -> bool {
    d.hidden[v][f] = (matvec(d.weight[f], d.input[v][..]) + d.bias[f]).tanh();
    true
}

/// Brings them.
#[edge_fn]
pub fn carry<const K: usize, const J: usize>(f: Feature, e: Edge, d: &mut Trained<K, J>) -> bool {
    d.sum[e.dst][f] += d.share[e] * d.hidden[e.src][f];
    true
}

/// Takes them.
#[vertex_fn]
pub fn end<const K: usize, const J: usize>(f: Feature, v: Vertex, d: &mut Trained<K, J>) -> bool {
    d.output[v][f] = d.sum[v][f];
    true
}

/// Takes them, and the vertex's own.
#[vertex_fn]
pub fn join<const K: usize, const J: usize>(f: Feature, v: Vertex, d: &mut Trained<K, J>) -> bool {
    d.output[v][f] = d.sum[v][f] - matvec(d.own[f], d.input[v][..]);
    true
}

/// Makes features where an edge brings them.
#[edge_fn]
pub fn draw<const K: usize, const J: usize>(f: Feature, e: Edge, d: &mut Trained<K, J>) -> bool {
    d.sum[e.dst][f] += d.share[e] * matvec(d.weight[f], d.input[e.src][..]);
    true
}

foldmap! {
    pub convolve<const K: usize, const J: usize>(Trained<K, J>) = [make; carry, end];
    features = [4];
    gradient = [input, weight, bias, share]
}

foldmap! {
    pub skip<const K: usize, const J: usize>(Trained<K, J>) = [make; carry, join];
    features = [4];
    gradient = [weight, own, bias]
}

foldmap! {
    pub along<const K: usize, const J: usize>(Trained<K, J>) = [draw, end];
    features = [4];
    gradient = [input, weight, share]
}

/// Adds up products that a person wrote: those of some vertices, with a sign.
#[vertex_fn]
pub fn collect<const K: usize, const J: usize>(f: Feature, v: Vertex, d: &mut Trained<K, J>) -> bool {
    let value = d.output[v][f];
    if value > 0.0 {
        d.weight_gradient[f] -= outer(value, d.input[v][..]);
        d.input_gradient[v][..] += transpose_matvec(d.own[f], 2.0 * value);
    }
    true
}

foldmap! { pub collected<const K: usize, const J: usize>(Trained<K, J>) = [collect]; features = [4] }
