//! Alternating least squares: ratings from 0.2 to 1, the same in both directions of an edge.
//!
//! Results are the ratings that the factors predict: factors themselves may turn without a change of any product, and rounding turns them.

use onyx_device::FoldOf;
use onyx_examples::als::Ratings;
use onyx_examples::thesis_folds::{factors, factors_scalar};
use onyx_runtime::graph::Graph;
use onyx_runtime::{Data, ResidentGraph, RunError, Store};

use crate::algorithm::{Algorithm, Name};
use crate::values::{fill, number, number_between, wide_rows};

/// How much large factors are held back, for each rating.
const LAMBDA: f32 = 0.3;
/// Of so many edges ratings are predicted.
const PREDICTIONS: usize = 1 << 22;

pub struct LeastSquares;

impl Algorithm for LeastSquares {
    const NAME: Name = Name::LeastSquares;
    const SPREAD: f64 = 50.0;

    type Structure = Ratings;

    fn prepare(graph: &ResidentGraph<'_>, features: usize, tolerance: f32) -> crate::Result<Data<Ratings>> {
        let mut data = graph.session().data(factors, graph, features)?;
        let graph = graph.graph();
        data.set(Ratings::TOLERANCE, tolerance);
        let ratings = data.view_mut(Ratings::RATING)?.into_iter();
        ratings.zip(graph.edges()).for_each(|(rating, (_, u, v))| *rating = 0.2 + 0.8 * number_between(u, v));
        let penalties = data.view_mut(Ratings::PENALTY)?.into_iter().zip(0..);
        penalties.for_each(|(penalty, vertex)| *penalty = LAMBDA * graph.in_degree(vertex).max(1) as f32);
        Ok(data)
    }

    fn start(graph: &Graph, data: &mut Data<Ratings>) -> Result<(), RunError> {
        let scale = 1.0 / (data.features() as f32).sqrt();
        fill(data, Ratings::FACTOR, graph.vertex_count(), |vertex, feature| scale * number(vertex, feature))
    }

    fn folds() -> (impl FoldOf<Ratings>, impl FoldOf<Ratings>) {
        (factors, factors_scalar)
    }

    fn results(graph: &Graph, data: &mut Data<Ratings>) -> Result<Vec<f32>, RunError> {
        let features = data.features();
        let fitted: Vec<f64> = data.read(Ratings::FACTOR)?.iter().copied().map(f64::from).collect();
        Ok(predicted(graph, &fitted, features).into_iter().map(|rating| rating as f32).collect())
    }

    fn serial(graph: &Graph, store: &Store, iterations: usize) -> Vec<f64> {
        let k = store.features();
        let mut factor = wide_rows(graph, store, Ratings::FACTOR);
        for _ in 0..iterations {
            let mut systems = vec![0.0; graph.vertex_count() * k * (k + 1)];
            for (edge, source, destination) in graph.edges() {
                let rating = f64::from(store.edge_scalars(Ratings::RATING)[edge]);
                let row = &factor[source as usize * k..][..k];
                add(&mut systems[destination as usize * k * (k + 1)..][..k * (k + 1)], row, rating);
            }
            for (vertex, system) in systems.chunks_mut(k * (k + 1)).enumerate() {
                let solution = solve(system, k, f64::from(store.scalars(Ratings::PENALTY)[vertex]));
                let old = factor[vertex * k..][..k].iter_mut();
                old.zip(solution).for_each(|(old, solution)| *old = 0.5 * (*old + solution));
            }
        }
        predicted(graph, &factor, k)
    }
}

/// The products of the factors at the ends of edges, of every edge or of about [`PREDICTIONS`] at equal distances.
fn predicted(graph: &Graph, fitted: &[f64], k: usize) -> Vec<f64> {
    let row = |vertex: u32| &fitted[vertex as usize * k..][..k];
    let product = |(_, source, destination)| row(source).iter().zip(row(destination)).map(|(a, b)| a * b).sum();
    graph.edges().step_by((graph.edge_count() / PREDICTIONS).max(1)).map(product).collect()
}

/// Adds a neighbor to the rows of a system, each with its right side after it.
fn add(system: &mut [f64], factor: &[f64], rating: f64) {
    for (row, value) in system.chunks_mut(factor.len() + 1).zip(factor) {
        row.iter_mut().zip(factor).for_each(|(place, other)| *place += value * other);
        row[factor.len()] += rating * value;
    }
}

/// Eliminates below and above the diagonal; the matrix is positive definite.
fn solve(system: &mut [f64], k: usize, penalty: f64) -> Vec<f64> {
    let width = k + 1;
    (0..k).for_each(|row| system[row * width + row] += penalty);
    for pivot in 0..k {
        let lead: Vec<f64> = system[pivot * width..][..width].to_vec();
        for row in (0..k).filter(|row| *row != pivot) {
            let factor = system[row * width + pivot] / lead[pivot];
            let places = system[row * width..][..width].iter_mut();
            places.zip(&lead).for_each(|(place, lead)| *place -= factor * lead);
        }
    }
    (0..k).map(|row| system[row * width + k] / system[row * width + row]).collect()
}
