//! The gates: products that are change-driven while factors of zero come and go.

use onyx_runtime::graph::Graph;
use onyx_runtime::{Options, Store};

use crate::check::run;
use crate::programs::{Gates, gates};

/// Sixteenths, so that the source moves without rounding.
const STEP: f32 = 3.0 / 16.0;

/// A store in which every vertex gets half of the mean of its neighbors' levels, and one gate in sixteen is closed.
pub fn store(graph: &Graph, features: usize) -> Store {
    let mut store = Store::new(gates, graph, features).expect("a compiled width");
    for (edge, _, destination) in graph.edges() {
        store.edge_scalars_mut(Gates::WEIGHT)[edge] = 0.5 / graph.in_degree(destination) as f32;
    }
    for vertex in 0..graph.vertex_count() as u32 {
        store.scalars_mut(Gates::PHASE)[vertex as usize] = (vertex % 16) as f32 / 16.0;
        for (feature, strength) in store.row_mut(Gates::STRENGTH, vertex).iter_mut().enumerate() {
            *strength = 0.5 + 0.1 * feature as f32 + 0.001 * vertex as f32;
        }
    }
    store.set(Gates::STEP, STEP);
    store
}

/// The serial loop's state.
struct Serial {
    phase: Vec<f64>,
    gate: Vec<f64>,
    level: Vec<f64>,
}

/// The levels after `iterations` by a serial loop of `f64`.
pub fn levels(graph: &Graph, store: &Store, iterations: usize) -> Vec<f64> {
    let vertices = graph.vertex_count();
    let mut serial = Serial {
        phase: store.scalars(Gates::PHASE).iter().map(|phase| f64::from(*phase)).collect(),
        gate: vec![0.0; vertices],
        level: vec![0.0; vertices * store.features()],
    };
    let edges: Vec<_> = graph.edges().collect();
    (0..iterations).for_each(|_| iterate(&edges, store, &mut serial));
    serial.level
}

fn iterate(edges: &[(usize, u32, u32)], store: &Store, serial: &mut Serial) {
    let (features, vertices) = (store.features(), serial.phase.len());
    let (mut arrived, mut passed) = (vec![0.0; vertices * features], vec![1.0; vertices * features]);
    let mut kept = vec![1.0; vertices];
    for &(edge, source, destination) in edges {
        let (weight, gate) = (f64::from(store.edge_scalars(Gates::WEIGHT)[edge]), serial.gate[source as usize]);
        kept[destination as usize] *= 1.0 - 0.5 * weight * gate;
        for feature in 0..features {
            let part = weight * serial.level[source as usize * features + feature];
            arrived[destination as usize * features + feature] += part;
            passed[destination as usize * features + feature] *= gate * (1.0 + part);
        }
    }
    for (vertex, kept) in kept.iter().enumerate() {
        let phase = (serial.phase[vertex] + f64::from(STEP)) % 1.0;
        serial.phase[vertex] = phase;
        serial.gate[vertex] = if phase > 0.0 { 1.0 } else { 0.0 };
        for (feature, strength) in store.row(Gates::STRENGTH, vertex as u32).iter().enumerate() {
            let at = vertex * features + feature;
            serial.level[at] = f64::from(*strength) * phase + 0.25 * arrived[at] + 0.1 * passed[at] + 0.1 * kept;
        }
    }
}

/// How far the levels of a run are from the serial loop's, as a part of the highest.
pub fn drift(graph: &Graph, features: usize, options: &Options) -> f64 {
    let mut store = store(graph, features);
    let expected = levels(graph, &store, options.iterations);
    let report = run(graph, &mut store, gates, options);
    assert_eq!(report.iterations.len(), options.iterations);
    let found = (0..graph.vertex_count() as u32).flat_map(|vertex| store.row(Gates::LEVEL, vertex).to_vec());
    let highest = expected.iter().fold(0.0_f64, |most, level| most.max(level.abs()));
    let difference = found.zip(&expected).map(|(found, expected)| (f64::from(found) - expected).abs());
    difference.fold(0.0, f64::max) / highest
}
