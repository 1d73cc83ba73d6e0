//! Where a serial iteration in 64-bit floats comes to rest, and the comparison of a run with it.

use onyx_runtime::Report;
use onyx_runtime::graph::Graph;

use crate::verification::{Verification, allowed};

/// The parameters of an iteration that mixes what comes from the neighbors with what is known.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The part of a value that comes from the neighbors, between 0 and 1.
    pub alpha: f32,
    /// The change of a value that is not worth propagating; the run ends within tolerance · alpha / (1 − alpha) of the solution.
    pub tolerance: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { alpha: 0.9, tolerance: 1e-6 }
    }
}

/// What an iteration has come to.
#[derive(Clone, Debug)]
pub struct FixedPoint {
    /// The values after the last iteration.
    pub values: Vec<f64>,
    /// How many iterations it took.
    pub iterations: usize,
    /// Whether the last one changed no value by more than the tolerance; otherwise the limit was met.
    pub is_converged: bool,
}

impl FixedPoint {
    /// Iterates `step` from `start` until no value changes by more than `tolerance`, `limit` times at most.
    pub fn find(start: Vec<f64>, limit: usize, tolerance: f64, mut step: impl FnMut(&[f64]) -> Vec<f64>) -> Self {
        let mut found = Self { values: start, iterations: 0, is_converged: false };
        while found.iterations < limit && !found.is_converged {
            let next = step(&found.values);
            found.is_converged = greatest_difference(&next, &found.values) <= tolerance;
            found.values = next;
            found.iterations += 1;
        }
        found
    }
}

/// Compares what a run has `found` with what is expected after as many iterations: the greatest difference, as a part of the greatest value
/// that the iteration, a contraction by `alpha`, started from.
pub fn compare<'a>(
    graph: &Graph,
    report: &Report,
    found: impl Iterator<Item = &'a f32>,
    expected: &[f64],
    start: &[f64],
    alpha: f32,
    tolerance: f32,
) -> Verification {
    let found: Vec<f64> = found.map(|&value| f64::from(value)).collect();
    let scale = Some(greatest(start.iter().map(|value| value.abs()))).filter(|scale| *scale > 0.0).unwrap_or(1.0);
    let difference = greatest_difference(&found, expected) / scale;
    Verification { difference, allowed: allowed(graph, report, alpha.into(), f64::from(tolerance) / scale) }
}

fn greatest_difference(one: &[f64], other: &[f64]) -> f64 {
    greatest(one.iter().zip(other).map(|(one, other)| (one - other).abs()))
}

/// The greatest value; unlike `f64::max`, this keeps one that is not a number.
fn greatest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, |most, next| if next > most || next.is_nan() { next } else { most })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn convergence_and_the_limit_are_told_apart() {
        let halve = |values: &[f64]| values.iter().map(|value| value / 2.0).collect();
        let rested = FixedPoint::find(vec![1.0], 100, 0.1, halve);
        assert_eq!((rested.iterations, rested.is_converged, rested.values[0]), (4, true, 0.0625));
        let stopped = FixedPoint::find(vec![1.0], 3, 0.1, halve);
        assert_eq!((stopped.iterations, stopped.is_converged, stopped.values[0]), (3, false, 0.125));
    }

    #[test]
    fn what_is_no_number_never_rests() {
        let stopped = FixedPoint::find(vec![1.0], 5, 0.1, |_| vec![f64::NAN]);
        assert!(!stopped.is_converged);
    }
}
