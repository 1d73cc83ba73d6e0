//! What user functions may call, and what becomes of a panic in them.

use std::ops::ControlFlow;

use onyx_device::math;
use onyx_device::prelude::*;
use onyx_runtime::graph::{Generator, Graph};
use onyx_runtime::{Backend, Direction, Options, Report, RunError, Status, Store, converge};

const BACKENDS: [Backend; 2] = [Backend::Cpu, Backend::Emulator];

#[graph_data]
struct Data<const K: usize> {
    value: VertexFeatures<K, Tracked>,
    sum: VertexFeatures<K>,
    worst: Parameter,
}

#[edge_fn]
fn gather<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.dst][f] += shared(d.value[e.src][f], e.src.0, d.worst);
    true
}

#[vertex_fn]
fn keep<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let value = 0.5 + 0.125 * d.sum[v][f];
    let moved = value != d.value[v][f];
    d.value[v][f] = value;
    any(moved)
}

/// A part of what a vertex has. One of them has none to give.
fn shared(value: f32, vertex: u32, worst: f32) -> f32 {
    assert!(vertex as f32 != worst, "vertex {vertex} has nothing to give");
    0.5 * value
}

foldmap! { share<const K: usize>(Data<K>) = [gather, keep]; features = [4, 64] }

#[vertex_fn]
fn fail_alone<const K: usize>(v: Vertex, d: &mut Data<K>) -> bool {
    shared(1.0, v.0, d.worst) > 0.0
}

foldmap! { alone<const K: usize>(Data<K>) = [fail_alone]; features = [4] }

fn graph() -> Graph {
    "grid:12x12".parse::<Generator>().unwrap().generate(1).unwrap()
}

fn run<F: onyx_device::Fold>(fold: F, graph: &Graph, store: &mut Store, options: &Options) -> Result<Report, RunError> {
    converge(fold, graph, store, options, &mut |_| ControlFlow::Continue(()))
}

fn options(backend: Backend) -> Options {
    Options { backend, iterations: 3, ..Options::default() }
}

fn filled(graph: &Graph, features: usize, worst: f32) -> Store {
    let mut store = Store::new(share, graph, features).unwrap();
    (0..graph.vertex_count() as u32).for_each(|vertex| store.row_mut(Data::VALUE, vertex).fill(1.0));
    store.set(Data::WORST, worst);
    store
}

fn values(graph: &Graph, store: &Store) -> Vec<f32> {
    (0..graph.vertex_count() as u32).flat_map(|vertex| store.row(Data::VALUE, vertex).to_vec()).collect()
}

#[test]
fn a_panic_is_an_error_with_the_function_the_message_and_the_place() {
    let graph = graph();
    for (backend, features) in BACKENDS.into_iter().flat_map(|backend| [3, 4, 50].map(|features| (backend, features))) {
        let error = run(share, &graph, &mut filled(&graph, features, 77.0), &options(backend)).unwrap_err();
        let RunError::Panic { fold, function, message, place } = &error else { panic!("{error}") };
        assert_eq!((*fold, *function), ("share", "gather"));
        assert_eq!(message, "vertex 77 has nothing to give");
        assert!(place.contains("tests/functions.rs:"), "{place}");
        assert!(error.to_string().contains("`gather` panicked at"), "{error}");
    }
}

#[test]
fn a_function_without_features_is_named_as_well() {
    let graph = graph();
    for backend in BACKENDS {
        let mut store = Store::new(alone, &graph, 3).unwrap();
        store.set(Data::WORST, 143.0);
        let error = run(alone, &graph, &mut store, &options(backend)).unwrap_err();
        assert!(matches!(error, RunError::Panic { function: "fail_alone", .. }), "{error}");
    }
}

#[graph_data]
struct Shares {
    whole: VertexScalar<u32>,
    parts: VertexScalar<u32>,
    share: VertexScalar<u32>,
}

#[vertex_fn]
fn divide(v: Vertex, d: &mut Shares) -> bool {
    d.share[v] = 1;
    d.share[v] += d.whole[v] / d.parts[v];
    true
}
const LINE_OF_DIVISION: u32 = line!() - 3;

foldmap! { shares(Shares) = [divide] }

#[test]
fn a_panic_of_an_operator_is_where_the_operator_stands() {
    let graph = graph();
    for backend in BACKENDS {
        let mut store = Store::new(shares, &graph, 1).unwrap();
        let error = run(shares, &graph, &mut store, &options(backend)).unwrap_err();
        let RunError::Panic { fold, function, place, .. } = &error else { panic!("{error}") };
        assert_eq!((*fold, *function), ("shares", "divide"));
        assert!(place.contains(&format!("functions.rs:{LINE_OF_DIVISION}:")), "{place}");
    }
}

#[test]
fn a_panic_in_a_push_is_an_error() {
    let graph = graph();
    for backend in BACKENDS {
        let options = Options { direction: Some(Direction::Push), ..options(backend) };
        let error = run(share, &graph, &mut filled(&graph, 4, 0.0), &options).unwrap_err();
        assert!(matches!(error, RunError::Panic { function: "gather", .. }), "{error}");
    }
}

#[test]
fn behind_a_panic_the_next_run_is_right() {
    let graph = graph();
    for backend in BACKENDS {
        let (mut expected, mut store) = (filled(&graph, 3, -1.0), filled(&graph, 3, 100.0));
        run(share, &graph, &mut expected, &options(backend)).unwrap();
        for _ in 0..3 {
            run(share, &graph, &mut store, &options(backend)).unwrap_err();
        }
        store = filled(&graph, 3, -1.0);
        run(share, &graph, &mut store, &options(backend)).unwrap();
        assert_eq!(values(&graph, &store), values(&graph, &expected));
    }
}

#[test]
fn the_emulator_leaves_the_store_as_it_was() {
    let graph = graph();
    for features in [3, 130] {
        let mut store = filled(&graph, features, 100.0);
        run(share, &graph, &mut store, &options(Backend::Emulator)).unwrap_err();
        assert!(values(&graph, &store).iter().all(|value| *value == 1.0), "{features} features");
    }
}

/// A number of the user's, with methods that floats have as well.
#[derive(Clone, Copy)]
struct Fraction {
    above: f32,
    below: f32,
}

impl Fraction {
    fn floor(self) -> f32 {
        math::floor(self.above / self.below)
    }

    fn hypot(&self, factor: f32) -> f32 {
        factor * self.below
    }
}

/// All functions of floats in a helper.
fn mixed(x: f32) -> f32 {
    math::sin(x) + math::cos(x) + math::tanh(x) + math::powf(x, 1.5) + math::log2(x + 1.0) + math::fract(x)
}

#[vertex_fn]
fn compute<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let x = d.value[v][f];
    let roots = x.sqrt() + x.exp().ln() + x.exp2().log2() + (x + 1.0).powi(3) + (x + 1.0).powf(-0.5);
    let angles = x.sin() * x.cos() + x.tan() + x.tanh() + x.sin_cos().1;
    let whole = x.floor() + x.ceil() + x.round() + x.trunc() + x.fract() + x.mul_add(2.0, 1.0);
    let fraction = Fraction { above: 7.0, below: 2.0 };
    d.value[v][f] = roots + angles + whole + fraction.floor() + fraction.hypot(x) + mixed(x);
    false
}

foldmap! { computing<const K: usize>(Data<K>) = [compute]; features = [4] }

fn computed(x: f64) -> f64 {
    let roots = x.sqrt() + x + x + (x + 1.0).powi(3) + (x + 1.0).powf(-0.5);
    let angles = x.sin() * x.cos() + x.tan() + x.tanh() + x.cos();
    let whole = x.floor() + x.ceil() + x.round() + x.trunc() + x.fract() + 2.0 * x + 1.0;
    let mixed = x.sin() + x.cos() + x.tanh() + x.powf(1.5) + (x + 1.0).log2() + x.fract();
    roots + angles + whole + 3.0 + 2.0 * x + mixed
}

#[test]
fn floats_and_other_types_have_their_methods() {
    let graph = graph();
    for backend in BACKENDS {
        let mut store = Store::new(computing, &graph, 3).unwrap();
        let start = |vertex: u32, feature: usize| (vertex * 3 + feature as u32) as f32 * 0.01;
        for vertex in 0..144 {
            (0..3).for_each(|feature| store.row_mut(Data::VALUE, vertex)[feature] = start(vertex, feature));
        }
        run(computing, &graph, &mut store, &options(backend)).unwrap();
        for vertex in 0..144 {
            for (feature, found) in store.row(Data::VALUE, vertex).iter().enumerate() {
                let expected = computed(f64::from(start(vertex, feature)));
                let difference = (f64::from(*found) - expected).abs();
                assert!(difference < 1e-5 * expected.abs() + 1e-4, "{backend:?}: {found}, not {expected}");
            }
        }
    }
}

#[vertex_fn]
fn warm<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let value = 0.5 * d.value[v][f];
    let moved = d.value[v][f] - value > 0.001;
    d.value[v][f] = value;
    any(moved)
}

foldmap! { warming<const K: usize>(Data<K>) = [warm]; features = [4, 16] }

#[vertex_fn]
fn cool<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let value = 0.5 * d.value[v][f];
    let moved = d.value[v][f] - value > 0.001;
    d.value[v][f] = value;
    all(moved)
}

foldmap! { cooling<const K: usize>(Data<K>) = [cool]; features = [4, 16] }

#[test]
fn any_as_the_last_expression_runs_by_tiles() {
    let graph = graph();
    for backend in BACKENDS {
        let mut store = Store::new(warming, &graph, 602).unwrap();
        for vertex in 0..144 {
            store.row_mut(Data::VALUE, vertex).fill(0.0);
        }
        // One vertex has one feature to cool down, in the last tile: all halvings of it must run.
        store.row_mut(Data::VALUE, 5)[601] = 1.0;
        let report = run(warming, &graph, &mut store, &Options { backend, ..Options::default() }).unwrap();
        assert_eq!((report.status, report.iterations.len()), (Status::Converged, 10), "{backend:?}");
        assert_eq!(store.row(Data::VALUE, 5)[601], 1.0 / 1024.0);
    }
}

#[test]
fn other_operations_are_refused_with_the_function_and_what_would_do() {
    let error = Store::new(cooling, &graph(), 602).unwrap_err().to_string();
    assert!(error.contains("`cool` calls `all`") && error.contains("only an `any`"), "{error}");
    assert!(error.contains("features = ["), "{error}");
}

mod one {
    use super::*;

    #[vertex_fn]
    fn set<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
        d.value[v][f] = 1.0;
        false
    }

    foldmap! { pub step<const K: usize>(Data<K>) = [set]; features = [4] }
}

mod two {
    use super::*;

    #[vertex_fn]
    fn set<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
        d.value[v][f] = 2.0;
        false
    }

    foldmap! { pub step<const K: usize>(Data<K>) = [set]; features = [4] }
}

#[test]
fn folds_of_one_name_in_two_modules_are_two() {
    use onyx_device::Fold;
    assert_eq!(one::step::NAME, two::step::NAME);
    assert_eq!((one::step::MODULE, two::step::MODULE), ("functions::one", "functions::two"));
    let graph = graph();
    let mut store = filled(&graph, 3, -1.0);
    run(two::step, &graph, &mut store, &options(Backend::Emulator)).unwrap();
    assert!(values(&graph, &store).iter().all(|value| *value == 2.0));
}
