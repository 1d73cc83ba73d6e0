//! Whether a result agrees with what 64-bit floats give.
//!
//! A run that has come to rest is right if it is at a fixed point: one more iteration in 64-bit floats leaves it where it is, but for the changes
//! that were not worth propagating, and rounding. For a contraction that bounds how far it is from the solution, too. Nothing is compared with
//! where another run has come to.
//!
//! A run that was ended by its number of iterations is compared with as many in 64-bit floats. Along with each value goes how far the run may be
//! from it by then.

use onyx_runtime::graph::Graph;
use onyx_runtime::{Direction, Report};

/// How far a result is from what is right, and how far it may be.
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
        if other.part() > self.part() { other } else { self }
    }

    /// The distance as a part of the allowed one.
    fn part(&self) -> f64 {
        match self.difference {
            difference if difference.is_nan() => f64::INFINITY,
            0.0 => 0.0,
            difference => difference / self.allowed,
        }
    }
}

/// The roundings of a value beside those of its sum, in units in the last place.
const ROUNDINGS: f64 = 8.0;
/// After so many pushes the sum of all changes is as exact as it gets: they shrink.
const PUSHED_SUMS: usize = 8;
/// What the folds take for rounding at least, as a part of a value.
const LEAST_CHANGE: f64 = 4.0 * f32::EPSILON as f64;

/// An iteration in 64-bit floats. Values are row after row.
pub trait Equation {
    /// What it starts from.
    fn start(&self) -> Vec<f64>;

    /// What the run has found.
    fn found(&self) -> Vec<f64>;

    /// The values after one iteration from `values`.
    fn next(&self, values: &[f64]) -> Vec<f64>;

    /// How far the next values may be apart if values are apart by `distances`.
    fn spread(&self, distances: &[f64]) -> Vec<f64>;

    /// How large the terms are that are added for the `next` values after `values`, all together.
    fn magnitudes(&self, values: &[f64], next: &[f64]) -> Vec<f64> {
        let sizes: Vec<f64> = values.iter().map(|value| value.abs()).collect();
        self.spread(&sizes).iter().zip(next).map(|(arrived, next)| arrived + next.abs()).collect()
    }

    /// How many terms are added for the value at `place`.
    fn terms(&self, place: usize) -> f64;

    /// The change of a value that the run does not propagate.
    fn tolerance(&self, value: f64) -> f64;

    /// What differences of a value are told as a part of.
    fn unit(&self, value: f64) -> f64;
}

/// The change of a value that a fold with this tolerance does not propagate.
pub fn unpropagated(tolerance: f32, value: f64) -> f64 {
    f64::from(tolerance).max(LEAST_CHANGE * value.abs())
}

/// The rows of all vertices, one after the other.
pub fn rows<'a>(graph: &Graph, row: impl Fn(u32) -> &'a [f32]) -> Vec<f64> {
    (0..graph.vertex_count() as u32).flat_map(row).map(|&value| f64::from(value)).collect()
}

/// Verifies what a run has found.
pub fn verify(equation: &impl Equation, report: &Report) -> Verification {
    let found = equation.found();
    let expected = if report.status.is_at_rest() {
        Expected::after_rest(equation, &found, 2.0 * f64::from(report.turn))
    } else {
        Expected::after(equation, report)
    };
    let pairs = found.iter().zip(&expected.values).zip(&expected.distances);
    let each = pairs.map(|((found, expected), allowed)| {
        let unit = Some(equation.unit(*expected).abs()).filter(|unit| *unit > 0.0).unwrap_or(1.0);
        Verification { difference: (found - expected).abs() / unit, allowed: allowed / unit }
    });
    let nothing = Verification { difference: 0.0, allowed: 0.0 };
    each.fold(nothing, |worst, next| if next.part() > worst.part() { next } else { worst })
}

/// Values, and how far a run may be from each.
struct Expected {
    values: Vec<f64>,
    distances: Vec<f64>,
    /// How large the terms of each value have been, all together, since everything was pulled: a push adds changes to a sum, and what rounding
    /// did to that while it was great stays when it becomes small.
    magnitudes: Vec<f64>,
}

impl Expected {
    /// What an iteration makes of values at rest. They came from such as differ by what was not worth propagating, or by a `turn`.
    fn after_rest(equation: &impl Equation, found: &[f64], turn: f64) -> Self {
        let moved = |value: &f64| equation.tolerance(*value) + turn * equation.unit(*value).abs();
        let distances = found.iter().map(moved).collect();
        Self { values: found.to_vec(), distances, magnitudes: vec![0.0; found.len()] }.next(equation, 0)
    }

    /// What the iterations of a run lead to.
    fn after(equation: &impl Equation, report: &Report) -> Self {
        let values = equation.start();
        let mut expected = Self { distances: vec![0.0; values.len()], magnitudes: vec![0.0; values.len()], values };
        let mut pushes = 0;
        for iteration in &report.iterations {
            pushes = if iteration.direction == Direction::Push { pushes + 1 } else { 0 };
            expected = expected.next(equation, pushes);
        }
        expected
    }

    /// One iteration, the `pushes`th push since everything was pulled. In each of these a change may have been left out at each vertex.
    fn next(self, equation: &impl Equation, pushes: usize) -> Self {
        let untold = |value: &f64| pushes as f64 * equation.tolerance(*value);
        let distances: Vec<f64> =
            self.values.iter().zip(&self.distances).map(|(value, distance)| distance + untold(value)).collect();
        let values = equation.next(&self.values);
        let mut next = equation.spread(&distances);
        let mut magnitudes = equation.magnitudes(&self.values, &values);
        for (place, (distance, magnitude)) in next.iter_mut().zip(&mut magnitudes).enumerate() {
            *magnitude = if pushes > 0 { magnitude.max(self.magnitudes[place]) } else { *magnitude };
            *distance += rounding(equation.terms(place), pushes, *magnitude);
        }
        Self { values, distances: next, magnitudes }
    }
}

/// How much rounding does to a value that is made of so many terms of a `magnitude`, all together: each addition is off by half a unit in the
/// last place of what has been added so far at most.
fn rounding(terms: f64, pushes: usize, magnitude: f64) -> f64 {
    let sums = terms / 2.0 * (1 + pushes.min(PUSHED_SUMS)) as f64;
    let units = sums + pushes as f64 + ROUNDINGS;
    units * (f64::from(f32::EPSILON) * magnitude + f64::from(f32::MIN_POSITIVE))
}
