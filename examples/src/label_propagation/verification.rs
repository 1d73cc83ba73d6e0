//! Label propagation in 64-bit floats.

use onyx_runtime::graph::Graph;
use onyx_runtime::{Report, Store};

use super::LabelPropagation;
use crate::verification::{self, Equation, Verification, rows, unpropagated};

/// Verifies the labels in `store`: differences are of shares.
pub fn verify(graph: &Graph, store: &Store, report: &Report) -> Verification {
    verification::verify(&Labels::new(graph, store), report)
}

/// The equations.
struct Labels<'a> {
    graph: &'a Graph,
    store: &'a Store,
    seed: Vec<f64>,
    /// The sums of the weights of each vertex's incoming edges.
    totals: Vec<f64>,
}

impl<'a> Labels<'a> {
    fn new(graph: &'a Graph, store: &'a Store) -> Self {
        let weights = store.edge_scalars(LabelPropagation::WEIGHT);
        let mut totals = vec![0.0; graph.vertex_count()];
        graph.edges().for_each(|(edge, _, to)| totals[to as usize] += f64::from(weights[edge]));
        let seed = rows(graph, |vertex| store.row(LabelPropagation::SEED, vertex));
        Self { graph, store, seed, totals }
    }

    fn alpha(&self) -> f64 {
        f64::from(self.store.get(LabelPropagation::ALPHA))
    }

    fn arriving(&self, label: &[f64]) -> Vec<f64> {
        let weights = self.store.edge_scalars(LabelPropagation::WEIGHT);
        arriving(self.graph, weights, label, self.store.features())
    }
}

impl Equation for Labels<'_> {
    fn start(&self) -> Vec<f64> {
        self.seed.clone()
    }

    fn found(&self) -> Vec<f64> {
        rows(self.graph, |vertex| self.store.row(LabelPropagation::LABEL, vertex))
    }

    fn next(&self, label: &[f64]) -> Vec<f64> {
        let features = self.store.features();
        let mut next = self.arriving(label);
        let rows = next.chunks_mut(features).zip(self.seed.chunks(features));
        rows.for_each(|(sum, seed)| mix(sum, seed, self.alpha()));
        next
    }

    /// Labels sum to 1, so that their sums are divided by those of the weights.
    fn spread(&self, distances: &[f64]) -> Vec<f64> {
        let mut sums = self.arriving(distances);
        let rows = sums.chunks_mut(self.store.features()).zip(&self.totals).filter(|(_, total)| **total > 0.0);
        rows.for_each(|(row, total)| row.iter_mut().for_each(|sum| *sum *= self.alpha() / total));
        sums
    }

    fn magnitudes(&self, _label: &[f64], next: &[f64]) -> Vec<f64> {
        next.to_vec()
    }

    /// The sum of a share, and the sum that it is divided by, each twice.
    fn terms(&self, place: usize) -> f64 {
        let features = self.store.features();
        2.0 * (self.graph.in_degree((place / features) as u32) + features) as f64
    }

    fn tolerance(&self, share: f64) -> f64 {
        unpropagated(self.store.get(LabelPropagation::TOLERANCE), share)
    }

    fn unit(&self, _share: f64) -> f64 {
        1.0
    }
}

/// The labels after `iterations` of the equations in 64-bit floats on one thread, row after row, from the seeds in `store`.
pub fn serial(graph: &Graph, store: &Store, iterations: usize) -> Vec<f64> {
    let labels = Labels::new(graph, store);
    (0..iterations).fold(labels.start(), |label, _| labels.next(&label))
}

/// The weighted sum of the labels of each vertex's incoming neighbors.
fn arriving(graph: &Graph, weights: &[f32], label: &[f64], features: usize) -> Vec<f64> {
    let mut sums = vec![0.0; label.len()];
    for (edge, source, destination) in graph.edges() {
        let (from, to) = (source as usize * features, destination as usize * features);
        let weight = f64::from(weights[edge]);
        (0..features).for_each(|feature| sums[to + feature] += weight * label[from + feature]);
    }
    sums
}

/// Turns the sum that has arrived at one vertex into its label.
fn mix(sum: &mut [f64], seed: &[f64], alpha: f64) {
    normalize(sum);
    sum.iter_mut().zip(seed).for_each(|(share, seed)| *share = alpha * *share + (1.0 - alpha) * seed);
    normalize(sum);
}

fn normalize(shares: &mut [f64]) {
    let total: f64 = shares.iter().sum();
    if total != 0.0 {
        shares.iter_mut().for_each(|share| *share /= total);
    }
}
