//! `.min_with(x)`: the least contribution. There is no change: when the least one grows, the total does not say what comes next.

use crate::machine::Machine;
use crate::operator::Operator;

/// `.min_with(x)`
#[derive(Clone, Copy, Debug)]
pub struct Min;

impl Operator for Min {
    const IDENTITY: f32 = f32::INFINITY;
    const INTEGER_IDENTITY: u32 = u32::MAX;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combine(a: f32, b: f32) -> f32 {
        a.min(b)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combine_integers(a: u32, b: u32) -> u32 {
        a.min(b)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn apply_to_integer<M: Machine>(machine: M, to: *mut u32, value: u32) {
        // SAFETY: the caller's.
        unsafe { machine.min_u32(to, value) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn apply<M: Machine, const V: usize>(machine: M, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's.
        unsafe { machine.min(to, values) }
    }
}
