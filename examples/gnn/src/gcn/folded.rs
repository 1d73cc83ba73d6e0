//! Folds that multiply as well, for layers with as many outputs as inputs: (A x) W in place of A (x W), and nothing between both in memory.
//!
//! ```text
//! sum(v)   = Σ over edges u → v of scale(u) · input(u)
//! mixed(v) = scale(v) · (sum(v) + own(v) · input(v))
//! out(v)   = activation(dropout(mixed(v) · weight + bias))
//! ```
//!
//! Both ways to the output are the same function of weights and input, so that the gradient is the one of [`convolve`](super::convolve): what edges gather of the
//! output's gradient is that of the product x, and those of the input and of the weights are products with it.

use onyx_device::prelude::*;

use crate::random::{bits, kept};
use crate::rectifier::rectifier;

/// What the folds keep of each vertex.
#[graph_data]
pub struct FoldedGcn<const K: usize> {
    /// The layer's input.
    pub input: VertexFeatures<K>,
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
    /// The layer's output.
    pub out: VertexFeatures<K>,
}

#[edge_fn]
fn gather<const K: usize>(f: Feature, e: Edge, d: &mut FoldedGcn<K>) -> bool {
    d.sum[e.dst][f] += d.scale[e.src] * d.input[e.src][f];
    true
}

#[vertex_fn]
fn mix<const K: usize>(f: Feature, v: Vertex, d: &mut FoldedGcn<K>) -> bool {
    let mixed = d.scale[v] * (d.sum[v][f] + d.own[v] * d.input[v][f]);
    let product = transpose_matvec(d.weight[f], mixed) + d.bias[f];
    let share = if d.rate > 0.0 { kept(d.rate, bits(d.seed as u32, d.step as u32, v.0, f.index())) } else { 1.0 };
    d.out[v][f] = rectifier(product * share, d.slope);
    true
}

/// [`mix`] where nothing is dropped.
#[vertex_fn]
fn mix_all<const K: usize>(f: Feature, v: Vertex, d: &mut FoldedGcn<K>) -> bool {
    let mixed = d.scale[v] * (d.sum[v][f] + d.own[v] * d.input[v][f]);
    let product = transpose_matvec(d.weight[f], mixed) + d.bias[f];
    d.out[v][f] = if product > 0.0 { product } else { d.slope * product };
    true
}

foldmap! {
    /// The layer with its product.
    pub folded_convolve<const K: usize>(FoldedGcn<K>) = [gather, mix]; features = [16, 32]
}

foldmap! {
    /// The same where nothing is dropped.
    pub folded_convolve_plain<const K: usize>(FoldedGcn<K>) = [gather, mix_all]; features = [16, 32]
}

#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
pub(super) use host::FoldedPass;
