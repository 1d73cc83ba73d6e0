//! Slots and lanes beyond the features that a store has: what they compute must not be seen. And `K`, which is that number.

use std::ops::ControlFlow;

use onyx_device::prelude::*;
use onyx_runtime::graph::{Generator, Graph};
use onyx_runtime::{Backend, Options, Store, converge};

const BACKENDS: [Backend; 2] = [Backend::Cpu, Backend::Emulator];
/// As many entries as there are features.
const TABLE: [f32; 3] = [1.0, 2.0, 4.0];

#[graph_data]
struct Data<const K: usize> {
    value: VertexFeatures<K, Tracked>,
    sum: VertexFeatures<K>,
    count: VertexScalar,
    mean: VertexScalar,
    bound: Parameter,
}

/// Panics for any feature but the first three.
fn looked_up(feature: u32) -> f32 {
    TABLE[feature as usize]
}

/// Never ends for any feature but the first three.
fn counted(feature: u32) -> f32 {
    let mut count = 0;
    while count != feature {
        count = (count + 1) % 3;
    }
    count as f32
}

#[edge_fn]
fn gather<const K: usize>(f: Feature, e: Edge, d: &mut Data<K>) -> bool {
    d.sum[e.dst][f] += d.value[e.src][f] * TABLE[f.index() as usize];
    d.count[e.dst] += looked_up(K as u32 - 3);
    true
}

#[vertex_fn]
fn is_reached<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let whole = 6 / (3 - f.index());
    d.value[v][f] = d.sum[v][f] + whole as f32;
    d.count[v] > d.bound
}

#[vertex_fn]
fn is_many<const K: usize>(v: Vertex, d: &mut Data<K>) -> bool {
    d.count[v] > d.bound
}

#[vertex_fn]
fn average<const K: usize>(f: Feature, v: Vertex, d: &mut Data<K>) -> bool {
    let part = counted(f.index()) + looked_up(f.index());
    d.mean[v] = sum(d.value[v][f] + part) / K as f32;
    if d.mean[v] > 1e9 {
        return d.mean[v] > d.bound;
    }
    false
}

foldmap! { narrow<const K: usize>(Data<K>) = [gather, is_reached, is_many, average]; features = [4] }
foldmap! { wide<const K: usize>(Data<K>) = [gather, is_reached, is_many, average]; features = [16] }
foldmap! { wider<const K: usize>(Data<K>) = [gather; is_reached, is_many; average]; features = [64] }
foldmap! { one_by_one<const K: usize>(Data<K>) = [gather, is_reached, is_many, average]; features = [8]; features_per_lane = 1 }

fn graph() -> Graph {
    "uniform:40:240".parse::<Generator>().unwrap().generate(3).unwrap()
}

fn options(backend: Backend) -> Options {
    Options { backend, iterations: 1, ..Options::default() }
}

/// What one iteration gives: the values and the mean of each vertex.
fn serial(graph: &Graph) -> Vec<([f32; 3], f32)> {
    let row = |vertex: u32| {
        let mut sums = [0.0; 3];
        for source in graph.incoming().row(vertex) {
            (0..3).for_each(|feature| sums[feature] += start(*source, feature) * TABLE[feature]);
        }
        let values = [sums[0] + 2.0, sums[1] + 3.0, sums[2] + 6.0];
        let mean = (values.iter().sum::<f32>() + 3.0 + 7.0) / 3.0;
        (values, if graph.in_degree(vertex) > 0 { mean } else { 0.0 })
    };
    (0..graph.vertex_count() as u32).map(row).collect()
}

fn start(vertex: u32, feature: usize) -> f32 {
    (vertex as usize + feature) as f32
}

macro_rules! check {
    ($fold:ident) => {
        let graph = graph();
        for backend in BACKENDS {
            let mut store = Store::new($fold, &graph, 3).unwrap();
            for vertex in 0..graph.vertex_count() as u32 {
                let row = store.row_mut(Data::VALUE, vertex);
                (0..3).for_each(|feature| row[feature] = start(vertex, feature));
            }
            store.set(Data::BOUND, 0.5);
            converge($fold, &graph, &mut store, &options(backend), &mut |_| ControlFlow::Continue(())).unwrap();
            for (vertex, (values, mean)) in (0..).zip(serial(&graph)) {
                assert_eq!(store.row(Data::VALUE, vertex), values, "{backend:?}, vertex {vertex}");
                let found = store.scalars(Data::MEAN)[vertex as usize];
                assert!((found - mean).abs() <= 1e-5 * mean, "{backend:?}, vertex {vertex}: {found}, not {mean}");
            }
        }
    };
}

#[test]
fn slots_of_a_lane_compute_nothing() {
    check!(narrow);
}

#[test]
fn lanes_of_a_group_compute_nothing_and_stay_with_the_others() {
    check!(wide);
}

#[test]
fn so_they_do_in_several_stages() {
    check!(wider);
}

#[test]
fn so_they_do_with_one_feature_each() {
    check!(one_by_one);
}
