//! A layer that learns what vertices like: the folds of the guide's section on training.

use onyx_device::prelude::*;

/// What vertices like, by what their neighbors are.
#[graph_data]
pub struct Taste<const K: usize> {
    /// What a vertex is.
    pub x: VertexFeatures<K>,
    /// What it likes.
    pub liked: VertexScalar,
    /// How much each feature counts.
    pub weight: GraphFeatures<K>,
    /// What all have in common.
    pub bias: GraphScalar,
    /// What its neighbors are.
    pub heard: VertexFeatures<K>,
    /// How far guesses are off.
    pub loss: GraphScalar,
    /// What the loss changes by with a weight.
    pub weight_gradient: GraphFeatures<K>,
    /// What it changes by with the bias.
    pub bias_gradient: GraphScalar,
    /// 1.
    pub loss_gradient: GraphScalar,
}

/// Along every edge.
#[edge_fn]
pub fn hear<const K: usize>(f: Feature, e: Edge, d: &mut Taste<K>) -> bool {
    d.heard[e.dst][f] += d.x[e.src][f];
    true
}

/// A guess at every vertex.
#[vertex_fn]
pub fn judge<const K: usize>(f: Feature, v: Vertex, d: &mut Taste<K>) -> bool {
    let guess = (dot(d.heard[v][f] - d.x[v][f], d.weight[f]) + d.bias).tanh();
    let off = guess - d.liked[v];
    d.loss += off * off;
    true
}

foldmap! {
    /// All guesses, and their gradient.
    pub taste<const K: usize>(Taste<K>) = [hear, judge]; features = [2]; gradient = [weight, bias]
}
