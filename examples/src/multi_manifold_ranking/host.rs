//! Running multi-manifold ranking: what it starts from, and what it finds.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, ArrayViewMut2, AsArray, Ix2, s};
use onyx_runtime::{Data, Options, Report, ResidentGraph, RunError, RunFold};

use super::{MultiManifoldRanking, Settings, step};
use crate::error::AlgorithmError;
use crate::input::{
    WEIGHT, check_part, check_relative_tolerance, check_rows, check_start, check_vertices, check_weights,
    greatest_size, set_rows,
};

/// The algorithm's name.
const NAME: &str = "multi-manifold ranking";
/// What names a vertex to find others near to.
const QUERY: &str = "query";

/// How the ranks of a vertex become one score.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum, serde::Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Combination {
    /// Near the query on every manifold
    Least,
    /// Near the query on some manifold
    Mean,
}

/// What a call has found.
#[derive(Clone, Debug)]
pub struct Ranking {
    /// How near each vertex is to the queries on each manifold, vertices x manifolds.
    pub ranks: Array2<f32>,
    /// How it was found, and whether the run came to rest.
    pub report: Report,
    /// The manifolds that a query is on.
    asked: Vec<usize>,
}

impl Ranking {
    /// One score for each vertex, from its ranks on the manifolds that a query is on.
    pub fn scores(&self, combination: Combination) -> Vec<f32> {
        combined(self.ranks.view(), &self.asked, combination)
    }
}

/// How near each vertex of a graph is to `queries`, each a vertex and its value on every manifold, computed where the graph is. `weights` says
/// how near the ends of each edge are on each manifold, edges x manifolds, by edge number.
///
/// # Errors
/// The graph has no vertices, there is no query or one of no vertex, a value is out of its range or there are too many or too few, or the run fails.
pub fn multi_manifold_ranking<'w>(
    graph: &ResidentGraph<'_>,
    weights: impl AsArray<'w, f32, Ix2>,
    queries: &[(u32, Vec<f32>)],
    settings: Settings,
) -> Result<Ranking, AlgorithmError> {
    check_vertices(NAME, graph.graph())?;
    check_start(NAME, QUERY, queries)?;
    let weights: ArrayView2<'_, f32> = weights.into();
    let (manifolds, weights) = (weights.ncols(), weights.as_standard_layout());
    let mut data = prepare(graph, weights.as_slice().unwrap_or_default(), queries, manifolds, settings)?;
    let options = Options::new().iterations(settings.iterations);
    let report = step.on(graph, &mut data).until_settled(&options)?;
    let asked = asked(data.read(MultiManifoldRanking::QUERY)?);
    Ok(Ranking { ranks: data.read(MultiManifoldRanking::RANK)?.to_owned(), report, asked })
}

/// The data that a run of [`step`] starts from. `weights` has a row of `features` for each edge, by edge number; a vertex that is not among
/// the queries has the query 0. The tolerance is a part of the greatest query, on the manifold where that is least.
///
/// # Errors
/// No compiled width holds `features`, a setting, a weight or a query is out of its range, or there are too many or too few numbers.
pub fn prepare(
    graph: &ResidentGraph<'_>,
    weights: &[f32],
    queries: &[(u32, Vec<f32>)],
    features: usize,
    settings: Settings,
) -> Result<Data<MultiManifoldRanking>, AlgorithmError> {
    check_part("alpha", settings.alpha)?;
    check_relative_tolerance(settings.tolerance)?;
    let mut data = graph.session().data(step, graph, features)?;
    let graph = graph.graph();
    check_weights(graph, weights, features, WEIGHT)?;
    check_rows(QUERY, queries, graph.vertex_count(), features)?;
    data.set(MultiManifoldRanking::ALPHA, settings.alpha);
    let mut shares = data.view_mut(MultiManifoldRanking::WEIGHT)?;
    (0..graph.vertex_count()).for_each(|vertex| share(&mut shares, weights, graph.incoming().offsets().row(vertex)));
    set_rows(data.view_mut(MultiManifoldRanking::QUERY)?, queries);
    set_rows(data.view_mut(MultiManifoldRanking::RANK)?, queries);
    let size = size(data.read(MultiManifoldRanking::QUERY)?);
    data.set(MultiManifoldRanking::TOLERANCE, settings.change(size));
    Ok(data)
}

/// The greatest size of a query, on the manifold where that is least: manifolds have nothing to do with each other. Those without queries
/// do not count.
fn size(queries: ArrayView2<'_, f32>) -> f32 {
    let of_each = queries.columns().into_iter().map(greatest_size);
    of_each.filter(|size| *size > 0.0).reduce(f32::min).unwrap_or(0.0)
}

/// Divides the weights of the edges into one vertex by their sum on each manifold.
fn share(places: &mut ArrayViewMut2<'_, f32>, weights: &[f32], edges: Range<usize>) {
    let features = places.ncols();
    let rows = &weights[edges.start * features..edges.end * features];
    let mut totals = vec![0.0; features];
    for row in rows.chunks_exact(features) {
        totals.iter_mut().zip(row).for_each(|(total, weight)| *total += f64::from(*weight));
    }
    for (mut place, row) in places.slice_mut(s![edges, ..]).rows_mut().into_iter().zip(rows.chunks_exact(features)) {
        let shares = place.iter_mut().zip(row).zip(&totals).filter(|(_, total)| **total != 0.0);
        shares.for_each(|((share, weight), total)| *share = (f64::from(*weight) / total) as f32);
    }
}

/// One score for each vertex, from its ranks on the manifolds that a query is on.
///
/// # Errors
/// As [`Data::read`].
pub fn scores(data: &mut Data<MultiManifoldRanking>, combination: Combination) -> Result<Vec<f32>, RunError> {
    let asked = asked(data.read(MultiManifoldRanking::QUERY)?);
    Ok(combined(data.read(MultiManifoldRanking::RANK)?, &asked, combination))
}

/// The manifolds that a query is on.
fn asked(queries: ArrayView2<'_, f32>) -> Vec<usize> {
    let is_asked = |manifold: &usize| queries.column(*manifold).iter().any(|query| *query != 0.0);
    (0..queries.ncols()).filter(is_asked).collect()
}

fn combined(ranks: ArrayView2<'_, f32>, asked: &[usize], combination: Combination) -> Vec<f32> {
    let combine = |vertex| {
        let ranks = asked.iter().map(|&manifold| ranks[[vertex, manifold]]);
        match combination {
            Combination::Least => ranks.reduce(f32::min).unwrap_or(0.0),
            Combination::Mean => ranks.sum::<f32>() / asked.len().max(1) as f32,
        }
    };
    (0..ranks.nrows()).map(combine).collect()
}
