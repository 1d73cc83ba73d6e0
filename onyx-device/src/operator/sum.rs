//! `+=` and `-=`: the sum. A change is a difference, which is added to the total as a contribution is.

use crate::machine::Machine;
use crate::operator::Operator;

/// `+=` and `-=`
#[derive(Clone, Copy, Debug)]
pub struct Sum;

impl Operator for Sum {
    const IDENTITY: f32 = 0.0;
    const ADDS: bool = true;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combine(a: f32, b: f32) -> f32 {
        a + b
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn change(now: f32, before: f32) -> f32 {
        now - before
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combine_integers(a: u32, b: u32) -> u32 {
        a.wrapping_add(b)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn change_of_integers(now: u32, before: u32) -> u32 {
        now.wrapping_sub(before)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn apply_to_integer<M: Machine>(machine: M, to: *mut u32, value: u32) {
        // SAFETY: the caller's.
        unsafe { machine.add_u32(to, value) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn apply<M: Machine, const V: usize>(machine: M, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's.
        unsafe { machine.add(to, values) }
    }
}
