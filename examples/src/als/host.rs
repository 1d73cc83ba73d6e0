//! Runs of alternating least squares from the host: matrices in registers, and the reports.

use onyx_device::Fold;
use onyx_runtime::{Direction, Iteration, Observer, Options, Report, RunError, Status, Store, converge, explain};
use rayon::prelude::*;

use super::{Ratings, alternate, alternate_implicit, together};
use crate::ratings::bipartite::Side;
use crate::ratings::{Bipartite, Factors, Feedback, Settings};

/// Factors of a graph while they are fitted by systems of equations that fit registers.
#[derive(Debug)]
pub struct Direct<'a> {
    bipartite: &'a Bipartite,
    settings: Settings,
    store: Store,
}

impl<'a> Direct<'a> {
    /// The model that starts from `factors`.
    ///
    /// # Errors
    /// No compiled width holds the features.
    pub fn new(bipartite: &'a Bipartite, settings: Settings, factors: &Factors) -> Result<Self, RunError> {
        let graph = &bipartite.graph;
        let mut store = Store::new(alternate, graph, settings.features)?;
        store.edge_scalars_mut(Ratings::RATING).copy_from_slice(bipartite.ratings());
        for vertex in 0..graph.vertex_count() as u32 {
            store.scalars_mut(Ratings::PENALTY)[vertex as usize] = settings.penalty(graph.in_degree(vertex));
            let row = store.row_mut(Ratings::FACTOR, vertex).iter_mut();
            row.zip(factors.row(vertex)).for_each(|(value, factor)| *value = *factor as f32);
        }
        if let Feedback::Implicit { alpha } = settings.feedback {
            store.set(Ratings::ALPHA, alpha);
        }
        Ok(Self { bipartite, settings, store })
    }

    /// Fits users, then items, `sweeps` times. The options' start, direction and iterations are this function's to choose.
    ///
    /// Explicit ratings take one run of two iterations a sweep; implicit feedback takes a run for each half of a sweep, before which the
    /// sum over all factors of the other side is computed on the host.
    ///
    /// # Errors
    /// As [`converge`].
    pub fn sweep(&mut self, sweeps: usize, options: &Options, observer: Observer<'_>) -> Result<Report, RunError> {
        match self.settings.feedback {
            Feedback::Explicit => self.run(alternate, Side::Items, 2 * sweeps, options, observer),
            Feedback::Implicit { .. } => self.sweep_halves(sweeps, options, observer),
        }
    }

    fn sweep_halves(&mut self, sweeps: usize, options: &Options, observer: Observer<'_>) -> Result<Report, RunError> {
        in_halves(sweeps, |side, is_wanted| {
            let fitted_to = side.other();
            self.set_common(fitted_to);
            self.run(alternate_implicit, fitted_to, usize::from(is_wanted), options, observer)
        })
    }

    /// Fits both sides of explicit ratings at once, until nothing moves by more than `tolerance` or the options' iterations are over.
    ///
    /// # Errors
    /// As [`converge`].
    pub fn fit_together(
        &mut self,
        tolerance: f32,
        options: &Options,
        observer: Observer<'_>,
    ) -> Result<Report, RunError> {
        self.store.set(Ratings::TOLERANCE, tolerance);
        converge(together, &self.bipartite.graph, &mut self.store, options, observer)
    }

    fn run<F: Fold>(
        &mut self,
        fold: F,
        fitted_to: Side,
        iterations: usize,
        options: &Options,
        observer: Observer<'_>,
    ) -> Result<Report, RunError> {
        let options = self.options(fitted_to, iterations, options);
        converge(fold, &self.bipartite.graph, &mut self.store, &options, observer)
    }

    fn options(&self, fitted_to: Side, iterations: usize, options: &Options) -> Options {
        let start = Some(self.bipartite.set(fitted_to));
        // Half of the graph is always active, so that pushes never pay.
        Options { start, iterations, direction: Some(Direction::Pull), ..options.clone() }
    }

    /// What is decided about a run, and why: one line a decision.
    pub fn explain(&self, options: &Options) -> Vec<String> {
        let options = self.options(Side::Items, 2, options);
        match self.settings.feedback {
            Feedback::Explicit => explain(alternate, &self.bipartite.graph, &self.store, &options),
            Feedback::Implicit { .. } => explain(alternate_implicit, &self.bipartite.graph, &self.store, &options),
        }
    }

    /// Sets the matrix that all vertices have in common to the sum of the outer products of one side's factors.
    fn set_common(&mut self, side: Side) {
        let features = self.settings.features;
        let store = &self.store;
        let row = |vertex| store.row(Ratings::FACTOR, vertex).iter().map(|&value| f64::from(value));
        let common = outer_sum(self.bipartite, side, features, row);
        for (row, values) in common.chunks_exact(features).enumerate() {
            let entries = self.store.graph_matrix_row_mut(Ratings::COMMON, row).iter_mut();
            entries.zip(values).for_each(|(entry, value)| *entry = *value as f32);
        }
    }

    /// The factors so far.
    pub fn factors(&self) -> Factors {
        let vertices = 0..self.bipartite.graph.vertex_count() as u32;
        let rows = vertices.flat_map(|vertex| self.store.row(Ratings::FACTOR, vertex));
        Factors { values: rows.map(|&value| f64::from(value)).collect(), features: self.settings.features }
    }
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
pub(crate) fn joined(first: Report, next: &Report) -> Report {
    let done = first.iterations.len();
    let renumbered = |iteration: &Iteration| Iteration { number: done + iteration.number, ..*iteration };
    let iterations = first.iterations.iter().copied().chain(next.iterations.iter().map(renumbered)).collect();
    let (prepare, run) = (first.prepare + next.prepare, first.run + next.run);
    Report { status: next.status, iterations, prepare, run, ..first }
}
