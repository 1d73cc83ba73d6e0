//! A run that only turns in the last bits of its values ends, and says so; one that gets anywhere, however slowly, or turns for good does not.

use std::ops::ControlFlow;

use onyx_device::Fold;
use onyx_device::prelude::*;
use onyx_runtime::graph::{Graph, GraphBuilder};
use onyx_runtime::{Backend, Direction, Options, Report, Status, Store, converge};

const BACKENDS: [Backend; 2] = [Backend::Cpu, Backend::Emulator];

#[graph_data]
struct Turns<const K: usize> {
    value: VertexFeatures<K, Tracked>,
    sum: VertexFeatures<K>,
    /// How far the value turns.
    step: VertexFeatures<K>,
}

#[graph_data]
struct Waits {
    value: VertexScalar,
    now: IterationNumber,
}

#[edge_fn]
fn tell<const K: usize>(f: Feature, e: Edge, d: &mut Turns<K>) -> bool {
    d.sum[e.dst][f] += d.value[e.src][f];
    true
}

/// One where the neighbor has more, a step more where it has one.
#[vertex_fn]
fn turn<const K: usize>(f: Feature, v: Vertex, d: &mut Turns<K>) -> bool {
    let new = if d.sum[v][f] > 1.0 { 1.0 } else { 1.0 + d.step[v][f] };
    let moved = new != d.value[v][f];
    d.value[v][f] = new;
    any(moved)
}

/// The neighbor's value.
#[vertex_fn]
fn take<const K: usize>(f: Feature, v: Vertex, d: &mut Turns<K>) -> bool {
    let new = d.sum[v][f];
    let moved = new != d.value[v][f];
    d.value[v][f] = new;
    any(moved)
}

/// A step more.
#[vertex_fn]
fn rise<const K: usize>(f: Feature, v: Vertex, d: &mut Turns<K>) -> bool {
    d.value[v][f] += d.step[v][f];
    true
}

/// A thousandth of the way to 1.
#[vertex_fn]
fn approach<const K: usize>(f: Feature, v: Vertex, d: &mut Turns<K>) -> bool {
    let new = d.value[v][f] + 0.001 * (1.0 - d.value[v][f]);
    let moved = new != d.value[v][f];
    d.value[v][f] = new;
    any(moved)
}

/// Rests, and jumps in iteration 200.
#[vertex_fn]
fn wait(v: Vertex, d: &mut Waits) -> bool {
    d.value[v] = if d.now > 199.5 { 2.0 } else { 1.0 };
    d.now < 250.0
}

/// Says that it has changed, and never has.
#[vertex_fn]
fn pretend<const K: usize>(f: Feature, v: Vertex, d: &mut Turns<K>) -> bool {
    d.value[v][f] = 1.0;
    true
}

foldmap! { turning<const K: usize>(Turns<K>) = [tell, turn]; features = [1, 2] }
foldmap! { taking<const K: usize>(Turns<K>) = [tell, take]; features = [1] }
foldmap! { rising<const K: usize>(Turns<K>) = [rise]; features = [1] }
foldmap! { approaching<const K: usize>(Turns<K>) = [approach]; features = [1] }
foldmap! { waiting(Waits) = [wait] }
foldmap! { pretending<const K: usize>(Turns<K>) = [pretend]; features = [1] }

/// Each vertex has an edge to the next.
fn ring(length: u32) -> Graph {
    let edges: Vec<(u32, u32)> = (0..length).map(|vertex| (vertex, (vertex + 1) % length)).collect();
    GraphBuilder::new().vertices(length as usize).edges(edges).build().unwrap()
}

/// Pairs of vertices that have an edge to each other.
fn pairs(count: u32) -> Graph {
    let edges: Vec<(u32, u32)> = (0..2 * count).map(|vertex| (vertex, vertex ^ 1)).collect();
    GraphBuilder::new().vertices(2 * count as usize).edges(edges).build().unwrap()
}

fn options(backend: Backend) -> Options {
    Options { backend, iterations: 400, ..Options::default() }
}

/// Runs from ones, by a step for each vertex.
fn run<F: Fold>(fold: F, graph: &Graph, features: usize, step: impl Fn(u32) -> f32, options: &Options) -> Report {
    let mut store = Store::new(fold, graph, features).unwrap();
    for vertex in 0..graph.vertex_count() as u32 {
        store.row_mut(Turns::VALUE, vertex).fill(1.0);
        store.row_mut(Turns::STEP, vertex).fill(step(vertex));
    }
    converge(fold, graph, &mut store, options, &mut |_| ControlFlow::Continue(())).unwrap()
}

fn last_bit(_: u32) -> f32 {
    f32::EPSILON
}

#[test]
fn what_turns_in_its_last_bit_has_settled() {
    for backend in BACKENDS {
        // Five features are three tiles of two.
        for features in [1, 2, 5] {
            let report = run(turning, &pairs(20), features, last_bit, &options(backend));
            assert_eq!(report.status, Status::Settled, "{backend}, {features} features");
            let iterations = report.iterations.len();
            // A device is looked at every few iterations alone.
            assert!((104..112).contains(&iterations), "{backend}: {iterations}");
            assert_eq!(report.turn, f32::EPSILON / (1.0 + f32::EPSILON), "{backend}");
            assert!(report.status.is_at_rest());
        }
    }
}

#[test]
fn what_turns_for_good_has_not() {
    for backend in BACKENDS {
        let report = run(turning, &pairs(20), 1, |_| 1.0, &options(backend));
        assert_eq!((report.status, report.iterations.len()), (Status::IterationLimit, 400), "{backend}");
        let report = run(turning, &pairs(20), 1, |_| 100.0 * f32::EPSILON, &options(backend));
        assert_eq!(report.status, Status::IterationLimit, "{backend}");
    }
}

/// Two hundred edges lead to one of the vertices: rounding may do a hundred units to its sum, if all comes again.
#[test]
fn closed_circles_may_be_as_wide_as_rounding_makes_them() {
    let graph = |length: u32| {
        let ring = (0..length).map(|vertex| (vertex, (vertex + 1) % length));
        let edges: Vec<(u32, u32)> = ring.chain((0..200).map(|leaf| (length + leaf, length + 200))).collect();
        GraphBuilder::new().vertices(length as usize + 201).edges(edges).build().unwrap()
    };
    let step = |units: f32| move |vertex: u32| if vertex < 2 { units * f32::EPSILON } else { 0.0 };
    for backend in BACKENDS {
        let report = run(turning, &graph(2), 1, step(100.0), &options(backend));
        assert_eq!(report.status, Status::Settled, "{backend}");
        assert!((99.0..101.0).contains(&(report.turn / f32::EPSILON)), "{backend}: {}", report.turn);
        assert_eq!(run(turning, &graph(2), 1, step(5000.0), &options(backend)).status, Status::IterationLimit);
    }
    // What goes around in seven iterations is elsewhere after 24 and 48.
    let graph = graph(7);
    let mut store = Store::new(taking, &graph, 1).unwrap();
    (0..7).for_each(|vertex| store.row_mut(Turns::VALUE, vertex)[0] = 1.0);
    store.row_mut(Turns::VALUE, 3)[0] += 100.0 * f32::EPSILON;
    let options = options(Backend::Cpu);
    let report = converge(taking, &graph, &mut store, &options, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(report.status, Status::IterationLimit);
}

#[test]
fn all_values_are_compared() {
    let graph = pairs(20_000);
    let rest = |far: u32| move |vertex: u32| if vertex == far { 0.5 } else { f32::EPSILON };
    for far in [0, 17_001, 39_999] {
        let report = run(turning, &graph, 1, rest(far), &options(Backend::Cpu));
        assert_eq!(report.status, Status::IterationLimit, "{far}");
    }
    assert_eq!(run(turning, &graph, 1, last_bit, &options(Backend::Cpu)).status, Status::Settled);
}

#[test]
fn what_goes_around_a_ring_has_not_settled() {
    for length in [3, 32, 48, 64] {
        let graph = ring(length);
        let mut store = Store::new(taking, &graph, 1).unwrap();
        store.row_mut(Turns::VALUE, 1)[0] = 1.0;
        let report = converge(taking, &graph, &mut store, &options(Backend::Cpu), &mut |_| ControlFlow::Continue(()));
        assert_eq!(report.unwrap().status, Status::IterationLimit, "{length}");
    }
}

#[test]
fn what_is_slow_has_not_settled() {
    let options = Options { iterations: 20_000, ..options(Backend::Cpu) };
    let report = run(rising, &ring(4), 1, last_bit, &options);
    assert_eq!((report.status, report.iterations.len()), (Status::IterationLimit, 20_000));
    let graph = ring(4);
    let mut store = Store::new(approaching, &graph, 1).unwrap();
    let report = converge(approaching, &graph, &mut store, &options, &mut |_| ControlFlow::Continue(())).unwrap();
    assert_eq!(report.status, Status::Converged);
    // In its last thousand iterations it has moved by one unit in the last place each time.
    assert!(report.iterations.len() > 8000, "{} iterations", report.iterations.len());
    assert!(store.row(Turns::VALUE, 0)[0] > 0.9999);
}

#[test]
fn pulls_confirm_what_pushes_have_settled() {
    const { assert!(turning::PUSHES) };
    for backend in BACKENDS {
        let step = |vertex: u32| if vertex < 2 { f32::EPSILON } else { 0.0 };
        let report = run(turning, &pairs(100), 1, step, &options(backend));
        assert_eq!(report.status, Status::Settled, "{backend}");
        let pushes = report.iterations.iter().filter(|iteration| iteration.direction == Direction::Push).count();
        assert!(pushes > 40, "{backend}: {pushes} pushes");
        assert!(report.iterations.iter().rev().take(2).all(|last| last.direction == Direction::Pull), "{backend}");
    }
}

#[test]
fn the_number_of_the_iteration_is_more_than_values() {
    for backend in BACKENDS {
        let (graph, options) = (ring(4), options(backend));
        let mut store = Store::new(waiting, &graph, 1).unwrap();
        let report = converge(waiting, &graph, &mut store, &options, &mut |_| ControlFlow::Continue(())).unwrap();
        assert_eq!((report.status, report.iterations.len()), (Status::Converged, 250), "{backend}");
    }
}

#[test]
fn what_rests_and_says_otherwise_has_settled_unless_that_was_switched_off() {
    for backend in BACKENDS {
        let options = options(backend);
        assert_eq!(run(pretending, &ring(4), 1, last_bit, &options).status, Status::Settled, "{backend}");
        let report = run(pretending, &ring(4), 1, last_bit, &Options { settle: false, ..options });
        assert_eq!((report.status, report.iterations.len()), (Status::IterationLimit, 400), "{backend}");
    }
}

#[test]
fn every_backend_settles_in_the_same_iteration() {
    let ran = |backend, read_every| {
        let options = Options { read_every, direction: Some(Direction::Pull), ..options(backend) };
        run(turning, &pairs(20), 1, last_bit, &options).iterations.len()
    };
    assert_eq!(ran(Backend::Emulator, 1), ran(Backend::Cpu, 8));
    assert_eq!(ran(Backend::Emulator, 8), ran(Backend::Cpu, 8));
}
