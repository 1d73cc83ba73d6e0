//! `.min_with(x)`: the least contribution. There is no change: when the least one grows, the total does not say what comes next.

use crate::machine::Machine;
use crate::operator::Operator;

/// `.min_with(x)`
#[derive(Clone, Copy, Debug)]
pub struct Min;

impl Operator for Min {
    const IDENTITY: f32 = f32::INFINITY;

    #[inline(always)]
    fn combine(a: f32, b: f32) -> f32 {
        a.min(b)
    }

    #[inline(always)]
    unsafe fn apply<M: Machine, const V: usize>(machine: M, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's.
        unsafe { machine.min(to, values) }
    }
}
