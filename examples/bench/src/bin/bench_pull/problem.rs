//! One graph with random weights and seeds, and the pull iteration on it.

use std::sync::OnceLock;
use std::time::Duration;

use clap::ValueEnum;
use onyx_bench::batch::{AT_ONCE, at_once, sequence_times};
use onyx_bench::cusparse::Factors;
use onyx_device::FoldOf;
use onyx_device::stored::Number;
use onyx_examples::label_propagation::{LabelPropagation, step};
use onyx_examples::thesis_folds::labels_scalar;
use onyx_runtime::graph::Graph;
use onyx_runtime::ndarray::Array2;
use onyx_runtime::{
    Backend, Bins, Data, Direction, Options, Packing, Report, ResidentGraph, RunError, RunFold, Schedule, Sequence,
    Session,
};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64Mcg;
use rayon::prelude::*;

/// How far two results may lie apart: labels are at most 1, and sums of 100,000 edges are rounded to f32 in different orders.
const TOLERANCE: f32 = 1e-4;
/// How much of a label comes from the neighbors.
const ALPHA: f32 = 0.9;

/// Who takes the features of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Lanes {
    /// A lane for every four: the dimension workers of GNNAdvisor.
    Many,
    /// One lane, float by float.
    One,
}

/// How an iteration is run.
#[derive(Clone, Copy, Debug)]
pub struct Way {
    pub backend: Backend,
    pub lanes: Lanes,
    pub schedule: Schedule,
    pub group_size: Option<usize>,
    pub bins: Bins,
    pub packing: Packing,
}

/// What a way takes.
pub struct Timed {
    pub times: Vec<Duration>,
    /// Whether the labels are what they should be.
    pub verified: bool,
    /// How many bins it has, and why, where some were asked for.
    pub bins: Option<String>,
}

/// A graph and what label propagation starts from.
pub struct Problem<'a> {
    graph: &'a Graph,
    features: usize,
    weights: Vec<f32>,
    /// A distribution for each vertex: its seed, and its first label.
    labels: Array2<f32>,
    sums: OnceLock<Vec<f32>>,
}

impl<'a> Problem<'a> {
    /// Weights between 0.5 and 1.5, and a random distribution as every vertex's seed and label.
    pub fn new(graph: &'a Graph, features: usize, seed: u64) -> Self {
        let mut random = Pcg64Mcg::seed_from_u64(seed);
        let weights = (0..graph.edge_count()).map(|_| 0.5 + random.random::<f32>()).collect();
        let mut labels = Array2::from_shape_simple_fn((graph.vertex_count(), features), || random.random::<f32>());
        labels.rows_mut().into_iter().for_each(|mut row| row /= row.sum());
        Self { graph, features, weights, labels, sums: OnceLock::new() }
    }

    /// What cuSPARSE multiplies: the weighted edges, and the labels.
    pub fn factors(&self) -> Factors<'_> {
        let (graph, features) = (self.graph, self.features);
        Factors { graph, weights: &self.weights, rows: self.labels(), features, number: Number::F32 }
    }

    /// The labels, one row of `features` a vertex.
    fn labels(&self) -> &[f32] {
        self.labels.as_slice().unwrap_or_default()
    }

    /// The sums of weighted labels over incoming edges, in `f64` by plain loops.
    pub fn sums(&self) -> &[f32] {
        let (labels, weights) = (self.labels(), &self.weights[..]);
        self.sums.get_or_init(|| {
            let rows = (0..self.graph.vertex_count()).into_par_iter();
            rows.flat_map_iter(|row| sum(self.graph, row, labels, weights, self.features)).collect()
        })
    }

    /// The labels after one iteration, from the sums in `f64`.
    fn expected(&self) -> Vec<f32> {
        let rows = self.sums().chunks_exact(self.features).zip(self.labels().chunks_exact(self.features));
        rows.flat_map(|(sums, seeds)| {
            let total: f32 = sums.iter().sum();
            let scale = if total == 0.0 { 1.0 } else { 1.0 / total };
            let mixed: Vec<f32> =
                sums.iter().zip(seeds).map(|(sum, seed)| ALPHA * sum * scale + (1.0 - ALPHA) * seed).collect();
            let total: f32 = mixed.iter().sum();
            mixed.into_iter().map(move |value| value / total)
        })
        .collect()
    }

    /// Whether an iteration gives the labels that it should, and the mean time of an iteration in each of `iterations` batches; or why the fold goes by another schedule.
    pub fn run(&self, way: Way, iterations: usize) -> Result<Result<Timed, String>, RunError> {
        match way.lanes {
            Lanes::Many => self.run_fold(step, way, iterations),
            Lanes::One => self.run_fold(labels_scalar, way, iterations),
        }
    }

    fn run_fold<F>(&self, fold: F, way: Way, iterations: usize) -> Result<Result<Timed, String>, RunError>
    where
        F: FoldOf<LabelPropagation<0>> + Copy,
    {
        let session = Session::of(way.backend)?;
        let graph = session.graph(self.graph);
        let mut data = session.data(fold, &graph, self.features)?;
        data.write(LabelPropagation::WEIGHT, &self.weights)?;
        data.write(LabelPropagation::SEED, &self.labels)?;
        data.write(LabelPropagation::LABEL, &self.labels)?;
        data.set(LabelPropagation::ALPHA, ALPHA);
        // So that all counts which is more than rounding.
        data.set(LabelPropagation::TOLERANCE, 0.0);
        let report = iterate(fold, &graph, &mut data, way, 1)?;
        if let Some(why) = other_schedule(way, &report) {
            return Ok(Err(why));
        }
        // Rows that are padded lie apart.
        let found: Vec<f32> = data.read(LabelPropagation::LABEL)?.iter().copied().collect();
        let verified = is_close(&found, &self.expected());
        let times = if self.features == 1 {
            // Labels of one feature are 1 from the first iteration on, so that a run would end.
            let mut sequence = Sequence::new(&graph).then(fold).with(&options(way));
            sequence_times(&mut sequence, &mut data, &session, iterations)?
        } else {
            (0..iterations).map(|_| self.batch(fold, &graph, &mut data, way)).collect::<Result<_, _>>()?
        };
        let bins = report.explain.into_iter().find(|line| line.starts_with("bins: "));
        Ok(Ok(Timed { times, verified, bins }))
    }

    /// The mean time of an iteration in a run of some, from the first labels on, so that something changes in each.
    fn batch<F: FoldOf<LabelPropagation<0>>>(
        &self,
        fold: F,
        graph: &ResidentGraph<'_>,
        data: &mut Data<LabelPropagation<0>>,
        way: Way,
    ) -> Result<Duration, RunError> {
        data.write(LabelPropagation::LABEL, &self.labels)?;
        let iterations = iterate(fold, graph, data, way, at_once(way.backend))?.iterations;
        Ok(iterations.iter().map(|iteration| iteration.time).sum::<Duration>() / iterations.len().max(1) as u32)
    }
}

fn options(way: Way) -> Options {
    let Way { schedule, group_size, bins, packing, .. } = way;
    let direction = Some(Direction::Pull);
    Options { direction, group_size, bins, packing, schedule, read_every: AT_ONCE, ..Options::default() }
}

/// Runs iterations, of all vertices each.
fn iterate<F: FoldOf<LabelPropagation<0>>>(
    fold: F,
    graph: &ResidentGraph<'_>,
    data: &mut Data<LabelPropagation<0>>,
    way: Way,
    iterations: usize,
) -> Result<Report, RunError> {
    fold.on(graph, data).times(iterations, &options(way))
}

/// What went by another schedule than was asked for, and why.
fn other_schedule(way: Way, report: &Report) -> Option<String> {
    let asked = format!("pull: {},", way.schedule);
    let pull = report.explain.iter().find(|line| line.starts_with("pull: "))?;
    (way.schedule != Schedule::Auto && !pull.starts_with(&asked)).then(|| pull.clone())
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
