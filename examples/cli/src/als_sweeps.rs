//! The sweeps of alternating least squares, until they are enough.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use onyx_runtime::{Options, Report, RunError, Status};

use super::als_report::Sweep;
use super::error::CliError;
use super::interrupt::Interruptible;
use onyx_examples::als::{Model, joined};
use onyx_examples::ratings::Factors;

/// A greater rise of the objective, as a part of it, is none by rounding.
const RISE: f64 = 1e-3;

/// When sweeps are enough.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The greatest number of sweeps.
    pub sweeps: usize,
    /// The part of the objective by which a sweep must lower it for another one to follow.
    pub tolerance: f64,
    /// Whether factors are looked at after the last sweep alone.
    pub at_once: bool,
    /// Whether the last sweep will be verified, for which the factors before it are needed.
    pub verified: bool,
}

/// What sweeps have come to.
#[derive(Debug)]
pub struct Fitted {
    /// What the runtime says of all sweeps.
    pub report: Report,
    /// The sweeps after which the factors were looked at.
    pub sweeps: Vec<Sweep>,
    /// How long all sweeps took, looks at the factors left out.
    pub elapsed: Duration,
    /// The factors after the last sweep.
    pub factors: Factors,
    /// The factors before it, where it is to be verified.
    pub before: Factors,
}

impl Fitted {
    /// Sweeps from `start` until the objective falls no more, rises, or is no number, or the limit is reached. What `rate` says of factors
    /// after a number of sweeps decides.
    ///
    /// # Errors
    /// As [`Model::sweep`].
    pub fn find(
        limits: Limits,
        model: &mut Model<'_>,
        start: Factors,
        options: &Options,
        rate: impl Fn(&Factors, usize) -> Sweep,
    ) -> Result<Self, CliError> {
        let interruptible = Interruptible::begin();
        let mut sweep = |count: usize| {
            let begin = Instant::now();
            let report = model.sweep(count, options, &mut |_| match interruptible.is_interrupted() {
                true => ControlFlow::Break(()),
                false => ControlFlow::Continue(()),
            })?;
            let elapsed = begin.elapsed();
            Ok::<_, RunError>(Self {
                report,
                sweeps: Vec::new(),
                elapsed,
                factors: model.factors()?,
                before: Factors::default(),
            })
        };
        let mut fitted = Self { before: start, ..sweep(limits.next(0))? };
        while fitted.goes_on(limits, &rate) {
            let next = sweep(limits.next(fitted.done()))?;
            fitted = fitted.followed_by(next);
        }
        Ok(fitted)
    }

    fn followed_by(self, next: Self) -> Self {
        let report = joined(self.report, &next.report);
        Self {
            report,
            sweeps: self.sweeps,
            elapsed: self.elapsed + next.elapsed,
            before: self.factors,
            factors: next.factors,
        }
    }

    /// How many sweeps are done.
    pub fn done(&self) -> usize {
        self.report.iterations.len() / 2
    }

    /// Whether another sweep follows; if not, the report says why.
    fn goes_on(&mut self, limits: Limits, rate: impl Fn(&Factors, usize) -> Sweep) -> bool {
        if matches!(self.report.status, Status::Diverged | Status::Cancelled) {
            return false;
        }
        let number = self.done();
        if !limits.at_once || number >= limits.sweeps {
            self.sweeps.push(rate(&self.factors, number));
            self.report.status = limits.status(&self.sweeps);
        }
        self.report.status == Status::IterationLimit && number < limits.sweeps
    }
}

impl Limits {
    /// How many sweeps follow without a look at the factors.
    fn next(&self, done: usize) -> usize {
        let left = self.sweeps - done;
        match self.at_once {
            true if self.verified => left.saturating_sub(1).max(1),
            true => left,
            false => 1,
        }
    }

    /// What the last sweep has come to, by the objective.
    fn status(&self, sweeps: &[Sweep]) -> Status {
        let [.., before, after] = sweeps else { return Status::IterationLimit };
        let (fall, whole) = (before.objective - after.objective, before.objective.abs());
        if after.objective.is_nan() || fall < -RISE * whole {
            Status::Diverged
        } else if fall <= self.tolerance * whole {
            Status::Converged
        } else {
            Status::IterationLimit
        }
    }
}
