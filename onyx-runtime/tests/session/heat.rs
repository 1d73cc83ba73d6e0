//! Heat that flows along edges: what most of these tests run, and what they start from.

use ndarray::{Array1, Array2};
use onyx_device::prelude::*;
use onyx_runtime::graph::{Generator, Graph};
use onyx_runtime::{Data, ResidentGraph, Session};

#[graph_data]
pub struct Heat<const K: usize> {
    conductance: EdgeScalar,
    heat: VertexFeatures<K, Tracked>,
    arrived: VertexFeatures<K>,
    total: VertexScalar,
    rate: Parameter,
}

#[edge_fn]
fn conduct<const K: usize>(f: Feature, e: Edge, d: &mut Heat<K>) -> bool {
    d.arrived[e.dst][f] += d.conductance[e] * d.heat[e.src][f];
    true
}

#[vertex_fn]
fn warm<const K: usize>(f: Feature, v: Vertex, d: &mut Heat<K>) -> bool {
    let new = d.heat[v][f] + d.rate * (d.arrived[v][f] - d.heat[v][f]);
    let moved = (new - d.heat[v][f]).abs() > 1e-5;
    d.heat[v][f] = new;
    any(moved)
}

#[vertex_fn]
fn halve<const K: usize>(f: Feature, v: Vertex, d: &mut Heat<K>) -> bool {
    d.heat[v][f] *= 0.5;
    true
}

#[vertex_fn]
fn add_up<const K: usize>(f: Feature, v: Vertex, d: &mut Heat<K>) -> bool {
    d.total[v] = sum(d.heat[v][f]);
    false
}

fn refuse_cold(rate: f32) {
    assert!(rate >= 0.0, "too cold");
}

#[vertex_fn]
fn fail_when_cold<const K: usize>(f: Feature, v: Vertex, d: &mut Heat<K>) -> bool {
    d.heat[v][f] += 1.0;
    refuse_cold(d.rate);
    true
}

foldmap! { pub spread<const K: usize>(Heat<K>) = [conduct, warm]; features = [4] }
foldmap! { pub cool<const K: usize>(Heat<K>) = [halve]; features = [4] }
foldmap! { pub weigh<const K: usize>(Heat<K>) = [add_up]; features = [4] }

#[vertex_fn]
fn remember<const K: usize>(f: Feature, v: Vertex, d: &mut Heat<K>) -> bool {
    d.heat[v][f] += d.arrived[v][f];
    true
}

foldmap! { pub recall<const K: usize>(Heat<K>) = [remember]; features = [4] }
foldmap! { pub freeze<const K: usize>(Heat<K>) = [fail_when_cold]; features = [4] }
foldmap! { pub conduct_alone<const K: usize>(Heat<K>) = [conduct]; features = [4] }
foldmap! { pub gather_and_freeze<const K: usize>(Heat<K>) = [conduct; fail_when_cold]; features = [4] }

#[vertex_fn]
fn stop_even<const K: usize>(v: Vertex, d: &mut Heat<K>) -> bool {
    v.0 % 2 == 1
}

#[vertex_fn]
fn halve_arrived<const K: usize>(f: Feature, v: Vertex, d: &mut Heat<K>) -> bool {
    d.arrived[v][f] *= 0.5;
    true
}

foldmap! { pub halve_all<const K: usize>(Heat<K>) = [halve_arrived]; features = [4] }
foldmap! { pub conduct_twice<const K: usize>(Heat<K>) = [conduct; conduct, warm]; features = [4] }
foldmap! { pub keep_some<const K: usize>(Heat<K>) = [stop_even; conduct; conduct, halve_arrived]; features = [4] }

pub fn graph() -> Graph {
    let size = if cfg!(miri) { "rmat:3:3" } else { "rmat:6:4" };
    size.parse::<Generator>().unwrap().generate(3).unwrap()
}

pub fn start(graph: &Graph) -> (Array1<f32>, Array2<f32>) {
    let conductance = graph.edges().map(|(_, _, to)| 1.0 / graph.in_degree(to) as f32).collect();
    let heat =
        Array2::from_shape_fn((graph.vertex_count(), 3), |(vertex, feature)| (vertex * (feature + 1) % 11) as f32);
    (conductance, heat)
}

pub fn prepared(session: &Session, graph: &ResidentGraph<'_>) -> Data<Heat> {
    let (conductance, heat) = start(graph.graph());
    let mut data = session.data(spread, graph, 3).unwrap();
    data.write(Heat::CONDUCTANCE, &conductance).unwrap();
    data.write(Heat::HEAT, &heat).unwrap();
    data.set(Heat::RATE, 0.5);
    data
}

/// The emulator's lanes are coroutines in assembly, which Miri has not.
pub fn sessions() -> Vec<Session> {
    if cfg!(miri) { vec![Session::cpu()] } else { vec![Session::cpu(), Session::emulator()] }
}
