//! `*=`: the product. A change is a quotient, where there is one; else the total is computed again from all contributions.

use crate::machine::Machine;
use crate::operator::Operator;

/// `*=`
#[derive(Clone, Copy, Debug)]
pub struct Product;

impl Operator for Product {
    const IDENTITY: f32 = 1.0;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combine(a: f32, b: f32) -> f32 {
        a * b
    }

    /// The quotient. A zero cannot be divided by, nor be multiplied away; and a number near zero has lost digits.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn change(now: f32, before: f32) -> f32 {
        if now == before {
            return 1.0;
        }
        let quotient = now / before;
        let is_exact = now.is_normal() && before.is_normal() && quotient.is_normal();
        if is_exact { quotient } else { f32::NAN }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn refuses(total: f32, change: f32) -> bool {
        change != 1.0 && !(total.is_normal() && change.is_normal() && (total * change).is_normal())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn apply<M: Machine, const V: usize>(machine: M, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's.
        unsafe { machine.multiply(to, values) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn apply_change<M: Machine, const V: usize>(machine: M, to: *mut f32, changes: [f32; V]) {
        // SAFETY: the caller's.
        unsafe { machine.multiply_quotients(to, changes) }
    }
}
