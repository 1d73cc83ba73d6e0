//! One reduction over the edges of a vertex and nothing else, in the forms that libraries have: weighted sum, mean, maximum and softmax-weighted sum; and the weighted sum
//! of rows of two bytes a feature.

use onyx_device::prelude::*;

/// What is added up.
#[graph_data]
pub struct Sums<const K: usize> {
    /// How an edge is weighed; the score of a softmax.
    pub weight: EdgeScalar,
    /// The rows of the sources.
    pub x: VertexFeatures<K>,
    /// The same in half precision.
    pub half: VertexFeatures<K, f16>,
    /// The same with the range of an `f32`.
    pub brain: VertexFeatures<K, bf16>,
    /// What comes to a vertex.
    pub total: VertexFeatures<K>,
}

/// Σ w x
#[edge_fn]
fn add<const K: usize>(f: Feature, e: Edge, d: &mut Sums<K>) -> bool {
    d.total[e.dst][f] += d.weight[e] * d.x[e.src][f];
    true
}

/// Σ w x of rows in half precision.
#[edge_fn]
fn add_half<const K: usize>(f: Feature, e: Edge, d: &mut Sums<K>) -> bool {
    d.total[e.dst][f] += d.weight[e] * d.half[e.src][f];
    true
}

/// Σ w x of rows in `bf16`.
#[edge_fn]
fn add_brain<const K: usize>(f: Feature, e: Edge, d: &mut Sums<K>) -> bool {
    d.total[e.dst][f] += d.weight[e] * d.brain[e.src][f];
    true
}

/// The mean of w x.
#[edge_fn]
fn average<const K: usize>(f: Feature, e: Edge, d: &mut Sums<K>) -> bool {
    d.total[e.dst][f].mean_with(d.weight[e] * d.x[e.src][f]);
    true
}

/// The greatest w x.
#[edge_fn]
fn take_greatest<const K: usize>(f: Feature, e: Edge, d: &mut Sums<K>) -> bool {
    d.total[e.dst][f].max_with(d.weight[e] * d.x[e.src][f]);
    true
}

/// Σ x, each weighed by the softmax of w over the edges of the destination.
#[edge_fn]
fn attend<const K: usize>(f: Feature, e: Edge, d: &mut Sums<K>) -> bool {
    d.total[e.dst][f].softmax_add(d.weight[e], d.x[e.src][f]);
    true
}

foldmap! {
    /// The weighted sum.
    pub weighted_sum<const K: usize>(Sums<K>) = [add]; features = [1, 2, 4, 8, 16, 32, 64, 128]
}

foldmap! {
    /// The weighted sum of rows in half precision, four features a lane.
    pub half_sum_by_fours<const K: usize>(Sums<K>) = [add_half]; features = [32, 64, 128]
}

foldmap! {
    /// The weighted sum of rows in half precision, eight features a lane.
    pub half_sum<const K: usize>(Sums<K>) = [add_half]; features = [32, 64, 128]; features_per_lane = 8
}

foldmap! {
    /// The weighted sum of rows in `bf16`, eight features a lane.
    pub brain_sum<const K: usize>(Sums<K>) = [add_brain]; features = [32, 64, 128]; features_per_lane = 8
}

foldmap! {
    /// The mean.
    pub mean<const K: usize>(Sums<K>) = [average]; features = [4, 8, 16, 32, 64, 128]
}

foldmap! {
    /// The maximum.
    pub maximum<const K: usize>(Sums<K>) = [take_greatest]; features = [4, 8, 16, 32, 64, 128]
}

foldmap! {
    /// The softmax-weighted sum.
    pub softmax_sum<const K: usize>(Sums<K>) = [attend]; features = [4, 8, 16, 32, 64, 128]
}
