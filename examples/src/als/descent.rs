//! Runs of conjugate gradients from the host: factors that are too wide for matrices in registers.

use std::time::Duration;

use onyx_device::Fold;
use onyx_runtime::graph::Graph;
use onyx_runtime::{Direction, Iteration, Observer, Options, Report, RunError, Status, Store, converge, explain};
use rayon::prelude::*;

use super::gradients::{Gradients, approach, approach_implicit};
use super::host::{in_halves, outer_sum};
use super::model::ModelError;
use crate::ratings::bipartite::Side;
use crate::ratings::spectrum::Spectrum;
use crate::ratings::{Bipartite, Factors, Feedback, Settings};

/// The part of the right side's length that a residual may have.
pub(super) const ACCURACY: f32 = 1e-6;

/// Wide factors while they are fitted.
#[derive(Debug)]
pub struct Descent<'a> {
    bipartite: &'a Bipartite,
    settings: Settings,
    factors: Factors,
    /// The edges towards users, and those towards items.
    graphs: [Graph; 2],
    store: Store,
}

impl<'a> Descent<'a> {
    /// What starts from `factors`.
    pub(super) fn new(bipartite: &'a Bipartite, settings: Settings, factors: &Factors) -> Result<Self, ModelError> {
        let graphs = [bipartite.toward(Side::Users)?, bipartite.toward(Side::Items)?];
        // As many edges lead to users as to items, so that one store serves both.
        let mut store = Store::new(approach, &graphs[0], settings.features)?;
        store.set(Gradients::ACCURACY, ACCURACY * ACCURACY);
        if let Feedback::Implicit { alpha } = settings.feedback {
            store.set(Gradients::ALPHA, alpha);
        }
        Ok(Self { bipartite, settings, factors: factors.clone(), graphs, store })
    }

    /// Fits users, then items, `sweeps` times. An iteration of the report is a half of a sweep, however many steps it took.
    pub(super) fn sweep(
        &mut self,
        sweeps: usize,
        options: &Options,
        observer: Observer<'_>,
    ) -> Result<Report, RunError> {
        in_halves(sweeps, |side, is_wanted| {
            let limit = if is_wanted { self.step_limit() } else { 0 };
            let options = Options { iterations: limit, ..Self::options(options) };
            match self.settings.feedback {
                Feedback::Explicit => self.fit(approach, side, None, &options, observer),
                Feedback::Implicit { .. } => {
                    let spectrum = self.spectrum(side);
                    self.fit(approach_implicit, side, Some(spectrum), &options, observer)
                }
            }
        })
    }

    /// Two steps for each feature, after one that sums up the right side and one along the factor that was there before.
    fn step_limit(&self) -> usize {
        2 * self.settings.features + 2
    }

    fn options(options: &Options) -> Options {
        Options { start: None, direction: Some(Direction::Pull), ..options.clone() }
    }

    /// Fits the factors of `side` in the basis of `spectrum`.
    fn fit<F: Fold>(
        &mut self,
        fold: F,
        side: Side,
        spectrum: Option<Spectrum>,
        options: &Options,
        observer: Observer<'_>,
    ) -> Result<Report, RunError> {
        self.prepare(side, spectrum.as_ref());
        let report = converge(fold, &self.graphs[side as usize], &mut self.store, options, observer)?;
        if !matches!(report.status, Status::Cancelled) && !report.iterations.is_empty() {
            self.adopt(side, spectrum.as_ref());
        }
        Ok(as_half(report))
    }

    /// Puts everything where a run that fits `side` starts from.
    fn prepare(&mut self, side: Side, spectrum: Option<&Spectrum>) {
        let ratings = self.graphs[side as usize].weights().unwrap_or_default();
        self.store.edge_scalars_mut(Gradients::RATING).copy_from_slice(ratings);
        self.prepare_factors(spectrum);
        for vertex in self.bipartite.vertices(side) {
            self.store.scalars_mut(Gradients::BEGINS)[vertex as usize] = 1.0;
            for key in [Gradients::SOLUTION, Gradients::RESIDUAL, Gradients::DIRECTION] {
                self.store.row_mut(key, vertex).fill(0.0);
            }
            self.prepare_held(vertex, spectrum);
        }
    }

    /// Copies all factors, in the basis of the spectrum.
    fn prepare_factors(&mut self, spectrum: Option<&Spectrum>) {
        let turned = |row: &[f64]| spectrum.map_or_else(|| row.to_vec(), |spectrum| spectrum.turned(row));
        let rows: Vec<Vec<f64>> = self.factors.values.par_chunks(self.factors.features).map(turned).collect();
        for (vertex, row) in (0..).zip(rows) {
            let places = self.store.row_mut(Gradients::FACTOR, vertex).iter_mut();
            places.zip(row).for_each(|(place, value)| *place = value as f32);
        }
    }

    fn prepare_held(&mut self, vertex: u32, spectrum: Option<&Spectrum>) {
        let penalty = self.settings.penalty(self.bipartite.graph.in_degree(vertex));
        let held = self.store.row_mut(Gradients::HELD, vertex);
        held.fill(penalty);
        for (held, value) in held.iter_mut().zip(spectrum.map_or(&[][..], |spectrum| &spectrum.values)) {
            *held += *value as f32;
        }
    }

    /// Takes the solutions of `side` for its factors.
    fn adopt(&mut self, side: Side, spectrum: Option<&Spectrum>) {
        let store = &self.store;
        let solution = |vertex| {
            let row = store.row(Gradients::SOLUTION, vertex).iter();
            let row: Vec<f64> = row.map(|value| f64::from(*value)).collect();
            spectrum.map_or_else(|| row.clone(), |spectrum| spectrum.turned_back(&row))
        };
        let rows: Vec<Vec<f64>> = self.bipartite.vertices(side).into_par_iter().map(solution).collect();
        let vertices = self.bipartite.vertices(side);
        vertices.zip(rows).for_each(|(vertex, row)| self.factors.row_mut(vertex).copy_from_slice(&row));
    }

    /// The eigenvectors of what the systems of `side` have in common.
    fn spectrum(&self, side: Side) -> Spectrum {
        let features = self.settings.features;
        let sum = outer_sum(self.bipartite, side.other(), features, |vertex| self.factors.row(vertex).iter().copied());
        Spectrum::of(&sum, features)
    }

    /// What is decided about a run, and why: one line a decision.
    pub(super) fn explain(&self, options: &Options) -> Vec<String> {
        let (graph, options) = (&self.graphs[0], Self::options(options));
        let decisions = match self.settings.feedback {
            Feedback::Explicit => explain(approach, graph, &self.store, &options),
            Feedback::Implicit { .. } => explain(approach_implicit, graph, &self.store, &options),
        };
        let method = "method: conjugate gradients, because wide matrices do not fit registers".to_owned();
        std::iter::once(method).chain(decisions).collect()
    }

    /// The factors so far.
    pub(super) fn factors(&self) -> Factors {
        self.factors.clone()
    }
}

/// The report on the steps of a half of a sweep as one on a single iteration, or on none if it was cancelled.
fn as_half(report: Report) -> Report {
    let steps = report.iterations.len();
    let time: Duration = report.iterations.iter().map(|iteration| iteration.time).sum();
    let is_done = report.status != Status::Cancelled;
    let half = report.iterations.last().filter(|_| is_done).map(|last| Iteration { number: 1, time, ..*last });
    let taken = format!("steps: {steps} of conjugate gradients in the first half of a sweep");
    // A half that is done is not the end of the run.
    let status = if report.status.is_at_rest() { Status::IterationLimit } else { report.status };
    let explain = report.explain.into_iter().chain([taken]).collect();
    Report { status, iterations: half.into_iter().collect(), explain, ..report }
}
