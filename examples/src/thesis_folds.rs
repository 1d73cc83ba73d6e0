//! The five algorithms of the thesis as `bench_thesis` runs them with one thread for all features of an edge, which reaches them one by one.
//!
//! The functions are the library's own, and so are the folds with features across lanes, except where the thesis's figure 2.1 computes
//! something else: half a step of alternating least squares for all vertices at once, and both sums of multi-manifold ranking again.

use onyx_device::prelude::*;

use crate::als::{Ratings, rate};
use crate::belief_propagation::{
    BeliefPropagation, believe, believe_change, compare, mix, receive, receive_change, send,
};
use crate::label_propagation::{LabelPropagation, absorb, spread};
use crate::multimodal_learning::{MultimodalLearning, learn, translate};

foldmap! {
    /// Label propagation, figure 2.1d, by one thread an edge.
    pub labels_scalar<const K: usize>(LabelPropagation<K>) = [spread, absorb];
        features = [1, 2, 4, 8, 16, 32, 64, 128]; features_per_lane = all
}

/// Solves the normal equations, and goes half of the way: without that, two sets of factors that are fitted at once take turns.
#[vertex_fn]
pub fn approach<const K: usize>(f: Feature, v: Vertex, d: &mut Ratings<K>) -> bool {
    let solution = solve(d.gram[v][f] + diagonal(d.penalty[v]), d.right[v][f]);
    let factor = 0.5 * (d.factor[v][f] + solution);
    let moved = (factor - d.factor[v][f]).abs() > d.tolerance;
    d.factor[v][f] = factor;
    any(moved)
}

foldmap! {
    /// One iteration of alternating least squares, figure 2.1b, all factors at once.
    pub factors<const K: usize>(Ratings<K>) = [rate, approach]; features = [4]; features_per_lane = 1
}

foldmap! {
    /// The same by one thread an edge.
    pub factors_scalar<const K: usize>(Ratings<K>) = [rate, approach]; features = [4]; features_per_lane = all
}

foldmap! {
    /// Belief propagation along every edge, figure 2.1a, by one thread an edge.
    pub flood_scalar<const K: usize>(BeliefPropagation<K>) = [send::<false, false>; compare, mix, receive, believe];
        features = [4]; features_per_lane = all
}

foldmap! {
    /// The same along the edges of variables that have heard something new.
    pub update_scalar<const K: usize>(BeliefPropagation<K>) = [send::<false, false>; receive_change, believe_change];
        features = [4]; edges = active; features_per_lane = all
}

/// Multi-manifold ranking, figure 2.1c: both of its sums are made again in each iteration.
#[graph_data]
pub struct Manifolds<const K: usize> {
    /// How near the ends are on each manifold.
    pub weight: EdgeFeatures<K>,
    /// How much of a query the vertex is.
    pub query: VertexFeatures<K>,
    /// How near the vertex is to the queries.
    pub rank: VertexFeatures<K, Tracked>,
    /// The weighted ranks that arrive.
    pub ranks: VertexFeatures<K>,
    /// The weights that arrive.
    pub weights: VertexFeatures<K>,
    /// The part of a rank that comes from the neighbors.
    pub alpha: Parameter,
    /// The change of a rank that is not propagated.
    pub tolerance: Parameter,
}

/// Adds the source's ranks.
#[edge_fn]
pub fn add_rank<const K: usize>(f: Feature, e: Edge, d: &mut Manifolds<K>) -> bool {
    d.ranks[e.dst][f] += d.weight[e][f] * d.rank[e.src][f];
    true
}

/// Adds the edge's weights.
#[edge_fn]
pub fn add_weight<const K: usize>(f: Feature, e: Edge, d: &mut Manifolds<K>) -> bool {
    d.weights[e.dst][f] += d.weight[e][f];
    true
}

/// Mixes the mean of what has arrived with the query.
#[vertex_fn]
pub fn mix_ranks<const K: usize>(f: Feature, v: Vertex, d: &mut Manifolds<K>) -> bool {
    let mean = if d.weights[v][f] > 0.0 { d.ranks[v][f] / d.weights[v][f] } else { 0.0 };
    let rank = d.alpha * mean + (1.0 - d.alpha) * d.query[v][f];
    let moved = (rank - d.rank[v][f]).abs() > d.tolerance;
    d.rank[v][f] = rank;
    any(moved)
}

foldmap! {
    /// One iteration of multi-manifold ranking.
    pub ranking<const K: usize>(Manifolds<K>) = [add_rank, add_weight, mix_ranks];
        features = [1, 2, 4, 8, 16, 32, 64, 128]
}

foldmap! {
    /// The same by one thread an edge.
    pub ranking_scalar<const K: usize>(Manifolds<K>) = [add_rank, add_weight, mix_ranks];
        features = [1, 2, 4, 8, 16, 32, 64]; features_per_lane = all
}

foldmap! {
    /// Multimodal learning, figure 2.1e, by one thread an edge.
    pub modes_scalar<const K: usize>(MultimodalLearning<K>) = [translate, learn]; features = [4]; features_per_lane = all
}
