//! Checks of more features than the widest compiled width, against serial loops in `f64`.

use onyx_device::Fold;
use onyx_runtime::graph::Graph;
use onyx_runtime::{Options, Report, Status, Store};

use crate::check::{Numbers, assert_close, copy, run};
use crate::mosaic::{Mosaic, fade_out};
use crate::reference::Rows;

/// What the serial loop starts from and ends with.
struct Serial {
    weight: Vec<f64>,
    gain: Rows,
    seen: Rows,
    value: Rows,
    age: Vec<f64>,
    kept: Rows,
}

const LEAST_WEIGHT: f64 = 0.25;
const LEAST_MASS: f64 = 0.3;
const FLOOR: f64 = 0.05;

impl Serial {
    /// Values of which later features are smaller, so that they settle earlier.
    fn new(graph: &Graph, features: usize) -> Self {
        let mut numbers = Numbers(features as u32 + 29);
        let (vertices, edges) = (graph.vertex_count(), graph.edge_count());
        let mut value = numbers.rows(vertices, features);
        for row in &mut value {
            row.iter_mut().enumerate().for_each(|(feature, value)| *value /= 1.0 + 0.1 * feature as f64);
        }
        Self {
            weight: numbers.list(edges),
            gain: numbers.rows(edges, features),
            seen: vec![vec![0.0; features]; edges],
            value,
            age: vec![0.0; vertices],
            kept: vec![vec![0.0; features]; vertices],
        }
    }

    fn store<F: Fold>(&self, fold: F, graph: &Graph, features: usize) -> Store {
        let mut store = Store::new(fold, graph, features).expect("a fold that runs by tiles");
        for edge in 0..graph.edge_count() {
            copy(store.edge_row_mut(Mosaic::GAIN, edge), &self.gain[edge]);
        }
        for (vertex, value) in (0..).zip(&self.value) {
            copy(store.row_mut(Mosaic::VALUE, vertex), value);
        }
        copy(store.edge_scalars_mut(Mosaic::WEIGHT), &self.weight);
        store.set(Mosaic::LEAST_WEIGHT, LEAST_WEIGHT as f32);
        store.set(Mosaic::LEAST_MASS, LEAST_MASS as f32);
        store.set(Mosaic::FLOOR, FLOOR as f32);
        store
    }

    /// One iteration of `lay`. Returns the vertices that are active after it, and the number of their outgoing edges.
    fn lay(&mut self, graph: &Graph) -> (usize, u64) {
        let vertices = graph.vertex_count();
        let features = self.value.first().map_or(0, Vec::len);
        let (mut total, mut mass) = (vec![vec![0.0; features]; vertices], vec![0.0; vertices]);
        for (edge, source, destination) in graph.edges() {
            let (source, destination) = (source as usize, destination as usize);
            let counts = self.weight[edge] > LEAST_WEIGHT;
            mass[destination] += if counts { self.weight[edge] } else { 0.0 };
            for (feature, total) in total[destination].iter_mut().enumerate() {
                *total += self.gain[edge][feature] * self.value[source][feature];
                if counts {
                    self.seen[edge][feature] = self.value[source][feature] - 0.5 * self.value[destination][feature];
                }
            }
        }
        let active = (0..vertices).filter(|vertex| self.settle(*vertex, &total[*vertex], mass[*vertex]));
        active.fold((0, 0), |(count, edges), vertex| (count + 1, edges + graph.out_degree(vertex as u32) as u64))
    }

    /// Returns whether the vertex is active.
    fn settle(&mut self, vertex: usize, total: &[f64], mass: f64) -> bool {
        let values = &mut self.value[vertex];
        values.iter_mut().zip(total).for_each(|(value, total)| *value = 0.5 * *value + 0.25 * total / (1.0 + mass));
        self.age[vertex] += 1.0 + mass;
        if mass <= LEAST_MASS {
            return false;
        }
        self.kept[vertex] = values.iter().map(|value| value * self.age[vertex]).collect();
        values.iter().any(|value| *value > FLOOR)
    }

    /// One iteration of `fade_out` on a vertex. Returns whether it is active.
    fn fade(&mut self, vertex: usize) -> bool {
        self.value[vertex].iter_mut().for_each(|value| *value *= 0.5);
        self.age[vertex] += 1.0;
        self.value[vertex].iter().any(|value| *value > FLOOR)
    }

    fn assert_in(&self, store: &Store) {
        for (vertex, (value, kept)) in (0..).zip(self.value.iter().zip(&self.kept)) {
            assert_close("value", store.row(Mosaic::VALUE, vertex), value);
            assert_close("kept", store.row(Mosaic::KEPT, vertex), kept);
        }
        for (edge, seen) in self.seen.iter().enumerate() {
            assert_close("seen", store.edge_row(Mosaic::SEEN, edge), seen);
        }
        assert_close("age", store.scalars(Mosaic::AGE), &self.age);
    }
}

fn active(report: &Report) -> Vec<(usize, u64)> {
    report.iterations.iter().map(|iteration| (iteration.active, iteration.active_edges)).collect()
}

/// `lay`, in whatever fold, until nothing is active.
pub fn lay_agrees<F: Fold>(fold: F, graph: &Graph, features: usize, options: &Options) {
    let mut serial = Serial::new(graph, features);
    let mut store = serial.store(fold, graph, features);
    let report = run(graph, &mut store, fold, options);
    let mut expected = vec![serial.lay(graph)];
    while expected.last().is_some_and(|last| last.0 > 0) && expected.len() < options.iterations {
        expected.push(serial.lay(graph));
    }
    assert_eq!(active(&report), expected, "active vertices and edges");
    serial.assert_in(&store);
}

/// `fade_out` until nothing is active: each vertex stops by itself, with all of its features.
pub fn fade_agrees(graph: &Graph, features: usize, options: &Options) {
    let mut serial = Serial::new(graph, features);
    let mut store = serial.store(fade_out, graph, features);
    let report = run(graph, &mut store, fade_out, options);
    for vertex in 0..graph.vertex_count() {
        while serial.fade(vertex) {}
    }
    assert_eq!(report.status, Status::Converged);
    let iterations = serial.age.iter().fold(1.0_f64, |most, age| most.max(*age));
    assert_eq!(report.iterations.len() as f64, iterations, "iterations");
    serial.assert_in(&store);
}
