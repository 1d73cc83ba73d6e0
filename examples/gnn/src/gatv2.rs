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
//! stored for an edge. Heads lie side by side in a row, each with a sum of its own, [`HEADS`] at most, since a gradient has no loop.

use onyx_device::prelude::*;

use crate::random::{bits, kept};

/// The most heads of a layer.
pub const HEADS: usize = 8;

/// What the layer keeps of each vertex.
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
    /// What the loss changes by with `source`.
    pub source_gradient: VertexFeatures<K>,
    /// What it changes by with `destination`.
    pub destination_gradient: VertexFeatures<K>,
    /// What it changes by with the attention vectors.
    pub attention_gradient: GraphFeatures<K>,
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
fn attend<const K: usize>(f: Feature, e: Edge, d: &mut Gatv2<K>) -> bool {
    let source = d.source[e.src][f];
    let raw = source + d.destination[e.dst][f];
    let part = d.attention[f] * if raw > 0.0 { raw } else { 0.2 * raw };
    let score = sum(part);
    let share = kept(d.edge_rate, bits(d.edge_seed as u32, d.step as u32, e.id as u32, 0));
    d.sum[e.dst][f].softmax_add(score, share * source);
    d.level[e.dst][f].log_sum_exp_with(score);
    true
}

#[edge_fn]
fn attend_by_heads<const K: usize>(f: Feature, e: Edge, d: &mut Gatv2<K>) -> bool {
    let source = d.source[e.src][f];
    let raw = source + d.destination[e.dst][f];
    let part = d.attention[f] * if raw > 0.0 { raw } else { 0.2 * raw };
    let head = f.index() / (d.head as u32).max(1);
    // One head after the other, so that no more than one sum is kept.
    let first = sum(if head == 0 { part } else { 0.0 });
    let score = if head == 0 { first } else { 0.0 };
    let second = sum(if head == 1 { part } else { 0.0 });
    let score = if head == 1 { second } else { score };
    let third = sum(if head == 2 { part } else { 0.0 });
    let score = if head == 2 { third } else { score };
    let fourth = sum(if head == 3 { part } else { 0.0 });
    let score = if head == 3 { fourth } else { score };
    let fifth = sum(if head == 4 { part } else { 0.0 });
    let score = if head == 4 { fifth } else { score };
    let sixth = sum(if head == 5 { part } else { 0.0 });
    let score = if head == 5 { sixth } else { score };
    let seventh = sum(if head == 6 { part } else { 0.0 });
    let score = if head == 6 { seventh } else { score };
    let eighth = sum(if head == 7 { part } else { 0.0 });
    let score = if head == 7 { eighth } else { score };
    let share = kept(d.edge_rate, bits(d.edge_seed as u32, d.step as u32, e.id as u32, head));
    d.sum[e.dst][f].softmax_add(score, share * source);
    d.level[e.dst][f].log_sum_exp_with(score);
    true
}

#[vertex_fn]
fn mix<const K: usize>(f: Feature, v: Vertex, d: &mut Gatv2<K>) -> bool {
    d.mixed[v][f] = d.sum[v][f] + d.bias[f];
    true
}

#[vertex_fn]
fn activate<const K: usize>(f: Feature, v: Vertex, d: &mut Gatv2<K>) -> bool {
    let mixed = d.mixed[v][f];
    let active = if mixed > 0.0 { mixed } else { d.bend * (mixed.exp() - 1.0) + (1.0 - d.bend) * mixed };
    d.out[v][f] = active * kept(d.rate, bits(d.seed as u32, d.step as u32, v.0, f.index()));
    true
}

foldmap! {
    /// The layer with one head. The gradient needs the sums, so that they are kept in memory.
    pub dynamic_attention<const K: usize>(Gatv2<K>) = [attend; mix, activate]; features = [16, 64];
    gradient = [source, destination, attention, bias]
}

foldmap! {
    /// The layer with several heads.
    pub dynamic_heads<const K: usize>(Gatv2<K>) = [attend_by_heads; mix, activate]; features = [16, 64];
    gradient = [source, destination, attention, bias]
}

#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
pub use host::Gatv2Layer;
