//! Leaving vertices out changes nothing: programs that keep something to themselves are pulled, and say why.

use std::ops::ControlFlow;

use onyx_device::Fold;
use onyx_device::prelude::*;
use onyx_runtime::graph::{Graph, GraphBuilder};
use onyx_runtime::{Backend, Direction, Options, Report, RunError, Status, Store, converge, explain};

const BACKENDS: [Backend; 2] = [Backend::Cpu, Backend::Emulator];
const LENGTH: u32 = 64;

#[graph_data]
struct Levels {
    seen: VertexScalar<Tracked>,
    step: VertexScalar,
    level: VertexScalar,
    heard: VertexScalar,
    now: IterationNumber,
}

#[edge_fn]
fn tell(e: Edge, d: &mut Levels) -> bool {
    d.heard[e.dst] += d.seen[e.src];
    true
}

/// Counts the iterations by itself.
#[vertex_fn]
fn count(v: Vertex, d: &mut Levels) -> bool {
    d.step[v] += 1.0;
    let new = d.seen[v] == 0.0 && d.heard[v] > 0.0;
    if new {
        d.seen[v] = 1.0;
        d.level[v] = d.step[v];
    }
    new
}

/// Asks for the iteration's number.
#[vertex_fn]
fn look(v: Vertex, d: &mut Levels) -> bool {
    let new = d.seen[v] == 0.0 && d.heard[v] > 0.0;
    if new {
        d.seen[v] = 1.0;
        d.level[v] = d.now;
    }
    new
}

/// Keeps nothing to itself.
#[vertex_fn]
fn mark(v: Vertex, d: &mut Levels) -> bool {
    let new = d.seen[v] == 0.0 && d.heard[v] > 0.0;
    if new {
        d.seen[v] = 1.0;
    }
    new
}

foldmap! { levels(Levels) = [tell, count] }
foldmap! { numbered(Levels) = [tell, look] }
foldmap! { marks(Levels) = [tell, mark] }
foldmap! { asked(Levels) = [tell, count]; edges = changed }
foldmap! { asked_well(Levels) = [tell, mark]; edges = changed }

/// A path in both directions, so that edges of vertices that are seen stay active for a while.
fn path() -> Graph {
    let edges = (1..LENGTH).flat_map(|vertex| [(vertex - 1, vertex), (vertex, vertex - 1)]);
    GraphBuilder::new().vertices(LENGTH as usize).edges(edges.collect::<Vec<_>>()).build().unwrap()
}

fn run<F: Fold>(fold: F, options: &Options) -> Result<(Store, Report), RunError> {
    let graph = path();
    let mut store = Store::new(fold, &graph, 1)?;
    store.scalars_mut(Levels::SEEN)[0] = 1.0;
    let report = converge(fold, &graph, &mut store, options, &mut |_| ControlFlow::Continue(()))?;
    Ok((store, report))
}

fn options(backend: Backend) -> Options {
    Options { backend, ..Options::default() }
}

fn expected() -> Vec<f32> {
    (0..LENGTH).map(|vertex| vertex as f32).collect()
}

#[test]
fn a_count_of_ones_own_is_pulled() {
    const { assert!(!levels::PUSHES) };
    for backend in BACKENDS {
        let (store, report) = run(levels, &options(backend)).unwrap();
        assert_eq!((store.scalars(Levels::LEVEL), report.status), (&expected()[..], Status::Converged));
        let why = report.explain.iter().find(|line| line.starts_with("push: never")).expect("a reason");
        assert!(why.contains("`count` stores `step` from the vertex's own earlier `step`"), "{why}");
    }
}

#[test]
fn the_reason_is_said_without_a_run_and_by_a_push() {
    let graph = path();
    let store = Store::new(levels, &graph, 1).unwrap();
    let lines = explain(levels, &graph, &store, &options(Backend::Emulator));
    assert!(lines.iter().any(|line| line.contains("own earlier `step`")), "{lines:?}");
    let error = run(levels, &Options { direction: Some(Direction::Push), ..options(Backend::Cpu) }).unwrap_err();
    assert!(error.to_string().contains("own earlier `step`"), "{error}");
}

#[test]
fn the_number_of_the_iteration_is_given() {
    const { assert!(!numbered::PUSHES) };
    for backend in BACKENDS {
        for read_every in [1, 8] {
            let (store, _) = run(numbered, &Options { read_every, ..options(backend) }).unwrap();
            assert_eq!(store.scalars(Levels::LEVEL), expected());
        }
    }
}

#[test]
fn a_change_that_is_said_may_be_pushed() {
    const { assert!(marks::PUSHES && asked_well::PUSHES) };
    for backend in BACKENDS {
        for direction in [None, Some(Direction::Push)] {
            let (store, report) = run(marks, &Options { direction, ..options(backend) }).unwrap();
            assert_eq!(store.scalars(Levels::SEEN), [1.0; LENGTH as usize]);
            assert!(report.iterations.iter().any(|iteration| iteration.direction == Direction::Push));
            run(asked_well, &Options { direction, ..options(backend) }).unwrap();
        }
    }
}

#[test]
fn what_was_asked_for_is_pushed_and_the_emulator_sees_what_is_kept() {
    const { assert!(asked::PUSHES) };
    let (store, _) = run(asked, &options(Backend::Cpu)).unwrap();
    assert_ne!(store.scalars(Levels::LEVEL), expected(), "without a look at every vertex the count is wrong");
    let error = run(asked, &options(Backend::Emulator)).unwrap_err();
    assert!(matches!(error, RunError::Unsaid { property: "step", .. }), "{error}");
    assert!(error.to_string().contains("returned false and stored a new `step`"), "{error}");
}

/// The heat kernel by its series: the terms go from vertex to vertex, and are added up where they arrive.
#[graph_data]
struct Heat {
    share: EdgeScalar,
    term: VertexScalar<Tracked>,
    arrived: VertexScalar,
    total: VertexScalar,
    step: VertexScalar,
    time: Parameter,
}

#[edge_fn]
fn flow(e: Edge, d: &mut Heat) -> bool {
    d.arrived[e.dst] += d.share[e] * d.term[e.src];
    true
}

#[vertex_fn]
fn add_term(v: Vertex, d: &mut Heat) -> bool {
    d.step[v] += 1.0;
    let term = d.arrived[v] * d.time / d.step[v];
    d.term[v] = term;
    d.total[v] += term;
    term > 1e-9
}

foldmap! { heat(Heat) = [flow, add_term] }

#[test]
fn the_heat_kernel_agrees_with_its_series() {
    const { assert!(!heat::PUSHES) };
    let graph = path();
    let share = |source: u32| 1.0 / f64::from(graph.out_degree(source) as u32);
    let (mut term, mut total) = (vec![0.0_f64; LENGTH as usize], vec![0.0_f64; LENGTH as usize]);
    (term[3], total[3]) = (1.0, 1.0);
    for step in 1..60 {
        let mut next = vec![0.0; LENGTH as usize];
        for (_, source, destination) in graph.edges() {
            next[destination as usize] += share(source) * term[source as usize] * 2.0 / f64::from(step);
        }
        total.iter_mut().zip(&next).for_each(|(total, term)| *total += term);
        term = next;
    }
    for backend in BACKENDS {
        let mut store = Store::new(heat, &graph, 1).unwrap();
        for (edge, source, _) in graph.edges() {
            store.edge_scalars_mut(Heat::SHARE)[edge] = share(source) as f32;
        }
        (store.scalars_mut(Heat::TERM)[3], store.scalars_mut(Heat::TOTAL)[3]) = (1.0, 1.0);
        store.set(Heat::TIME, 2.0);
        converge(heat, &graph, &mut store, &options(backend), &mut |_| ControlFlow::Continue(())).unwrap();
        for (found, expected) in store.scalars(Heat::TOTAL).iter().zip(&total) {
            assert!((f64::from(*found) - expected).abs() < 1e-5, "{found} and {expected}");
        }
    }
}
