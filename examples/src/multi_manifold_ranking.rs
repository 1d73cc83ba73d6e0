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
#[host]
pub use host::{Combination, prepare, scores, serial, verify};

#[host]
mod host {
    use onyx_runtime::graph::Graph;
    use onyx_runtime::{Report, RunError, Store};

    use super::{MultiManifoldRanking, step};
    use crate::fixed_point::{FixedPoint, Mixture, Settings, Weights, greatest_size};
    use crate::verification::{self, Verification, rows};

    /// How the ranks of a vertex become one score.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Combination {
        /// Near the query on every manifold
        Least,
        /// Near the query on some manifold
        Mean,
    }

    /// The store a run starts from. `weights` has a row of `features` for each edge, by edge number; a vertex that is not among the
    /// queries has the query 0.
    ///
    /// # Errors
    /// No compiled width holds `features`.
    ///
    /// # Panics
    /// `weights` or a query has another length.
    pub fn prepare(
        graph: &Graph,
        weights: &[f32],
        queries: &[(u32, Vec<f32>)],
        features: usize,
        settings: Settings,
    ) -> Result<Store, RunError> {
        let mut store = Store::new(step, graph, features)?;
        store.set(MultiManifoldRanking::ALPHA, settings.alpha);
        store.set(MultiManifoldRanking::TOLERANCE, settings.tolerance);
        assert_eq!(weights.len(), graph.edge_count() * features, "a row of weights for each edge");
        for vertex in 0..graph.vertex_count() {
            share(&mut store, weights, graph.incoming().offsets().row(vertex));
        }
        for (vertex, query) in queries {
            store.row_mut(MultiManifoldRanking::QUERY, *vertex).copy_from_slice(query);
            store.row_mut(MultiManifoldRanking::RANK, *vertex).copy_from_slice(query);
        }
        Ok(store)
    }

    /// Divides the weights of the edges into one vertex by their sum on each manifold.
    fn share(store: &mut Store, weights: &[f32], edges: std::ops::Range<usize>) {
        let features = store.features();
        let rows = &weights[edges.start * features..edges.end * features];
        let mut totals = vec![0.0; features];
        for row in rows.chunks_exact(features) {
            totals.iter_mut().zip(row).for_each(|(total, weight)| *total += f64::from(*weight));
        }
        for (edge, row) in edges.zip(rows.chunks_exact(features)) {
            let shares = store.edge_row_mut(MultiManifoldRanking::WEIGHT, edge).iter_mut().zip(row).zip(&totals);
            shares.filter(|(_, total)| **total != 0.0).for_each(|((share, weight), total)| {
                *share = (f64::from(*weight) / total) as f32;
            });
        }
    }

    /// One score for each vertex, from its ranks on the manifolds that a query is on.
    pub fn scores(graph: &Graph, store: &Store, combination: Combination) -> Vec<f32> {
        let is_asked = |feature: &usize| {
            let mut queries = (0..graph.vertex_count() as u32).map(|v| store.row(MultiManifoldRanking::QUERY, v));
            queries.any(|query| query[*feature] != 0.0)
        };
        let asked: Vec<usize> = (0..store.features()).filter(is_asked).collect();
        let combine = |ranks: &[f32]| {
            let ranks = asked.iter().map(|&feature| ranks[feature]);
            match combination {
                Combination::Least => ranks.reduce(f32::min).unwrap_or(0.0),
                Combination::Mean => ranks.sum::<f32>() / asked.len().max(1) as f32,
            }
        };
        (0..graph.vertex_count() as u32).map(|v| combine(store.row(MultiManifoldRanking::RANK, v))).collect()
    }

    /// Verifies the ranks in `store`: differences are parts of the greatest query.
    pub fn verify(graph: &Graph, store: &Store, report: &Report) -> Verification {
        verification::verify(&equation(graph, store), report)
    }

    fn equation<'a>(graph: &'a Graph, store: &'a Store) -> Mixture<'a, impl Fn(&[f64], Weights) -> Vec<f64>> {
        let known = rows(graph, |vertex| store.row(MultiManifoldRanking::QUERY, vertex));
        let [alpha, tolerance] =
            [MultiManifoldRanking::ALPHA, MultiManifoldRanking::TOLERANCE].map(|key| store.get(key));
        Mixture {
            graph,
            found: rows(graph, |vertex| store.row(MultiManifoldRanking::RANK, vertex)),
            unit: greatest_size(&known),
            known,
            features: store.features(),
            terms: 1,
            settings: Settings { alpha, tolerance },
            arriving: |rank: &[f64], weights| arriving(graph, store, rank, weights),
        }
    }

    /// What arrives at each vertex of these ranks.
    fn arriving(graph: &Graph, store: &Store, rank: &[f64], meant: Weights) -> Vec<f64> {
        let (features, mut sums) = (store.features(), vec![0.0; rank.len()]);
        for (edge, source, destination) in graph.edges() {
            let (from, to) = (source as usize * features, destination as usize * features);
            let weights = store.edge_row(MultiManifoldRanking::WEIGHT, edge).iter().enumerate();
            weights.for_each(|(f, weight)| sums[to + f] += meant.of(*weight) * rank[from + f]);
        }
        sums
    }

    /// The ranks in 64-bit floats on one thread, row after row, from the queries in `store`: after `iterations`, or as soon as one changes
    /// no rank by more than `tolerance`.
    pub fn serial(graph: &Graph, store: &Store, iterations: usize, tolerance: f64) -> FixedPoint {
        equation(graph, store).find(iterations, tolerance)
    }
}
