//! Whether a result agrees with what 64-bit floats say of it.

use onyx_runtime::graph::Graph;
use onyx_runtime::{Direction, Report};

/// How far a result is from what it should be, and how far it may be.
#[derive(Clone, Copy, Debug)]
pub struct Verification {
    /// The distance, in the algorithm's own norm.
    pub difference: f64,
    /// The greatest distance that rounding and unpropagated changes explain.
    pub allowed: f64,
}

impl Verification {
    /// Whether the result agrees; one that is not a number does not.
    pub fn agrees(&self) -> bool {
        self.difference <= self.allowed
    }

    /// The one that is farther from what is allowed; what is no number is the farthest.
    #[must_use]
    pub fn worse(self, other: Self) -> Self {
        let excess = |of: &Self| if of.difference.is_nan() { f64::INFINITY } else { of.difference / of.allowed };
        if excess(&other) > excess(&self) { other } else { self }
    }
}

/// How far a run may end from the exact iteration of a contraction, whose every iteration shrinks differences by `factor`.
///
/// - Rounding: a sum of n floats is off by about √n roundings. A row's sum has its in-degree of terms, and while changes are pushed, as many
///   again in each iteration.
/// - Changes within the tolerance: a push leaves them out. At one vertex they add up to less than tolerance / (1 − factor).
///
/// What is off in one iteration is off by 1 / (1 − factor) times that in the end.
pub fn allowed(graph: &Graph, report: &Report, factor: f64, tolerance: f64) -> f64 {
    let pushes = report.iterations.iter().filter(|iteration| iteration.direction == Direction::Push).count();
    let terms = graph.statistics().greatest_in_degree.max(1) * (1 + pushes);
    let rounding = 2.0 * f64::from(f32::EPSILON) * (terms as f64).sqrt();
    let left_out = if pushes > 0 { tolerance * factor / (1.0 - factor) } else { 0.0 };
    (rounding + left_out) / (1.0 - factor)
}
