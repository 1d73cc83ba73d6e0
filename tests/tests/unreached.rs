//! An edge function that returns false has still contributed: a push runs the vertex functions wherever a total has changed.

use std::ops::ControlFlow;

use onyx_device::Fold;
use onyx_device::prelude::*;
use onyx_runtime::graph::{Graph, GraphBuilder};
use onyx_runtime::{Backend, Direction, Options, Schedule, Store, converge};

/// Levels that travel along a path, over edges that never reach their destination.
#[graph_data]
struct Path {
    source: VertexScalar,
    weight: EdgeScalar,
    level: VertexScalar<Tracked>,
    arrived: VertexScalar,
}

/// Passes the level on, and says that it has not.
#[edge_fn]
fn pass(e: Edge, d: &mut Path) -> bool {
    d.arrived[e.dst] += d.weight[e] * d.level[e.src];
    false
}

/// Passes the level on where there is one: an edge whose level is lost changes the total, too.
#[edge_fn]
fn pass_some(e: Edge, d: &mut Path) -> bool {
    if d.level[e.src] < 1.5 {
        return false;
    }
    d.arrived[e.dst] += d.weight[e] * d.level[e.src];
    true
}

/// Takes what has arrived.
#[vertex_fn]
fn take(v: Vertex, d: &mut Path) -> bool {
    let level = d.source[v] + d.arrived[v];
    let moved = level != d.level[v];
    d.level[v] = level;
    moved
}

foldmap! { travel(Path) = [pass, take] }
foldmap! { travel_some(Path) = [pass_some, take] }

const VERTICES: u32 = 8;
const SCHEDULES: [Schedule; 2] = [Schedule::NeighborGroup, Schedule::WarpWord];

fn path() -> Graph {
    let edges = (1..VERTICES).map(|vertex| (vertex - 1, vertex)).collect();
    GraphBuilder::new().vertices(VERTICES as usize).edges(edges).build().expect("a path")
}

/// The levels that a run leaves, with what each iteration has left active.
fn levels<F: Fold>(fold: F, (source, start): (f32, f32), options: &Options) -> (Vec<f32>, Vec<usize>) {
    let graph = path();
    let mut store = Store::new(fold, &graph, 1).expect("one feature");
    store.scalars_mut(Path::SOURCE)[0] = source;
    store.scalars_mut(Path::LEVEL).fill(start);
    store.edge_scalars_mut(Path::WEIGHT).fill(1.0);
    let report = converge(fold, &graph, &mut store, options, &mut |_| ControlFlow::Continue(())).expect("a run");
    let active = report.iterations.iter().map(|iteration| iteration.active).collect();
    (store.scalars(Path::LEVEL).to_vec(), active)
}

/// Levels of `start` everywhere and of `source` at the path's first vertex, after each number of iterations in which something changes.
fn agree<F: Fold>(fold: F, source: f32, start: f32) {
    const { assert!(F::FACTS.is_change_driven) };
    for backend in [Backend::Cpu, Backend::Emulator] {
        for (schedule, iterations) in (1..VERTICES as usize).flat_map(|iterations| SCHEDULES.map(|it| (it, iterations)))
        {
            let options = Options { backend, schedule, iterations, ..Options::default() };
            let direction = |direction| Options { direction: Some(direction), ..options.clone() };
            let pulled = levels(fold, (source, start), &direction(Direction::Pull));
            let pushed = levels(fold, (source, start), &direction(Direction::Push));
            assert_eq!(pushed, pulled, "{} on {backend} by {schedule}, {iterations} iterations", F::NAME);
        }
    }
}

#[test]
fn totals_travel_along_edges_that_reach_nothing() {
    agree(travel, 2.0, 0.0);
}

#[test]
fn totals_lose_what_an_edge_no_longer_passes_on() {
    agree(travel_some, 0.0, 2.0);
}
