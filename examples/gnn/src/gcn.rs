//! The layer of a graph convolutional network: T. Kipf and M. Welling, "Semi-Supervised Classification with Graph Convolutional Networks", 2017.
//!
//! ```text
//! sum(v)   = Σ over edges u → v of weight(u, v) · scale(u) · x(u)
//! mixed(v) = scale(v) · (sum(v) + own(v) · x(v)) + bias        scale(v) = own(v) = 1 / √degree(v)
//! out(v)   = activation(dropout(mixed(v)))
//! ```
//!
//! `x` is the layer's input times its weights, a row a vertex, and the degree counts the vertex itself. The bias is added to what is aggregated while that is
//! in registers, and so is the activation taken. What is dropped is so before it, which is the same for a rectifier. Then the sign of `out` tells the gradient
//! where it bends, and neither `sum` nor `mixed` is stored.
//!
//! Edges may read scale(u) · x(u) from a copy in half precision, a fold before; sums, what a vertex counts for itself and the backward pass stay in single
//! precision. Rounding counts as the identity in a gradient, so that the backward pass is the same fold for all.

use onyx_device::prelude::*;

use crate::random::{bits, kept};
use crate::rectifier::{rectifier, rectifier_slopes};

/// What the layer keeps of each edge and vertex.
#[graph_data]
pub struct Gcn<const K: usize> {
    /// The input times the weights.
    pub x: VertexFeatures<K>,
    /// How much an edge counts.
    pub weight: EdgeScalar,
    /// One over the root of the degree.
    pub scale: VertexScalar,
    /// How much a vertex counts for itself: as its scale, or not where it has a loop.
    pub own: VertexScalar,
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
    /// `scale` times `x`, for edges that read half precision.
    pub scaled_f16: VertexFeatures<K, f16>,
    /// The same with the range of an `f32`.
    pub scaled_bf16: VertexFeatures<K, bf16>,
    /// What arrives by the incoming edges.
    pub sum: VertexFeatures<K>,
    /// The layer's output.
    pub out: VertexFeatures<K>,
    /// What the loss changes by with `x`.
    pub x_gradient: VertexFeatures<K>,
    /// The part of it that comes by edges.
    pub x_gradient_part: VertexFeatures<K>,
    /// What the loss changes by with the bias.
    pub bias_gradient: GraphFeatures<K>,
    /// What it changes by with the sum.
    pub sum_gradient: VertexFeatures<K, Scratch>,
    /// What it changes by with the output.
    pub out_gradient: VertexFeatures<K>,
}

#[edge_fn]
fn gather<const K: usize, const WEIGHTED: bool>(f: Feature, e: Edge, d: &mut Gcn<K>) -> bool {
    let share = if WEIGHTED { d.weight[e] * d.scale[e.src] } else { d.scale[e.src] };
    d.sum[e.dst][f] += share * d.x[e.src][f];
    true
}

#[vertex_fn]
fn scale_f16<const K: usize>(f: Feature, v: Vertex, d: &mut Gcn<K>) -> bool {
    d.scaled_f16[v][f] = d.scale[v] * d.x[v][f];
    true
}

#[vertex_fn]
fn scale_bf16<const K: usize>(f: Feature, v: Vertex, d: &mut Gcn<K>) -> bool {
    d.scaled_bf16[v][f] = d.scale[v] * d.x[v][f];
    true
}

#[edge_fn]
fn gather_f16<const K: usize>(f: Feature, e: Edge, d: &mut Gcn<K>) -> bool {
    d.sum[e.dst][f] += d.scaled_f16[e.src][f];
    true
}

#[edge_fn]
fn gather_bf16<const K: usize>(f: Feature, e: Edge, d: &mut Gcn<K>) -> bool {
    d.sum[e.dst][f] += d.scaled_bf16[e.src][f];
    true
}

#[vertex_fn]
fn activate<const K: usize>(f: Feature, v: Vertex, d: &mut Gcn<K>) -> bool {
    let mixed = d.scale[v] * (d.sum[v][f] + d.own[v] * d.x[v][f]) + d.bias[f];
    let share = if d.rate > 0.0 { kept(d.rate, bits(d.seed as u32, d.step as u32, v.0, f.index())) } else { 1.0 };
    d.out[v][f] = rectifier(mixed * share, d.slope);
    true
}

/// [`activate`] where nothing is dropped: no plain function is called, and all features are computed side by side.
#[vertex_fn]
fn activate_all<const K: usize>(f: Feature, v: Vertex, d: &mut Gcn<K>) -> bool {
    let mixed = d.scale[v] * (d.sum[v][f] + d.own[v] * d.x[v][f]) + d.bias[f];
    d.out[v][f] = if mixed > 0.0 { mixed } else { d.slope * mixed };
    true
}

foldmap! {
    /// The layer where all edges count alike.
    pub convolve<const K: usize>(Gcn<K>) = [gather::<false>, activate]; features = [8, 16, 32, 64];
    gradient = [x, bias]; derivative = [rectifier = rectifier_slopes(value)]
}

foldmap! {
    /// The layer where all edges count alike and nothing is dropped.
    pub convolve_plain<const K: usize>(Gcn<K>) = [gather::<false>, activate_all]; features = [8, 16, 32, 64]
}

foldmap! {
    /// The layer where each edge counts as its weight says.
    pub convolve_weighted<const K: usize>(Gcn<K>) = [gather::<true>, activate]; features = [8, 16, 64];
    gradient = [x, bias]; derivative = [rectifier = rectifier_slopes(value)]
}

foldmap! {
    /// Makes the copy that edges read as `f16`.
    pub narrow_f16<const K: usize>(Gcn<K>) = [scale_f16]; features = [8, 16, 64]
}

foldmap! {
    /// The layer where all edges count alike and read `f16`, after [`narrow_f16`].
    pub convolve_f16<const K: usize>(Gcn<K>) = [gather_f16, activate]; features = [8, 16, 64]
}

foldmap! {
    /// Makes the copy that edges read as `bf16`.
    pub narrow_bf16<const K: usize>(Gcn<K>) = [scale_bf16]; features = [8, 16, 64]
}

foldmap! {
    /// The layer where all edges count alike and read `bf16`, after [`narrow_bf16`].
    pub convolve_bf16<const K: usize>(Gcn<K>) = [gather_bf16, activate]; features = [8, 16, 64]
}

mod folded;

#[cfg(not(target_arch = "nvptx64"))]
mod early;
#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
mod pass;
#[cfg(not(target_arch = "nvptx64"))]
pub use early::EarlyGcnLayer;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::GcnLayer;
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) use host::normalization;
