//! Runs of conjugate gradients from the host: factors that are too wide for matrices in registers.

use std::time::Duration;

use ndarray::{Array1, Array2};
use onyx_device::FoldOf;
use onyx_runtime::{
    Data, Direction, Iteration, Observer, Options, Report, ResidentGraph, RunError, RunFold, Session, Status,
};
use rayon::prelude::*;

use super::gradients::{Gradients, approach, approach_implicit};
use super::host::{in_halves, narrow, outer_sum};
use crate::error::AlgorithmError;
use crate::ratings::bipartite::Side;
use crate::ratings::spectrum::Spectrum;
use crate::ratings::{Bipartite, Factors, Feedback, Settings, Solver};

/// The part of the right side's length that a residual may have.
pub(super) const ACCURACY: f32 = 1e-6;

/// Wide factors while they are fitted.
#[derive(Debug)]
pub struct Descent<'a> {
    bipartite: &'a Bipartite,
    settings: Settings,
    factors: Factors,
    /// What fits users, and what fits items.
    halves: [Half<'a>; 2],
}

/// What fits one side: the edges that lead there, in a session's memory.
#[derive(Debug)]
struct Half<'a> {
    graph: ResidentGraph<'a>,
    data: Data<Gradients>,
}

impl<'a> Half<'a> {
    fn new(
        session: &Session,
        bipartite: &'a Bipartite,
        settings: &Settings,
        side: Side,
    ) -> Result<Self, AlgorithmError> {
        let graph = session.graph(bipartite.toward(side)?);
        let mut data = session.data(approach, &graph, settings.features)?;
        data.write(Gradients::RATING, graph.graph().weights().unwrap_or_default())?;
        data.set(Gradients::ACCURACY, ACCURACY * ACCURACY);
        if let Feedback::Implicit { alpha } = settings.feedback {
            data.set(Gradients::ALPHA, alpha);
        }
        Ok(Self { graph, data })
    }
}

impl<'a> Descent<'a> {
    /// What starts from `factors`.
    pub(super) fn new(
        session: &Session,
        bipartite: &'a Bipartite,
        settings: Settings,
        factors: &Factors,
    ) -> Result<Self, AlgorithmError> {
        let half = |side| Half::new(session, bipartite, &settings, side);
        let halves = [half(Side::Users)?, half(Side::Items)?];
        Ok(Self { bipartite, settings, factors: factors.clone(), halves })
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
    fn fit<F: FoldOf<Gradients>>(
        &mut self,
        fold: F,
        side: Side,
        spectrum: Option<Spectrum>,
        options: &Options,
        observer: Observer<'_>,
    ) -> Result<Report, RunError> {
        self.prepare(side, spectrum.as_ref())?;
        let Half { graph, data } = &mut self.halves[side as usize];
        let report = fold.on(graph, data).observed(observer).until_settled(options)?;
        if !matches!(report.status, Status::Cancelled) && !report.iterations.is_empty() {
            self.adopt(side, spectrum.as_ref())?;
        }
        Ok(as_half(report))
    }

    /// Puts everything where a run that fits `side` starts from.
    fn prepare(&mut self, side: Side, spectrum: Option<&Spectrum>) -> Result<(), RunError> {
        let vertices = self.bipartite.vertices(side);
        let count = self.bipartite.graph.vertex_count();
        let begins = (0..count as u32).map(|vertex| if vertices.contains(&vertex) { 1.0 } else { 0.0 });
        let (begins, factors, held) =
            (begins.collect::<Array1<f32>>(), self.turned(spectrum), self.held(side, spectrum));
        let data = &mut self.halves[side as usize].data;
        data.write(Gradients::FACTOR, &factors)?;
        data.write(Gradients::BEGINS, &begins)?;
        data.write(Gradients::HELD, &held)?;
        let nothing = Array2::<f32>::zeros((count, self.settings.features));
        for key in [Gradients::SOLUTION, Gradients::RESIDUAL, Gradients::DIRECTION] {
            data.write(key, &nothing)?;
        }
        Ok(())
    }

    /// All factors, in the basis of the spectrum.
    fn turned(&self, spectrum: Option<&Spectrum>) -> Array2<f32> {
        let Some(spectrum) = spectrum else { return narrow(&self.factors) };
        let Factors { values, features } = &self.factors;
        let values = values.par_chunks(*features).flat_map_iter(|row| spectrum.turned(row)).collect();
        narrow(&Factors { values, features: *features })
    }

    /// By how much the square of each feature is held back, of the vertices of `side`.
    fn held(&self, side: Side, spectrum: Option<&Spectrum>) -> Array2<f32> {
        let mut held = Array2::zeros((self.bipartite.graph.vertex_count(), self.settings.features));
        for vertex in self.bipartite.vertices(side) {
            let penalty = self.settings.penalty(self.bipartite.graph.in_degree(vertex));
            let mut row = held.row_mut(vertex as usize);
            row.fill(penalty);
            for (held, value) in row.iter_mut().zip(spectrum.map_or(&[][..], |spectrum| &spectrum.values)) {
                *held += *value as f32;
            }
        }
        held
    }

    /// Takes the solutions of `side` for its factors.
    fn adopt(&mut self, side: Side, spectrum: Option<&Spectrum>) -> Result<(), RunError> {
        let solutions = self.halves[side as usize].data.read(Gradients::SOLUTION)?;
        let solution = |vertex: u32| {
            let row: Vec<f64> = solutions.row(vertex as usize).iter().map(|value| f64::from(*value)).collect();
            spectrum.map_or_else(|| row.clone(), |spectrum| spectrum.turned_back(&row))
        };
        let vertices = self.bipartite.vertices(side);
        let rows: Vec<Vec<f64>> = vertices.clone().into_par_iter().map(solution).collect();
        vertices.zip(rows).for_each(|(vertex, row)| self.factors.row_mut(vertex).copy_from_slice(&row));
        Ok(())
    }

    /// The eigenvectors of what the systems of `side` have in common.
    fn spectrum(&self, side: Side) -> Spectrum {
        let features = self.settings.features;
        let sum = outer_sum(self.bipartite, side.other(), features, |vertex| self.factors.row(vertex).iter().copied());
        Spectrum::of(&sum, features)
    }

    /// What is decided about a run, and why: one line a decision.
    pub(super) fn explain(&self, options: &Options) -> Vec<String> {
        let (Half { graph, data }, options) = (&self.halves[0], Self::options(options));
        let decisions = match self.settings.feedback {
            Feedback::Explicit => data.explain(approach, graph, &options),
            Feedback::Implicit { .. } => data.explain(approach_implicit, graph, &options),
        };
        let method = match self.settings.solver {
            Solver::ConjugateGradients => "method: conjugate gradients, because they were asked for".to_owned(),
            _ => {
                "method: conjugate gradients, because wide matrices of all users and items take much memory".to_owned()
            }
        };
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
