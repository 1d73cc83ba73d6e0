//! What a fold needs of a store, a graph and options: each that does not fit is refused with the reason, and nothing runs.

use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use onyx_device::Fold;
use onyx_device::prelude::*;
use onyx_runtime::graph::{Graph, GraphBuilder};
use onyx_runtime::{Backend, Bins, Options, Packing, Report, RunError, Status, Store, converge};

#[graph_data]
struct Mix<const K: usize> {
    weight: EdgeScalar,
    score: EdgeScalar<Scratch>,
    value: VertexFeatures<K, Tracked>,
    sum: VertexFeatures<K>,
    unread: VertexScalar,
    kept: VertexFeatures<K>,
}

#[edge_fn]
fn score<const K: usize>(e: Edge, d: &mut Mix<K>) -> bool {
    d.score[e] = 2.0 * d.weight[e];
    true
}

#[edge_fn]
fn gather<const K: usize>(f: Feature, e: Edge, d: &mut Mix<K>) -> bool {
    d.sum[e.dst][f] += d.score[e] * d.value[e.src][f];
    true
}

#[edge_fn]
fn count<const K: usize>(e: Edge, d: &mut Mix<K>) -> bool {
    d.unread[e.dst] += 1.0;
    true
}

#[vertex_fn]
fn keep<const K: usize>(f: Feature, v: Vertex, d: &mut Mix<K>) -> bool {
    d.kept[v][f] = d.sum[v][f];
    false
}

#[vertex_fn]
fn keep_shares<const K: usize>(f: Feature, v: Vertex, d: &mut Mix<K>) -> bool {
    d.kept[v][f] = normalize(d.sum[v][f]);
    false
}

foldmap! { folded<const K: usize>(Mix<K>) = [score, gather, keep]; features = [4] }
foldmap! { unfolded_mix<const K: usize>(Mix<K>) = unfolded [score, gather, keep]; features = [4] }
foldmap! { shares<const K: usize>(Mix<K>) = [score, gather, keep_shares]; features = [4] }
foldmap! { narrow<const K: usize>(Mix<K>) = [score, gather, keep]; features = [2] }
foldmap! { counted<const K: usize>(Mix<K>) = [score, gather, count, keep]; features = [4] }

mod other {
    use onyx_device::prelude::*;

    #[graph_data]
    pub struct Mix<const K: usize> {
        pub weight: EdgeScalar,
        pub score: EdgeScalar<Scratch>,
        pub value: VertexFeatures<K, Tracked>,
        pub sum: VertexFeatures<K>,
        pub unread: VertexScalar,
        pub kept: VertexFeatures<K>,
    }

    #[edge_fn]
    pub fn gather<const K: usize>(f: Feature, e: Edge, d: &mut Mix<K>) -> bool {
        d.sum[e.dst][f] += d.weight[e] * d.value[e.src][f];
        true
    }

    foldmap! { pub foreign<const K: usize>(Mix<K>) = [gather]; features = [4] }
}

fn graph() -> Graph {
    GraphBuilder::new().vertices(4).edges(vec![(0, 1), (1, 2), (2, 3), (0, 3)]).build().unwrap()
}

fn run<F: Fold>(fold: F, store: &mut Store, options: &Options) -> Result<Report, RunError> {
    converge(fold, &graph(), store, options, &mut |_| ControlFlow::Continue(()))
}

const CPU: Options = Options {
    backend: Backend::Cpu,
    iterations: 1,
    start: None,
    direction: None,
    refresh: 64,
    change_driven: true,
    deterministic: false,
    read_every: 8,
    settle: true,
    replay: true,
    group_size: None,
    bins: Bins::None,
    packing: Packing::Auto,
    schedule: onyx_runtime::Schedule::Auto,
    emulated_order: onyx_runtime::EmulatedOrder::Forward,
    until: None,
};

#[test]
fn a_store_gets_memory_for_scratch_where_a_fold_needs_it() {
    let mut store = Store::new(folded, &graph(), 3).unwrap();
    run(unfolded_mix, &mut store, &CPU).unwrap();
    run(folded, &mut store, &CPU).unwrap();
    run(unfolded_mix, &mut store, &CPU).unwrap();
}

#[test]
fn tiles_of_a_fold_that_needs_all_features_are_refused() {
    let mut store = Store::new(folded, &graph(), 6).unwrap();
    run(folded, &mut store, &CPU).unwrap();
    let error = run(shares, &mut store, &CPU).unwrap_err();
    assert!(matches!(error, RunError::TooWide { features: 6, widest: 4, .. }), "{error}");
    assert!(error.to_string().contains("`keep_shares` calls `normalize`"), "{error}");
}

#[test]
fn a_store_of_another_width_is_refused() {
    let mut store = Store::new(folded, &graph(), 2).unwrap();
    let error = run(narrow, &mut store, &CPU).unwrap_err();
    assert!(matches!(error, RunError::StoreWidth { width: 4, widths: [2], .. }), "{error}");
}

#[test]
fn a_store_of_another_structure_or_graph_is_refused() {
    let mut store = Store::new(folded, &graph(), 3).unwrap();
    let error = run(other::foreign, &mut store, &CPU).unwrap_err();
    assert!(matches!(error, RunError::StoreData { .. }), "{error}");
    assert!(error.to_string().contains("other::Mix"), "{error}");
    let larger = GraphBuilder::new().vertices(5).edges(vec![(0, 1)]).build().unwrap();
    let mut store = Store::new(folded, &larger, 3).unwrap();
    let error = run(folded, &mut store, &CPU).unwrap_err();
    assert!(matches!(error, RunError::StoreGraph { found: (5, 1), expected: (4, 4) }), "{error}");
}

#[test]
fn no_bins_and_too_many_are_refused() {
    for (backend, count) in [(Backend::Cpu, 0), (Backend::Emulator, 0), (Backend::Emulator, Bins::MOST + 1)] {
        let mut store = Store::new(folded, &graph(), 3).unwrap();
        let error = run(folded, &mut store, &Options { bins: Bins::Count(count), backend, ..CPU }).unwrap_err();
        assert!(error.to_string().starts_with("there are 1 to 4096 bins of sources"), "{error}");
    }
}

#[test]
fn groups_of_no_neighbors_are_refused() {
    for backend in [Backend::Cpu, Backend::Emulator] {
        let mut store = Store::new(folded, &graph(), 3).unwrap();
        let error = run(folded, &mut store, &Options { group_size: Some(0), backend, ..CPU }).unwrap_err();
        assert!(matches!(error, RunError::GroupSize), "{error}");
    }
}

/// What a call panics with.
fn panics<T>(call: impl FnOnce() -> T) -> String {
    let payload = catch_unwind(AssertUnwindSafe(call)).err().expect("a panic");
    payload.downcast_ref::<String>().cloned().unwrap_or_default()
}

#[test]
fn a_key_of_another_structure_is_refused() {
    let store = Store::new(folded, &graph(), 3).unwrap();
    let text = panics(|| store.row(other::Mix::VALUE, 0).to_vec());
    assert!(text.contains("the key is of the structure") && text.contains("other::Mix"), "{text}");
}

#[test]
fn a_total_is_kept_or_refused() {
    for backend in [Backend::Cpu, Backend::Emulator] {
        let mut store = Store::new(folded, &graph(), 3).unwrap();
        store.edge_scalars_mut(Mix::WEIGHT).fill(0.5);
        (0..4).for_each(|vertex| store.row_mut(Mix::VALUE, vertex).fill(1.0));
        run(folded, &mut store, &Options { backend, ..CPU }).unwrap();
        assert_eq!(store.row(Mix::KEPT, 3), [2.0; 3]);
        let text = panics(|| store.row(Mix::SUM, 3).to_vec());
        assert!(text.contains("`sum` is a total") && text.contains("d.kept[v][f] = d.sum[v][f]"), "{text}");
        let mut store = Store::new(counted, &graph(), 3).unwrap();
        run(counted, &mut store, &Options { backend, ..CPU }).unwrap();
        assert_eq!(store.scalars(Mix::UNREAD), [0.0, 1.0, 1.0, 2.0]);
    }
}

#[graph_data]
struct Growth {
    weight: EdgeScalar,
    value: VertexScalar<Tracked>,
    sum: VertexScalar,
    least: VertexScalar,
    inverse: VertexScalar,
}

#[edge_fn]
fn grow(e: Edge, d: &mut Growth) -> bool {
    d.sum[e.dst] += d.weight[e] * d.value[e.src];
    d.least[e.dst].min_with(d.weight[e] + d.value[e.src]);
    true
}

#[edge_fn]
fn add(e: Edge, d: &mut Growth) -> bool {
    d.sum[e.dst] += d.weight[e] * d.value[e.src];
    true
}

#[vertex_fn]
fn take_sum(v: Vertex, d: &mut Growth) -> bool {
    d.value[v] = d.sum[v] + 1.0;
    true
}

#[vertex_fn]
fn take_least(v: Vertex, d: &mut Growth) -> bool {
    d.value[v] = d.value[v].min(d.least[v]);
    true
}

#[vertex_fn]
fn invert(v: Vertex, d: &mut Growth) -> bool {
    d.inverse[v] = 1.0 / d.sum[v];
    false
}

foldmap! { sums(Growth) = [add, take_sum] }
foldmap! { bounds(Growth) = [grow, take_least] }
foldmap! { inverses(Growth) = [add, invert] }

fn grown<F: Fold>(fold: F, weight: f32, start: f32) -> Report {
    let mut store = Store::new(fold, &graph(), 1).unwrap();
    store.edge_scalars_mut(Growth::WEIGHT).fill(weight);
    store.scalars_mut(Growth::VALUE).fill(start);
    run(fold, &mut store, &Options { iterations: 5, ..CPU }).unwrap()
}

#[test]
fn a_sum_that_leaves_the_range_of_floats_has_diverged() {
    let report = grown(sums, 1e30, 1.0);
    assert_eq!((report.status, report.diverged), (Status::Diverged, Some("value")));
    let report = grown(sums, f32::NAN, 1.0);
    assert_eq!((report.status, report.diverged), (Status::Diverged, Some("value")));
    assert_eq!(grown(sums, 0.5, 1.0).diverged, None);
}

#[test]
fn an_infinity_may_be_an_answer() {
    assert_eq!(grown(bounds, 1.0, f32::INFINITY).diverged, None, "vertices that no path reaches");
    assert_eq!(grown(sums, 1.0, f32::INFINITY).diverged, None, "a sum of what was infinite at the start");
    assert_eq!(grown(inverses, 0.0, 1.0).diverged, None, "the inverse of nothing");
    assert_eq!(grown(bounds, f32::NAN, f32::NAN).status, Status::Diverged);
}
