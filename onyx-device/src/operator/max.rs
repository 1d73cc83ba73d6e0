//! `.max_with(x)`: the greatest contribution. There is no change: when the greatest one shrinks, the total does not say what comes next.

use crate::machine::Machine;
use crate::operator::Operator;

/// `.max_with(x)`
#[derive(Clone, Copy, Debug)]
pub struct Max;

impl Operator for Max {
    const IDENTITY: f32 = f32::NEG_INFINITY;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combine(a: f32, b: f32) -> f32 {
        a.max(b)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combine_integers(a: u32, b: u32) -> u32 {
        a.max(b)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn apply_to_integer<M: Machine>(machine: M, to: *mut u32, value: u32) {
        // SAFETY: the caller's.
        unsafe { machine.max_u32(to, value) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn apply<M: Machine, const V: usize>(machine: M, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's.
        unsafe { machine.max(to, values) }
    }
}
