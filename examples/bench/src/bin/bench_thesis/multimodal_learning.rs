//! Multimodal learning: matrices whose columns sum to a little less than 1 over all edges of a destination.

use onyx_device::FoldOf;
use onyx_examples::multimodal_learning::{self, MultimodalLearning as Modes, step};
use onyx_examples::thesis_folds::modes_scalar;
use onyx_runtime::graph::Graph;
use onyx_runtime::{Data, ResidentGraph, RunError, Store};

use crate::algorithm::{Algorithm, Name};
use crate::values::{fill, number, results};

/// The part of a value that comes from the neighbors.
const ALPHA: f32 = 0.85;
/// Every so many vertices something is known of one.
const EACH: usize = 8;

pub struct MultimodalLearning;

impl Algorithm for MultimodalLearning {
    const NAME: Name = Name::MultimodalLearning;
    const SPREAD: f64 = 20.0;

    type Structure = Modes;

    fn prepare(graph: &ResidentGraph<'_>, features: usize, tolerance: f32) -> crate::Result<Data<Modes>> {
        let mut data = graph.session().data(step, graph, features)?;
        let graph = graph.graph();
        data.set(Modes::ALPHA, ALPHA);
        data.set(Modes::TOLERANCE, tolerance);
        let mut weights = data.view_mut(Modes::WEIGHT)?;
        for ((edge, _, destination), mut matrix) in graph.edges().zip(weights.outer_iter_mut()) {
            let part = 1.0 / (graph.in_degree(destination) * features) as f32;
            let weight = |place| part * (0.9 + 0.1 * number(edge, place));
            matrix.iter_mut().zip(0..).for_each(|(value, place)| *value = weight(place));
        }
        fill(&mut data, Modes::SEED, graph.vertex_count(), seed)?;
        Ok(data)
    }

    fn start(graph: &Graph, data: &mut Data<Modes>) -> Result<(), RunError> {
        fill(data, Modes::MODE, graph.vertex_count(), seed)
    }

    fn folds() -> (impl FoldOf<Modes>, impl FoldOf<Modes>) {
        (step, modes_scalar)
    }

    fn results(_: &Graph, data: &mut Data<Modes>) -> Result<Vec<f32>, RunError> {
        results(data, Modes::MODE)
    }

    fn serial(graph: &Graph, store: &Store, iterations: usize) -> Vec<f64> {
        multimodal_learning::serial(graph, store, iterations, 0.0).values
    }
}

fn seed(vertex: usize, feature: usize) -> f32 {
    if vertex.is_multiple_of(EACH) { number(vertex, feature) } else { 0.0 }
}
