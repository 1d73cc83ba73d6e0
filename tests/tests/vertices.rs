//! Vertex functions alone run on the active vertices, in however many stages, kernels and tiles.

use std::ops::ControlFlow;

use onyx_device::Fold;
use onyx_device::prelude::*;
use onyx_runtime::active::ActiveSet;
use onyx_runtime::graph::GraphBuilder;
use onyx_runtime::{Backend, Options, Store, converge};

/// Counters that run out.
#[graph_data]
struct Fuse<const K: usize> {
    length: VertexFeatures<K>,
    burnt: VertexFeatures<K>,
}

/// Burns a piece.
#[vertex_fn]
fn burn<const K: usize>(f: Feature, v: Vertex, d: &mut Fuse<K>) -> bool {
    d.length[v][f] -= 1.0;
    true
}

/// Counts it, and stops at the end.
#[vertex_fn]
fn count<const K: usize>(f: Feature, v: Vertex, d: &mut Fuse<K>) -> bool {
    d.burnt[v][f] += 1.0;
    d.length[v][f] > 0.0
}

foldmap! { folded<const K: usize>(Fuse<K>) = [burn, count]; features = [4] }
foldmap! { in_stages<const K: usize>(Fuse<K>) = [burn; count]; features = [4] }
foldmap! { unfolded<const K: usize>(Fuse<K>) = unfolded [burn, count]; features = [4] }

const VERTICES: u32 = 40;

/// What is burnt of vertices of 1 to 3 pieces, the active ones after each iteration, from every third vertex on or from all.
fn burnt<F: Fold>(fold: F, features: usize, backend: Backend, is_partial: bool) -> (Vec<f32>, Vec<usize>) {
    let graph = GraphBuilder::new().vertices(VERTICES as usize).edges(Vec::new()).build().expect("a graph");
    let mut store = Store::new(fold, &graph, features).expect("a fold of any number of features");
    (0..VERTICES).for_each(|vertex| store.row_mut(Fuse::LENGTH, vertex).fill((1 + vertex % 3) as f32));
    let mut start = ActiveSet::none(VERTICES as usize);
    (0..VERTICES)
        .step_by(3)
        .for_each(|vertex| start.set(vertex + u32::from(vertex % 2 == 1 && vertex + 1 < VERTICES), true));
    let options = Options { backend, start: is_partial.then_some(start), ..Options::default() };
    let report = converge(fold, &graph, &mut store, &options, &mut |_| ControlFlow::Continue(())).expect("a run");
    let burnt = (0..VERTICES).flat_map(|vertex| store.row(Fuse::BURNT, vertex).to_vec()).collect();
    (burnt, report.iterations.iter().map(|iteration| iteration.active).collect())
}

#[test]
fn stages_of_vertex_functions_run_on_active_vertices() {
    for backend in [Backend::Cpu, Backend::Emulator] {
        for (features, is_partial) in [(3, false), (3, true), (10, false), (10, true)] {
            let expected = burnt(folded, features, backend, is_partial);
            println!("{features} features on {backend}, a part at first: {is_partial}");
            assert_eq!(burnt(in_stages, features, backend, is_partial), expected);
            assert_eq!(burnt(unfolded, features, backend, is_partial), expected);
        }
    }
}

#[test]
fn each_vertex_burns_as_long_as_it_is() {
    let (burnt, active) = burnt(in_stages, 1, Backend::Cpu, false);
    assert_eq!(burnt, (0..VERTICES).map(|vertex| (1 + vertex % 3) as f32).collect::<Vec<f32>>());
    assert_eq!(active, [26, 13, 0]);
}
