//! Running label propagation: what it starts from, and what it finds.

use ndarray::{Array2, ArrayView1, ArrayView2, ArrayViewMut1, ArrayViewMut2, s};
use onyx_runtime::graph::Graph;
use onyx_runtime::{Data, Options, Report, ResidentGraph, RunError, RunFold};

use super::{LabelPropagation, step};
use crate::error::AlgorithmError;
use crate::input::{self, WEIGHT, check_part, check_start, check_tolerance, check_vertex, check_vertices};

/// The algorithm's name.
const NAME: &str = "label propagation";
/// What names a vertex of a known class.
const SEED: &str = "seed";

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
    /// The greatest number of iterations of a call.
    pub iterations: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { alpha: 0.85, tolerance: 1e-5, iterations: 1000 }
    }
}

/// The same, written one after the other: `Settings::new().alpha(0.9).iterations(50)`.
impl Settings {
    /// What is chosen where nothing is said.
    pub fn new() -> Self {
        Self::default()
    }

    /// With [`Settings::alpha`].
    pub fn alpha(self, alpha: f32) -> Self {
        Self { alpha, ..self }
    }

    /// With [`Settings::tolerance`].
    pub fn tolerance(self, tolerance: f32) -> Self {
        Self { tolerance, ..self }
    }

    /// With [`Settings::iterations`].
    pub fn iterations(self, iterations: usize) -> Self {
        Self { iterations, ..self }
    }
}

/// What a call has found.
#[derive(Clone, Debug)]
pub struct Labels {
    /// The share of each class, vertices x classes; a vertex's sum to 1.
    pub shares: Array2<f32>,
    /// How it was found, and whether the run came to rest.
    pub report: Report,
}

impl Labels {
    /// The class with the greatest share at each vertex, the lowest of equal ones; none where no seed has reached.
    pub fn classes(&self) -> Vec<Option<usize>> {
        greatest(self.shares.view())
    }
}

/// The class of each vertex of a graph from a few `seeds`, each a vertex and its class, computed where the graph is. Classes are numbered from 0,
/// and there are as many as the greatest of the seeds says.
///
/// # Errors
/// The graph has no vertices or a weight below 0, there is no seed or one of no vertex, a setting is out of its range, or the run fails.
pub fn label_propagation(
    graph: &ResidentGraph<'_>,
    seeds: &[(u32, usize)],
    settings: Settings,
) -> Result<Labels, AlgorithmError> {
    check_vertices(NAME, graph.graph())?;
    check_start(NAME, SEED, seeds)?;
    check_weights(graph.graph())?;
    let classes = seeds.iter().map(|&(_, class)| class.saturating_add(1)).max().unwrap_or(0);
    let mut data = prepare(graph, seeds, classes, settings)?;
    let options = Options::new().iterations(settings.iterations);
    let report = step.on(graph, &mut data).until_settled(&options)?;
    let shares = data.read(LabelPropagation::LABEL)?.to_owned();
    Ok(Labels { shares, report })
}

/// Whether the weights of a graph are such as shares can be multiplied with.
///
/// # Errors
/// One is below 0, or no number.
pub fn check_weights(graph: &Graph) -> Result<(), AlgorithmError> {
    graph.weights().map_or(Ok(()), |weights| input::check_weights(graph, weights, 1, WEIGHT))
}

/// The data that a run of [`step`] starts from: each seed is a vertex and its class, below `features`.
///
/// # Errors
/// No compiled width holds `features`, there is no such vertex or class, or a setting is out of its range.
pub fn prepare(
    graph: &ResidentGraph<'_>,
    seeds: &[(u32, usize)],
    features: usize,
    settings: Settings,
) -> Result<Data<LabelPropagation>, AlgorithmError> {
    check_part("alpha", settings.alpha)?;
    check_tolerance(settings.tolerance)?;
    let mut data = graph.session().data(step, graph, features)?;
    data.set(LabelPropagation::ALPHA, settings.alpha);
    data.set(LabelPropagation::TOLERANCE, settings.tolerance);
    weigh(graph.graph(), data.view_mut(LabelPropagation::WEIGHT)?);
    check_seeds(seeds, graph.graph().vertex_count(), features)?;
    start(seeds, data.view_mut(LabelPropagation::SEED)?);
    start(seeds, data.view_mut(LabelPropagation::LABEL)?);
    Ok(data)
}

fn check_seeds(seeds: &[(u32, usize)], vertices: usize, classes: usize) -> Result<(), AlgorithmError> {
    for &(vertex, class) in seeds {
        check_vertex(SEED, vertex, vertices)?;
        if class >= classes {
            return Err(AlgorithmError::NoClass { vertex, class, classes });
        }
    }
    Ok(())
}

/// Sets the weight of each edge; 1 where the graph has none.
fn weigh(graph: &Graph, mut places: ArrayViewMut1<'_, f32>) {
    let Some(weights) = graph.weights() else { return places.fill(1.0) };
    for vertex in 0..graph.vertex_count() {
        let edges = graph.incoming().offsets().row(vertex);
        scale(places.slice_mut(s![edges.clone()]), &weights[edges]);
    }
}

/// Copies the weights of the edges into one vertex, times the power of two by which the greatest is about 1. What arrives is divided by
/// its sum, so that this changes no label; but neither the greatest nor the least floats leave the range of floats when they are added.
fn scale(places: ArrayViewMut1<'_, f32>, weights: &[f32]) {
    let greatest = weights.iter().fold(0.0, |greatest: f64, weight| greatest.max(f64::from(weight.abs())));
    let factor = if greatest > 0.0 { (-greatest.log2().floor()).exp2() } else { 1.0 };
    places.into_iter().zip(weights).for_each(|(place, weight)| *place = (f64::from(*weight) * factor) as f32);
}

/// Sets the class of each seed, and all classes alike elsewhere.
fn start(seeds: &[(u32, usize)], mut shares: ArrayViewMut2<'_, f32>) {
    let alike = 1.0 / shares.ncols() as f32;
    shares.fill(alike);
    for &(vertex, class) in seeds {
        let mut row = shares.row_mut(vertex as usize);
        row.fill(0.0);
        row[class] = 1.0;
    }
}

/// The class with the greatest share at each vertex, the lowest of equal ones; none where no seed has reached.
///
/// # Errors
/// As [`Data::read`].
pub fn classes(data: &mut Data<LabelPropagation>) -> Result<Vec<Option<usize>>, RunError> {
    Ok(greatest(data.read(LabelPropagation::LABEL)?))
}

fn greatest(shares: ArrayView2<'_, f32>) -> Vec<Option<usize>> {
    shares.rows().into_iter().map(greatest_of).collect()
}

fn greatest_of(shares: ArrayView1<'_, f32>) -> Option<usize> {
    let count = shares.len();
    let best = (0..count).rev().max_by(|&a, &b| shares[a].total_cmp(&shares[b]));
    best.filter(|&class| count == 1 || shares[class] - 1.0 / count as f32 > UNDECIDED)
}
