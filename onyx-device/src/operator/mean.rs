//! `.mean_with(x)`: the mean of all contributions, 0 of none.
//!
//! The state is the sum and the number, a float: rows are summed in pieces, so that it is exact to 24 bits however many there are.

use super::exponential::chosen;
use super::quotient::quotient;
use crate::operator::StateOperator;

/// `.mean_with(x)`
#[derive(Clone, Copy, Debug)]
pub struct Mean;

impl Mean {
    /// The state of one contribution.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn contribution(x: f32) -> [f32; 2] {
        [x, 1.0]
    }
}

impl StateOperator for Mean {
    type State = [f32; 2];
    const IDENTITY: [f32; 2] = [0.0; 2];
    const ADDS: bool = true;
    const EACH: [f32; 2] = [0.0, 1.0];

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combine([sum, count]: [f32; 2], [other_sum, other_count]: [f32; 2]) -> [f32; 2] {
        [sum + other_sum, count + other_count]
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn finish([sum, count]: [f32; 2]) -> f32 {
        chosen(count == 0.0, 0.0, quotient(sum, count))
    }
}
