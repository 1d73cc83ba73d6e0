//! One check for each program: run it on a backend, compare with the serial reference.

use std::ops::ControlFlow;

use onyx_device::Fold;
use onyx_runtime::active::ActiveSet;
use onyx_runtime::graph::Graph;
use onyx_runtime::{
    Backend, Bins, Direction, EmulatedOrder, Options, Packing, Report, Schedule, Status, Store, converge,
};

use crate::interpreter::{self, State};
use crate::programs::{
    Decay, Degrees, Mixture, Operations, Reductions, bounds, bounds_kept, decay, degrees, mix, mix_by_threads,
    operations,
};
use crate::reference;
use crate::sequences::{Case, Sequence};

/// Feature counts at or below every compiled width.
pub const FEATURES: [usize; 9] = [1, 2, 3, 5, 8, 11, 31, 64, 100];

/// What one thread takes of an edge at most, in the programs that give it all features.
const WIDEST_OF_THREADS: usize = 16;

/// How far `f32` may be from `f64` after a few iterations, relative to the largest value.
const TOLERANCE: f64 = 1e-4;

/// Where a check runs.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The backend.
    pub backend: Backend,
    /// The schedule on it.
    pub schedule: Schedule,
    /// The order of lanes, warps and blocks in the emulator.
    pub order: EmulatedOrder,
    /// The bins of sources.
    pub bins: Bins,
    /// Whether the rows of frequent sources are packed.
    pub packing: Packing,
}

impl Place {
    /// The same with another schedule.
    pub fn by(self, schedule: Schedule) -> Self {
        Self { schedule, ..self }
    }

    /// The same with so many bins of sources.
    pub fn in_bins(self, count: usize) -> Self {
        Self { bins: Bins::Count(count), ..self }
    }

    /// The same by words of vertices, with the rows of frequent sources packed.
    pub fn packed(self) -> Self {
        Self { packing: Packing::Always, ..self.by(Schedule::WordPerWarp) }
    }
}

impl From<Backend> for Place {
    fn from(backend: Backend) -> Self {
        Self {
            backend,
            schedule: Schedule::Auto,
            order: EmulatedOrder::Forward,
            bins: Bins::None,
            packing: Packing::Auto,
        }
    }
}

impl From<EmulatedOrder> for Place {
    fn from(order: EmulatedOrder) -> Self {
        Self { order, ..Self::from(Backend::Emulator) }
    }
}

/// Options for a place, with small groups so that even small graphs have cut rows.
pub fn options(place: impl Into<Place>, iterations: usize) -> Options {
    let Place { backend, schedule, order: emulated_order, bins, packing } = place.into();
    let options = Options { backend, iterations, schedule, emulated_order, bins, packing, ..Options::default() };
    options.group_size(8)
}

/// Fails with the first difference.
pub fn assert_close(what: &str, found: &[f32], expected: &[f64]) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let finite = expected.iter().filter(|value| value.is_finite());
    let scale = finite.fold(1.0_f64, |scale, value| scale.max(value.abs()));
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        let difference = (f64::from(*found) - expected).abs();
        let is_same = f64::from(*found) == *expected;
        assert!(is_same || difference <= TOLERANCE * scale, "{what}[{index}]: found {found}, expected {expected}");
    }
}

/// A stream of numbers in 0..1 that only must not be regular.
pub(crate) struct Numbers(pub(crate) u32);

impl Numbers {
    pub(crate) fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from((self.0 >> 12) as f32 / (1 << 20) as f32)
    }

    pub(crate) fn rows(&mut self, rows: usize, features: usize) -> reference::Rows {
        (0..rows).map(|_| (0..features).map(|_| self.next() - 0.2).collect()).collect()
    }

    pub(crate) fn list(&mut self, length: usize) -> Vec<f64> {
        (0..length).map(|_| self.next()).collect()
    }
}

pub(crate) fn mixture(graph: &Graph, features: usize) -> reference::Mixture {
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

pub(crate) fn mixture_store(graph: &Graph, features: usize, data: &reference::Mixture) -> Store {
    filled(Store::new(mix, graph, features).expect("a compiled width"), graph, data)
}

fn filled(mut store: Store, graph: &Graph, data: &reference::Mixture) -> Store {
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
pub fn mixture_agrees(graph: &Graph, features: usize, place: Place) {
    mixture_agrees_as(mix, graph, features, place);
    if features <= WIDEST_OF_THREADS {
        mixture_agrees_as(mix_by_threads, graph, features, place);
    }
}

fn mixture_agrees_as<F: Fold>(fold: F, graph: &Graph, features: usize, place: Place) {
    let mut data = mixture(graph, features);
    let mut store = filled(Store::new(fold, graph, features).expect("a compiled width"), graph, &data);
    let report = run(graph, &mut store, fold, &options(place, 3));
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
pub fn decay_agrees(graph: &Graph, features: usize, place: Place) {
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
pub fn degrees_agree(graph: &Graph, place: Place) {
    let mut store = Store::new(degrees, graph, 1).expect("a compiled width");
    store.edge_scalars_mut(Degrees::WEIGHT).fill(0.5);
    let report = run(graph, &mut store, degrees, &options(place, 10));
    let expected: Vec<f64> = (0..graph.vertex_count() as u32).map(|vertex| graph.in_degree(vertex) as f64).collect();
    assert_close("degree", store.scalars(Degrees::DEGREE), &expected);
    let halves: Vec<f64> = expected.iter().map(|degree| degree / 2.0).collect();
    assert_close("strength", store.scalars(Degrees::STRENGTH), &halves);
    assert_eq!((report.status, report.iterations.len()), (Status::Converged, 1));
}

pub(crate) fn copy(to: &mut [f32], from: &[f64]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to = *from as f32);
}

/// `operations`: every collaborative operation.
pub fn operations_agree(graph: &Graph, features: usize, place: Place) {
    let mut numbers = Numbers(features as u32 + 11);
    let (values, others) = (numbers.rows(graph.vertex_count(), features), numbers.rows(graph.vertex_count(), features));
    let mut store = Store::new(operations, graph, features).expect("a compiled width");
    for vertex in 0..graph.vertex_count() {
        copy(store.row_mut(Operations::VALUE, vertex as u32), &values[vertex]);
        copy(store.row_mut(Operations::OTHER, vertex as u32), &others[vertex]);
    }
    run(graph, &mut store, operations, &options(place, 1));
    for vertex in 0..graph.vertex_count() {
        operation_agrees(&store, vertex as u32, &reference::operate(&values[vertex], &others[vertex]));
    }
}

fn operation_agrees(store: &Store, vertex: u32, (share, soft, scalars): &(Vec<f64>, Vec<f64>, [f64; 11])) {
    assert_close("normalize", store.row(Operations::SHARE, vertex), share);
    assert_close("softmax", store.row(Operations::SOFT, vertex), soft);
    let found = [
        ("sum", Operations::TOTAL),
        ("product", Operations::PRODUCT),
        ("min", Operations::LEAST),
        ("max", Operations::GREATEST),
        ("norm2", Operations::LENGTH),
        ("log_sum_exp", Operations::PRESSURE),
        ("argmax", Operations::FIRST),
        ("broadcast of argmax", Operations::PICKED),
        ("broadcast", Operations::LAST),
        ("dot", Operations::SIMILARITY),
        ("any and all", Operations::VOTES),
    ];
    for ((what, key), expected) in found.into_iter().zip(scalars) {
        assert_close(what, &store.scalars(key)[vertex as usize..][..1], &[*expected]);
    }
}

fn state(graph: &Graph, features: usize) -> State {
    let mut numbers = Numbers(features as u32 + 17);
    let (vertices, edges) = (graph.vertex_count(), graph.edge_count());
    State {
        weight: numbers.list(edges),
        stamp: numbers.rows(edges, features),
        value: numbers.rows(vertices, features),
        seed: numbers.rows(vertices, features),
        sum: vec![vec![0.0; features]; vertices],
        mass: vec![0.0; vertices],
        kept: vec![vec![0.0; features]; vertices],
        floor: 0.2,
        active: vec![true; vertices],
    }
}

fn fill(store: &mut Store, state: &State) {
    for edge in 0..state.weight.len() {
        copy(store.edge_row_mut(Sequence::STAMP, edge), &state.stamp[edge]);
    }
    for vertex in 0..state.active.len() {
        copy(store.row_mut(Sequence::VALUE, vertex as u32), &state.value[vertex]);
        copy(store.row_mut(Sequence::SEED, vertex as u32), &state.seed[vertex]);
    }
    copy(store.edge_scalars_mut(Sequence::WEIGHT), &state.weight);
    store.set(Sequence::FLOOR, state.floor as f32);
}

/// A sequence of functions for three iterations: the same vertices stay active, and the same values are left. With the edges of active
/// sources every third vertex starts; without, all is computed again in each iteration, since what these functions return does not say
/// whether a vertex has changed.
pub fn sequence_agrees(case: &Case, graph: &Graph, features: usize, options: &Options) {
    let mut state = state(graph, features);
    let mut store = (case.store)(graph, features);
    fill(&mut store, &state);
    let mut options = Options { iterations: 3, change_driven: case.is_active, ..options.clone() };
    if case.is_active {
        (0..state.active.len()).for_each(|vertex| state.active[vertex] = vertex % 3 == 0);
        options.start = Some(ActiveSet::of(graph.vertex_count(), (0..graph.vertex_count() as u32).step_by(3)));
    }
    let report = (case.run)(graph, &mut store, &options);
    let mut expected = Vec::new();
    while expected.len() < 3 && expected.last() != Some(&0) {
        expected.push(interpreter::step(graph, &mut state, case.functions, case.is_active));
    }
    let active: Vec<usize> = report.iterations.iter().map(|iteration| iteration.active).collect();
    assert_eq!(active, expected, "active vertices of [{}]", case.functions);
    for vertex in 0..graph.vertex_count() {
        assert_close(case.functions, store.row(Sequence::VALUE, vertex as u32), &state.value[vertex]);
        assert_close(case.functions, store.row(Sequence::KEPT, vertex as u32), &state.kept[vertex]);
    }
    for edge in 0..graph.edge_count() {
        assert_close(case.functions, store.edge_row(Sequence::STAMP, edge), &state.stamp[edge]);
    }
}

/// `bounds` and `bounds_kept`: every reduction but the sum, with and without a vertex function after it.
pub fn reductions_agree(graph: &Graph, features: usize, place: Place) {
    let mut numbers = Numbers(features as u32 + 5);
    let (weights, values) = (numbers.list(graph.edge_count()), numbers.rows(graph.vertex_count(), features));
    let expected = reference::bounds(graph, &weights, &values);
    let store = reduced(graph, &weights, &values, bounds, &options(place, 1));
    let kept = reduced(graph, &weights, &values, bounds_kept, &options(place, 1));
    for vertex in 0..graph.vertex_count() {
        let [product, least, greatest] = expected.rows.each_ref().map(|rows| &rows[vertex]);
        assert_close("product", store.row(Reductions::PRODUCT, vertex as u32), product);
        assert_close("min", store.row(Reductions::LEAST, vertex as u32), least);
        assert_close("max", store.row(Reductions::GREATEST, vertex as u32), greatest);
        let finite = |value: f64| if value.is_finite() { value } else { 0.0 };
        let sums = (0..features).map(|feature| product[feature] + finite(least[feature]) + finite(greatest[feature]));
        assert_close("kept", kept.row(Reductions::KEPT, vertex as u32), &sums.collect::<Vec<f64>>());
    }
    let keys = [Reductions::SCALE, Reductions::LIGHTEST, Reductions::HEAVIEST];
    for (key, expected) in keys.into_iter().zip(&expected.scalars) {
        assert_close("scalar", store.scalars(key), expected);
    }
}

/// The store after one iteration of a fold of [`Reductions`].
fn reduced<F: Fold>(graph: &Graph, weights: &[f64], values: &reference::Rows, fold: F, options: &Options) -> Store {
    let features = values.first().map_or(1, Vec::len);
    let mut store = Store::new(fold, graph, features).expect("a compiled width");
    copy(store.edge_scalars_mut(Reductions::WEIGHT), weights);
    for (vertex, row) in (0..).zip(values) {
        copy(store.row_mut(Reductions::VALUE, vertex), row);
    }
    run(graph, &mut store, fold, options);
    store
}

/// Runs a fold and expects no error.
pub fn run<F: Fold>(graph: &Graph, store: &mut Store, fold: F, options: &Options) -> Report {
    let report = converge(fold, graph, store, options, &mut |_| ControlFlow::Continue(()));
    report.unwrap_or_else(|error| panic!("{} on {}: {error}", F::NAME, options.backend))
}

/// Every direction that may be forced.
pub const DIRECTIONS: [Option<Direction>; 3] = [None, Some(Direction::Pull), Some(Direction::Push)];
