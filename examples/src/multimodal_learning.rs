//! Multimodal learning: vertices that speak different languages, such as pictures and captions, learn from each other what they are.
//!
//! Figure 2.1e of the Onyx thesis, for the K values `mode(v)` and a K × K matrix an edge, which translates from the source to the destination:
//!
//! ```text
//! mode(v) = alpha · Σ over edges u → v of W(u, v)ᵀ · mode(u) + (1 − alpha) · seed(v)
//! ```
//!
//! So that this converges whatever the matrices are, each vertex's are divided, before the run, by the sum over its incoming edges of the
//! absolute values in each column: `Σ over u, i of |W(u, v)[i][j]|` for column `j`; where it is 0, nothing arrives. A value is then alpha
//! times a mean of others, some with their signs changed, and an iteration shrinks every difference by alpha at least. With diagonal
//! matrices of positive weights this is multi-manifold ranking.

use onyx_device::prelude::*;

/// What multimodal learning keeps of each edge and vertex.
#[graph_data]
pub struct MultimodalLearning<const K: usize> {
    /// Translates what the source says into what the destination understands.
    weight: EdgeMatrix<K>,
    /// What is known of the vertex at the start.
    seed: VertexFeatures<K>,
    /// What the vertex has learned, in its own language.
    mode: VertexFeatures<K, Tracked>,
    /// What arrives by the incoming edges.
    sum: VertexFeatures<K>,
    /// The part of a mode that comes from the neighbors.
    alpha: Parameter,
    /// The change of a value that is not propagated.
    tolerance: Parameter,
}

/// Adds the source's mode, as the destination understands it, to what arrives there.
#[edge_fn]
pub fn translate<const K: usize>(f: Feature, e: Edge, d: &mut MultimodalLearning<K>) -> bool {
    d.sum[e.dst][f] += transpose_matvec(d.weight[e][f], d.mode[e.src][f]);
    true
}

/// Mixes what has arrived with the seed; the vertex has changed if any value has moved by more than rounding moves it.
#[vertex_fn]
pub fn learn<const K: usize>(f: Feature, v: Vertex, d: &mut MultimodalLearning<K>) -> bool {
    let mode = d.alpha * d.sum[v][f] + (1.0 - d.alpha) * d.seed[v][f];
    let moved = (mode - d.mode[v][f]).abs() > d.tolerance.max(4.0 * f32::EPSILON * mode.abs());
    d.mode[v][f] = mode;
    any(moved)
}

foldmap! {
    /// One iteration of multimodal learning. With a feature in each lane, lanes side by side read rows of a matrix side by side.
    pub step<const K: usize>(MultimodalLearning<K>) = [translate, learn]; features = [1, 2, 4, 8, 16, 32]; features_per_lane = 1
}

#[host]
pub use crate::fixed_point::Settings;
#[host]
pub use host::{greatest, prepare, serial, verify};

#[host]
mod host {
    use std::ops::Range;

    use onyx_runtime::graph::Graph;
    use onyx_runtime::{Report, RunError, Store};

    use super::{MultimodalLearning, step};
    use crate::fixed_point::{FixedPoint, Mixture, Settings, Weights, greatest_size};
    use crate::verification::{self, Verification, rows};

    /// The store a run starts from. `matrices` has the `features` rows of each edge's matrix, by edge number; a vertex that is not among
    /// the seeds has the seed 0.
    ///
    /// # Errors
    /// No compiled width holds `features`.
    ///
    /// # Panics
    /// `matrices` or a seed has another length.
    pub fn prepare(
        graph: &Graph,
        matrices: &[f32],
        seeds: &[(u32, Vec<f32>)],
        features: usize,
        settings: Settings,
    ) -> Result<Store, RunError> {
        let mut store = Store::new(step, graph, features)?;
        store.set(MultimodalLearning::ALPHA, settings.alpha);
        store.set(MultimodalLearning::TOLERANCE, settings.tolerance);
        assert_eq!(matrices.len(), graph.edge_count() * features * features, "a matrix for each edge");
        for vertex in 0..graph.vertex_count() {
            share(&mut store, matrices, graph.incoming().offsets().row(vertex));
        }
        for (vertex, seed) in seeds {
            store.row_mut(MultimodalLearning::SEED, *vertex).copy_from_slice(seed);
            store.row_mut(MultimodalLearning::MODE, *vertex).copy_from_slice(seed);
        }
        Ok(store)
    }

    /// Divides the matrices of the edges into one vertex by the sums of their columns.
    fn share(store: &mut Store, matrices: &[f32], edges: Range<usize>) {
        let features = store.features();
        let rows = &matrices[edges.start * features * features..edges.end * features * features];
        let mut totals = vec![0.0; features];
        for row in rows.chunks_exact(features) {
            totals.iter_mut().zip(row).for_each(|(total, weight)| *total += f64::from(weight.abs()));
        }
        let places = edges.flat_map(|edge| (0..features).map(move |row| (edge, row)));
        for ((edge, row), weights) in places.zip(rows.chunks_exact(features)) {
            let shares = store.edge_matrix_row_mut(MultimodalLearning::WEIGHT, edge, row).iter_mut();
            let shares = shares.zip(weights).zip(&totals).filter(|(_, total)| **total != 0.0);
            shares.for_each(|((share, weight), total)| *share = (f64::from(*weight) / total) as f32);
        }
    }

    /// The feature with the greatest value at each vertex, the lowest of equal ones; none where all are alike, as where nothing arrives.
    pub fn greatest(graph: &Graph, store: &Store) -> Vec<Option<usize>> {
        let of = |mode: &[f32]| {
            let best = (0..mode.len()).rev().max_by(|&a, &b| mode[a].total_cmp(&mode[b]));
            best.filter(|&best| mode.len() == 1 || mode.iter().any(|value| *value < mode[best]))
        };
        (0..graph.vertex_count() as u32).map(|vertex| of(store.row(MultimodalLearning::MODE, vertex))).collect()
    }

    /// Verifies the modes in `store`: differences are parts of the greatest seed.
    pub fn verify(graph: &Graph, store: &Store, report: &Report) -> Verification {
        verification::verify(&equation(graph, store), report)
    }

    fn equation<'a>(graph: &'a Graph, store: &'a Store) -> Mixture<'a, impl Fn(&[f64], Weights) -> Vec<f64>> {
        let known = rows(graph, |vertex| store.row(MultimodalLearning::SEED, vertex));
        let [alpha, tolerance] = [MultimodalLearning::ALPHA, MultimodalLearning::TOLERANCE].map(|key| store.get(key));
        Mixture {
            graph,
            found: rows(graph, |vertex| store.row(MultimodalLearning::MODE, vertex)),
            unit: greatest_size(&known),
            known,
            features: store.features(),
            terms: store.features(),
            settings: Settings { alpha, tolerance },
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
}
