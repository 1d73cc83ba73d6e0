//! Alternating least squares: a factor of K numbers for each user and each item, whose products are the ratings.
//!
//! Figure 2.1 of the Onyx thesis. A vertex's factor is the best one for its ratings r while the factors y at the other ends stay:
//!
//! ```text
//! gram(v)   = Σ over edges u → v of y(u) · y(u)ᵀ              implicit: Σ α · r · y · yᵀ
//! right(v)  = Σ over edges u → v of r(u, v) · y(u)            implicit: Σ (1 + α · r) · y
//! factor(v) = solve(gram(v) + λ · I, right(v))                implicit: with Σ y · yᵀ over the whole other side
//! ```
//!
//! Users and items take turns: the edges of an iteration are those of the vertices that the iteration before has fitted, so that two
//! iterations are a sweep. In the thesis's form, `together`, both sides are fitted at once, each to what the other was before.
//!
//! Up to 32 numbers, a warp has the matrix in its registers; up to 128 a block, which solves the system in its shared memory. `gradients` fits without matrices, and `steps` goes a few steps towards the best factors in place of
//! finding them.

use onyx_device::prelude::*;

/// What alternating least squares keeps of each edge and vertex.
#[graph_data]
pub struct Ratings<const K: usize> {
    /// The rating, the same on both edges of a user and an item.
    pub rating: EdgeScalar,
    /// By how much the square of the factor is held back: λ, or λ for each rating.
    pub penalty: VertexScalar,
    /// The factor found so far.
    pub factor: VertexFeatures<K, Tracked>,
    /// The left side of the normal equations, without the penalty.
    pub gram: VertexMatrix<K>,
    /// Their right side.
    pub right: VertexFeatures<K>,
    /// The part of the left side that is the same for all vertices, with implicit feedback.
    pub common: GraphMatrix<K>,
    /// How much confidence implicit feedback gives.
    pub alpha: Parameter,
    /// The length of a move that does not count.
    pub tolerance: Parameter,
}

/// Adds a rating to the normal equations of its destination.
#[edge_fn]
pub fn rate<const K: usize>(f: Feature, e: Edge, d: &mut Ratings<K>) -> bool {
    let factor = d.factor[e.src][f];
    d.gram[e.dst][f] += outer(factor, factor);
    d.right[e.dst][f] += d.rating[e] * factor;
    true
}

/// Adds implicit feedback to the normal equations of its destination.
#[edge_fn]
fn observe<const K: usize>(f: Feature, e: Edge, d: &mut Ratings<K>) -> bool {
    let factor = d.factor[e.src][f];
    let confidence = d.alpha * d.rating[e];
    d.gram[e.dst][f] += outer(confidence * factor, factor);
    d.right[e.dst][f] += (1.0 + confidence) * factor;
    true
}

/// Solves the normal equations; who is fitted is what the other side is fitted to next.
#[vertex_fn]
fn fit<const K: usize>(f: Feature, v: Vertex, d: &mut Ratings<K>) -> bool {
    let factor = solve(d.gram[v][f] + diagonal(d.penalty[v]), d.right[v][f]);
    d.factor[v][f] = factor;
    true
}

/// Solves the normal equations of implicit feedback.
#[vertex_fn]
fn fit_preferences<const K: usize>(f: Feature, v: Vertex, d: &mut Ratings<K>) -> bool {
    let factor = solve(d.gram[v][f] + d.common[f] + diagonal(d.penalty[v]), d.right[v][f]);
    d.factor[v][f] = factor;
    true
}

/// Solves the normal equations; the vertex has changed if its factor has moved.
#[vertex_fn]
fn refit<const K: usize>(f: Feature, v: Vertex, d: &mut Ratings<K>) -> bool {
    let factor = solve(d.gram[v][f] + diagonal(d.penalty[v]), d.right[v][f]);
    let moved = norm2(factor - d.factor[v][f]) > d.tolerance;
    d.factor[v][f] = factor;
    moved
}

foldmap! {
    /// A half of a sweep over explicit ratings: starts from one side, and fits the other.
    pub alternate<const K: usize>(Ratings<K>) = [rate, fit]; features = [4, 8, 16, 32, 64, 128]; features_per_lane = 1; edges = active
}

foldmap! {
    /// A half of a sweep over implicit feedback.
    pub alternate_implicit<const K: usize>(Ratings<K>) = [observe, fit_preferences]; features = [4, 8, 16, 32, 64, 128]; features_per_lane = 1;
        edges = active
}

foldmap! {
    /// Both sides of explicit ratings at once, change-driven.
    pub together<const K: usize>(Ratings<K>) = [rate, refit]; features = [4, 8, 16, 32]; features_per_lane = 1
}

pub mod gradients;
pub mod steps;

#[cfg(not(target_arch = "nvptx64"))]
mod call;
#[cfg(not(target_arch = "nvptx64"))]
mod descent;
#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
mod model;
#[cfg(not(target_arch = "nvptx64"))]
mod residual;
#[cfg(not(target_arch = "nvptx64"))]
mod stepped;
#[cfg(not(target_arch = "nvptx64"))]
mod stepwise;
#[host]
pub use host::joined;
#[host]
pub use {call::Fitted, call::als, descent::Descent, host::Direct, model::Model, residual::verify, stepwise::Stepwise};
