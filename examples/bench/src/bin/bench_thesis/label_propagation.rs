//! Label propagation: one vertex in eight has a known class.

use onyx_examples::label_propagation::{self, LabelPropagation as Data, Settings, step};
use onyx_examples::thesis_folds::labels_scalar;
use onyx_runtime::graph::Graph;
use onyx_runtime::{Options, Report, RunError, Session, Store};

use crate::algorithm::{Algorithm, Name};
use crate::measure::converge;
use crate::values::{fill, number, rows};
use crate::variant::Variant;

/// Every so many vertices one has a class.
const EACH: u32 = 8;

pub struct LabelPropagation;

impl Algorithm for LabelPropagation {
    const NAME: Name = Name::LabelPropagation;
    const SPREAD: f64 = 20.0;

    fn prepare(graph: &Graph, features: usize, tolerance: f32) -> crate::Result<Store> {
        let class = |vertex: u32| (number(vertex as usize, 0) * features as f32) as usize % features;
        let vertices = (0..graph.vertex_count() as u32).step_by(EACH as usize);
        let seeds: Vec<_> = vertices.map(|vertex| (vertex, class(vertex))).collect();
        let settings = Settings::new().tolerance(tolerance);
        let data = label_propagation::prepare(&Session::cpu().graph(graph), &seeds, features, settings)?;
        Ok(data.into_store()?)
    }

    fn start(graph: &Graph, store: &mut Store) {
        let (seed, features) = (rows(graph, store, Data::SEED), store.features());
        fill(graph, store, Data::LABEL, |vertex, feature| seed[vertex * features + feature]);
    }

    fn run(variant: Variant, graph: &Graph, store: &mut Store, options: &Options) -> Result<Report, RunError> {
        if variant.is_feature_aware {
            converge(step, graph, store, options)
        } else {
            converge(labels_scalar, graph, store, options)
        }
    }

    fn results(graph: &Graph, store: &Store) -> Vec<f32> {
        rows(graph, store, Data::LABEL)
    }

    fn serial(graph: &Graph, store: &Store, iterations: usize) -> Vec<f64> {
        label_propagation::serial(graph, store, iterations)
    }
}
