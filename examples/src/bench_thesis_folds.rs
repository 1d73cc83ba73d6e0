//! The five algorithms of the thesis as `bench_thesis` runs them: each with features across lanes, and once more with one thread for all
//! features of an edge, which reaches them one by one.
//!
//! The formulas are those of the thesis's figure 2.1. Label propagation is the library's own; the others stand here for weights of any kind,
//! without what readers and applications need.

use onyx_device::math::{exp, ln};
use onyx_device::prelude::*;

use crate::label_propagation::{LabelPropagation, absorb, spread};

foldmap! {
    /// Label propagation, figure 2.1d, by one thread an edge.
    pub labels_scalar<const K: usize>(LabelPropagation<K>) = [spread, absorb];
        features = [1, 2, 4, 8, 16, 32, 64, 128]; features_per_lane = all
}

/// Alternating least squares, figure 2.1b: all factors at once, and half of each step, without which two sets of factors take turns.
#[graph_data]
pub struct Factors<const K: usize> {
    /// What an edge says of the product of its ends.
    pub rating: EdgeScalar,
    /// The number of incoming edges, at least 1: regularisation grows with it.
    pub degree: VertexScalar,
    /// What is fitted.
    pub factor: VertexFeatures<K, Tracked>,
    /// The sum of the neighbors' outer products.
    pub gram: VertexMatrix<K>,
    /// The sum of the neighbors, by their ratings.
    pub right: VertexFeatures<K>,
    /// How much large factors are held back.
    pub lambda: Parameter,
    /// The change of a factor that is not propagated.
    pub tolerance: Parameter,
}

/// Adds a neighbor to the normal equations.
#[edge_fn]
pub fn accumulate<const K: usize>(f: Feature, e: Edge, d: &mut Factors<K>) -> bool {
    let factor = d.factor[e.src][f];
    d.gram[e.dst][f] += outer(factor, factor);
    d.right[e.dst][f] += d.rating[e] * factor;
    true
}

/// Solves the normal equations, and goes half of the way.
#[vertex_fn]
pub fn fit<const K: usize>(f: Feature, v: Vertex, d: &mut Factors<K>) -> bool {
    let solution = solve(d.gram[v][f] + diagonal(d.lambda * d.degree[v]), d.right[v][f]);
    let factor = 0.5 * (d.factor[v][f] + solution);
    let moved = (factor - d.factor[v][f]).abs() > d.tolerance;
    d.factor[v][f] = factor;
    any(moved)
}

foldmap! {
    /// One iteration of alternating least squares.
    pub factors<const K: usize>(Factors<K>) = [accumulate, fit]; features = [4]; features_per_lane = 1
}

foldmap! {
    /// The same by one thread an edge.
    pub factors_scalar<const K: usize>(Factors<K>) = [accumulate, fit]; features = [4]; features_per_lane = all
}

/// Belief propagation, figure 2.1a, with logarithms of messages and beliefs.
#[graph_data]
pub struct Beliefs<const K: usize> {
    /// The pairwise potentials: the destination's state is the row.
    pub potential: EdgeMatrix<K>,
    /// What the vertex says of itself.
    pub unary: VertexFeatures<K>,
    /// The message that has arrived.
    pub message: EdgeFeatures<K>,
    /// The message that is under way, as shares.
    pub sent: EdgeFeatures<K>,
    /// The unary potential and all messages; the greatest is 0.
    pub belief: VertexFeatures<K>,
    /// What arrives: messages, or their changes.
    pub arrived: VertexFeatures<K>,
    /// The greatest change of a share of a message that arrives.
    pub change: VertexFeatures<K>,
    /// The change of a share that is not propagated.
    pub tolerance: Parameter,
}

/// Sends what the source believes without the destination.
#[edge_fn]
pub fn send<const K: usize>(f: Feature, e: Edge, d: &mut Beliefs<K>) -> bool {
    let cavity = softmax(d.belief[e.src][f] - d.message[e.rev][f]);
    d.sent[e][f] = normalize(matvec(d.potential[e][f], cavity));
    true
}

/// Takes over the message, and adds it to what arrives.
#[edge_fn]
pub fn receive<const K: usize>(f: Feature, e: Edge, d: &mut Beliefs<K>) -> bool {
    let (old, message) = (d.message[e][f], ln(d.sent[e][f]));
    d.change[e.dst][f].max_with((d.sent[e][f] - exp(old)).abs());
    d.arrived[e.dst][f] += message;
    d.message[e][f] = message;
    true
}

/// Takes over the message, and adds its change to what arrives.
#[edge_fn]
pub fn receive_change<const K: usize>(f: Feature, e: Edge, d: &mut Beliefs<K>) -> bool {
    let (old, message) = (d.message[e][f], ln(d.sent[e][f]));
    d.change[e.dst][f].max_with((d.sent[e][f] - exp(old)).abs());
    d.arrived[e.dst][f] += message - old;
    d.message[e][f] = message;
    true
}

/// Believes all messages.
#[vertex_fn]
pub fn believe<const K: usize>(f: Feature, v: Vertex, d: &mut Beliefs<K>) -> bool {
    let belief = d.unary[v][f] + d.arrived[v][f];
    d.belief[v][f] = belief - max(belief);
    any(d.change[v][f] > d.tolerance)
}

/// Believes the changes.
#[vertex_fn]
pub fn believe_change<const K: usize>(f: Feature, v: Vertex, d: &mut Beliefs<K>) -> bool {
    let belief = d.belief[v][f] + d.arrived[v][f];
    d.belief[v][f] = belief - max(belief);
    any(d.change[v][f] > d.tolerance)
}

foldmap! {
    /// One iteration of belief propagation along every edge.
    pub flood<const K: usize>(Beliefs<K>) = [send; receive, believe]; features = [4]; features_per_lane = 1
}

foldmap! {
    /// One iteration along the edges of vertices that have heard something new.
    pub update<const K: usize>(Beliefs<K>) = [send; receive_change, believe_change]; features = [4]; edges = active; features_per_lane = 1
}

foldmap! {
    /// [`flood`] by one thread an edge.
    pub flood_scalar<const K: usize>(Beliefs<K>) = [send; receive, believe];
        features = [4]; features_per_lane = all
}

foldmap! {
    /// [`update`] by one thread an edge.
    pub update_scalar<const K: usize>(Beliefs<K>) = [send; receive_change, believe_change];
        features = [4]; edges = active; features_per_lane = all
}

/// Multi-manifold ranking, figure 2.1c: both of its sums are made anew in each iteration.
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

/// Multimodal learning, figure 2.1e, with a matrix an edge.
#[graph_data]
pub struct Modes<const K: usize> {
    /// What turns the source's values into the destination's, as parts of all that arrives.
    pub weight: EdgeMatrix<K>,
    /// What is known at the start.
    pub seed: VertexFeatures<K>,
    /// What is learnt.
    pub mode: VertexFeatures<K, Tracked>,
    /// What arrives.
    pub sum: VertexFeatures<K>,
    /// The part that comes from the neighbors.
    pub alpha: Parameter,
    /// The change of a value that is not propagated.
    pub tolerance: Parameter,
}

/// Adds what the source says, in the destination's terms.
#[edge_fn]
pub fn translate<const K: usize>(f: Feature, e: Edge, d: &mut Modes<K>) -> bool {
    d.sum[e.dst][f] += transpose_matvec(d.weight[e][f], d.mode[e.src][f]);
    true
}

/// Mixes it with the start.
#[vertex_fn]
pub fn learn<const K: usize>(f: Feature, v: Vertex, d: &mut Modes<K>) -> bool {
    let mode = d.alpha * d.sum[v][f] + (1.0 - d.alpha) * d.seed[v][f];
    let moved = (mode - d.mode[v][f]).abs() > d.tolerance;
    d.mode[v][f] = mode;
    any(moved)
}

foldmap! {
    /// One iteration of multimodal learning.
    pub modes<const K: usize>(Modes<K>) = [translate, learn]; features = [4]; features_per_lane = 1
}

foldmap! {
    /// The same by one thread an edge.
    pub modes_scalar<const K: usize>(Modes<K>) = [translate, learn]; features = [4]; features_per_lane = all
}
