//! Running multimodal learning: what it starts from, and what it finds.

use std::ops::Range;

use ndarray::{Array2, ArrayView1, ArrayView2, ArrayView3, ArrayViewMut3, AsArray, Axis, Ix3, s};
use onyx_runtime::{Data, Options, Report, ResidentGraph, RunError, RunFold};

use super::{MultimodalLearning, Settings, step};
use crate::error::AlgorithmError;
use crate::input::{
    FINITE, check_part, check_relative_tolerance, check_rows, check_start, check_vertices, check_weights,
    greatest_size, set_rows,
};

/// The algorithm's name.
const NAME: &str = "multimodal learning";
/// What names a vertex of which something is known.
const SEED: &str = "seed";

/// What a call has found.
#[derive(Clone, Debug)]
pub struct Modes {
    /// What each vertex has learned, in its own language, vertices x features.
    pub modes: Array2<f32>,
    /// How it was found, and whether the run came to rest.
    pub report: Report,
}

impl Modes {
    /// The feature with the greatest value at each vertex, the lowest of equal ones; none where all are alike, as where nothing arrives.
    pub fn greatest(&self) -> Vec<Option<usize>> {
        greatest_of_each(self.modes.view())
    }
}

/// What each vertex of a graph learns from `seeds`, each a vertex and its values, computed where the graph is. The matrix of an edge translates
/// what its source says: `matrices` is edges x features x features, by edge number.
///
/// # Errors
/// The graph has no vertices, there is no seed or one of no vertex, a value is out of its range or there are too many or too few, or the run fails.
pub fn multimodal_learning<'m>(
    graph: &ResidentGraph<'_>,
    matrices: impl AsArray<'m, f32, Ix3>,
    seeds: &[(u32, Vec<f32>)],
    settings: Settings,
) -> Result<Modes, AlgorithmError> {
    check_vertices(NAME, graph.graph())?;
    check_start(NAME, SEED, seeds)?;
    let matrices: ArrayView3<'_, f32> = matrices.into();
    let (features, matrices) = (matrices.len_of(Axis(2)), matrices.as_standard_layout());
    let mut data = prepare(graph, matrices.as_slice().unwrap_or_default(), seeds, features, settings)?;
    let options = Options::new().iterations(settings.iterations);
    let report = step.on(graph, &mut data).until_settled(&options)?;
    Ok(Modes { modes: data.read(MultimodalLearning::MODE)?.to_owned(), report })
}

/// The data that a run of [`step`] starts from. `matrices` has the `features` rows of each edge's matrix, by edge number; a vertex that is not among
/// the seeds has the seed 0. The tolerance is a part of the greatest value of a seed.
///
/// # Errors
/// No compiled width holds `features`, a setting, a weight or a seed is out of its range, or there are too many or too few numbers.
pub fn prepare(
    graph: &ResidentGraph<'_>,
    matrices: &[f32],
    seeds: &[(u32, Vec<f32>)],
    features: usize,
    settings: Settings,
) -> Result<Data<MultimodalLearning>, AlgorithmError> {
    check_part("alpha", settings.alpha)?;
    check_relative_tolerance(settings.tolerance)?;
    let mut data = graph.session().data(step, graph, features)?;
    let graph = graph.graph();
    check_weights(graph, matrices, features * features, FINITE)?;
    check_rows(SEED, seeds, graph.vertex_count(), features)?;
    data.set(MultimodalLearning::ALPHA, settings.alpha);
    let mut shares = data.view_mut(MultimodalLearning::WEIGHT)?;
    (0..graph.vertex_count()).for_each(|vertex| share(&mut shares, matrices, graph.incoming().offsets().row(vertex)));
    set_rows(data.view_mut(MultimodalLearning::SEED)?, seeds);
    set_rows(data.view_mut(MultimodalLearning::MODE)?, seeds);
    let size = greatest_size(data.read(MultimodalLearning::SEED)?);
    data.set(MultimodalLearning::TOLERANCE, settings.change(size));
    Ok(data)
}

/// Divides the matrices of the edges into one vertex by the sums of their columns.
fn share(places: &mut ArrayViewMut3<'_, f32>, matrices: &[f32], edges: Range<usize>) {
    let features = places.len_of(Axis(2));
    let rows = &matrices[edges.start * features * features..edges.end * features * features];
    let mut totals = vec![0.0; features];
    for row in rows.chunks_exact(features) {
        totals.iter_mut().zip(row).for_each(|(total, weight)| *total += f64::from(weight.abs()));
    }
    let mut places = places.slice_mut(s![edges, .., ..]);
    for (mut place, weights) in places.rows_mut().into_iter().zip(rows.chunks_exact(features)) {
        let shares = place.iter_mut().zip(weights).zip(&totals).filter(|(_, total)| **total != 0.0);
        shares.for_each(|((share, weight), total)| *share = (f64::from(*weight) / total) as f32);
    }
}

/// The feature with the greatest value at each vertex, the lowest of equal ones; none where all are alike, as where nothing arrives.
///
/// # Errors
/// As [`Data::read`].
pub fn greatest(data: &mut Data<MultimodalLearning>) -> Result<Vec<Option<usize>>, RunError> {
    Ok(greatest_of_each(data.read(MultimodalLearning::MODE)?))
}

fn greatest_of_each(modes: ArrayView2<'_, f32>) -> Vec<Option<usize>> {
    modes.rows().into_iter().map(greatest_of).collect()
}

fn greatest_of(mode: ArrayView1<'_, f32>) -> Option<usize> {
    let best = (0..mode.len()).rev().max_by(|&a, &b| mode[a].total_cmp(&mode[b]));
    best.filter(|&best| mode.len() == 1 || mode.iter().any(|value| *value < mode[best]))
}
