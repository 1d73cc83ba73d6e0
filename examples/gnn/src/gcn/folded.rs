//! The layer whose product is a function of its fold, for layers with as many outputs as inputs: (A x) W in place of A (x W), and nothing between both in memory.
//!
//! ```text
//! sum(v)   = Σ over edges u → v of scale(u) · x(u)
//! mixed(v) = scale(v) · (sum(v) + own(v) · x(v))
//! out(v)   = activation(dropout(mixed(v) · weight + bias))
//! ```
//!
//! Backward, it is as if the product came first: with product(v) = x(v) · weight, the gradient of the product is what edges gather, and those of `x` and of the
//! weights are products with that, of a library. So the gradient is derived of a fold of the product, which computes the same and is never run.

use onyx_device::prelude::*;

use crate::random::{bits, kept};
use crate::rectifier::{rectifier, rectifier_slopes};

/// What the layer keeps of each vertex.
#[graph_data]
pub struct FoldedGcn<const K: usize> {
    /// The layer's input.
    pub x: VertexFeatures<K>,
    /// One over the root of the degree.
    pub scale: VertexScalar,
    /// How much a vertex counts for itself: as its scale, or not where it has a loop.
    pub own: VertexScalar,
    /// The weights, a row for each input.
    pub weight: GraphMatrix<K>,
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
    /// What arrives by the incoming edges.
    pub sum: VertexFeatures<K>,
    /// The input times the weights.
    pub product: VertexFeatures<K>,
    /// The layer's output.
    pub out: VertexFeatures<K>,
    /// What the loss changes by with the product.
    pub product_gradient: VertexFeatures<K>,
    /// The part of that which comes by edges.
    pub product_gradient_part: VertexFeatures<K>,
    /// What it changes by with the bias.
    pub bias_gradient: GraphFeatures<K>,
    /// What it changes by with the sum.
    pub sum_gradient: VertexFeatures<K>,
    /// What it changes by with the output.
    pub out_gradient: VertexFeatures<K>,
}

#[edge_fn]
fn gather<const K: usize>(f: Feature, e: Edge, d: &mut FoldedGcn<K>) -> bool {
    d.sum[e.dst][f] += d.scale[e.src] * d.x[e.src][f];
    true
}

#[vertex_fn]
fn mix<const K: usize>(f: Feature, v: Vertex, d: &mut FoldedGcn<K>) -> bool {
    let mixed = d.scale[v] * (d.sum[v][f] + d.own[v] * d.x[v][f]);
    let product = transpose_matvec(d.weight[f], mixed) + d.bias[f];
    let share = if d.rate > 0.0 { kept(d.rate, bits(d.seed as u32, d.step as u32, v.0, f.index())) } else { 1.0 };
    d.out[v][f] = rectifier(product * share, d.slope);
    true
}

/// [`mix`] where nothing is dropped.
#[vertex_fn]
fn mix_all<const K: usize>(f: Feature, v: Vertex, d: &mut FoldedGcn<K>) -> bool {
    let mixed = d.scale[v] * (d.sum[v][f] + d.own[v] * d.x[v][f]);
    let product = transpose_matvec(d.weight[f], mixed) + d.bias[f];
    d.out[v][f] = if product > 0.0 { product } else { d.slope * product };
    true
}

#[edge_fn]
fn gather_product<const K: usize>(f: Feature, e: Edge, d: &mut FoldedGcn<K>) -> bool {
    d.sum[e.dst][f] += d.scale[e.src] * d.product[e.src][f];
    true
}

#[vertex_fn]
fn activate<const K: usize>(f: Feature, v: Vertex, d: &mut FoldedGcn<K>) -> bool {
    let mixed = d.scale[v] * (d.sum[v][f] + d.own[v] * d.product[v][f]) + d.bias[f];
    let share = if d.rate > 0.0 { kept(d.rate, bits(d.seed as u32, d.step as u32, v.0, f.index())) } else { 1.0 };
    d.out[v][f] = rectifier(mixed * share, d.slope);
    true
}

foldmap! {
    /// The layer.
    pub folded_convolve<const K: usize>(FoldedGcn<K>) = [gather, mix]; features = [16, 32]
}

foldmap! {
    /// The layer where nothing is dropped.
    pub folded_convolve_plain<const K: usize>(FoldedGcn<K>) = [gather, mix_all]; features = [16, 32]
}

foldmap! {
    /// The layer after a product, of which the gradient is derived.
    pub convolve_product<const K: usize>(FoldedGcn<K>) = [gather_product, activate]; features = [16, 32];
    gradient = [product, bias]; derivative = [rectifier = rectifier_slopes(value)]
}

#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::FoldedGcnLayer;
