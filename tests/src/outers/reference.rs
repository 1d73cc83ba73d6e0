//! The programs as serial loops in `f64`, and their checks.

use onyx_device::Fold;
use onyx_runtime::graph::Graph;
use onyx_runtime::{Schedule, Store};

use super::{Outers, gather_and_sum, gather_and_sum_eight, sum_outers};
use crate::check::{Numbers, Place, assert_close, copy, options, run};
use crate::linear::times;
use crate::reference::Rows;

/// What a run starts from.
struct Start {
    left: Rows,
    right: Rows,
    weight: Rows,
}

impl Start {
    fn new(graph: &Graph, features: usize) -> Self {
        let mut numbers = Numbers(features as u32 + 7);
        let [left, right] = [(); 2].map(|()| numbers.rows(graph.vertex_count(), features));
        Self { left, right, weight: numbers.rows(features, features) }
    }

    fn store<F: Fold>(&self, fold: F, graph: &Graph) -> Store {
        let mut store = Store::new(fold, graph, self.weight.len()).expect("a compiled width");
        for (vertex, (left, right)) in (0..).zip(self.left.iter().zip(&self.right)) {
            copy(store.row_mut(Outers::LEFT, vertex), left);
            copy(store.row_mut(Outers::RIGHT, vertex), right);
        }
        for (row, weight) in self.weight.iter().enumerate() {
            copy(store.graph_matrix_row_mut(Outers::WEIGHT, row), weight);
        }
        store
    }

    fn sum(&self) -> Rows {
        let features = self.weight.len();
        let mut sum = vec![vec![0.0; features]; features];
        for (left, right) in self.left.iter().zip(&self.right) {
            for (row, left) in sum.iter_mut().zip(left) {
                row.iter_mut().zip(right).for_each(|(sum, right)| *sum += left * right);
            }
        }
        sum
    }

    fn assert_all<F: Fold>(&self, graph: &Graph, fold: F, place: Place) {
        let mut store = self.store(fold, graph);
        run(graph, &mut store, fold, &options(place, 1));
        for (row, expected) in self.sum().iter().enumerate() {
            assert_close("sum", store.graph_matrix_row(Outers::SUM, row), expected);
        }
        let mut mass = vec![0.0; self.weight.len()];
        self.right.iter().for_each(|right| mass.iter_mut().zip(right).for_each(|(mass, right)| *mass += right));
        assert_close("mass", store.graph_matrix_row(Outers::MASS, 0), &mass);
        for (vertex, left) in (0..).zip(&self.left) {
            assert_close("product", store.row(Outers::PRODUCT, vertex), &times(&self.weight, left));
        }
    }
}

/// Checks the sums of a stage alone, of up to 16 features.
pub fn summed_agree(graph: &Graph, features: usize, place: Place) {
    Start::new(graph, features).assert_all(graph, sum_outers, place);
}

/// Checks the sums after another stage, a launch each and in one for whole graphs.
pub fn gathered_agree(graph: &Graph, features: usize, place: Place) {
    let start = Start::new(graph, features);
    for schedule in [Schedule::Auto, Schedule::GraphPerBlock] {
        if features > 16 {
            start.assert_all(graph, gather_and_sum_eight, place.by(schedule));
        } else {
            start.assert_all(graph, gather_and_sum, place.by(schedule));
        }
    }
}
