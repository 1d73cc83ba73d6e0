//! Multi-manifold ranking: one vertex in 64 is a query.

use onyx_device::FoldOf;
use onyx_examples::thesis_folds::{Manifolds, ranking, ranking_scalar};
use onyx_runtime::graph::Graph;
use onyx_runtime::{Data, ResidentGraph, RunError, Store};

use crate::algorithm::{Algorithm, Name};
use crate::values::{fill, number, results, wide_rows};

/// The part of a rank that comes from the neighbors.
const ALPHA: f32 = 0.85;
/// Every so many vertices one is a query.
const EACH: usize = 64;

pub struct ManifoldRanking;

impl Algorithm for ManifoldRanking {
    const NAME: Name = Name::ManifoldRanking;
    const SPREAD: f64 = 20.0;

    type Structure = Manifolds;

    fn prepare(graph: &ResidentGraph<'_>, features: usize, tolerance: f32) -> crate::Result<Data<Manifolds>> {
        let mut data = graph.session().data(ranking, graph, features)?;
        let graph = graph.graph();
        data.set(Manifolds::ALPHA, ALPHA);
        data.set(Manifolds::TOLERANCE, tolerance);
        fill(&mut data, Manifolds::WEIGHT, graph.edge_count(), number)?;
        fill(&mut data, Manifolds::QUERY, graph.vertex_count(), query)?;
        Ok(data)
    }

    fn start(graph: &Graph, data: &mut Data<Manifolds>) -> Result<(), RunError> {
        fill(data, Manifolds::RANK, graph.vertex_count(), query)
    }

    fn folds() -> (impl FoldOf<Manifolds>, impl FoldOf<Manifolds>) {
        (ranking, ranking_scalar)
    }

    fn results(_: &Graph, data: &mut Data<Manifolds>) -> Result<Vec<f32>, RunError> {
        results(data, Manifolds::RANK)
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
