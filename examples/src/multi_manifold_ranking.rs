//! Multi-manifold ranking: which vertices are near a query on each of K manifolds that the same vertices lie on.
//!
//! Figure 2.1c of the Onyx thesis, for the K ranks `rank(v)` and K weights an edge; `∘` and the division work feature by feature:
//!
//! ```text
//! rank(v) = alpha · Σ over edges u → v of weight(u, v) ∘ rank(u) / Σ over edges u → v of weight(u, v) + (1 − alpha) · query(v)
//! ```
//!
//! The divisor never changes, so the weights are divided by it once, before the run; where it is 0, nothing arrives. Each rank is then alpha
//! times a mean of others, and an iteration shrinks every difference by alpha at least.
//!
//! A rank says how near a vertex is on one manifold. Answers are ordered by the least or by the mean over the manifolds that a query is on.

use onyx_device::prelude::*;

/// What multi-manifold ranking keeps of each edge and vertex; a feature is a manifold.
#[graph_data]
pub struct MultiManifoldRanking<const K: usize> {
    /// How near the ends are on each manifold, as a part of all that arrives at the destination.
    weight: EdgeFeatures<K>,
    /// How much of a query the vertex is.
    query: VertexFeatures<K>,
    /// How near the vertex is to the queries.
    rank: VertexFeatures<K, Tracked>,
    /// What arrives by the incoming edges.
    sum: VertexFeatures<K>,
    /// The part of a rank that comes from the neighbors.
    alpha: Parameter,
    /// The change of a rank that is not propagated.
    tolerance: Parameter,
}

/// Adds the source's rank on each manifold to what arrives at the destination.
#[edge_fn]
fn pass<const K: usize>(f: Feature, e: Edge, d: &mut MultiManifoldRanking<K>) -> bool {
    d.sum[e.dst][f] += d.weight[e][f] * d.rank[e.src][f];
    true
}

/// Mixes what has arrived with the query; the vertex has changed if a rank has on any manifold, by more than rounding
/// changes it.
#[vertex_fn]
fn rank<const K: usize>(f: Feature, v: Vertex, d: &mut MultiManifoldRanking<K>) -> bool {
    let rank = d.alpha * d.sum[v][f] + (1.0 - d.alpha) * d.query[v][f];
    let moved = (rank - d.rank[v][f]).abs() > d.tolerance.max(4.0 * f32::EPSILON * rank.abs());
    d.rank[v][f] = rank;
    any(moved)
}

foldmap! {
    /// One iteration of multi-manifold ranking.
    pub step<const K: usize>(MultiManifoldRanking<K>) = [pass, rank]; features = [1, 2, 4, 8, 16, 32, 64, 128]
}

#[host]
pub use crate::fixed_point::Settings;

#[cfg(not(target_arch = "nvptx64"))]
mod host;
#[cfg(not(target_arch = "nvptx64"))]
mod verification;
#[host]
pub use host::{Combination, Ranking, multi_manifold_ranking, prepare, scores};
#[host]
pub use verification::{serial, verify};
