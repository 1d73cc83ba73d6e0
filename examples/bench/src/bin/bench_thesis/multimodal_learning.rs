//! Multimodal learning: matrices whose columns sum to a little less than 1 over all edges of a destination.

use onyx_examples::multimodal_learning::{self, MultimodalLearning as Data, step};
use onyx_examples::thesis_folds::modes_scalar;
use onyx_runtime::graph::Graph;
use onyx_runtime::{Options, Report, RunError, Store};

use crate::algorithm::{Algorithm, Name};
use crate::measure::converge;
use crate::values::{fill, number, rows};
use crate::variant::Variant;

/// The part of a value that comes from the neighbors.
const ALPHA: f32 = 0.85;
/// Every so many vertices something is known of one.
const EACH: usize = 8;

pub struct MultimodalLearning;

impl Algorithm for MultimodalLearning {
    const NAME: Name = Name::MultimodalLearning;
    const SPREAD: f64 = 20.0;

    fn prepare(graph: &Graph, features: usize, tolerance: f32) -> crate::Result<Store> {
        let mut store = Store::new(step, graph, features)?;
        store.set(Data::ALPHA, ALPHA);
        store.set(Data::TOLERANCE, tolerance);
        for (edge, _, destination) in graph.edges() {
            let part = 1.0 / (graph.in_degree(destination) * features) as f32;
            for row in 0..features {
                let weights = store.edge_matrix_row_mut(Data::WEIGHT, edge, row).iter_mut().enumerate();
                weights
                    .for_each(|(column, weight)| *weight = part * (0.9 + 0.1 * number(edge, row * features + column)));
            }
        }
        fill(graph, &mut store, Data::SEED, seed);
        Ok(store)
    }

    fn start(graph: &Graph, store: &mut Store) {
        fill(graph, store, Data::MODE, seed);
    }

    fn run(variant: Variant, graph: &Graph, store: &mut Store, options: &Options) -> Result<Report, RunError> {
        if variant.is_feature_aware {
            converge(step, graph, store, options)
        } else {
            converge(modes_scalar, graph, store, options)
        }
    }

    fn results(graph: &Graph, store: &Store) -> Vec<f32> {
        rows(graph, store, Data::MODE)
    }

    fn serial(graph: &Graph, store: &Store, iterations: usize) -> Vec<f64> {
        multimodal_learning::serial(graph, store, iterations, 0.0).values
    }
}

fn seed(vertex: usize, feature: usize) -> f32 {
    if vertex.is_multiple_of(EACH) { number(vertex, feature) } else { 0.0 }
}
