//! Where an iteration in 64-bit floats comes to rest that mixes what comes from the neighbors with what is known.

use onyx_runtime::graph::Graph;

use crate::verification::{Equation, unpropagated};

/// The parameters of an iteration that mixes what comes from the neighbors with what is known.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// The part of a value that comes from the neighbors, between 0 and 1.
    pub alpha: f32,
    /// The change of a value that is not worth propagating, as a part of the greatest value of what is known, at most [`Settings::GREATEST_TOLERANCE`];
    /// the run ends within tolerance · alpha / (1 − alpha) of the solution, as the same part.
    ///
    /// It is a part, because the equation is linear: an answer to what is a millionth as great is a millionth as great.
    pub tolerance: f32,
    /// The greatest number of iterations of a call.
    pub iterations: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self { alpha: 0.9, tolerance: 1e-6, iterations: 1000 }
    }
}

/// The same, written one after the other: `Settings::new().alpha(0.5).iterations(50)`.
impl Settings {
    /// What is chosen where nothing is said.
    pub fn new() -> Self {
        Self::default()
    }

    /// With [`Settings::alpha`].
    pub fn alpha(self, alpha: f32) -> Self {
        Self { alpha, ..self }
    }

    /// With [`Settings::tolerance`].
    pub fn tolerance(self, tolerance: f32) -> Self {
        Self { tolerance, ..self }
    }

    /// With [`Settings::iterations`].
    pub fn iterations(self, iterations: usize) -> Self {
        Self { iterations, ..self }
    }
}

impl Settings {
    /// The greatest tolerance: what leaves out more has no answer.
    pub const GREATEST_TOLERANCE: f32 = 0.1;

    /// The change that is not propagated where the greatest value of what is known has this size.
    pub fn change(&self, size: f32) -> f32 {
        self.tolerance * size
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

/// The equation `value = alpha · what arrives + (1 − alpha) · known`, where what arrives is a sum of neighbors' values times weights.
pub struct Mixture<'a, A> {
    /// The graph.
    pub graph: &'a Graph,
    /// What has been found.
    pub found: Vec<f64>,
    /// What is known, and started from.
    pub known: Vec<f64>,
    /// What differences are told as a part of: the greatest value of what is known.
    pub unit: f64,
    /// The values of a vertex.
    pub features: usize,
    /// How many terms an edge adds to a value.
    pub terms: usize,
    /// The part of a value that comes from the neighbors.
    pub alpha: f32,
    /// The change of a value that the run does not propagate.
    pub unpropagated: f32,
    /// What arrives of these values, by the weights or by their absolute values.
    pub arriving: A,
}

/// Which weights are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// As they are.
    Signed,
    /// Their absolute values.
    Absolute,
}

impl Weights {
    /// The weight as it is meant.
    pub fn of(self, weight: f32) -> f64 {
        f64::from(if self == Self::Absolute { weight.abs() } else { weight })
    }
}

impl<A: Fn(&[f64], Weights) -> Vec<f64>> Mixture<'_, A> {
    /// Iterates from what is known until no value changes by more than `tolerance`, `limit` times at most.
    pub fn find(&self, limit: usize, tolerance: f64) -> FixedPoint {
        FixedPoint::find(self.start(), limit, tolerance, |values| self.next(values))
    }

    fn alpha(&self) -> f64 {
        self.alpha.into()
    }
}

impl<A: Fn(&[f64], Weights) -> Vec<f64>> Equation for Mixture<'_, A> {
    fn start(&self) -> Vec<f64> {
        self.known.clone()
    }

    fn found(&self) -> Vec<f64> {
        self.found.clone()
    }

    fn next(&self, values: &[f64]) -> Vec<f64> {
        let arrived = (self.arriving)(values, Weights::Signed);
        let alpha = self.alpha();
        arrived.iter().zip(&self.known).map(|(arrived, known)| alpha * arrived + (1.0 - alpha) * known).collect()
    }

    fn spread(&self, distances: &[f64]) -> Vec<f64> {
        let mut arrived = (self.arriving)(distances, Weights::Absolute);
        arrived.iter_mut().for_each(|distance| *distance *= self.alpha());
        arrived
    }

    fn terms(&self, place: usize) -> f64 {
        (self.graph.in_degree((place / self.features) as u32) * self.terms) as f64
    }

    fn tolerance(&self, value: f64) -> f64 {
        // Whatever a run was told to leave out, more than this is no answer.
        let greatest = Settings::GREATEST_TOLERANCE * self.unit as f32;
        unpropagated(self.unpropagated.min(greatest), value)
    }

    fn unit(&self, _value: f64) -> f64 {
        self.unit
    }
}

fn greatest_difference(one: &[f64], other: &[f64]) -> f64 {
    greatest(one.iter().zip(other).map(|(one, other)| (one - other).abs()))
}

/// The greatest size of a value.
pub fn greatest_size(values: &[f64]) -> f64 {
    greatest(values.iter().map(|value| value.abs()))
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
