//! `.softmax_add(score, x)`: the sum of all `x`, each weighted by its share of the exponentials of all scores, 0 of none.
//!
//! One pass: the state is relative to the greatest score so far, and rescaled when a greater one comes. An edge whose score is -inf contributes
//! nothing, whatever its `x` is; edges whose score is +inf share all of the weight equally. Where several are weighed together, scores and sums are taken to be finite, and a state that
//! is not is made once more, of one edge after the other.

use super::exponential::{chosen, falling, greater, rescaled};
use super::quotient::quotient;
use crate::operator::StateOperator;
use crate::unrolled::array;

/// `.softmax_add(score, x)`
#[derive(Clone, Copy, Debug)]
pub struct Softmax;

impl Softmax {
    /// The state of one contribution: the weighted sum, the greatest score, the sum of exponentials.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn contribution(score: f32, x: f32) -> [f32; 3] {
        [x, score, 1.0]
    }
}

impl StateOperator for Softmax {
    type State = [f32; 3];
    const IDENTITY: [f32; 3] = [0.0, f32::NEG_INFINITY, 0.0];
    const WEIGHS: bool = true;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn admitted([x, score, count]: [f32; 3]) -> [f32; 3] {
        let is_none = score == f32::NEG_INFINITY;
        [chosen(is_none, 0.0, x), score, chosen(is_none, 0.0, count)]
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn score([_, score, count]: [f32; 3]) -> (f32, bool) {
        (score, count > 1.0)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn noted([_, before, count]: [f32; 3], [_, score, weighs]: [f32; 3]) -> [f32; 3] {
        [0.0, chosen(weighs == 0.0, before, score), count + weighs]
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn weigh<const N: usize>([first, score, total]: [f32; 3], scores: [f32; N]) -> ([f32; 3], f32, [f32; N]) {
        let greatest = scores.iter().fold(score, |greatest, score| greater(greatest, *score));
        let (own, weights) = (falling(score - greatest), array(|index| falling(scores[index] - greatest)));
        ([first, greatest, total * own + weights.iter().sum::<f32>()], own, weights)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn has_finite_weights([_, _, total]: [f32; 3]) -> bool {
        total.is_finite()
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combine([sum, score, total]: [f32; 3], [other_sum, other_score, other_total]: [f32; 3]) -> [f32; 3] {
        let (own, other, greatest) = rescaled(score, other_score);
        [sum * own + other_sum * other, greatest, total * own + other_total * other]
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn finish([sum, _, total]: [f32; 3]) -> f32 {
        chosen(total == 0.0, 0.0, quotient(sum, total))
    }
}
