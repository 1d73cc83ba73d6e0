//! The layer of a graph attention network: P. Veličković et al., "Graph Attention Networks", 2018.
//!
//! ```text
//! score(u, v) = leaky rectifier of source(u) + destination(v)
//! sum(v)      = Σ over edges u → v of softmax of score(u, v) over them · dropout · x(u)
//! out(v)      = dropout(activation(sum(v) + bias))
//! ```
//!
//! Heads lie side by side in a row: H heads of C features are one row of H · C, whose score is the same for all features of a head, so that a softmax weighs
//! each head by its own. `source` and `destination` are such rows: `x` times the attention vectors, each on the columns of its head
//! ([`heads`](crate::heads)). Nothing is stored for an edge.

use onyx_device::prelude::*;

use crate::random::{bits, kept};

/// What the layer keeps of each vertex.
#[graph_data]
pub struct Gat<const K: usize> {
    /// The input times the weights.
    pub x: VertexFeatures<K>,
    /// What a source adds to the scores.
    pub source: VertexFeatures<K>,
    /// What a destination adds to them.
    pub destination: VertexFeatures<K>,
    /// Added to each row.
    pub bias: GraphFeatures<K>,
    /// The step of training, for dropout.
    pub step: GraphScalar,
    /// What random numbers of vertices are made of, a whole number below 2^24.
    pub seed: Parameter,
    /// How likely a value is to be dropped.
    pub rate: Parameter,
    /// What random numbers of edges are made of, a whole number below 2^24.
    pub edge_seed: Parameter,
    /// How likely an edge is to be left out of a head.
    pub edge_rate: Parameter,
    /// How many features a head has.
    pub head: Parameter,
    /// 1 for an exponential linear unit, 0 for no activation.
    pub bend: Parameter,
    /// What arrives by the incoming edges.
    pub sum: VertexFeatures<K>,
    /// The log-sum of the scores.
    pub level: VertexFeatures<K>,
    /// Before the activation.
    pub mixed: VertexFeatures<K>,
    /// The layer's output.
    pub out: VertexFeatures<K>,
    /// What the loss changes by with `x`.
    pub x_gradient: VertexFeatures<K>,
    /// What it changes by with `source`.
    pub source_gradient: VertexFeatures<K>,
    /// What it changes by with `destination`.
    pub destination_gradient: VertexFeatures<K>,
    /// What it changes by with the bias.
    pub bias_gradient: GraphFeatures<K>,
    /// What it changes by with the sum.
    pub sum_gradient: VertexFeatures<K>,
    /// What it changes by with `mixed`.
    pub mixed_gradient: VertexFeatures<K>,
    /// What it changes by with the output.
    pub out_gradient: VertexFeatures<K>,
}

#[edge_fn]
fn attend<const K: usize>(f: Feature, e: Edge, d: &mut Gat<K>) -> bool {
    let raw = d.source[e.src][f] + d.destination[e.dst][f];
    let score = if raw > 0.0 { raw } else { 0.2 * raw };
    let head = f.index() / (d.head as u32).max(1);
    let share = kept(d.edge_rate, bits(d.edge_seed as u32, d.step as u32, e.id as u32, head));
    d.sum[e.dst][f].softmax_add(score, share * d.x[e.src][f]);
    d.level[e.dst][f].log_sum_exp_with(score);
    true
}

#[vertex_fn]
fn mix<const K: usize>(f: Feature, v: Vertex, d: &mut Gat<K>) -> bool {
    d.mixed[v][f] = d.sum[v][f] + d.bias[f];
    true
}

#[vertex_fn]
fn activate<const K: usize>(f: Feature, v: Vertex, d: &mut Gat<K>) -> bool {
    let mixed = d.mixed[v][f];
    let active = if mixed > 0.0 { mixed } else { d.bend * (mixed.exp() - 1.0) + (1.0 - d.bend) * mixed };
    d.out[v][f] = active * kept(d.rate, bits(d.seed as u32, d.step as u32, v.0, f.index()));
    true
}

foldmap! {
    /// The layer. The gradient needs the sums, so that they are kept in memory.
    pub attention<const K: usize>(Gat<K>) = [attend; mix, activate]; features = [8, 16, 64];
    gradient = [x, source, destination, bias]
}

#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::{GatLayer, HeadShape, with_loops};
