//! The programs as serial loops in `f64`, and their checks.

use onyx_device::Fold;
use onyx_runtime::graph::Graph;
use onyx_runtime::{Options, Schedule, Store};

use super::{Mixing, mix_all_values, mix_and_turn, mix_and_turn_eight, mix_and_turn_spread, see_all, turn_gathered};
use crate::check::{Numbers, Place, assert_close, copy, options, run};
use crate::linear::{times, transposed};
use crate::reference::Rows;

/// What a run starts from.
struct Start {
    value: Rows,
    mixed: Rows,
    first: Rows,
    second: Rows,
}

impl Start {
    fn new(graph: &Graph, features: usize) -> Self {
        let mut numbers = Numbers(features as u32 + 5);
        let vertices = graph.vertex_count();
        let [first, second] = [(); 2].map(|()| numbers.rows(features, features));
        Self { value: numbers.rows(vertices, features), mixed: numbers.rows(vertices, features), first, second }
    }

    fn store<F: Fold>(&self, fold: F, graph: &Graph) -> Store {
        let mut store = Store::new(fold, graph, self.first.len()).expect("a compiled width");
        for (vertex, (value, mixed)) in (0..).zip(self.value.iter().zip(&self.mixed)) {
            copy(store.row_mut(Mixing::VALUE, vertex), value);
            copy(store.row_mut(Mixing::MIXED, vertex), mixed);
        }
        for row in 0..self.first.len() {
            copy(store.graph_matrix_row_mut(Mixing::FIRST, row), &self.first[row]);
            copy(store.graph_matrix_row_mut(Mixing::SECOND, row), &self.second[row]);
        }
        store
    }

    /// What `turn` leaves, where `mixed` is what edges gather.
    fn turned(&self, graph: &Graph, mixed: &Rows) -> Rows {
        let mut arrived = vec![vec![0.0; self.first.len()]; graph.vertex_count()];
        for (_, source, destination) in graph.edges() {
            let sum = &mut arrived[destination as usize];
            sum.iter_mut().zip(&mixed[source as usize]).for_each(|(sum, mixed)| *sum += mixed);
        }
        let turned = arrived.iter().zip(mixed.iter().zip(&self.value)).map(|(arrived, (mixed, value))| {
            let (back, own) = (times(&transposed(&self.first), arrived), times(&self.first, mixed));
            let other = times(&self.second, value);
            back.iter().zip(own).zip(other).map(|((back, own), other)| back - own + other).collect()
        });
        turned.collect()
    }
}

/// Checks `mix_and_turn` once, and the same with two features in a lane where there are 16, with eight where there are more.
pub fn mixed_agree(graph: &Graph, features: usize, place: Place) {
    let start = Start::new(graph, features);
    let mixed: Rows = start.value.iter().map(|value| times(&start.first, value)).collect();
    let expected = start.turned(graph, &mixed);
    assert_out(graph, &mut start.store(mix_and_turn, graph), mix_and_turn, &options(place, 1), &expected);
    if features == 16 {
        let mut store = start.store(mix_and_turn_spread, graph);
        assert_out(graph, &mut store, mix_and_turn_spread, &options(place, 1), &expected);
    }
    if features > 16 {
        let mut store = start.store(mix_and_turn_eight, graph);
        assert_out(graph, &mut store, mix_and_turn_eight, &options(place, 1), &expected);
    }
}

/// Checks `turn_gathered` once, under every schedule that the fold can run under.
pub fn gathered_agree(graph: &Graph, features: usize, place: Place) {
    let start = Start::new(graph, features);
    let expected = start.turned(graph, &start.mixed);
    for schedule in Schedule::ALL {
        let options = options(place.by(schedule), 1);
        assert_out(graph, &mut start.store(turn_gathered, graph), turn_gathered, &options, &expected);
    }
}

fn assert_out<F: Fold>(graph: &Graph, store: &mut Store, fold: F, options: &Options, expected: &Rows) {
    run(graph, store, fold, options);
    for (vertex, expected) in (0..).zip(expected) {
        assert_close("out", store.row(Mixing::OUT, vertex), expected);
    }
}

/// Checks `see_all` once.
pub fn seen_agree(graph: &Graph, features: usize, place: Place) {
    let start = Start::new(graph, features);
    let seen = |value: &Vec<f64>| {
        let greatest =
            start.second.iter().map(|row| row.iter().zip(value).map(|(a, b)| a * b).fold(f64::MIN, f64::max));
        times(&start.second, value).into_iter().zip(greatest).map(|(sum, greatest)| sum + greatest).collect()
    };
    let expected: Rows = start.value.iter().map(seen).collect();
    assert_out(graph, &mut start.store(see_all, graph), see_all, &options(place, 1), &expected);
}

/// Checks that vertices with the same rows get the same bits, whether groups share the products or come alone: the last of a graph of a few more vertices than a multiple of
/// what shares them.
pub fn bits_agree(graph: &Graph, features: usize, place: Place) {
    let mut start = Start::new(graph, features);
    let first = start.value[0].clone();
    start.value.iter_mut().for_each(|value| value.clone_from(&first));
    let mut store = start.store(mix_all_values, graph);
    run(graph, &mut store, mix_all_values, &options(place, 1));
    let bits = |vertex| store.row(Mixing::MIXED, vertex).iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    for vertex in 1..graph.vertex_count() as u32 {
        assert_eq!(bits(vertex), bits(0), "vertex {vertex} of {features} features");
    }
}
