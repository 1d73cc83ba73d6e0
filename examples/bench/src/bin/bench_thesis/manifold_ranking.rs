//! Multi-manifold ranking: one vertex in 64 is a query.

use onyx_examples::thesis_folds::{Manifolds, ranking, ranking_scalar};
use onyx_runtime::graph::Graph;
use onyx_runtime::{Options, Report, RunError, Store};

use crate::algorithm::{Algorithm, Name};
use crate::measure::converge;
use crate::values::{fill, number, rows, wide_rows};
use crate::variant::Variant;

/// The part of a rank that comes from the neighbors.
const ALPHA: f32 = 0.85;
/// Every so many vertices one is a query.
const EACH: usize = 64;

pub struct ManifoldRanking;

impl Algorithm for ManifoldRanking {
    const NAME: Name = Name::ManifoldRanking;
    const SPREAD: f64 = 20.0;

    fn prepare(graph: &Graph, features: usize, tolerance: f32) -> crate::Result<Store> {
        let mut store = Store::new(ranking, graph, features)?;
        store.set(Manifolds::ALPHA, ALPHA);
        store.set(Manifolds::TOLERANCE, tolerance);
        for edge in 0..graph.edge_count() {
            let weights = store.edge_row_mut(Manifolds::WEIGHT, edge).iter_mut().enumerate();
            weights.for_each(|(manifold, weight)| *weight = number(edge, manifold));
        }
        fill(graph, &mut store, Manifolds::QUERY, query);
        Ok(store)
    }

    fn start(graph: &Graph, store: &mut Store) {
        fill(graph, store, Manifolds::RANK, query);
    }

    fn run(variant: Variant, graph: &Graph, store: &mut Store, options: &Options) -> Result<Report, RunError> {
        if variant.is_feature_aware {
            converge(ranking, graph, store, options)
        } else {
            converge(ranking_scalar, graph, store, options)
        }
    }

    fn results(graph: &Graph, store: &Store) -> Vec<f32> {
        rows(graph, store, Manifolds::RANK)
    }

    fn serial(graph: &Graph, store: &Store, iterations: usize) -> Vec<f64> {
        let (k, query) = (store.features(), wide_rows(graph, store, Manifolds::QUERY));
        let mut rank = wide_rows(graph, store, Manifolds::RANK);
        for _ in 0..iterations {
            let (mut ranks, mut weights) = (vec![0.0; rank.len()], vec![0.0; rank.len()]);
            for (edge, source, destination) in graph.edges() {
                let (from, to) = (source as usize * k, destination as usize * k);
                for (manifold, weight) in store.edge_row(Manifolds::WEIGHT, edge).iter().enumerate() {
                    ranks[to + manifold] += f64::from(*weight) * rank[from + manifold];
                    weights[to + manifold] += f64::from(*weight);
                }
            }
            let mean = |at: usize| if weights[at] > 0.0 { ranks[at] / weights[at] } else { 0.0 };
            let alpha = f64::from(ALPHA);
            rank = (0..rank.len()).map(|at| alpha * mean(at) + (1.0 - alpha) * query[at]).collect();
        }
        rank
    }
}

fn query(vertex: usize, manifold: usize) -> f32 {
    if vertex.is_multiple_of(EACH) { number(vertex, manifold) } else { 0.0 }
}
