//! The groups of a cut row add what is relative to a score, or keep it apart: softmax-weighted sums by neighbor groups, against 64-bit ones.

use std::ops::ControlFlow;

use onyx_device::prelude::*;
use onyx_runtime::graph::{Graph, GraphBuilder};
use onyx_runtime::{Backend, EmulatedOrder, Options, Schedule, Store, converge};

#[graph_data]
struct Attention<const K: usize> {
    score: EdgeScalar,
    value: VertexFeatures<K>,
    out: VertexFeatures<K>,
}

#[edge_fn]
fn attend<const K: usize>(f: Feature, e: Edge, d: &mut Attention<K>) -> bool {
    d.out[e.dst][f].softmax_add(d.score[e], d.value[e.src][f]);
    true
}

foldmap! { attention<const K: usize>(Attention<K>) = [attend]; features = [16] }

#[edge_fn]
fn attend_to_some<const K: usize>(f: Feature, e: Edge, d: &mut Attention<K>) -> bool {
    if d.score[e] < 0.0 {
        return false;
    }
    d.out[e.dst][f].softmax_add(d.score[e], d.value[e.src][f]);
    true
}

foldmap! { attention_to_some<const K: usize>(Attention<K>) = [attend_to_some]; features = [16] }

#[graph_data]
struct LogSums<const K: usize> {
    score: EdgeScalar,
    log_sum: VertexScalar,
    count: VertexFeatures<K>,
}

#[edge_fn]
fn sum_logs<const K: usize>(f: Feature, e: Edge, d: &mut LogSums<K>) -> bool {
    d.log_sum[e.dst].log_sum_exp_with(d.score[e]);
    d.count[e.dst][f] += 1.0;
    true
}

foldmap! { log_sums<const K: usize>(LogSums<K>) = [sum_logs]; features = [16] }

const SOURCES: u32 = 203;

fn value(source: u32, feature: usize) -> f32 {
    (source * 7 % 31) as f32 - feature as f32
}

/// The rows of two vertices after two iterations, by groups of four edges. Each source has the score of its edges.
fn run(graph: &Graph, score: impl Fn(u32) -> f32, order: EmulatedOrder) -> [Vec<f32>; 2] {
    let mut store = Store::new(attention, graph, 16).unwrap();
    let sources = graph.incoming().row(0).iter().chain(graph.incoming().row(1));
    store
        .edge_scalars_mut(Attention::SCORE)
        .iter_mut()
        .zip(sources)
        .for_each(|(place, source)| *place = score(*source));
    for vertex in 0..graph.vertex_count() as u32 {
        let row = store.row_mut(Attention::VALUE, vertex);
        row.iter_mut().enumerate().for_each(|(feature, place)| *place = value(vertex, feature));
    }
    let (backend, schedule) = (Backend::Emulator, Schedule::NeighborGroup);
    let options =
        Options { backend, schedule, emulated_order: order, group_size: Some(4), iterations: 2, ..Options::default() };
    converge(attention, graph, &mut store, &options, &mut |_| ControlFlow::Continue(())).unwrap();
    [0, 1].map(|vertex| store.row(Attention::OUT, vertex).to_vec())
}

fn expected(score: impl Fn(u32) -> f32, feature: usize) -> f64 {
    let scores = (2..SOURCES).map(|source| (f64::from(score(source)), f64::from(value(source, feature))));
    let greatest = scores.clone().fold(f64::NEG_INFINITY, |greatest, (score, _)| greatest.max(score));
    let weights = scores.map(|(score, value)| ((score - greatest).exp(), value));
    let (sum, total) = weights.fold((0.0, 0.0), |(sum, total), (weight, x)| (sum + weight * x, total + weight));
    sum / total
}

fn assert_attends(score: impl Fn(u32) -> f32 + Copy) {
    let edges = (2..SOURCES).flat_map(|source| [(source, 0), (source, 1)]).collect();
    let graph = GraphBuilder::new().edges(edges).build().unwrap();
    for order in [EmulatedOrder::Forward, EmulatedOrder::Reversed] {
        for row in run(&graph, score, order) {
            for (feature, found) in row.iter().enumerate() {
                let expected = expected(score, feature);
                assert!((f64::from(*found) - expected).abs() < 1e-4, "{order:?}, {feature}: {found}, not {expected}");
            }
        }
    }
}

#[test]
fn scores_that_are_near_each_other_are_added() {
    assert_attends(|source| (source * 5 % 13) as f32);
    assert_attends(|source| 1000.0 - (source * 5 % 13) as f32);
}

#[test]
fn groups_that_are_far_above_the_first_keep_their_parts_apart() {
    assert_attends(|source| source as f32);
    assert_attends(|source| 3.0 * source as f32 - 400.0);
    assert_attends(|source| if source == 150 { 500.0 } else { 0.0 });
    assert_attends(|source| if source % 40 == 9 { 90.0 } else { -90.0 });
}

#[test]
fn edges_that_take_no_part_leave_nothing() {
    assert_attends(|source| if source < 120 { f32::NEG_INFINITY } else { 2.0 });
    assert_attends(|source| if source % 3 > 0 { f32::NEG_INFINITY } else { 0.5 * source as f32 });
}

/// One lane's features alone are not finite: it goes through the edges by itself.
#[test]
fn a_value_that_is_no_number_shows_in_its_feature_alone() {
    let edges = (1..SOURCES).map(|source| (source, 0)).collect();
    let graph = GraphBuilder::new().edges(edges).build().unwrap();
    let mut store = Store::new(attention_to_some, &graph, 11).unwrap();
    store
        .edge_scalars_mut(Attention::SCORE)
        .iter_mut()
        .enumerate()
        .for_each(|(edge, place)| *place = edge as f32 - 9.0);
    for vertex in 0..SOURCES {
        store.row_mut(Attention::VALUE, vertex).fill(3.0);
    }
    store.row_mut(Attention::VALUE, 50)[9] = f32::NAN;
    let (backend, schedule) = (Backend::Emulator, Schedule::NeighborGroup);
    let options = Options { backend, schedule, group_size: Some(4), iterations: 1, ..Options::default() };
    converge(attention_to_some, &graph, &mut store, &options, &mut |_| ControlFlow::Continue(())).unwrap();
    for (feature, found) in store.row(Attention::OUT, 0).iter().enumerate() {
        assert!(if feature == 9 { found.is_nan() } else { (found - 3.0).abs() < 1e-5 }, "{feature}: {found}");
    }
}

#[test]
fn log_sums_are_added_or_kept_apart() {
    for score in [|edge: usize| (edge % 7) as f32, |edge: usize| 2.0 * edge as f32 - 300.0] {
        let edges = (1..SOURCES).map(|source| (source, 0)).collect();
        let graph = GraphBuilder::new().edges(edges).build().unwrap();
        let mut store = Store::new(log_sums, &graph, 16).unwrap();
        let scores = store.edge_scalars_mut(LogSums::SCORE);
        scores.iter_mut().enumerate().for_each(|(edge, place)| *place = score(edge));
        let (backend, schedule) = (Backend::Emulator, Schedule::NeighborGroup);
        let options = Options { backend, schedule, group_size: Some(4), iterations: 2, ..Options::default() };
        converge(log_sums, &graph, &mut store, &options, &mut |_| ControlFlow::Continue(())).unwrap();
        let sum: f64 = (0..graph.edge_count()).map(|edge| f64::from(score(edge)).exp()).sum();
        let found = f64::from(store.scalars(LogSums::LOG_SUM)[0]);
        assert!((found - sum.ln()).abs() < 1e-4, "{found}, not {}", sum.ln());
    }
}
