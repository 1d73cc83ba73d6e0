//! Label propagation: a few vertices have a known class, and every other one takes the mixture of classes around it.
//!
//! Figure 2.1d of the Onyx thesis, for the distribution `label(v)` over K classes:
//!
//! ```text
//! sum(v)   = Σ over edges u → v of weight(u, v) · label(u)
//! mixed(v) = alpha · normalize(sum(v)) + (1 − alpha) · seed(v)
//! label(v) = normalize(mixed(v))              normalize(x) = x / Σx, and x itself where Σx = 0
//! ```
//!
//! The figure mixes with the label of the iteration before, by which the seeds would be forgotten. As in the papers that it cites, the
//! mixture here is with the label at the start, `seed(v)`: the class of a vertex where it is known, and every class alike where it is not.
//! So all labels sum to 1, and the equations are a contraction: each iteration shrinks every difference by alpha at least, and they converge
//! to one solution at that rate.

use onyx_device::prelude::*;

/// What label propagation keeps of each edge and vertex.
#[graph_data]
pub struct LabelPropagation<const K: usize> {
    /// How much the destination listens to the source.
    weight: EdgeScalar,
    /// The distribution at the start: one class where it is known, all alike where not.
    seed: VertexFeatures<K>,
    /// The distribution found so far.
    label: VertexFeatures<K, Tracked>,
    /// What arrives by the incoming edges.
    sum: VertexFeatures<K>,
    /// The part of a label that comes from the neighbors.
    alpha: Parameter,
    /// The change of a share that is not propagated.
    tolerance: Parameter,
}

/// Adds the source's label to what arrives at the destination.
#[edge_fn]
pub fn spread<const K: usize>(f: Feature, e: Edge, d: &mut LabelPropagation<K>) -> bool {
    d.sum[e.dst][f] += d.weight[e] * d.label[e.src][f];
    true
}

/// Mixes what has arrived with the seed; the vertex has changed if any feature has moved by more than rounding moves it.
#[vertex_fn]
pub fn absorb<const K: usize>(f: Feature, v: Vertex, d: &mut LabelPropagation<K>) -> bool {
    let mixed = d.alpha * normalize(d.sum[v][f]) + (1.0 - d.alpha) * d.seed[v][f];
    let label = normalize(mixed);
    let moved = (label - d.label[v][f]).abs() > d.tolerance.max(4.0 * f32::EPSILON * label);
    d.label[v][f] = label;
    any(moved)
}

foldmap! {
    /// One iteration of label propagation.
    pub step<const K: usize>(LabelPropagation<K>) = [spread, absorb]; features = [1, 2, 4, 8, 16, 32, 64, 128]
}

#[host]
pub use host::{Settings, classes, prepare, serial, verify};

#[host]
mod host {
    use onyx_runtime::graph::Graph;
    use onyx_runtime::{Report, RunError, Store};

    use super::{LabelPropagation, step};
    use crate::verification::{self, Equation, Verification, rows, unpropagated};

    /// A label without a share that is greater than the mean by this much says nothing.
    const UNDECIDED: f32 = 1e-6;

    /// The parameters of a run.
    #[derive(Clone, Copy, Debug)]
    pub struct Settings {
        /// The part of a label that comes from the neighbors, between 0 and 1.
        pub alpha: f32,
        /// The change of a share that is not worth propagating; the run ends within tolerance · alpha / (1 − alpha) of the solution.
        ///
        /// Far from the seeds classes differ by 1e-4 and less; below 1e-6, rounding in long rows keeps a run from ending.
        pub tolerance: f32,
    }

    impl Default for Settings {
        fn default() -> Self {
            Self { alpha: 0.85, tolerance: 1e-5 }
        }
    }

    /// The store a run starts from: each seed is a vertex and its class, below `features`.
    ///
    /// # Errors
    /// No compiled width holds `features`.
    pub fn prepare(
        graph: &Graph,
        seeds: &[(u32, usize)],
        features: usize,
        settings: Settings,
    ) -> Result<Store, RunError> {
        let mut store = Store::new(step, graph, features)?;
        store.set(LabelPropagation::ALPHA, settings.alpha);
        store.set(LabelPropagation::TOLERANCE, settings.tolerance);
        match graph.weights() {
            Some(weights) => (0..graph.vertex_count()).for_each(|vertex| {
                let edges = graph.incoming().offsets().row(vertex);
                let places = &mut store.edge_scalars_mut(LabelPropagation::WEIGHT)[edges.clone()];
                scale(places, &weights[edges]);
            }),
            None => store.edge_scalars_mut(LabelPropagation::WEIGHT).fill(1.0),
        }
        start(&mut store, graph, seeds);
        Ok(store)
    }

    /// Copies the weights of the edges into one vertex, times the power of two by which the greatest is about 1. What arrives is divided by
    /// its sum, so that this changes no label; but neither the greatest nor the least floats leave the range of floats when they are added.
    fn scale(places: &mut [f32], weights: &[f32]) {
        let greatest = weights.iter().fold(0.0, |greatest: f64, weight| greatest.max(f64::from(weight.abs())));
        let factor = if greatest > 0.0 { (-greatest.log2().floor()).exp2() } else { 1.0 };
        places.iter_mut().zip(weights).for_each(|(place, weight)| *place = (f64::from(*weight) * factor) as f32);
    }

    fn start(store: &mut Store, graph: &Graph, seeds: &[(u32, usize)]) {
        let features = store.features();
        let mut classes = vec![None; graph.vertex_count()];
        seeds.iter().for_each(|&(vertex, class)| classes[vertex as usize] = Some(class));
        for (vertex, class) in (0..).zip(classes) {
            let mut shares = vec![if class.is_some() { 0.0 } else { 1.0 / features as f32 }; features];
            class.into_iter().for_each(|class| shares[class] = 1.0);
            store.row_mut(LabelPropagation::SEED, vertex).copy_from_slice(&shares);
            store.row_mut(LabelPropagation::LABEL, vertex).copy_from_slice(&shares);
        }
    }

    /// The class with the greatest share at each vertex, the lowest of equal ones; none where no seed has reached.
    pub fn classes(graph: &Graph, store: &Store) -> Vec<Option<usize>> {
        let vertices = 0..graph.vertex_count() as u32;
        vertices.map(|vertex| greatest(store.row(LabelPropagation::LABEL, vertex))).collect()
    }

    fn greatest(shares: &[f32]) -> Option<usize> {
        let best = (0..shares.len()).rev().max_by(|&a, &b| shares[a].total_cmp(&shares[b]));
        best.filter(|&class| shares.len() == 1 || shares[class] - 1.0 / shares.len() as f32 > UNDECIDED)
    }

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
}
