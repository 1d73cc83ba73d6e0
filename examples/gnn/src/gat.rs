//! The layer of a graph attention network: P. Veličković et al., "Graph Attention Networks", 2018.
//!
//! ```text
//! source(u)      = sending · x(u)                destination(v) = receiving · x(v)
//! score(u, v)    = leaky rectifier of source(u) + destination(v)
//! sum(v)         = Σ over edges u → v of softmax of score(u, v) over them · dropout · x(u)
//! out(v)         = dropout(activation(sum(v) + bias))
//! ```
//!
//! All of it is written for one head, of which there are several side by side: a score is one number an edge and head, and nothing is stored for an edge.

use onyx_device::prelude::*;

use crate::random::{bits, kept};

/// What the layer keeps of each vertex and head.
#[graph_data]
pub struct Gat<const K: usize> {
    /// The input times the weights.
    pub x: VertexFeatures<K>,
    /// How much a feature of a source counts for the scores.
    pub sending: GraphFeatures<K>,
    /// How much a feature of a destination counts for them.
    pub receiving: GraphFeatures<K>,
    /// Added to each row.
    pub bias: GraphFeatures<K>,
    /// The number of each feature among those of all heads, for dropout.
    pub column: GraphFeatures<K>,
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
    /// 1 for an exponential linear unit, 0 for no activation.
    pub bend: Parameter,
    /// What a source adds to the scores.
    pub source: VertexHeads,
    /// What a destination adds to them.
    pub destination: VertexHeads,
    /// What an edge is multiplied by: 0 where it is left out.
    pub share: EdgeHeads<Scratch>,
    /// What arrives by the incoming edges.
    pub sum: VertexFeatures<K>,
    /// The log-sum of the scores.
    pub level: VertexHeads,
    /// The layer's output.
    pub out: VertexFeatures<K>,
    /// What the loss changes by with `x`.
    pub x_gradient: VertexFeatures<K>,
    /// What it changes by with `sending`.
    pub sending_gradient: GraphFeatures<K>,
    /// What it changes by with `receiving`.
    pub receiving_gradient: GraphFeatures<K>,
    /// What it changes by with the bias.
    pub bias_gradient: GraphFeatures<K>,
    /// What it changes by with `source`.
    pub source_gradient: VertexHeads,
    /// What it changes by with `destination`.
    pub destination_gradient: VertexHeads,
    /// What it changes by with the sum.
    pub sum_gradient: VertexFeatures<K, Scratch>,
    /// The dot product of the sum and what the loss changes by with it.
    pub sum_gradient_dot: VertexHeads,
    /// What it changes by with the output.
    pub out_gradient: VertexFeatures<K>,
}

#[vertex_fn]
fn rate<const K: usize>(f: Feature, v: Vertex, d: &mut Gat<K>) -> bool {
    d.source[v] = dot(d.x[v][f], d.sending[f]);
    d.destination[v] = dot(d.x[v][f], d.receiving[f]);
    true
}

#[edge_fn]
fn leave_out<const K: usize>(f: Feature, e: Edge, d: &mut Gat<K>) -> bool {
    // The number of the first feature is the head's: an edge is left out for all features of a head.
    let head = broadcast(d.column[f], 0) as u32;
    // The hash of `random`, written out: what calls a function would do so for each feature.
    let first = (d.edge_seed as u32 ^ d.step as u32).wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let second = ((first >> ((first >> 28) + 4)) ^ first).wrapping_mul(277_803_737);
    let coordinate = (e.id as u32).wrapping_add(head.wrapping_mul(2_891_336_453));
    let third = ((second >> 22) ^ second ^ coordinate).wrapping_mul(747_796_405).wrapping_add(2_891_336_453);
    let fourth = ((third >> ((third >> 28) + 4)) ^ third).wrapping_mul(277_803_737);
    let uniform = (fourth >> 8) as f32 / 16_777_216.0;
    d.share[e] = if uniform < d.edge_rate { 0.0 } else { 1.0 / (1.0 - d.edge_rate) };
    true
}

#[edge_fn]
fn attend<const K: usize, const DROPS: bool>(f: Feature, e: Edge, d: &mut Gat<K>) -> bool {
    let raw = d.source[e.src] + d.destination[e.dst];
    let score = if raw > 0.0 { raw } else { 0.2 * raw };
    let share = if DROPS { d.share[e] } else { 1.0 };
    d.sum[e.dst][f].softmax_add(score, share * d.x[e.src][f]);
    d.level[e.dst].log_sum_exp_with(score);
    true
}

/// [`attend`] without what its gradient needs.
#[edge_fn]
fn look<const K: usize>(f: Feature, e: Edge, d: &mut Gat<K>) -> bool {
    let raw = d.source[e.src] + d.destination[e.dst];
    let score = if raw > 0.0 { raw } else { 0.2 * raw };
    d.sum[e.dst][f].softmax_add(score, d.x[e.src][f]);
    true
}

#[vertex_fn]
fn activate<const K: usize>(f: Feature, v: Vertex, d: &mut Gat<K>) -> bool {
    let mixed = d.sum[v][f] + d.bias[f];
    let active = if mixed > 0.0 { mixed } else { d.bend * (mixed.exp() - 1.0) + (1.0 - d.bend) * mixed };
    let share =
        if d.rate > 0.0 { kept(d.rate, bits(d.seed as u32, d.step as u32, v.0, d.column[f] as u32)) } else { 1.0 };
    d.out[v][f] = active * share;
    true
}

foldmap! {
    /// The layer with all edges.
    pub attention<const K: usize>(Gat<K>) = [rate; attend::<false>, activate]; features = [8, 16, 64, 256];
    gradient = [x, sending, receiving, bias]
}

foldmap! {
    /// The layer with some edges left out, in training.
    pub attention_with_dropout<const K: usize>(Gat<K>) = [rate; leave_out, attend::<true>, activate]; features = [8, 16, 64, 256];
    gradient = [x, sending, receiving, bias]
}

foldmap! {
    /// The layer where nothing is learned: the log-sums of the scores, of which its gradient is computed, are left out.
    pub attention_inference<const K: usize>(Gat<K>) = [rate; look, activate]; features = [8, 16, 64, 256]
}

#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::{GatLayer, HeadShape, with_loops};
