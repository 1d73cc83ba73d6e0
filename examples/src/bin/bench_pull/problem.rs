//! One graph with random weights and seeds, and the pull iteration on it.

use std::ops::ControlFlow;
use std::time::Duration;

use onyx_examples::label_propagation::{LabelPropagation, step};
use onyx_runtime::graph::Graph;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use onyx_runtime::{Backend, Direction, Options, RunError, Store, converge};

/// How far two results may lie apart: labels are at most 1, and sums of 100,000 edges are rounded to f32 in different orders.
const TOLERANCE: f32 = 1e-4;

/// A graph and what label propagation starts from.
pub struct Problem<'a> {
    pub graph: &'a Graph,
    pub features: usize,
    store: Store,
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
        store.set(LabelPropagation::ALPHA, 0.9);
        // Below zero, so that every vertex counts as moved and no iteration is skipped.
        store.set(LabelPropagation::TOLERANCE, -1.0);
        Ok(Self { graph, features, store })
    }

    /// The edge weights, in the order of incoming edges.
    pub fn weights(&self) -> &[f32] {
        self.store.edge_scalars(LabelPropagation::WEIGHT)
    }

    /// The labels, one row of `features` a vertex.
    pub fn labels(&self) -> Vec<f32> {
        labels(&self.store, self.graph)
    }

    /// Whether an iteration on the GPU gives the labels that one on the CPU gives.
    pub fn verify(&self, group_size: Option<usize>) -> Result<bool, RunError> {
        let (mut gpu, mut cpu) = (self.store.clone(), self.store.clone());
        self.run(&mut gpu, Backend::Cuda, group_size, 1)?;
        self.run(&mut cpu, Backend::Cpu, None, 1)?;
        Ok(is_close(&labels(&gpu, self.graph), &labels(&cpu, self.graph)))
    }

    /// The time of each of `iterations` iterations on the GPU.
    pub fn time(&self, group_size: Option<usize>, iterations: usize) -> Result<Vec<Duration>, RunError> {
        self.run(&mut self.store.clone(), Backend::Cuda, group_size, iterations)
    }

    fn run(
        &self,
        store: &mut Store,
        backend: Backend,
        group_size: Option<usize>,
        iterations: usize,
    ) -> Result<Vec<Duration>, RunError> {
        let options =
            Options { backend, iterations, direction: Some(Direction::Pull), group_size, ..Options::default() };
        let report = converge(step, self.graph, store, &options, &mut |_| ControlFlow::Continue(()))?;
        Ok(report.iterations.iter().map(|iteration| iteration.time).collect())
    }
}

/// Whether two results agree within the rounding of `f32`.
pub fn is_close(found: &[f32], expected: &[f32]) -> bool {
    let close = |(found, expected): (&f32, &f32)| (found - expected).abs() <= TOLERANCE * expected.abs().max(1.0);
    found.len() == expected.len() && found.iter().zip(expected).all(close)
}

fn labels(store: &Store, graph: &Graph) -> Vec<f32> {
    (0..graph.vertex_count() as u32)
        .flat_map(|vertex| store.row(LabelPropagation::LABEL, vertex).to_vec())
        .collect()
}
