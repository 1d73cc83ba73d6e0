//! The layer of attention whose scores depend on both ends at once: S. Brody, U. Alon and E. Yahav, "How Attentive are Graph Attention Networks?", 2022.
//!
//! ```text
//! score(u, v) = attention · leaky rectifier of (source(u) + destination(v)), over the features of a head
//! sum(v)      = Σ over edges u → v of softmax of score(u, v) over them · dropout · source(u)
//! out(v)      = dropout(activation(sum(v) + bias))
//! ```
//!
//! In [`gat`](crate::gat) the rectifier comes after the product with the attention vector, so that all vertices rank their neighbors the same way; here it
//! comes before, and the score cannot be taken apart into a number for each end. It is computed where it is needed, and again for the gradient: nothing is
//! stored for an edge. All of it is written for one head, as there.

use onyx_device::prelude::*;

use crate::random::{bits, kept};

/// What the layer keeps of each vertex and head.
#[graph_data]
pub struct Gatv2<const K: usize> {
    /// The input times the weights of sources, with their bias.
    pub source: VertexFeatures<K>,
    /// The input times the weights of destinations, with their bias.
    pub destination: VertexFeatures<K>,
    /// How much a feature counts for the score of its head.
    pub attention: GraphFeatures<K>,
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
    /// What an edge is multiplied by: 0 where it is left out.
    pub share: EdgeHeads<Scratch>,
    /// What arrives by the incoming edges.
    pub sum: VertexFeatures<K>,
    /// The log-sum of the scores.
    pub level: VertexHeads,
    /// The layer's output.
    pub out: VertexFeatures<K>,
    /// What the loss changes by with `source`.
    pub source_gradient: VertexFeatures<K>,
    /// What it changes by with `destination`.
    pub destination_gradient: VertexFeatures<K>,
    /// What it changes by with the attention vectors.
    pub attention_gradient: GraphFeatures<K>,
    /// What it changes by with the bias.
    pub bias_gradient: GraphFeatures<K>,
    /// What it changes by with the sum.
    pub sum_gradient: VertexFeatures<K, Scratch>,
    /// The dot product of the sum and what the loss changes by with it.
    pub sum_gradient_dot: VertexHeads,
    /// What it changes by with the output.
    pub out_gradient: VertexFeatures<K>,
}

#[edge_fn]
fn leave_out<const K: usize>(f: Feature, e: Edge, d: &mut Gatv2<K>) -> bool {
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
fn attend<const K: usize, const DROPS: bool>(f: Feature, e: Edge, d: &mut Gatv2<K>) -> bool {
    let source = d.source[e.src][f];
    let raw = source + d.destination[e.dst][f];
    let score = dot(d.attention[f], if raw > 0.0 { raw } else { 0.2 * raw });
    let share = if DROPS { d.share[e] } else { 1.0 };
    d.sum[e.dst][f].softmax_add(score, share * source);
    d.level[e.dst].log_sum_exp_with(score);
    true
}

/// [`attend`] without what its gradient needs.
#[edge_fn]
fn look<const K: usize>(f: Feature, e: Edge, d: &mut Gatv2<K>) -> bool {
    let source = d.source[e.src][f];
    let raw = source + d.destination[e.dst][f];
    let score = dot(d.attention[f], if raw > 0.0 { raw } else { 0.2 * raw });
    d.sum[e.dst][f].softmax_add(score, source);
    true
}

#[vertex_fn]
fn activate<const K: usize>(f: Feature, v: Vertex, d: &mut Gatv2<K>) -> bool {
    let mixed = d.sum[v][f] + d.bias[f];
    let active = if mixed > 0.0 { mixed } else { d.bend * (mixed.exp() - 1.0) + (1.0 - d.bend) * mixed };
    let share =
        if d.rate > 0.0 { kept(d.rate, bits(d.seed as u32, d.step as u32, v.0, d.column[f] as u32)) } else { 1.0 };
    d.out[v][f] = active * share;
    true
}

foldmap! {
    /// The layer with all edges.
    pub dynamic_attention<const K: usize>(Gatv2<K>) = [attend::<false>, activate]; features = [8, 16, 64, 256];
    gradient = [source, destination, attention, bias]
}

foldmap! {
    /// The layer with some edges left out, in training.
    pub dynamic_attention_with_dropout<const K: usize>(Gatv2<K>) = [leave_out, attend::<true>, activate]; features = [8, 16, 64, 256];
    gradient = [source, destination, attention, bias]
}

foldmap! {
    /// The layer where nothing is learned: the log-sums of the scores, of which its gradient is computed, are left out.
    pub dynamic_attention_inference<const K: usize>(Gatv2<K>) = [look, activate]; features = [8, 16, 64, 256]
}

#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::Gatv2Layer;
