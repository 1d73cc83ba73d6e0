//! Whether factors solve their systems of equations: how much of the right side is left, in 64-bit floats, and how much 32-bit floats may leave.
//!
//! The system of a vertex with n ratings is `(Σ w·y·yᵀ + C + λ·I) x = Σ p·y`, with the weights of
//! [`weights`](crate::ratings::serial::weights) and, for implicit feedback, the sum C of y·yᵀ over the whole other side. With u = 2⁻²⁴, half of
//! [`f32::EPSILON`], 32-bit floats find an x that solves another system exactly:
//!
//! - Sums of n terms, one after the other, each a product or two: the right side is off by (n + 2)·u·Σ |p|·|y|, the matrix by (n + 3)·u·Σ w·|y|²
//!   and by u·(|C| + λ).
//! - The factorization L·D·Lᵀ of K rows, without pivoting, and its two substitutions: the matrix is off by (3·K + 2)·u·|L·√D|², which is
//!   (3·K + 2)·u times its trace, and that is no more than Σ w·|y|² + tr C + K·λ.
//!
//! So |right − matrix·x| is at most (n + 3·K + 5)·u times the *scale* `(Σ w·|y|² + tr C + K·λ)·|x| + Σ |p|·|y|`. Twice that is allowed, for reciprocals
//! that are not rounded to the nearest. A product with the matrix takes as many roundings, so that conjugate gradients are
//! allowed the same, besides where they stop: within `accuracy` of the right side, measured with what holds each feature back (λ, and with implicit feedback
//! an eigenvalue of C more), which is a length by up to √((λ + tr C) / λ) greater.
//!
//! N. J. Higham, "Accuracy and Stability of Numerical Algorithms", 2002: sections 3.1 and 10.1.

use rayon::prelude::*;

use super::host::outer_sum;
use super::model::Model;
use crate::ratings::bipartite::Side;
use crate::ratings::factors::dot;
use crate::ratings::serial::weights;
use crate::ratings::{Bipartite, Factors, Feedback, Settings};
use crate::verification::Verification;

/// What floats this small leave behind is no error of theirs.
pub(super) const UNDERFLOW: f64 = 1e-30;

/// Checks the last sweep: the users of `after` solve their systems for the items of `before`, which is the sweep before, and the items of `after`
/// theirs for the users of `after`; where factors go a few steps, that they have gone as far as 64-bit floats. The length of what is left of the right side, at the vertex that comes closest to what is allowed.
pub fn verify(bipartite: &Bipartite, settings: Settings, before: &Factors, after: &Factors) -> Verification {
    let [users, items] = [(Side::Users, before), (Side::Items, after)].map(|(side, given)| {
        let systems = Systems::new(bipartite, settings, side, given);
        settings
            .steps
            .map_or_else(|| systems.worst(side, after), |count| systems.worst_step(side, before, after, count))
    });
    users.worse(items)
}

/// The systems of one side, with the factors of the other side that they were made of.
#[derive(Debug)]
pub struct Systems<'a> {
    pub(super) bipartite: &'a Bipartite,
    pub(super) settings: Settings,
    given: &'a Factors,
    /// The sum of y·yᵀ over the given side, row after row, with implicit feedback.
    common: Option<Vec<f64>>,
    /// Its trace, or 0.
    trace: f64,
    /// The part of the right side's length that may be left on purpose.
    accuracy: f64,
}

/// What a factor makes of the system of its vertex.
pub(super) struct Row {
    /// The right side, less the matrix times the factor.
    pub(super) left: Vec<f64>,
    /// What rounding is a part of.
    pub(super) scale: f64,
}

impl<'a> Systems<'a> {
    /// The systems that fit `side` to the factors `given`.
    pub fn new(bipartite: &'a Bipartite, settings: Settings, side: Side, given: &'a Factors) -> Self {
        let features = settings.features;
        let row = |vertex| given.row(vertex).iter().copied();
        let common =
            (settings.feedback != Feedback::Explicit).then(|| outer_sum(bipartite, side.other(), features, row));
        let trace = common.iter().flatten().step_by(features + 1).sum();
        Self { bipartite, settings, given, common, trace, accuracy: f64::from(Model::accuracy(&settings)) }
    }

    /// How well factors of one side solve their systems: the vertex that comes closest to what is allowed, or exceeds it most.
    pub fn worst(&self, side: Side, fitted: &Factors) -> Verification {
        let vertices = self.bipartite.vertices(side).into_par_iter();
        let nothing = || Verification { difference: 0.0, allowed: self.allowed(0) };
        vertices.map(|vertex| self.of(vertex, fitted.row(vertex))).reduce(nothing, Verification::worse)
    }

    /// What is left of a vertex's right side, as a part of its scale.
    fn of(&self, vertex: u32, factor: &[f64]) -> Verification {
        let ratings = self.bipartite.graph.in_degree(vertex);
        let Row { left, scale } = self.row(vertex, factor);
        let difference = dot(&left, &left).sqrt() / (scale + UNDERFLOW);
        Verification { difference, allowed: self.allowed(ratings) }
    }

    pub(super) fn row(&self, vertex: u32, factor: &[f64]) -> Row {
        let penalty = f64::from(self.settings.penalty(self.bipartite.graph.in_degree(vertex)));
        let mut left: Vec<f64> = factor.iter().map(|value| -penalty * value).collect();
        let (mut matrix, mut right) = (self.trace + penalty.abs() * factor.len() as f64, 0.0);
        for (other, rating) in self.bipartite.incoming(vertex) {
            let given = self.given.row(other);
            let (weight, pull) = weights(self.settings.feedback, f64::from(rating));
            let missing = pull - weight * dot(given, factor);
            left.iter_mut().zip(given).for_each(|(left, given)| *left += missing * given);
            let square = dot(given, given);
            matrix += weight * square;
            right += pull.abs() * square.sqrt();
        }
        self.take_common(&mut left, factor);
        Row { left, scale: matrix * dot(factor, factor).sqrt() + right }
    }

    /// The matrix of a vertex, times a direction.
    pub(super) fn product(&self, vertex: u32, direction: &[f64]) -> Vec<f64> {
        let penalty = f64::from(self.settings.penalty(self.bipartite.graph.in_degree(vertex)));
        let mut product: Vec<f64> = direction.iter().map(|value| -penalty * value).collect();
        for (other, rating) in self.bipartite.incoming(vertex) {
            let given = self.given.row(other);
            let along = weights(self.settings.feedback, f64::from(rating)).0 * dot(given, direction);
            product.iter_mut().zip(given).for_each(|(product, given)| *product -= along * given);
        }
        self.take_common(&mut product, direction);
        product.iter_mut().for_each(|value| *value = -*value);
        product
    }

    fn take_common(&self, left: &mut [f64], factor: &[f64]) {
        let rows = self.common.iter().flat_map(|common| common.chunks_exact(factor.len()));
        left.iter_mut().zip(rows).for_each(|(left, row)| *left -= dot(row, factor));
    }

    /// The part of its scale that rounding may leave of a vertex's right side.
    pub(super) fn rounding(&self, vertex: u32) -> f64 {
        self.roundings(self.bipartite.graph.in_degree(vertex))
    }

    fn roundings(&self, ratings: usize) -> f64 {
        (ratings + 3 * self.settings.features + 5) as f64 * f64::from(f32::EPSILON)
    }

    /// The greatest part of its scale that may be left where a vertex has some number of ratings.
    fn allowed(&self, ratings: usize) -> f64 {
        // No system of 32-bit floats can be told from one that holds a feature back by less.
        let penalty = f64::from(self.settings.penalty(ratings)).max(f64::from(f32::EPSILON) * self.trace);
        let lengthened = if self.trace > 0.0 { (1.0 + self.trace / penalty).sqrt() } else { 1.0 };
        self.roundings(ratings) + self.accuracy * lengthened
    }
}
