//! `combine_with` by operators of a user's crate under every schedule, against 64-bit numbers.

use std::ops::ControlFlow;

use onyx_device::Fold;
use onyx_operators::check::{assert_same, edges_into};
use onyx_operators::own::{Field, kept_roughness, roughness};
use onyx_operators::world::{Numbers, graphs, places};
use onyx_runtime::graph::Graph;
use onyx_runtime::{Options, Store, converge};

struct Start {
    height: Vec<Vec<f32>>,
    weight: Vec<f32>,
}

impl Start {
    fn new(graph: &Graph, features: usize) -> Self {
        let mut numbers = Numbers(31);
        let height = (0..graph.vertex_count()).map(|_| numbers.list(features, |x| 2.0 * x)).collect();
        Self { height, weight: numbers.list(graph.vertex_count(), |x| x) }
    }

    fn run<F: Fold>(&self, fold: F, graph: &Graph, options: &Options) -> Store {
        let features = self.height.first().map_or(3, Vec::len);
        let mut store = Store::new(fold, graph, features).unwrap();
        store.scalars_mut(Field::WEIGHT).copy_from_slice(&self.weight);
        for (vertex, row) in (0..).zip(&self.height) {
            store.row_mut(Field::HEIGHT, vertex).copy_from_slice(row);
        }
        converge(fold, graph, &mut store, options, &mut |_| ControlFlow::Continue(())).unwrap();
        store
    }

    fn variance(&self, graph: &Graph, vertex: u32, feature: usize) -> f64 {
        let heights = edges_into(graph, vertex).map(|(_, source)| f64::from(self.height[source][feature]));
        let above: Vec<f64> = heights.filter(|height| *height > 0.0).collect();
        let mean = above.iter().sum::<f64>() / above.len() as f64;
        let squares = above.iter().map(|height| (height - mean).powi(2));
        if above.is_empty() { 0.0 } else { squares.sum::<f64>() / above.len() as f64 }
    }

    fn second(&self, graph: &Graph, vertex: u32) -> f64 {
        let mut weights: Vec<f32> = edges_into(graph, vertex).map(|(_, source)| self.weight[source]).collect();
        weights.sort_by(f32::total_cmp);
        weights.iter().rev().nth(1).map_or(f64::NEG_INFINITY, |weight| f64::from(*weight))
    }
}

#[test]
fn operators_of_a_users_crate_run_everywhere() {
    for (name, graph) in graphs() {
        for features in [1, 3, 9] {
            let start = Start::new(&graph, features);
            for place in places() {
                let what = format!("{name}, {features} features, {:?} by {:?}", place.backend, place.schedule);
                let store = start.run(roughness, &graph, &place);
                for vertex in 0..graph.vertex_count() as u32 {
                    assert_same(&what, store.scalars(Field::SECOND)[vertex as usize], start.second(&graph, vertex));
                    for feature in 0..store.features() {
                        let expected = start.variance(&graph, vertex, feature);
                        assert_same(&what, store.row(Field::SPREAD, vertex)[feature], expected);
                    }
                }
            }
        }
    }
}

#[test]
fn a_vertex_function_takes_their_totals_by_tiles() {
    let (_, graph) = graphs().pop().unwrap();
    let start = Start::new(&graph, 10);
    for place in places() {
        let store = start.run(kept_roughness, &graph, &place);
        for vertex in 0..graph.vertex_count() as u32 {
            for feature in 0..10 {
                let expected = start.variance(&graph, vertex, feature) + start.second(&graph, vertex).max(-1.0);
                assert_same("10 features", store.row(Field::KEPT, vertex)[feature], expected);
            }
        }
    }
}
