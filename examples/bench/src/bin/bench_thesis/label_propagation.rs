//! Label propagation: one vertex in eight has a known class.

use onyx_device::FoldOf;
use onyx_examples::label_propagation::{self, LabelPropagation as Labels, Settings, step};
use onyx_examples::thesis_folds::labels_scalar;
use onyx_runtime::graph::Graph;
use onyx_runtime::{Data, ResidentGraph, RunError, Store};

use crate::algorithm::{Algorithm, Name};
use crate::values::{number, results};

/// Every so many vertices one has a class.
const EACH: u32 = 8;

pub struct LabelPropagation;

impl Algorithm for LabelPropagation {
    const NAME: Name = Name::LabelPropagation;
    const SPREAD: f64 = 20.0;

    type Structure = Labels;

    fn prepare(graph: &ResidentGraph<'_>, features: usize, tolerance: f32) -> crate::Result<Data<Labels>> {
        let class = |vertex: u32| (number(vertex as usize, 0) * features as f32) as usize % features;
        let vertices = (0..graph.graph().vertex_count() as u32).step_by(EACH as usize);
        let seeds: Vec<_> = vertices.map(|vertex| (vertex, class(vertex))).collect();
        let settings = Settings::new().tolerance(tolerance);
        Ok(label_propagation::prepare(graph, &seeds, features, settings)?)
    }

    fn start(_: &Graph, data: &mut Data<Labels>) -> Result<(), RunError> {
        let seeds = data.read(Labels::SEED)?.to_owned();
        data.write(Labels::LABEL, &seeds)
    }

    fn folds() -> (impl FoldOf<Labels>, impl FoldOf<Labels>) {
        (step, labels_scalar)
    }

    fn results(_: &Graph, data: &mut Data<Labels>) -> Result<Vec<f32>, RunError> {
        results(data, Labels::LABEL)
    }

    fn serial(graph: &Graph, store: &Store, iterations: usize) -> Vec<f64> {
        label_propagation::serial(graph, store, iterations)
    }
}
