//! Alternating least squares as one call.

use std::ops::ControlFlow;

use onyx_runtime::{Options, Report, RunError, Session, Status};

use super::host::joined;
use super::model::Model;
use crate::error::AlgorithmError;
use crate::input::{FINITE, WEIGHT, check_setting, check_start, check_vertices, check_weights};
use crate::ratings::{Bipartite, Factors, Feedback, Settings, metric};

/// The algorithm's name.
const NAME: &str = "alternating least squares";
/// A greater rise of the objective, as a part of it, is none by rounding.
const RISE: f64 = 1e-3;

/// What a call has found.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// The factors of users, then of items.
    pub factors: Factors,
    /// What they make of the objective, which is to be small.
    pub objective: f64,
    /// How they were found: an iteration is a half of a sweep. [`Status::Converged`] where the last sweep lowered the objective by no more than the
    /// settings' tolerance; [`Status::Diverged`] where a factor is no number or the objective has risen: give a greater lambda, or fewer features.
    pub report: Report,
}

/// Factors of users and items whose products are the ratings, fitted where the session is.
///
/// # Errors
/// There is no rating, or one that is no number, or with implicit feedback below 0; a setting is out of its range; no compiled width holds the
/// features; or the run fails.
pub fn als(session: &Session, bipartite: &Bipartite, settings: Settings) -> Result<Fitted, AlgorithmError> {
    check(bipartite, settings)?;
    let start = Factors::start(bipartite, &settings);
    let mut model = Model::on(session, bipartite, settings, &start)?;
    let mut fitted = sweep(&mut model, bipartite, settings)?;
    for _ in 1..settings.sweeps {
        if fitted.report.status != Status::IterationLimit {
            break;
        }
        let next = sweep(&mut model, bipartite, settings)?;
        fitted = fitted.followed_by(next, settings.tolerance);
    }
    Ok(fitted)
}

fn check(bipartite: &Bipartite, settings: Settings) -> Result<(), AlgorithmError> {
    let (graph, lambda, tolerance) = (&bipartite.graph, settings.lambda, settings.tolerance);
    check_vertices(NAME, graph)?;
    check_features(settings.features)?;
    check_start(NAME, "rating", bipartite.ratings())?;
    check_setting("lambda", lambda.into(), lambda.is_finite(), FINITE)?;
    check_setting("tolerance", tolerance, tolerance.is_finite() && tolerance >= 0.0, WEIGHT)?;
    check_setting("number of sweeps", settings.sweeps as f64, settings.sweeps > 0, "at least 1")?;
    let needed = if settings.feedback == Feedback::Explicit { FINITE } else { WEIGHT };
    check_weights(graph, bipartite.ratings(), 1, needed)?;
    Ok(Model::check_memory(bipartite, &settings)?)
}

/// Refuses widths that no fold has, before factors of them are drawn.
fn check_features(features: usize) -> Result<(), RunError> {
    let widest = Model::GREATEST_FEATURES;
    if (1..=widest).contains(&features) { Ok(()) } else { Err(RunError::Features { fold: NAME, features, widest }) }
}

/// One sweep, and what it has come to.
fn sweep(model: &mut Model<'_>, bipartite: &Bipartite, settings: Settings) -> Result<Fitted, AlgorithmError> {
    let report = model.sweep(1, &Options::new(), &mut |_| ControlFlow::Continue(()))?;
    let factors = model.factors()?;
    let objective = metric::objective(bipartite, &settings, &factors);
    Ok(Fitted { factors, objective, report })
}

impl Fitted {
    /// What a run and the sweep after it have come to.
    fn followed_by(self, next: Self, tolerance: f64) -> Self {
        let (fall, whole) = (self.objective - next.objective, self.objective.abs());
        let mut report = joined(self.report, &next.report);
        report.status = match report.status {
            Status::IterationLimit if next.objective.is_nan() || fall < -RISE * whole => Status::Diverged,
            Status::IterationLimit if fall <= tolerance * whole => Status::Converged,
            status => status,
        };
        Self { report, ..next }
    }
}
