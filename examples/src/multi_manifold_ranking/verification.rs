//! Multi-manifold ranking in 64-bit floats.

use onyx_runtime::graph::Graph;
use onyx_runtime::{Report, Store};

use super::MultiManifoldRanking;
use crate::fixed_point::{FixedPoint, Mixture, Weights, greatest_size};
use crate::verification::{self, Verification, rows};

/// Verifies the ranks in `store`: differences are parts of the greatest query.
pub fn verify(graph: &Graph, store: &Store, report: &Report) -> Verification {
    verification::verify(&equation(graph, store), report)
}

fn equation<'a>(graph: &'a Graph, store: &'a Store) -> Mixture<'a, impl Fn(&[f64], Weights) -> Vec<f64>> {
    let known = rows(graph, |vertex| store.row(MultiManifoldRanking::QUERY, vertex));
    Mixture {
        graph,
        found: rows(graph, |vertex| store.row(MultiManifoldRanking::RANK, vertex)),
        unit: greatest_size(&known),
        known,
        features: store.features(),
        terms: 1,
        alpha: store.get(MultiManifoldRanking::ALPHA),
        unpropagated: store.get(MultiManifoldRanking::TOLERANCE),
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
