//! The programs of `registers.rs` against serial loops in `f64`, folded and unfolded.

use onyx_device::Fold;
use onyx_runtime::graph::Graph;
use onyx_runtime::{Options, Report, Store};

use crate::check::{self, Numbers, Place, assert_close, copy};
use crate::reference::Rows;
use crate::registers::{Relay, Ripple, relay, relay_unfolded, ripple};

/// What [`relay`] starts from and ends with, in `f64`.
#[derive(Clone, Debug)]
struct Data {
    features: usize,
    weight: Vec<f64>,
    message: Rows,
    passed: Vec<f64>,
    value: Rows,
    turn: Vec<f64>,
    result: Rows,
    least_weight: f64,
    last_turn: f64,
}

impl Data {
    fn new(graph: &Graph, features: usize, least_weight: f64) -> Self {
        let mut numbers = Numbers(features as u32 + 23);
        let (vertices, edges) = (graph.vertex_count(), graph.edge_count());
        Self {
            features,
            weight: numbers.list(edges),
            message: numbers.rows(edges, features),
            passed: vec![0.0; edges],
            value: numbers.rows(vertices, features),
            turn: (0..vertices).map(|vertex| (vertex % 3) as f64).collect(),
            result: vec![vec![0.0; features]; vertices],
            least_weight,
            last_turn: 5.0,
        }
    }

    fn store(&self, fold: impl Fold, graph: &Graph) -> Store {
        let mut store = Store::new(fold, graph, self.features).expect("a compiled width");
        copy(store.edge_scalars_mut(Relay::WEIGHT), &self.weight);
        copy(store.scalars_mut(Relay::TURN), &self.turn);
        for (edge, row) in self.message.iter().enumerate() {
            copy(store.edge_row_mut(Relay::MESSAGE, edge), row);
        }
        for (vertex, row) in (0..).zip(&self.value) {
            copy(store.row_mut(Relay::VALUE, vertex), row);
        }
        store.set(Relay::LEAST_WEIGHT, self.least_weight as f32);
        store.set(Relay::LAST_TURN, self.last_turn as f32);
        store
    }

    /// One iteration.
    fn step(&mut self, graph: &Graph) {
        let mut arrived = vec![vec![0.0; self.features]; graph.vertex_count()];
        for (edge, source, destination) in graph.edges() {
            self.step_edge(edge, source as usize, destination as usize, &mut arrived[destination as usize]);
        }
        arrived.iter().enumerate().for_each(|(vertex, arrived)| self.step_vertex(vertex, arrived));
    }

    fn step_edge(&mut self, edge: usize, source: usize, destination: usize, arrived: &mut [f64]) {
        let ends = self.value[source].iter().zip(&self.value[destination]);
        let difference: Vec<f64> = ends.map(|(source, destination)| source - 0.5 * destination).collect();
        let gap: f64 = difference.iter().sum();
        self.message[edge].iter_mut().zip(&difference).for_each(|(message, difference)| *message += 2.0 * difference);
        self.passed[edge] = 1.0;
        if self.weight[edge] > self.least_weight {
            self.passed[edge] = 2.0;
            let factor = if self.weight[edge] > 0.5 { 0.5 } else { 1.0 };
            for (feature, arrived) in arrived.iter_mut().enumerate() {
                let message = &mut self.message[edge][feature];
                *message = 0.25 * *message + 0.1 * gap;
                *arrived += factor * difference[feature] + *message + gap + 2.0;
            }
        }
    }

    fn step_vertex(&mut self, vertex: usize, arrived: &[f64]) {
        self.turn[vertex] += 1.0;
        if self.turn[vertex] < self.last_turn {
            let size = 0.01 * arrived.iter().sum::<f64>();
            let result = |arrived: &f64| 0.5 * arrived + (0.5 * arrived + 1.0) + self.turn[vertex] + size;
            self.result[vertex] = arrived.iter().map(result).collect();
        }
    }

    fn agrees(&self, store: &Store) {
        for (vertex, row) in (0..).zip(&self.result) {
            assert_close("result", store.row(Relay::RESULT, vertex), row);
        }
        for (edge, row) in self.message.iter().enumerate() {
            assert_close("message", store.edge_row(Relay::MESSAGE, edge), row);
        }
        assert_close("passed", store.edge_scalars(Relay::PASSED), &self.passed);
        assert_close("turn", store.scalars(Relay::TURN), &self.turn);
    }
}

/// `relay` for three iterations: scratch of every kind, values that are stored and read by later functions, progress.
pub fn agrees(graph: &Graph, features: usize, place: Place) {
    fold_agrees(relay, graph, Data::new(graph, features, 0.25), &check::options(place, 3));
}

/// The same with a kernel for each function, along edges that all go on.
pub fn agrees_unfolded(graph: &Graph, features: usize, place: Place) {
    const { assert!(relay::SCRATCH_IN_MEMORY == 0 && relay_unfolded::SCRATCH_IN_MEMORY.count_ones() == 4) };
    fold_agrees(relay_unfolded, graph, Data::new(graph, features, -1.0), &check::options(place, 3));
}

fn fold_agrees(fold: impl Fold, graph: &Graph, mut data: Data, options: &Options) {
    let mut store = data.store(fold, graph);
    let iterations = check::run(graph, &mut store, fold, options).iterations.len();
    (0..iterations).for_each(|_| data.step(graph));
    data.agrees(&store);
}

/// A store of `ripple` in which levels settle.
pub fn ripple_store(graph: &Graph, features: usize, tolerance: f32) -> Store {
    const { assert!(ripple::FACTS.is_change_driven && !relay::FACTS.is_change_driven) };
    let mut store = Store::new(ripple, graph, features).expect("a compiled width");
    for (edge, _, destination) in graph.edges() {
        store.edge_scalars_mut(Ripple::WEIGHT)[edge] = 0.5 / graph.in_degree(destination) as f32;
    }
    for vertex in 0..graph.vertex_count() as u32 {
        for (feature, source) in store.row_mut(Ripple::SOURCE, vertex).iter_mut().enumerate() {
            *source = 0.1 * feature as f32 + (vertex % 5) as f32 * 0.2;
        }
    }
    store.set(Ripple::TOLERANCE, tolerance);
    store
}

/// The levels of `ripple` after `iterations`, by a serial loop.
fn levels(graph: &Graph, store: &Store, iterations: usize) -> Rows {
    let source = |vertex: u32| store.row(Ripple::SOURCE, vertex).iter().map(|value| f64::from(*value)).collect();
    let sources: Rows = (0..graph.vertex_count() as u32).map(source).collect();
    let mut level = vec![vec![0.0; store.features()]; sources.len()];
    for _ in 0..iterations {
        let mut next = sources.clone();
        for (_, source, destination) in graph.edges() {
            let weight = 0.5 / graph.in_degree(destination) as f64;
            let to = next[destination as usize].iter_mut();
            to.zip(&level[source as usize]).for_each(|(to, from)| *to += weight * from);
        }
        level = next;
    }
    level
}

/// `ripple` until it has settled: scratch in pulls and pushes.
pub fn ripple_agrees(graph: &Graph, features: usize, options: &Options) -> Report {
    let mut store = ripple_store(graph, features, 1e-6);
    let report = check::run(graph, &mut store, ripple, options);
    let expected = levels(graph, &store, report.iterations.len());
    for (vertex, row) in (0..).zip(&expected) {
        assert_close("level", store.row(Ripple::LEVEL, vertex), row);
    }
    report
}
