//! `.softmax_add(score, x)`: the sum of all `x`, each weighted by its share of the exponentials of all scores, 0 of none.
//!
//! One pass: the state is relative to the greatest score so far, and rescaled when a greater one comes. An edge whose score is -inf contributes
//! nothing, whatever its `x` is; edges whose score is +inf share all of the weight equally. Where several are weighed together, the state stays relative to the greatest score of the first of
//! them; a state that is not finite then, for a score or an `x` is not or a later score is too far above, is made once more, of one edge after the other.

use super::exponential::{chosen, exponential, greater, rescaled};
use super::quotient::quotient;
use crate::math;
use crate::operator::StateOperator;
use crate::unrolled::array;

/// The greatest sum of exponentials that is left as it is: beyond it a state becomes relative to its log-sum, so that what is combined with it stays finite.
const MOST_TOTAL: f32 = 65536.0;

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
    const ADDS: bool = true;
    const REFERENCE: usize = 1;
    const WEIGHS: bool = true;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn relative_to([sum, score, total]: [f32; 3], reference: f32) -> [f32; 3] {
        let factor = exponential(score - reference);
        [sum * factor, reference, total * factor]
    }

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
    fn weigh<const N: usize>([first, score, total]: [f32; 3], scores: [f32; N]) -> ([f32; 3], [f32; N]) {
        let greatest = scores.into_iter().reduce(greater).unwrap_or(score);
        let score = chosen(score == f32::NEG_INFINITY, greatest, score);
        let weights = array(|index| exponential(scores[index] - score));
        ([first, score, total + weights.iter().sum::<f32>()], weights)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn settled([sum, score, total]: [f32; 3]) -> [f32; 3] {
        if total <= MOST_TOTAL { [sum, score, total] } else { [sum / total, score + math::ln(total), 1.0] }
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
