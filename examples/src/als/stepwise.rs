//! Runs of a few steps of conjugate gradients from the host: factors and all that is kept of them stay in the session's memory.

use std::ops::{ControlFlow, Range};
use std::time::Instant;

use onyx_device::FoldOf;
use onyx_runtime::{
    Data, Direction, Iteration, Observer, Options, Report, ResidentGraph, RunError, RunFold, Session, Status, Tensor,
};

use super::host::{in_halves, judged, narrow, penalties, widened};
use super::steps::{Steps, products, steps};
use crate::ratings::bipartite::Side;
use crate::ratings::{Bipartite, Factors, Feedback, Settings};

/// Factors while each half of a sweep takes a few steps towards their best.
#[derive(Debug)]
pub struct Stepwise<'a> {
    bipartite: &'a Bipartite,
    settings: Settings,
    graph: ResidentGraph<'a>,
    data: Data<Steps>,
    /// The sum of y · yᵀ over the side that is not fitted, with implicit feedback.
    common: Option<Tensor>,
}

impl<'a> Stepwise<'a> {
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
        let mut data = session.data(products, &graph, settings.features)?;
        data.write(Steps::RATING, bipartite.ratings())?;
        data.write(Steps::PENALTY, &penalties(bipartite, &settings))?;
        let factors = narrow(factors);
        data.write(Steps::FACTOR, &factors)?;
        data.write(Steps::DIRECTION, &factors)?;
        set_weights(&mut data, settings.feedback);
        let is_implicit = settings.feedback != Feedback::Explicit;
        let common = is_implicit.then(|| session.tensor(settings.features, settings.features)).transpose()?;
        Ok(Self { bipartite, settings, graph, data, common })
    }

    /// Fits users, then items, `sweeps` times, by as many steps each as the settings say. An iteration of the report is a half of a sweep.
    ///
    /// # Errors
    /// As [`RunOn::times`](onyx_runtime::RunOn::times) and [`Session::multiply`].
    pub(super) fn sweep(
        &mut self,
        sweeps: usize,
        options: &Options,
        observer: Observer<'_>,
    ) -> Result<Report, RunError> {
        let report = in_halves(sweeps, |side, is_wanted| {
            if is_wanted { self.half(side, options, observer) } else { self.pass(products, side.other(), 0, options) }
        })?;
        Ok(judged(report, self.data.read(Steps::FACTOR)?.view()))
    }

    /// A half of a sweep.
    fn half(&mut self, side: Side, options: &Options, observer: Observer<'_>) -> Result<Report, RunError> {
        let begin = Instant::now();
        self.sum_up(side.other())?;
        let count = self.settings.steps.unwrap_or_default();
        let mut report = self.step(side, 0, count, options)?;
        for number in 1..=count {
            report = self.step(side, number, count, options)?;
        }
        let time = begin.elapsed();
        let half = report.iterations.last().map(|last| Iteration { number: 1, time, ..*last });
        let is_cancelled = half.is_some_and(|half| observer(&half) == ControlFlow::Break(()));
        let status = if is_cancelled { Status::Cancelled } else { Status::IterationLimit };
        Ok(Report { status, iterations: half.into_iter().collect(), run: time, ..report })
    }

    /// Sums up y · yᵀ over the factors of a side, where all vertices of the other one have it in common.
    fn sum_up(&mut self, side: Side) -> Result<(), RunError> {
        let Some(common) = &mut self.common else { return Ok(()) };
        let vertices = rows(self.bipartite, side);
        let (factors, others) = self.data.matrices(Steps::FACTOR, Steps::FACTOR)?;
        let (factors, others) = (factors.rows(vertices.clone())?, others.rows(vertices)?);
        self.graph.session().multiply(factors.transposed(), others, &mut common.matrix_mut(), 0.0)
    }

    /// One of `count` steps of a side; number 0 finds out where to go.
    fn step(&mut self, side: Side, number: usize, count: usize, options: &Options) -> Result<Report, RunError> {
        self.data.set(Steps::BEGINS, if number == 0 { 1.0 } else { 0.0 });
        self.data.set(Steps::ENDS, if number == count { 1.0 } else { 0.0 });
        let pass = self.pass(products, side.other(), 1, options)?;
        if let Some(common) = &self.common {
            let vertices = rows(self.bipartite, side);
            let (directions, into) = self.data.matrix_into(Steps::DIRECTION, Steps::PRODUCT)?;
            let directions = directions.rows(vertices.clone())?;
            self.graph.session().multiply(directions, common.matrix(), &mut into.rows(vertices)?, 1.0)?;
        }
        self.pass(steps, side, 1, options)?;
        Ok(pass)
    }

    /// Runs a fold that starts from the vertices of a side.
    fn pass<F: FoldOf<Steps>>(
        &mut self,
        fold: F,
        from: Side,
        iterations: usize,
        options: &Options,
    ) -> Result<Report, RunError> {
        let options = self.options(from, options);
        fold.on(&self.graph, &mut self.data).times(iterations, &options)
    }

    fn options(&self, from: Side, options: &Options) -> Options {
        Options { start: Some(self.bipartite.set(from)), direction: Some(Direction::Pull), ..options.clone() }
    }

    /// What is decided about a run, and why: one line a decision.
    pub(super) fn explain(&self, options: &Options) -> Vec<String> {
        let count = self.settings.steps.unwrap_or_default();
        let method = format!(
            "method: {count} steps of conjugate gradients in each half of a sweep, because they were asked for"
        );
        let options = self.options(Side::Items, options);
        std::iter::once(method).chain(self.data.explain(products, &self.graph, &options)).collect()
    }

    /// The factors so far.
    ///
    /// # Errors
    /// They are gone with a failed run.
    pub(super) fn factors(&mut self) -> Result<Factors, RunError> {
        Ok(widened(self.data.read(Steps::FACTOR)?.view()))
    }
}

/// By how much ratings weigh and pull.
fn set_weights(data: &mut Data<Steps>, feedback: Feedback) {
    let [weight, weight_of_rating, pull, pull_of_rating] = match feedback {
        Feedback::Explicit => [1.0, 0.0, 0.0, 1.0],
        Feedback::Implicit { alpha } => [0.0, alpha, 1.0, alpha],
    };
    data.set(Steps::WEIGHT, weight);
    data.set(Steps::WEIGHT_OF_RATING, weight_of_rating);
    data.set(Steps::PULL, pull);
    data.set(Steps::PULL_OF_RATING, pull_of_rating);
}

/// The rows of a side.
fn rows(bipartite: &Bipartite, side: Side) -> Range<usize> {
    let vertices = bipartite.vertices(side);
    vertices.start as usize..vertices.end as usize
}
