//! The tide: a change-driven program that never settles, so that what pushes leave behind can add up.

use onyx_runtime::graph::Graph;
use onyx_runtime::{Options, Store};

use crate::check::run;
use crate::programs::{Tide, tide};

/// Sixteenths, so that the source moves without rounding.
const STEP: f32 = 3.0 / 16.0;

/// A store in which every vertex gets half of the mean of its neighbors' levels.
pub fn store(graph: &Graph, features: usize) -> Store {
    let mut store = Store::new(tide, graph, features).expect("a compiled width");
    for (edge, _, destination) in graph.edges() {
        store.edge_scalars_mut(Tide::WEIGHT)[edge] = 0.5 / graph.in_degree(destination) as f32;
    }
    for vertex in 0..graph.vertex_count() as u32 {
        store.scalars_mut(Tide::PHASE)[vertex as usize] = (vertex % 16) as f32 / 16.0;
        for (feature, strength) in store.row_mut(Tide::STRENGTH, vertex).iter_mut().enumerate() {
            *strength = 1.0 + 0.3 * feature as f32 + 0.001 * vertex as f32;
        }
    }
    store.set(Tide::STEP, STEP);
    store
}

/// The levels after `iterations` by a serial loop of `f64`.
pub fn levels(graph: &Graph, store: &Store, iterations: usize) -> Vec<f64> {
    let (vertices, features) = (graph.vertex_count(), store.features());
    let edges: Vec<_> = graph.edges().collect();
    let mut phase: Vec<f64> = store.scalars(Tide::PHASE).iter().map(|phase| f64::from(*phase)).collect();
    let mut level = vec![0.0; vertices * features];
    for _ in 0..iterations {
        let mut next = vec![0.0; level.len()];
        for &(edge, source, destination) in &edges {
            let weight = f64::from(store.edge_scalars(Tide::WEIGHT)[edge]);
            let (from, to) = (source as usize * features, destination as usize * features);
            (0..features).for_each(|feature| next[to + feature] += weight * level[from + feature]);
        }
        for (vertex, row) in next.chunks_exact_mut(features).enumerate() {
            phase[vertex] = (phase[vertex] + f64::from(STEP)) % 1.0;
            let strength = store.row(Tide::STRENGTH, vertex as u32);
            row.iter_mut().zip(strength).for_each(|(level, strength)| *level += f64::from(*strength) * phase[vertex]);
        }
        level = next;
    }
    level
}

/// How far the levels of a run are from the serial loop's, as a part of the highest.
pub fn drift(graph: &Graph, features: usize, options: &Options) -> f64 {
    let mut store = store(graph, features);
    let expected = levels(graph, &store, options.iterations);
    let report = run(graph, &mut store, tide, options);
    assert_eq!(report.iterations.len(), options.iterations);
    let found = (0..graph.vertex_count() as u32).flat_map(|vertex| store.row(Tide::LEVEL, vertex).to_vec());
    let highest = expected.iter().fold(0.0_f64, |most, level| most.max(level.abs()));
    let difference = found.zip(&expected).map(|(found, expected)| (f64::from(found) - expected).abs());
    difference.fold(0.0, f64::max) / highest
}
