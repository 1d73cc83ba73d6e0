//! Runs of alternating least squares from the host: matrices in registers, and the reports.

use std::ops::ControlFlow;

use ndarray::{Array1, Array2, ArrayView2};
use onyx_device::FoldOf;
use onyx_runtime::{
    Data, Direction, Iteration, Observer, Options, Report, ResidentGraph, RunError, RunFold, Session, Status,
};
use rayon::prelude::*;

use super::{Ratings, alternate, alternate_implicit, together};
use crate::ratings::bipartite::Side;
use crate::ratings::{Bipartite, Factors, Feedback, Settings};

/// Factors of a graph while they are fitted by systems of equations that fit registers. They stay in the session's memory between sweeps.
#[derive(Debug)]
pub struct Direct<'a> {
    bipartite: &'a Bipartite,
    settings: Settings,
    graph: ResidentGraph<'a>,
    data: Data<Ratings>,
}

impl<'a> Direct<'a> {
    /// The model that starts from `factors`, in the memory of `session`.
    ///
    /// # Errors
    /// No compiled width holds the features, or there is no memory.
    pub fn new(
        session: &Session,
        bipartite: &'a Bipartite,
        settings: Settings,
        factors: &Factors,
    ) -> Result<Self, RunError> {
        let graph = session.graph(&bipartite.graph);
        let mut data = session.data(alternate, &graph, settings.features)?;
        data.write(Ratings::RATING, bipartite.ratings())?;
        data.write(Ratings::PENALTY, &penalties(bipartite, &settings))?;
        data.write(Ratings::FACTOR, &narrow(factors))?;
        if let Feedback::Implicit { alpha } = settings.feedback {
            data.set(Ratings::ALPHA, alpha);
        }
        Ok(Self { bipartite, settings, graph, data })
    }

    /// Fits users, then items, `sweeps` times. The options' backend is that of the model; their start, direction and iterations are this
    /// function's to choose.
    ///
    /// Explicit ratings take one run of two iterations a sweep; implicit feedback takes a run for each half of a sweep, before which the
    /// sum over all factors of the other side is computed where the factors are.
    ///
    /// # Errors
    /// As [`RunOn::times`](onyx_runtime::RunOn::times).
    pub fn sweep(&mut self, sweeps: usize, options: &Options, observer: Observer<'_>) -> Result<Report, RunError> {
        let report = match self.settings.feedback {
            Feedback::Explicit => self.run(alternate, Side::Items, 2 * sweeps, options, observer),
            Feedback::Implicit { .. } => in_halves(sweeps, |side, is_wanted| {
                let fitted_to = side.other();
                self.data.outer_sum(Ratings::FACTOR, self.bipartite.vertices(fitted_to), Ratings::COMMON)?;
                self.run(alternate_implicit, fitted_to, usize::from(is_wanted), options, observer)
            }),
        };
        let factors = self.data.read(Ratings::FACTOR)?;
        Ok(judged(report?, factors.view()))
    }

    /// Fits both sides of explicit ratings at once, until nothing moves by more than `tolerance` or the options' iterations are over.
    ///
    /// # Errors
    /// As [`RunOn::until_settled`](onyx_runtime::RunOn::until_settled).
    pub fn fit_together(
        &mut self,
        tolerance: f32,
        options: &Options,
        observer: Observer<'_>,
    ) -> Result<Report, RunError> {
        self.data.set(Ratings::TOLERANCE, tolerance);
        together.on(&self.graph, &mut self.data).observed(observer).until_settled(options)
    }

    fn run<F: FoldOf<Ratings>>(
        &mut self,
        fold: F,
        fitted_to: Side,
        iterations: usize,
        options: &Options,
        observer: &mut dyn FnMut(&Iteration) -> ControlFlow<()>,
    ) -> Result<Report, RunError> {
        let options = self.options(fitted_to, options);
        fold.on(&self.graph, &mut self.data).observed(observer).times(iterations, &options)
    }

    fn options(&self, fitted_to: Side, options: &Options) -> Options {
        let start = Some(self.bipartite.set(fitted_to));
        // Half of the graph is always active, so that pushes never pay.
        Options { start, direction: Some(Direction::Pull), ..options.clone() }
    }

    /// What is decided about a run, and why: one line a decision.
    pub fn explain(&self, options: &Options) -> Vec<String> {
        let options = self.options(Side::Items, options);
        match self.settings.feedback {
            Feedback::Explicit => self.data.explain(alternate, &self.graph, &options),
            Feedback::Implicit { .. } => self.data.explain(alternate_implicit, &self.graph, &options),
        }
    }

    /// The factors so far.
    ///
    /// # Errors
    /// They are gone with a failed run.
    pub fn factors(&mut self) -> Result<Factors, RunError> {
        Ok(widened(self.data.read(Ratings::FACTOR)?.view()))
    }
}

/// By how much the square of each vertex's factor is held back.
pub(super) fn penalties(bipartite: &Bipartite, settings: &Settings) -> Array1<f32> {
    let graph = &bipartite.graph;
    (0..graph.vertex_count() as u32).map(|vertex| settings.penalty(graph.in_degree(vertex))).collect()
}

/// The report on a run, which says whether a factor is no number.
pub(super) fn judged(report: Report, factors: ArrayView2<'_, f32>) -> Report {
    let is_finite = factors.iter().all(|value| value.is_finite());
    let (status, diverged) = if is_finite { (report.status, None) } else { (Status::Diverged, Some("factor")) };
    Report { status, diverged, ..report }
}

/// Factors as 64-bit floats.
pub(super) fn widened(factors: ArrayView2<'_, f32>) -> Factors {
    Factors { values: factors.iter().map(|value| f64::from(*value)).collect(), features: factors.ncols() }
}

/// Factors as 32-bit floats.
pub(super) fn narrow(factors: &Factors) -> Array2<f32> {
    let features = factors.features;
    Array2::from_shape_fn((factors.values.len() / features.max(1), features), |(vertex, feature)| {
        factors.values[vertex * features + feature] as f32
    })
}

/// The sum of the outer products of one side's factors, row after row. In 64-bit floats, for a side has many factors.
pub(super) fn outer_sum<R: Iterator<Item = f64>>(
    bipartite: &Bipartite,
    side: Side,
    features: usize,
    row: impl Fn(u32) -> R + Sync,
) -> Vec<f64> {
    let nothing = || vec![0.0; features * features];
    let sums = bipartite.vertices(side).into_par_iter().fold(nothing, |mut sum, vertex| {
        add_outer(&mut sum, &row(vertex).collect::<Vec<f64>>());
        sum
    });
    sums.reduce(nothing, |mut sum, part| {
        sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        sum
    })
}

fn add_outer(sum: &mut [f64], factor: &[f64]) {
    for (row, value) in sum.chunks_exact_mut(factor.len()).zip(factor) {
        row.iter_mut().zip(factor).for_each(|(entry, other)| *entry += value * other);
    }
}

/// Fits users, then items, `sweeps` times, each by a run of its own, until one diverges or is cancelled. A run that is not wanted, where
/// there are no sweeps, only says where it would have been.
pub(super) fn in_halves(
    sweeps: usize,
    mut fit: impl FnMut(Side, bool) -> Result<Report, RunError>,
) -> Result<Report, RunError> {
    let mut report: Option<Report> = None;
    for half in 0..2 * sweeps {
        let next = fit(if half % 2 == 0 { Side::Users } else { Side::Items }, true)?;
        let is_over = matches!(next.status, Status::Diverged | Status::Cancelled);
        report = Some(report.map_or_else(|| next.clone(), |report| joined(report, &next)));
        if is_over {
            break;
        }
    }
    report.map_or_else(|| fit(Side::Users, false), Ok)
}

/// The report on a run and the one that continued it.
pub fn joined(first: Report, next: &Report) -> Report {
    let done = first.iterations.len();
    let renumbered = |iteration: &Iteration| Iteration { number: done + iteration.number, ..*iteration };
    let iterations = first.iterations.iter().copied().chain(next.iterations.iter().map(renumbered)).collect();
    let (prepare, run) = (first.prepare + next.prepare, first.run + next.run);
    Report { status: next.status, iterations, prepare, run, ..first }
}
