//! The layer of a graph isomorphism network: K. Xu, W. Hu, J. Leskovec and S. Jegelka, "How Powerful are Graph Neural Networks?", 2019.
//!
//! ```text
//! mixed(v)  = (1 + epsilon) · x(v) + Σ over edges u → v of x(u) + bias
//! hidden(v) = max(mixed(v), 0)
//! ```
//!
//! A sum of products is the product of a sum: `x` is the layer's input times the first weights of its perceptron, so that rows of the hidden length travel
//! along edges. The second weights and what comes after them are those of [`affine`](crate::affine).

use onyx_device::prelude::*;

use crate::rectifier::{rectifier, rectifier_slopes};

/// What the layer keeps of each vertex.
#[graph_data]
pub struct Gin<const K: usize> {
    /// The input times the first weights.
    pub x: VertexFeatures<K>,
    /// How much more than a neighbor a vertex counts for itself, the same in all features.
    pub epsilon: GraphFeatures<K>,
    /// Added to each row.
    pub bias: GraphFeatures<K>,
    /// `x`, for edges that read half precision.
    pub x_f16: VertexFeatures<K, f16>,
    /// The same with the range of an `f32`.
    pub x_bf16: VertexFeatures<K, bf16>,
    /// What arrives by the incoming edges.
    pub sum: VertexFeatures<K>,
    /// Before the activation, where that comes after batch normalization.
    pub mixed: VertexFeatures<K>,
    /// What the second weights are multiplied with.
    pub hidden: VertexFeatures<K>,
    /// What the loss changes by with `x`.
    pub x_gradient: VertexFeatures<K>,
    /// The part of it that comes by edges.
    pub x_gradient_part: VertexFeatures<K>,
    /// What the loss changes by with epsilon, by each feature.
    pub epsilon_gradient: GraphFeatures<K>,
    /// What it changes by with the bias.
    pub bias_gradient: GraphFeatures<K>,
    /// What it changes by with the sum.
    pub sum_gradient: VertexFeatures<K, Scratch>,
    /// What it changes by with `mixed`.
    pub mixed_gradient: VertexFeatures<K>,
    /// What it changes by with `hidden`.
    pub hidden_gradient: VertexFeatures<K>,
}

#[edge_fn]
fn gather<const K: usize>(f: Feature, e: Edge, d: &mut Gin<K>) -> bool {
    d.sum[e.dst][f] += d.x[e.src][f];
    true
}

#[vertex_fn]
fn narrow_f16<const K: usize>(f: Feature, v: Vertex, d: &mut Gin<K>) -> bool {
    d.x_f16[v][f] = d.x[v][f];
    true
}

#[vertex_fn]
fn narrow_bf16<const K: usize>(f: Feature, v: Vertex, d: &mut Gin<K>) -> bool {
    d.x_bf16[v][f] = d.x[v][f];
    true
}

#[edge_fn]
fn gather_f16<const K: usize>(f: Feature, e: Edge, d: &mut Gin<K>) -> bool {
    d.sum[e.dst][f] += d.x_f16[e.src][f];
    true
}

#[edge_fn]
fn gather_bf16<const K: usize>(f: Feature, e: Edge, d: &mut Gin<K>) -> bool {
    d.sum[e.dst][f] += d.x_bf16[e.src][f];
    true
}

#[vertex_fn]
fn mix<const K: usize>(f: Feature, v: Vertex, d: &mut Gin<K>) -> bool {
    d.mixed[v][f] = (1.0 + d.epsilon[f]) * d.x[v][f] + d.sum[v][f] + d.bias[f];
    true
}

/// [`mix`], and the rectifier after it.
#[vertex_fn]
fn rectify<const K: usize>(f: Feature, v: Vertex, d: &mut Gin<K>) -> bool {
    let mixed = (1.0 + d.epsilon[f]) * d.x[v][f] + d.sum[v][f] + d.bias[f];
    d.hidden[v][f] = rectifier(mixed, 0.0);
    true
}

/// The same where no plain function is called, so that all features are computed side by side. What is no number stays so, for the loss to tell.
#[vertex_fn]
fn rectify_all<const K: usize>(f: Feature, v: Vertex, d: &mut Gin<K>) -> bool {
    let mixed = (1.0 + d.epsilon[f]) * d.x[v][f] + d.sum[v][f] + d.bias[f];
    d.hidden[v][f] = if mixed < 0.0 { 0.0 } else { mixed };
    true
}

foldmap! {
    /// The layer up to its second weights.
    pub isomorphism<const K: usize>(Gin<K>) = [gather, rectify]; features = [8, 16, 64];
    gradient = [x, epsilon, bias]; derivative = [rectifier = rectifier_slopes(value)]
}

foldmap! {
    /// The same without a call of a plain function. Its backward pass is that of [`isomorphism`].
    pub isomorphism_plain<const K: usize>(Gin<K>) = [gather, rectify_all]; features = [8, 16, 64]
}

foldmap! {
    /// The layer up to its first activation, which comes after batch normalization.
    pub combine<const K: usize>(Gin<K>) = [gather, mix]; features = [16, 32]; gradient = [x, epsilon]
}

foldmap! {
    /// The same whose edges read `f16`. Its backward pass is that of [`isomorphism`].
    pub isomorphism_f16<const K: usize>(Gin<K>) = [narrow_f16; gather_f16, rectify]; features = [8, 16, 64]
}

foldmap! {
    /// The same whose edges read `bf16`.
    pub isomorphism_bf16<const K: usize>(Gin<K>) = [narrow_bf16; gather_bf16, rectify]; features = [8, 16, 64]
}

#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
mod normalized;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::GinLayer;
#[cfg(not(target_arch = "nvptx64"))]
pub use normalized::{GinRows, NormalizedGin};
