//! `.log_sum_exp_with(x)`: the logarithm of the sum of the exponentials of all contributions, -inf of none.
//!
//! The state is relative to the greatest contribution so far, as in [`super::Softmax`], whose log-sum it is for the same scores.

use super::exponential::{chosen, exponential, rescaled};
use crate::math;
use crate::operator::StateOperator;

/// `.log_sum_exp_with(x)`
#[derive(Clone, Copy, Debug)]
pub struct LogSum;

impl LogSum {
    /// The state of one contribution: the sum of exponentials, the greatest contribution.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn contribution(x: f32) -> [f32; 2] {
        [chosen(x == f32::NEG_INFINITY, 0.0, 1.0), x]
    }
}

impl StateOperator for LogSum {
    type State = [f32; 2];
    const IDENTITY: [f32; 2] = [0.0, f32::NEG_INFINITY];
    const ADDS: bool = true;
    const REFERENCE: usize = 1;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn relative_to([total, x]: [f32; 2], reference: f32) -> [f32; 2] {
        let factor = exponential(x - reference);
        [total * factor, reference]
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combine([total, x]: [f32; 2], [other_total, other_x]: [f32; 2]) -> [f32; 2] {
        let (own, other, greatest) = rescaled(x, other_x);
        [total * own + other_total * other, greatest]
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn finish([total, greatest]: [f32; 2]) -> f32 {
        if total == 0.0 { f32::NEG_INFINITY } else { greatest + math::ln(total) }
    }
}
