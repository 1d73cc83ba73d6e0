//! One check for each program: run it on a backend, compare with the serial reference.

use std::ops::ControlFlow;

use onyx_runtime::graph::Graph;
use onyx_runtime::{Backend, Direction, Options, Report, Schedule, Status, Store, converge};

use crate::programs::{Decay, Degrees, Mixture, decay, degrees, mix};
use crate::reference;

/// Feature counts around every compiled width.
pub const FEATURES: [usize; 13] = [1, 2, 3, 4, 5, 8, 11, 16, 31, 32, 64, 100, 128];

/// How far `f32` may be from `f64` after a few iterations, relative to the largest value.
const TOLERANCE: f64 = 1e-4;

/// Where a check runs.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The backend.
    pub backend: Backend,
    /// The schedule on it.
    pub schedule: Schedule,
}

impl From<Backend> for Place {
    fn from(backend: Backend) -> Self {
        Self { backend, schedule: Schedule::Auto }
    }
}

/// Options for a place, with small groups so that even small graphs have cut rows.
pub fn options(place: impl Into<Place>, iterations: usize) -> Options {
    let Place { backend, schedule } = place.into();
    Options { backend, iterations, group_size: Some(8), schedule, ..Options::default() }
}

/// Fails with the first difference.
pub fn assert_close(what: &str, found: &[f32], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let scale = expected.iter().fold(1.0_f64, |scale, value| scale.max(value.abs()));
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        let difference = (f64::from(*found) - expected).abs();
        assert!(difference <= TOLERANCE * scale, "{what}[{index}]: found {found}, expected {expected}");
    }
}

/// A stream of numbers in 0..1 that only must not be regular.
struct Numbers(u32);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from((self.0 >> 12) as f32 / (1 << 20) as f32)
    }

    fn rows(&mut self, rows: usize, features: usize) -> reference::Rows {
        (0..rows).map(|_| (0..features).map(|_| self.next() - 0.2).collect()).collect()
    }

    fn list(&mut self, length: usize) -> Vec<f64> {
        (0..length).map(|_| self.next()).collect()
    }
}

fn mixture(graph: &Graph, features: usize) -> reference::Mixture {
    let mut numbers = Numbers(features as u32);
    let (vertices, edges) = (graph.vertex_count(), graph.edge_count());
    reference::Mixture {
        gain: numbers.rows(edges, features),
        weight: numbers.list(edges),
        seen: vec![vec![0.0; features]; edges],
        value: numbers.rows(vertices, features),
        bias: numbers.list(vertices),
        size: vec![0.0; vertices],
        kept: vec![vec![0.0; features]; vertices],
        least_weight: 0.25,
        least_size: 0.1,
    }
}

fn mixture_store(graph: &Graph, features: usize, data: &reference::Mixture) -> Store {
    let mut store = Store::new(mix, graph, features).expect("a compiled width");
    let copy = |to: &mut [f32], from: &[f64]| to.iter_mut().zip(from).for_each(|(to, from)| *to = *from as f32);
    for edge in 0..graph.edge_count() {
        copy(store.edge_row_mut(Mixture::GAIN, edge), &data.gain[edge]);
    }
    for vertex in 0..graph.vertex_count() {
        copy(store.row_mut(Mixture::VALUE, vertex as u32), &data.value[vertex]);
    }
    copy(store.edge_scalars_mut(Mixture::WEIGHT), &data.weight);
    copy(store.scalars_mut(Mixture::BIAS), &data.bias);
    store.set(Mixture::LEAST_WEIGHT, data.least_weight as f32);
    store.set(Mixture::LEAST_SIZE, data.least_size as f32);
    store
}

/// `mix` for three iterations: several functions of both kinds, edge properties, scalars, progress.
pub fn mixture_agrees(graph: &Graph, features: usize, place: impl Into<Place>) {
    let mut data = mixture(graph, features);
    let mut store = mixture_store(graph, features, &data);
    let report = run(graph, &mut store, mix, &options(place, 3));
    let mut expected = Vec::new();
    while expected.len() < 3 && expected.last() != Some(&0) {
        expected.push(reference::mix(graph, &mut data));
    }
    let active: Vec<usize> = report.iterations.iter().map(|iteration| iteration.active).collect();
    assert_eq!(active, expected, "active vertices");
    for vertex in 0..graph.vertex_count() {
        let row = |rows: &reference::Rows| rows[vertex].clone();
        assert_close("value", store.row(Mixture::VALUE, vertex as u32), &row(&data.value));
        assert_close("kept", store.row(Mixture::KEPT, vertex as u32), &row(&data.kept));
    }
    for edge in 0..graph.edge_count() {
        assert_close("seen", store.edge_row(Mixture::SEEN, edge), &data.seen[edge]);
    }
    assert_close("size", store.scalars(Mixture::SIZE), &data.size);
}

/// `decay` until nothing is active.
pub fn decay_agrees(graph: &Graph, features: usize, place: impl Into<Place>) {
    let mut numbers = Numbers(3);
    let rows = numbers.rows(graph.vertex_count(), features);
    let mut store = Store::new(decay, graph, features).expect("a compiled width");
    for (vertex, row) in (0..).zip(&rows) {
        let values: Vec<f32> = row.iter().map(|value| *value as f32).collect();
        store.row_mut(Decay::VALUE, vertex).copy_from_slice(&values);
    }
    store.set(Decay::FLOOR, 0.01);
    let report = run(graph, &mut store, decay, &options(place, 100));
    let expected: Vec<_> = rows.iter().map(|row| reference::decay(row, 0.01)).collect();
    let iterations = expected.iter().map(|(_, iterations)| *iterations).max().unwrap_or(1);
    assert_eq!((report.status, report.iterations.len()), (Status::Converged, iterations));
    for (vertex, (values, _)) in (0..).zip(&expected) {
        assert_close("value", store.row(Decay::VALUE, vertex), values);
    }
}

/// `degrees` runs once and counts every edge.
pub fn degrees_agree(graph: &Graph, place: impl Into<Place>) {
    let mut store = Store::new(degrees, graph, 1).expect("a compiled width");
    store.edge_scalars_mut(Degrees::WEIGHT).fill(0.5);
    let report = run(graph, &mut store, degrees, &options(place, 10));
    let expected: Vec<f64> = (0..graph.vertex_count() as u32).map(|vertex| graph.in_degree(vertex) as f64).collect();
    assert_close("degree", store.scalars(Degrees::DEGREE), &expected);
    let halves: Vec<f64> = expected.iter().map(|degree| degree / 2.0).collect();
    assert_close("strength", store.scalars(Degrees::STRENGTH), &halves);
    assert_eq!((report.status, report.iterations.len()), (Status::Converged, 1));
}

/// Runs a fold and expects no error.
pub fn run<F: onyx_device::Fold>(graph: &Graph, store: &mut Store, fold: F, options: &Options) -> Report {
    let report = converge(fold, graph, store, options, &mut |_| ControlFlow::Continue(()));
    report.unwrap_or_else(|error| panic!("{} on {}: {error}", F::NAME, options.backend))
}

/// Every direction that may be forced.
pub const DIRECTIONS: [Option<Direction>; 3] = [None, Some(Direction::Pull), Some(Direction::Push)];
