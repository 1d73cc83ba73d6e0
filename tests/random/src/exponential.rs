//! Sums of exponentials: what they come to in whatever order they are joined, and how far single floats may be from it.

use crate::float::Float;

/// How far an exponential, and what it is multiplied by and added to, may be from the true one, relative to it.
const RESCALING: f64 = 2.5e-6;

/// A share of a sum of exponentials.
struct Weight {
    value: f64,
    /// How far a run may be from it, relative to it: it may be rescaled with each other one that comes.
    error: f64,
}

/// The exponentials of what lies below the greatest, which comes first.
fn weights(scores: impl Iterator<Item = Float> + Clone) -> (f64, Vec<Weight>) {
    let greatest = scores.clone().fold(f64::NEG_INFINITY, |greatest, score| greatest.max(score.value));
    let rescaling = RESCALING * (scores.clone().count() + 1) as f64;
    let weight =
        |score: Float| Weight { value: (score.value - greatest).exp(), error: (score.error + rescaling).exp_m1() };
    (greatest, scores.map(weight).collect())
}

/// The sum of numbers, each times its share of the exponentials of all scores; 0 of none.
pub fn softmax(contributions: &[(Float, Float)]) -> Float {
    let (_, weights) = weights(contributions.iter().map(|(score, _)| *score));
    let sum: f64 = weights.iter().map(|weight| weight.value).sum();
    let terms = || weights.iter().zip(contributions).map(|(weight, (_, number))| (weight, number));
    if contributions.is_empty() {
        return Float::ZERO;
    }
    let value = terms().map(|(weight, number)| weight.value * number.value).sum::<f64>() / sum;
    let error = |(weight, number): (&Weight, &Float)| {
        let apart = number.value.abs() + value.abs() + number.error;
        weight.value * (number.error + 1.01 * weight.error * apart)
    };
    Float::inexact(value, terms().map(error).sum::<f64>() / sum)
}

/// The logarithm of the sum of the exponentials of all numbers; minus infinity of none.
pub fn log_sum(numbers: &[Float]) -> Float {
    let (greatest, weights) = weights(numbers.iter().copied());
    if numbers.is_empty() {
        return Float::new(f64::NEG_INFINITY);
    }
    let sum: f64 = weights.iter().map(|weight| weight.value).sum();
    let error: f64 = weights.iter().map(|weight| weight.value * weight.error).sum();
    let value = greatest + sum.ln();
    // A logarithm near zero rounds by more than its size says.
    Float::inexact(value, error / sum + RESCALING)
}
