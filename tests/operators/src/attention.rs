//! Softmax-weighted sums: of one score for all features, of a score for each, of scalars; and the logarithms of their weights.

use onyx_device::prelude::*;

/// Attention over the incoming edges.
#[graph_data]
pub struct Attention<const K: usize> {
    /// What the source brings to the score.
    pub left: VertexScalar,
    /// What the destination brings to the score.
    pub right: VertexScalar,
    /// Added to the score: -inf hides an edge.
    pub mask: EdgeScalar,
    /// What is attended to.
    pub x: VertexFeatures<K>,
    /// The weighted sum.
    pub out: VertexFeatures<K>,
    /// The weighted sum of a scalar.
    pub own: VertexScalar,
    /// The log-sum of the scores.
    pub log_sum: VertexScalar,
    /// The log-sum of each feature's own scores.
    pub log_sums: VertexFeatures<K>,
    /// What a vertex function makes of it.
    pub kept: VertexFeatures<K>,
}

/// The slope of the leaky rectifier below 0.
const SLOPE: f32 = 0.2;

/// One score for all features.
#[edge_fn]
fn attend<const K: usize>(f: Feature, e: Edge, d: &mut Attention<K>) -> bool {
    let raw = d.left[e.src] + d.right[e.dst];
    let score = raw.max(SLOPE * raw) + d.mask[e];
    d.out[e.dst][f].softmax_add(score, d.x[e.src][f]);
    d.own[e.dst].softmax_add(score, d.left[e.src]);
    d.log_sum[e.dst].log_sum_exp_with(score);
    true
}

/// A function whose effects nobody knows.
fn scaled(x: f32) -> f32 {
    0.5 * x
}

/// Each feature has a score of its own.
#[edge_fn]
fn attend_each<const K: usize>(f: Feature, e: Edge, d: &mut Attention<K>) -> bool {
    let score = scaled(d.left[e.src] * d.x[e.src][f]) + d.mask[e];
    d.out[e.dst][f].softmax_add(score, d.x[e.src][f]);
    d.log_sums[e.dst][f].log_sum_exp_with(score);
    true
}

/// The weighted sum of rows alone, by which edges are weighed together; scores need nothing of the neighbors, so that they are looked up ahead.
#[edge_fn]
fn attend_rows<const K: usize>(f: Feature, e: Edge, d: &mut Attention<K>) -> bool {
    d.out[e.dst][f].softmax_add(d.mask[e], d.x[e.src][f]);
    true
}

/// The same with scores of sources, where lanes meet: nobody knows the effects of a function, and each feature says for itself whether it is reached.
#[edge_fn]
fn attend_meeting<const K: usize>(f: Feature, e: Edge, d: &mut Attention<K>) -> bool {
    let score = scaled(2.0 * d.left[e.src]) + d.mask[e];
    d.out[e.dst][f].softmax_add(score, d.x[e.src][f]);
    d.x[e.src][f] > 0.5
}

/// The score is a product of both ends' features, and the function has a loop, so that padding is left out.
#[edge_fn]
fn attend_product<const K: usize>(f: Feature, e: Edge, d: &mut Attention<K>) -> bool {
    let mut score = dot(d.x[e.src][f], d.x[e.dst][f]);
    for _ in 0..2 {
        score = scaled(score);
    }
    if d.mask[e] == 0.0 {
        d.out[e.dst][f].softmax_add(score, d.x[e.src][f]);
    }
    true
}

/// The same at the other end: what a vertex leads to is attended to.
#[edge_fn]
fn attend_outward<const K: usize>(f: Feature, e: Edge, d: &mut Attention<K>) -> bool {
    let score = d.left[e.dst] + d.mask[e];
    d.out[e.src][f].softmax_add(score, d.x[e.dst][f]);
    d.own[e.src].mean_with(d.left[e.dst]);
    d.log_sums[e.src][f].log_sum_exp_with(score * d.x[e.dst][f]);
    true
}

/// Scalars alone.
#[edge_fn]
fn attend_scalar<const K: usize>(e: Edge, d: &mut Attention<K>) -> bool {
    d.own[e.dst].softmax_add(d.mask[e], d.left[e.src]);
    true
}

/// Takes the sums from registers.
#[vertex_fn]
fn keep<const K: usize>(f: Feature, v: Vertex, d: &mut Attention<K>) -> bool {
    d.kept[v][f] = d.out[v][f] + d.own[v];
    d.log_sum[v] > 0.0
}

foldmap! { pub softmax_sums<const K: usize>(Attention<K>) = [attend]; features = [2, 16] }
foldmap! { pub kept_sums<const K: usize>(Attention<K>) = [attend, keep]; features = [1, 16] }
foldmap! { pub row_sums<const K: usize>(Attention<K>) = [attend_rows]; features = [16] }
foldmap! { pub meeting<const K: usize>(Attention<K>) = [attend_meeting]; features = [16] }
foldmap! { pub each_feature<const K: usize>(Attention<K>) = [attend_each]; features = [1, 16] }
foldmap! { pub products<const K: usize>(Attention<K>) = [attend_product]; features = [4, 16] }
foldmap! { pub outward<const K: usize>(Attention<K>) = [attend_outward]; features = [1, 4] }
foldmap! { pub scalars<const K: usize>(Attention<K>) = [attend_scalar]; features = [2] }
