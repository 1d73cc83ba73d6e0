//! Multimodal learning in 64-bit floats.

use onyx_runtime::graph::Graph;
use onyx_runtime::{Report, Store};

use super::MultimodalLearning;
use crate::fixed_point::{FixedPoint, Mixture, Weights, greatest_size};
use crate::verification::{self, Verification, rows};

/// Verifies the modes in `store`: differences are parts of the greatest seed.
pub fn verify(graph: &Graph, store: &Store, report: &Report) -> Verification {
    verification::verify(&equation(graph, store), report)
}

fn equation<'a>(graph: &'a Graph, store: &'a Store) -> Mixture<'a, impl Fn(&[f64], Weights) -> Vec<f64>> {
    let known = rows(graph, |vertex| store.row(MultimodalLearning::SEED, vertex));
    Mixture {
        graph,
        found: rows(graph, |vertex| store.row(MultimodalLearning::MODE, vertex)),
        unit: greatest_size(&known),
        known,
        features: store.features(),
        terms: store.features(),
        alpha: store.get(MultimodalLearning::ALPHA),
        unpropagated: store.get(MultimodalLearning::TOLERANCE),
        arriving: |mode: &[f64], weights| arriving(graph, store, mode, weights),
    }
}

/// What arrives at each vertex of these modes.
fn arriving(graph: &Graph, store: &Store, mode: &[f64], meant: Weights) -> Vec<f64> {
    let (features, mut sums) = (store.features(), vec![0.0; mode.len()]);
    for (edge, source, destination) in graph.edges() {
        let (from, to) = (source as usize * features, destination as usize * features);
        for row in 0..features {
            let weights = store.edge_matrix_row(MultimodalLearning::WEIGHT, edge, row).iter().enumerate();
            weights.for_each(|(f, weight)| sums[to + f] += meant.of(*weight) * mode[from + row]);
        }
    }
    sums
}

/// The modes in 64-bit floats on one thread, row after row, from the seeds in `store`: after `iterations`, or as soon as one changes no
/// value by more than `tolerance`.
pub fn serial(graph: &Graph, store: &Store, iterations: usize, tolerance: f64) -> FixedPoint {
    equation(graph, store).find(iterations, tolerance)
}
