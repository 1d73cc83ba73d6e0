//! One graph with random values and a random set of active vertices.

use std::ops::ControlFlow;
use std::time::Duration;

use onyx_bench::steady::{Steady, step};
use onyx_runtime::graph::Graph;
use onyx_runtime::{Backend, Direction, Options, Report, RunError, Schedule, Store, converge};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;

/// How far two results may lie apart: values are below 1, and sums are rounded to f32 in different orders.
const TOLERANCE: f32 = 1e-4;
/// Iterations until results are compared: one that pulls, and pushes.
const COMPARED: usize = 4;

/// How an iteration is run.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub backend: Backend,
    pub schedule: Schedule,
    pub direction: Direction,
}

/// A graph, what the diffusion starts from, and the values that it should have after [`COMPARED`] iterations.
pub struct Problem<'a> {
    pub graph: &'a Graph,
    pub features: usize,
    pub percent: f64,
    pub active: usize,
    store: Store,
    expected: Vec<f32>,
}

impl<'a> Problem<'a> {
    /// Random values; each vertex moves with a probability of `percent`; an edge counts one over its destination's in-degree.
    pub fn new(graph: &'a Graph, features: usize, percent: f64, seed: u64) -> Result<Self, RunError> {
        let mut store = Store::new(step, graph, features)?;
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        for vertex in 0..graph.vertex_count() as u32 {
            store.row_mut(Steady::VALUE, vertex).fill_with(|| random.random());
        }
        store.scalars_mut(Steady::MOVES).fill_with(|| f32::from(random.random::<f64>() * 100.0 < percent));
        let weights = store.edge_scalars_mut(Steady::WEIGHT);
        graph.edges().for_each(|(edge, _, destination)| weights[edge] = 1.0 / graph.in_degree(destination) as f32);
        let active = store.scalars(Steady::MOVES).iter().filter(|moves| **moves > 0.5).count();
        let mut problem = Self { graph, features, percent, active, store, expected: Vec::new() };
        let pull = Way { backend: Backend::Cpu, schedule: Schedule::Auto, direction: Direction::Pull };
        problem.expected = problem.values(pull)?;
        Ok(problem)
    }

    /// Whether the values after some iterations are those of the full pull on the CPU.
    pub fn verify(&self, way: Way) -> Result<bool, RunError> {
        let found = self.values(way)?;
        Ok(found.iter().zip(&self.expected).all(|(found, expected)| (found - expected).abs() <= TOLERANCE))
    }

    fn values(&self, way: Way) -> Result<Vec<f32>, RunError> {
        let mut store = self.store.clone();
        self.run(&mut store, way, COMPARED)?;
        let vertices = 0..self.graph.vertex_count() as u32;
        Ok(vertices.flat_map(|vertex| store.row(Steady::VALUE, vertex).to_vec()).collect())
    }

    /// The time of each of `iterations` iterations, and the active edges in each.
    pub fn time(&self, way: Way, iterations: usize) -> Result<(Vec<Duration>, u64), RunError> {
        let report = self.run(&mut self.store.clone(), way, iterations)?;
        let edges = report.iterations.last().map_or(0, |iteration| iteration.active_edges);
        // A run without any active vertex ends at once.
        let mut times: Vec<Duration> = report.iterations.iter().map(|iteration| iteration.time).collect();
        times.resize(iterations, Duration::ZERO);
        Ok((times, edges))
    }

    fn run(&self, store: &mut Store, way: Way, iterations: usize) -> Result<Report, RunError> {
        let Way { backend, schedule, direction } = way;
        let direction = Some(direction);
        // One iteration in a batch, so that each has its own time.
        let (refresh, read_every) = (usize::MAX, 1);
        let options = Options {
            backend,
            iterations,
            direction,
            schedule,
            refresh,
            read_every,
            settle: false,
            ..Options::default()
        };
        converge(step, self.graph, store, &options, &mut |_| ControlFlow::Continue(()))
    }
}
