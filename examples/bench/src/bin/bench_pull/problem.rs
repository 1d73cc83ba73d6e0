//! One graph with random weights and seeds, and the pull iteration on it.

use std::ops::ControlFlow;
use std::sync::OnceLock;
use std::time::Duration;

use onyx_examples::label_propagation::{LabelPropagation, step};
use onyx_runtime::graph::Graph;
use onyx_runtime::{Backend, Direction, Options, RunError, Schedule, Store, converge};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

/// How far two results may lie apart: labels are at most 1, and sums of 100,000 edges are rounded to f32 in different orders.
const TOLERANCE: f32 = 1e-4;
/// How much of a label comes from the neighbors.
const ALPHA: f32 = 0.9;

/// How an iteration is run.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub backend: Backend,
    pub schedule: Schedule,
    pub group_size: Option<usize>,
}

/// A graph and what label propagation starts from.
pub struct Problem<'a> {
    pub graph: &'a Graph,
    pub features: usize,
    store: Store,
    sums: OnceLock<Vec<f32>>,
}

impl<'a> Problem<'a> {
    /// Weights between 0.5 and 1.5, and a random distribution as every vertex's seed and label.
    pub fn new(graph: &'a Graph, features: usize, seed: u64) -> Result<Self, RunError> {
        let mut store = Store::new(step, graph, features)?;
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        store.edge_scalars_mut(LabelPropagation::WEIGHT).fill_with(|| 0.5 + random.random::<f32>());
        for vertex in 0..graph.vertex_count() as u32 {
            let row: Vec<f32> = (0..features).map(|_| random.random()).collect();
            let sum: f32 = row.iter().sum();
            let row: Vec<f32> = row.iter().map(|value| value / sum).collect();
            store.row_mut(LabelPropagation::SEED, vertex).copy_from_slice(&row);
            store.row_mut(LabelPropagation::LABEL, vertex).copy_from_slice(&row);
        }
        store.set(LabelPropagation::ALPHA, ALPHA);
        // Below zero, so that every vertex counts as moved and no iteration is skipped.
        store.set(LabelPropagation::TOLERANCE, -1.0);
        Ok(Self { graph, features, store, sums: OnceLock::new() })
    }

    /// The edge weights, in the order of incoming edges.
    pub fn weights(&self) -> &[f32] {
        self.store.edge_scalars(LabelPropagation::WEIGHT)
    }

    /// The labels, one row of `features` a vertex.
    pub fn labels(&self) -> Vec<f32> {
        labels(&self.store, self.graph)
    }

    /// The sums of weighted labels over incoming edges, in `f64` by plain loops.
    pub fn sums(&self) -> &[f32] {
        let (labels, weights) = (self.labels(), self.weights());
        self.sums.get_or_init(|| {
            let rows = (0..self.graph.vertex_count()).into_par_iter();
            rows.flat_map_iter(|row| sum(self.graph, row, &labels, weights, self.features)).collect()
        })
    }

    /// The labels after one iteration, from the sums in `f64`.
    fn expected(&self) -> Vec<f32> {
        let rows = self.sums().chunks_exact(self.features).zip(0..);
        rows.flat_map(|(sums, vertex)| {
            let total: f32 = sums.iter().sum();
            let scale = if total == 0.0 { 1.0 } else { 1.0 / total };
            let seeds = self.store.row(LabelPropagation::SEED, vertex);
            let mixed: Vec<f32> =
                sums.iter().zip(seeds).map(|(sum, seed)| ALPHA * sum * scale + (1.0 - ALPHA) * seed).collect();
            let total: f32 = mixed.iter().sum();
            mixed.into_iter().map(move |value| value / total)
        })
        .collect()
    }

    /// Whether an iteration gives the labels that it should.
    pub fn verify(&self, way: Way) -> Result<bool, RunError> {
        let mut store = self.store.clone();
        self.run(&mut store, way, 1)?;
        Ok(is_close(&labels(&store, self.graph), &self.expected()))
    }

    /// The time of each of `iterations` iterations.
    pub fn time(&self, way: Way, iterations: usize) -> Result<Vec<Duration>, RunError> {
        self.run(&mut self.store.clone(), way, iterations)
    }

    fn run(&self, store: &mut Store, way: Way, iterations: usize) -> Result<Vec<Duration>, RunError> {
        let Way { backend, schedule, group_size } = way;
        // One iteration in a batch, so that each has its own time.
        let options = Options {
            backend,
            iterations,
            direction: Some(Direction::Pull),
            group_size,
            schedule,
            read_every: 1,
            settle: false,
            ..Options::default()
        };
        let report = converge(step, self.graph, store, &options, &mut |_| ControlFlow::Continue(()))?;
        Ok(report.iterations.iter().map(|iteration| iteration.time).collect())
    }
}

/// One row of the sums.
fn sum(graph: &Graph, row: usize, labels: &[f32], weights: &[f32], features: usize) -> Vec<f32> {
    let incoming = graph.incoming();
    let mut sums = vec![0.0_f64; features];
    for edge in incoming.offsets().row(row) {
        let label = &labels[incoming.neighbors()[edge] as usize * features..][..features];
        let weight = f64::from(weights[edge]);
        sums.iter_mut().zip(label).for_each(|(sum, label)| *sum += weight * f64::from(*label));
    }
    sums.into_iter().map(|sum| sum as f32).collect()
}

/// Whether two results agree within the rounding of `f32`.
pub fn is_close(found: &[f32], expected: &[f32]) -> bool {
    let close = |(found, expected): (&f32, &f32)| (found - expected).abs() <= TOLERANCE * expected.abs().max(1.0);
    found.len() == expected.len() && found.iter().zip(expected).all(close)
}

fn labels(store: &Store, graph: &Graph) -> Vec<f32> {
    (0..graph.vertex_count() as u32).flat_map(|vertex| store.row(LabelPropagation::LABEL, vertex).to_vec()).collect()
}
