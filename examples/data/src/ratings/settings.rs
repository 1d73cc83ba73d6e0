//! What is fitted, and how.

use super::bipartite::{Bipartite, Side};
use super::error::SolveError;
use super::names::Catalog;
use super::solver::Solver;

/// The part of the ratings' deviation that holds a factor back for each of its ratings. It predicts nearly as well as the best of a grid on
/// drawn and on real ratings (`docs/measurements/ratings.csv`). An objective keeps its minimum, but for scale, when ratings and lambda are multiplied by the same number.
const LAMBDA: f64 = 0.1;
/// What holds a factor of implicit feedback back, where each sign already weighs as much as alpha.
const IMPLICIT_LAMBDA: f32 = 0.1;

/// What a rating says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Feedback {
    /// How much the user likes the item: what is fitted are the ratings.
    Explicit,
    /// That the user had to do with the item: what is fitted is 1 where there is a rating r, with the confidence 1 + alpha · r, and 0 with
    /// the confidence 1 elsewhere. A rating of 0 says the latter: [`Table::without_zeros`](super::Table::without_zeros) leaves it out.
    Implicit {
        /// How much confidence a rating gives.
        alpha: f32,
    },
}

/// What alternating least squares fits.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The numbers in a factor.
    pub features: usize,
    /// How much large factors are held back.
    pub lambda: f32,
    /// Whether a factor is held back by lambda for each of its ratings, in place of once.
    pub weighted: bool,
    /// What a rating says.
    pub feedback: Feedback,
    /// What the first factors are drawn with.
    pub seed: u64,
    /// The greatest number of sweeps of a call, each of which fits all users and then all items.
    pub sweeps: usize,
    /// The part of the objective by which a sweep of a call must lower it for another one to follow.
    pub tolerance: f64,
    /// How systems of equations are solved.
    pub solver: Solver,
    /// How many steps of conjugate gradients go from each factor towards the solution of its system, in place of solving it.
    pub steps: Option<usize>,
}

impl Default for Settings {
    fn default() -> Self {
        let (feedback, lambda) = (Feedback::Explicit, LAMBDA as f32);
        let (solver, steps) = (Solver::Auto, None);
        Self { features: 8, lambda, weighted: true, feedback, seed: 0, sweeps: 50, tolerance: 1e-3, solver, steps }
    }
}

/// The same, written one after the other: `Settings::new().features(32).lambda(0.05)`.
impl Settings {
    /// What is chosen where nothing is said.
    pub fn new() -> Self {
        Self::default()
    }

    /// With [`Settings::features`].
    pub fn features(self, features: usize) -> Self {
        Self { features, ..self }
    }

    /// With [`Settings::lambda`](field@Settings::lambda).
    pub fn lambda(self, lambda: f32) -> Self {
        Self { lambda, ..self }
    }

    /// With [`Settings::weighted`].
    pub fn weighted(self, weighted: bool) -> Self {
        Self { weighted, ..self }
    }

    /// With [`Settings::feedback`].
    pub fn feedback(self, feedback: Feedback) -> Self {
        Self { feedback, ..self }
    }

    /// With [`Settings::solver`].
    pub fn solver(self, solver: Solver) -> Self {
        Self { solver, ..self }
    }

    /// With [`Settings::steps`].
    pub fn steps(self, steps: usize) -> Self {
        Self { steps: Some(steps), ..self }
    }

    /// With [`Settings::sweeps`].
    pub fn sweeps(self, sweeps: usize) -> Self {
        Self { sweeps, ..self }
    }
}

impl Settings {
    /// Whether each system of equations is a matrix that is factorized.
    pub fn factorizes(&self) -> bool {
        self.steps.is_none() && self.solver.factorizes(self.features)
    }

    /// A lambda that predicts ratings of some `deviation` well; none where that depends on how many ratings there are.
    pub fn usual_lambda(feedback: Feedback, weighted: bool, deviation: f64) -> Option<f32> {
        match (feedback, weighted) {
            // Ratings that are all equal leave nothing to fit, by any lambda.
            (Feedback::Explicit, true) => Some((LAMBDA * if deviation > 0.0 { deviation } else { 1.0 }) as f32),
            (Feedback::Implicit { .. }, false) => Some(IMPLICIT_LAMBDA),
            _ => None,
        }
    }

    /// By how much the square of a factor is held back. A factor without ratings is zero whatever holds it back.
    pub fn penalty(&self, ratings: usize) -> f32 {
        match ratings {
            0 => self.lambda.max(1.0),
            _ if self.weighted => self.lambda * ratings as f32,
            _ => self.lambda,
        }
    }

    /// Finds what leaves a system of equations singular or indefinite for certain, before anything is solved.
    ///
    /// # Errors
    /// Implicit feedback below zero; without a lambda above 0, a user or an item with too few ratings.
    pub fn check(&self, bipartite: &Bipartite, catalog: &Catalog) -> Result<(), SolveError> {
        if matches!(self.feedback, Feedback::Implicit { .. }) {
            return check_values(bipartite, catalog);
        }
        let few = |vertex: &u32| (1..self.features).contains(&bipartite.graph.in_degree(*vertex));
        match (0..bipartite.graph.vertex_count() as u32).find(few) {
            Some(vertex) if self.lambda <= 0.0 => Err(SolveError::TooFew {
                side: bipartite.side(vertex),
                name: name(bipartite, catalog, vertex).to_owned(),
                ratings: bipartite.graph.in_degree(vertex),
                features: self.features,
                lambda: self.lambda,
            }),
            _ => Ok(()),
        }
    }
}

fn check_values(bipartite: &Bipartite, catalog: &Catalog) -> Result<(), SolveError> {
    for vertex in bipartite.vertices(Side::Users) {
        if let Some((item, value)) = bipartite.incoming(vertex).find(|(_, value)| *value < 0.0) {
            let [user, item] = [vertex, item].map(|vertex| name(bipartite, catalog, vertex).to_owned());
            return Err(SolveError::Negative { user, item, value });
        }
    }
    Ok(())
}

fn name<'a>(bipartite: &Bipartite, catalog: &'a Catalog, vertex: u32) -> &'a str {
    match bipartite.side(vertex) {
        Side::Users => catalog.users.name(vertex),
        Side::Items => catalog.items.name(vertex - bipartite.users() as u32),
    }
}
