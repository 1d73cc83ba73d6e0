//! The mean layer of GraphSAGE: W. Hamilton, R. Ying and J. Leskovec, "Inductive Representation Learning on Large Graphs", 2017.
//!
//! ```text
//! mixed(v) = mean of x(u) over edges u → v + root(v) + bias
//! out(v)   = dropout(activation(mixed(v)))
//! ```
//!
//! `x` and `root` are the layer's input times two matrices of weights, so that rows of the output's length travel along edges. A mean is a sum times
//! `inverse`, one over the number of edges, which leaves a gradient that the compiler derives. The layer with maxima, [`SageMaxLayer`], aggregates by [`greatest`](crate::greatest).

use onyx_device::prelude::*;

use crate::random::{bits, kept};
use crate::rectifier::{rectifier, rectifier_slopes};

/// What the layer keeps of each vertex.
#[graph_data]
pub struct Sage<const K: usize> {
    /// The input times the weights of neighbors.
    pub x: VertexFeatures<K>,
    /// The input times the weights of the vertex itself.
    pub root: VertexFeatures<K>,
    /// One over the number of incoming edges, 0 without any.
    pub inverse: VertexScalar,
    /// Added to each row.
    pub bias: GraphFeatures<K>,
    /// The step of training, for dropout.
    pub step: GraphScalar,
    /// What random numbers are made of, a whole number below 2^24.
    pub seed: Parameter,
    /// How likely a value is to be dropped.
    pub rate: Parameter,
    /// What a value below 0 is multiplied by: 0 for a rectifier, 1 for no activation.
    pub slope: Parameter,
    /// `x`, for edges that read half precision.
    pub x_f16: VertexFeatures<K, f16>,
    /// The same with the range of an `f32`.
    pub x_bf16: VertexFeatures<K, bf16>,
    /// What arrives by the incoming edges.
    pub sum: VertexFeatures<K>,
    /// The layer's output.
    pub out: VertexFeatures<K>,
    /// What the loss changes by with `x`.
    pub x_gradient: VertexFeatures<K>,
    /// What it changes by with `root`.
    pub root_gradient: VertexFeatures<K>,
    /// What it changes by with the bias.
    pub bias_gradient: GraphFeatures<K>,
    /// What it changes by with the sum.
    pub sum_gradient: VertexFeatures<K, Scratch>,
    /// What it changes by with the output.
    pub out_gradient: VertexFeatures<K>,
}

#[edge_fn]
fn gather<const K: usize>(f: Feature, e: Edge, d: &mut Sage<K>) -> bool {
    d.sum[e.dst][f] += d.x[e.src][f];
    true
}

#[vertex_fn]
fn narrow_f16<const K: usize>(f: Feature, v: Vertex, d: &mut Sage<K>) -> bool {
    d.x_f16[v][f] = d.x[v][f];
    true
}

#[vertex_fn]
fn narrow_bf16<const K: usize>(f: Feature, v: Vertex, d: &mut Sage<K>) -> bool {
    d.x_bf16[v][f] = d.x[v][f];
    true
}

#[edge_fn]
fn gather_f16<const K: usize>(f: Feature, e: Edge, d: &mut Sage<K>) -> bool {
    d.sum[e.dst][f] += d.x_f16[e.src][f];
    true
}

#[edge_fn]
fn gather_bf16<const K: usize>(f: Feature, e: Edge, d: &mut Sage<K>) -> bool {
    d.sum[e.dst][f] += d.x_bf16[e.src][f];
    true
}

#[vertex_fn]
fn activate<const K: usize>(f: Feature, v: Vertex, d: &mut Sage<K>) -> bool {
    let mixed = d.inverse[v] * d.sum[v][f] + d.root[v][f] + d.bias[f];
    let share = if d.rate > 0.0 { kept(d.rate, bits(d.seed as u32, d.step as u32, v.0, f.index())) } else { 1.0 };
    d.out[v][f] = rectifier(mixed * share, d.slope);
    true
}

foldmap! {
    /// The layer.
    pub sage<const K: usize>(Sage<K>) = [gather, activate]; features = [8, 16, 64];
    gradient = [x, root, bias]; derivative = [rectifier = rectifier_slopes(value)]
}

foldmap! {
    /// The same whose edges read `f16`. Its backward pass is that of [`sage`].
    pub sage_f16<const K: usize>(Sage<K>) = [narrow_f16; gather_f16, activate]; features = [8, 16, 64]
}

foldmap! {
    /// The same whose edges read `bf16`.
    pub sage_bf16<const K: usize>(Sage<K>) = [narrow_bf16; gather_bf16, activate]; features = [8, 16, 64]
}

#[cfg(not(target_arch = "nvptx64"))]
mod greatest;
#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
pub use greatest::SageMaxLayer;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::SageLayer;
