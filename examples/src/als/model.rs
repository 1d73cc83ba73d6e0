//! Factors of any width while they are fitted.

use onyx_runtime::memory;
use onyx_runtime::{Observer, Options, Report, RunError, Session};

use super::alternate;
use super::descent::{ACCURACY, Descent};
use super::gradients::approach;
use super::host::Direct;
use super::steps::products;
use super::stepwise::Stepwise;
use crate::error::AlgorithmError;
use crate::ratings::bipartite::Side;
use crate::ratings::{Bipartite, Factors, Settings, SolveError};

/// A matrix of a vertex of the narrowest fold has this many rows.
const LEAST_WIDTH: usize = 4;
/// Conjugate gradients have rows of this width and of the greatest.
const LEAST_ROW: usize = 64;
/// The most features of a row, and rows of a matrix.
const GREATEST_WIDTH: usize = 128;
/// How many rows conjugate gradients keep of each vertex: six for each side that they fit.
const ROWS: usize = 12;
/// Rows of a few steps are of this width at least, and there are so many of each vertex.
const LEAST_STEP: usize = 8;
const STEP_ROWS: usize = 4;

/// Factors of a graph while they are fitted.
#[derive(Debug)]
pub enum Model<'a> {
    /// Each system of equations is a matrix, which is factorized.
    Direct(Box<Direct<'a>>),
    /// The systems are solved by conjugate gradients.
    Descent(Box<Descent<'a>>),
    /// The systems are not solved: a few steps go towards their solutions.
    Stepwise(Box<Stepwise<'a>>),
}

impl<'a> Model<'a> {
    /// The most numbers that a factor may have.
    pub const GREATEST_FEATURES: usize = GREATEST_WIDTH;

    /// The part of a right side's length that the solver of these settings leaves on purpose.
    pub fn accuracy(settings: &Settings) -> f32 {
        if settings.factorizes() { 0.0 } else { ACCURACY }
    }

    /// The model that starts from `factors`, where the options' backend has its memory.
    ///
    /// # Errors
    /// As [`Model::on`], or the backend cannot run.
    pub fn new(
        bipartite: &'a Bipartite,
        settings: Settings,
        factors: &Factors,
        options: &Options,
    ) -> Result<Self, AlgorithmError> {
        Self::on(&Self::session(bipartite, &settings, options)?, bipartite, settings, factors)
    }

    /// The model that starts from `factors`, in the memory of a session.
    ///
    /// # Errors
    /// The factors are of other vertices or features, no compiled width holds the features, or there is no memory.
    pub fn on(
        session: &Session,
        bipartite: &'a Bipartite,
        settings: Settings,
        factors: &Factors,
    ) -> Result<Self, AlgorithmError> {
        check_factors(bipartite, &settings, factors)?;
        if settings.steps.is_some() {
            Ok(Self::Stepwise(Box::new(Stepwise::new(session, bipartite, settings, factors)?)))
        } else if settings.factorizes() {
            Ok(Self::Direct(Box::new(Direct::new(session, bipartite, settings, factors)?)))
        } else {
            Ok(Self::Descent(Box::new(Descent::new(session, bipartite, settings, factors)?)))
        }
    }

    /// The session of the options' backend in which the systems of these settings can be solved.
    fn session(bipartite: &Bipartite, settings: &Settings, options: &Options) -> Result<Session, AlgorithmError> {
        let features = settings.features;
        if settings.steps.is_some() {
            return Ok(Session::able(products, options.backend, &bipartite.graph, features, options)?);
        }
        if settings.factorizes() {
            return Ok(Session::able(alternate, options.backend, &bipartite.graph, features, options)?);
        }
        let graph = bipartite.toward(Side::Users)?;
        Ok(Session::able(approach, options.backend, graph, features, options)?)
    }

    /// Whether the matrices of all vertices, or the rows of conjugate gradients, find room in memory.
    ///
    /// # Errors
    /// They do not.
    pub fn check_memory(bipartite: &Bipartite, settings: &Settings) -> Result<(), SolveError> {
        let vertices = bipartite.graph.vertex_count();
        let least = match settings.steps {
            Some(_) => LEAST_STEP,
            None if settings.factorizes() => LEAST_WIDTH,
            None => LEAST_ROW,
        };
        let width = settings.features.clamp(least, GREATEST_WIDTH).next_power_of_two();
        let rows = match settings.steps {
            Some(_) => STEP_ROWS,
            None if settings.factorizes() => width,
            None => ROWS,
        };
        // The factors are there as 64-bit floats, too: those found, and those started from.
        let bytes = vertices.saturating_mul(rows * width * size_of::<f32>() + 2 * width * size_of::<f64>()) as u64;
        Ok(memory::check(format!("{rows} rows of {width} numbers for each of {vertices} users and items"), bytes)?)
    }

    /// Fits users, then items, `sweeps` times, each an iteration of the report. The options' start, direction and iterations are this
    /// function's to choose.
    ///
    /// # Errors
    /// As [`RunOn::until_settled`](onyx_runtime::RunOn::until_settled).
    pub fn sweep(&mut self, sweeps: usize, options: &Options, observer: Observer<'_>) -> Result<Report, RunError> {
        match self {
            Self::Direct(direct) => direct.sweep(sweeps, options, observer),
            Self::Descent(descent) => descent.sweep(sweeps, options, observer),
            Self::Stepwise(stepwise) => stepwise.sweep(sweeps, options, observer),
        }
    }

    /// What is decided about a run, and why: one line a decision.
    pub fn explain(&self, options: &Options) -> Vec<String> {
        match self {
            Self::Direct(direct) => direct.explain(options),
            Self::Descent(descent) => descent.explain(options),
            Self::Stepwise(stepwise) => stepwise.explain(options),
        }
    }

    /// The factors so far.
    ///
    /// # Errors
    /// They are gone with a failed run.
    pub fn factors(&mut self) -> Result<Factors, RunError> {
        match self {
            Self::Direct(direct) => direct.factors(),
            Self::Descent(descent) => Ok(descent.factors()),
            Self::Stepwise(stepwise) => stepwise.factors(),
        }
    }
}

/// Refuses factors of other vertices or features, whose rows would be read as if they were of these.
fn check_factors(bipartite: &Bipartite, settings: &Settings, factors: &Factors) -> Result<(), RunError> {
    let (vertices, features) = (bipartite.graph.vertex_count(), settings.features);
    if features == factors.features && vertices.checked_mul(features) == Some(factors.values.len()) {
        return Ok(());
    }
    let found = vec![factors.values.len() / factors.features.max(1), factors.features];
    Err(RunError::Shape { property: "factor", found, expected: vec![vertices, features] })
}
