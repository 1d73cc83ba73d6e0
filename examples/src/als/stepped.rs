//! Whether factors have gone as many steps towards the solutions of their systems as they should have.
//!
//! From the factors before the last sweep, 64-bit floats go as many steps. What 32-bit floats leave of a right side may be no longer than what these leave,
//! but for rounding, which is that of [`Systems`], and for a thousandth of what was left before the steps: lengths and shares of directions are quotients of
//! rounded sums, by which the same number of steps comes a little less far. What is too short for its square to be a 32-bit float is nothing: factors that fall towards
//! 0 stop there.

use rayon::prelude::*;

use super::residual::{Systems, UNDERFLOW};
use crate::ratings::Factors;
use crate::ratings::bipartite::Side;
use crate::ratings::factors::dot;
use crate::ratings::serial::weights;
use crate::verification::Verification;

/// The part of what was left before the steps that may be left because of them.
const SHARE: f64 = 1e-3;
/// The length of what is left that the fold takes for nothing: its square is `LEAST` there.
const LEAST: f64 = 1e-18;

impl Systems<'_> {
    /// How well the factors of one side follow `count` steps from `before`: the vertex that comes closest to what is allowed, or exceeds it most.
    pub(super) fn worst_step(&self, side: Side, before: &Factors, after: &Factors, count: usize) -> Verification {
        let vertices = self.bipartite.vertices(side).into_par_iter();
        let nothing = || Verification { difference: 0.0, allowed: SHARE };
        let least = self.least();
        let of = |vertex| self.of_steps(vertex, before.row(vertex), after.row(vertex), count, least);
        vertices.map(of).reduce(nothing, Verification::worse)
    }

    /// The length of what may be left of any right side. Factors are about as long as the root of the greatest rating or lambda, and right sides as their
    /// product: where these are so short themselves that the fold takes them for nothing, it has found nothing.
    fn least(&self) -> f64 {
        let pull = |rating: &f32| weights(self.settings.feedback, f64::from(*rating)).1.abs();
        let greatest = self.bipartite.ratings().iter().map(pull).fold(f64::from(self.settings.lambda).abs(), f64::max);
        LEAST.min(f64::from(f32::EPSILON) * greatest.powf(1.5))
    }

    /// How much more is left of a vertex's right side than after `count` steps in 64-bit floats and than is `least`, as a part of its scale.
    fn of_steps(&self, vertex: u32, before: &[f64], after: &[f64], count: usize, least: f64) -> Verification {
        let (length_before, expected) = self.stepped(vertex, before, count);
        let length = |factor: &[f64]| {
            let row = self.row(vertex, factor);
            (dot(&row.left, &row.left).sqrt(), row.scale)
        };
        let ((found, scale), (expected, _)) = (length(after), length(&expected));
        let expected = expected.max(least);
        let allowed = self.rounding(vertex) * scale + SHARE * length_before;
        // What is no number stays so.
        let more = if found <= expected { 0.0 } else { found - expected };
        let whole = length_before + scale + UNDERFLOW;
        Verification { difference: more / whole, allowed: allowed / whole }
    }

    /// The length of what was left at first, and where `count` steps of conjugate gradients lead.
    fn stepped(&self, vertex: u32, factor: &[f64], count: usize) -> (f64, Vec<f64>) {
        let (mut factor, mut residual) = (factor.to_vec(), self.row(vertex, factor).left);
        let (mut direction, mut square) = (residual.clone(), dot(&residual, &residual));
        let first = square.sqrt();
        for _ in 0..count {
            let product = self.product(vertex, &direction);
            let curvature = dot(&direction, &product);
            if curvature <= 0.0 {
                break;
            }
            let length = square / curvature;
            add_scaled(&mut factor, length, &direction);
            add_scaled(&mut residual, -length, &product);
            let next = dot(&residual, &residual);
            direction.iter_mut().zip(&residual).for_each(|(to, left)| *to = left + next / square * *to);
            square = next;
        }
        (first, factor)
    }
}

fn add_scaled(to: &mut [f64], by: f64, values: &[f64]) {
    to.iter_mut().zip(values).for_each(|(to, value)| *to += by * value);
}
