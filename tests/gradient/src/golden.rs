//! Layers that PyTorch's autograd has been asked about as well, and that are nowhere else.

use onyx_device::prelude::*;

/// Attention of GATv2: the score bends what both ends are, and is then weighed.
#[graph_data]
pub struct Dynamic<const K: usize> {
    pub x: VertexFeatures<K>,
    pub left: GraphFeatures<K>,
    pub right: GraphFeatures<K>,
    pub attention: GraphFeatures<K>,
    pub log_sum: VertexScalar,
    pub out: VertexFeatures<K>,
    pub x_gradient: VertexFeatures<K>,
    pub x_gradient_part: VertexFeatures<K>,
    pub left_gradient: GraphFeatures<K>,
    pub right_gradient: GraphFeatures<K>,
    pub attention_gradient: GraphFeatures<K>,
    pub log_sum_gradient: VertexScalar,
    pub out_gradient: VertexFeatures<K>,
}

#[edge_fn]
pub fn compare<const K: usize>(f: Feature, e: Edge, d: &mut Dynamic<K>) -> bool {
    let raw = d.left[f] * d.x[e.src][f] + d.right[f] * d.x[e.dst][f];
    let score = dot(raw.max(0.2 * raw), d.attention[f]);
    d.out[e.dst][f].softmax_add(score, d.x[e.src][f]);
    d.log_sum[e.dst].log_sum_exp_with(score);
    true
}

foldmap! {
    pub dynamic_attention<const K: usize>(Dynamic<K>) = [compare];
    features = [4];
    gradient = [x, left, right, attention]
}

/// A sweep of belief propagation: messages through Potts potentials, added up as logarithms.
#[graph_data]
pub struct Sweep<const K: usize> {
    pub prior: VertexFeatures<K>,
    pub belief: VertexFeatures<K>,
    pub strength: EdgeScalar,
    pub heard: VertexFeatures<K>,
    pub next: VertexFeatures<K>,
    pub prior_gradient: VertexFeatures<K>,
    pub belief_gradient: VertexFeatures<K>,
    pub strength_gradient: EdgeScalar,
    pub heard_gradient: VertexFeatures<K>,
    pub next_gradient: VertexFeatures<K>,
}

#[edge_fn]
pub fn send<const K: usize>(f: Feature, e: Edge, d: &mut Sweep<K>) -> bool {
    let sent = softmax(d.belief[e.src][f]);
    d.heard[e.dst][f] += (d.strength[e] * sent + (1.0 - d.strength[e]) / K as f32).ln();
    true
}

#[vertex_fn]
pub fn believe<const K: usize>(f: Feature, v: Vertex, d: &mut Sweep<K>) -> bool {
    d.next[v][f] = softmax(d.prior[v][f] + d.heard[v][f]);
    true
}

foldmap! {
    pub sweep<const K: usize>(Sweep<K>) = [send, believe];
    features = [4];
    gradient = [prior, belief, strength]
}
