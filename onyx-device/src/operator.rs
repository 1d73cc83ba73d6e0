//! How contributions to one destination are combined: sums, products, minima and maxima.

use crate::machine::Machine;

/// A commutative, associative operator on floats.
pub trait Operator: Copy + 'static {
    /// What a destination without incoming edges gets.
    const IDENTITY: f32;

    /// Both contributions together.
    fn combine(a: f32, b: f32) -> f32;

    /// What turns a total with the contribution `before` into one with `now`; NaN if nothing does. Minima and maxima have no changes.
    #[inline(always)]
    fn change(now: f32, _before: f32) -> f32 {
        now
    }

    /// Whether a change cannot be combined into a total, which must then be computed again.
    #[inline(always)]
    fn refuses(_total: f32, _change: f32) -> bool {
        false
    }

    /// Combines `V` values into memory, each atomically.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn apply<M: Machine, const V: usize>(machine: M, to: *mut f32, values: [f32; V]);

    /// Combines `V` changes into those in memory, each atomically.
    ///
    /// # Safety
    /// As said at [`Machine`].
    #[inline(always)]
    unsafe fn apply_change<M: Machine, const V: usize>(machine: M, to: *mut f32, changes: [f32; V]) {
        // SAFETY: the caller's.
        unsafe { Self::apply(machine, to, changes) }
    }
}

/// `+=` and `-=`
#[derive(Clone, Copy, Debug)]
pub struct Sum;

/// `*=`
#[derive(Clone, Copy, Debug)]
pub struct Product;

/// `.min_with(x)`
#[derive(Clone, Copy, Debug)]
pub struct Min;

/// `.max_with(x)`
#[derive(Clone, Copy, Debug)]
pub struct Max;

impl Operator for Sum {
    const IDENTITY: f32 = 0.0;

    #[inline(always)]
    fn combine(a: f32, b: f32) -> f32 {
        a + b
    }

    #[inline(always)]
    fn change(now: f32, before: f32) -> f32 {
        now - before
    }

    #[inline(always)]
    unsafe fn apply<M: Machine, const V: usize>(machine: M, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's.
        unsafe { machine.add(to, values) }
    }
}

impl Operator for Product {
    const IDENTITY: f32 = 1.0;

    #[inline(always)]
    fn combine(a: f32, b: f32) -> f32 {
        a * b
    }

    /// The quotient. A zero cannot be divided by, nor be multiplied away; and a number near zero has lost digits.
    #[inline(always)]
    fn change(now: f32, before: f32) -> f32 {
        if now == before {
            return 1.0;
        }
        let quotient = now / before;
        let is_exact = now.is_normal() && before.is_normal() && quotient.is_normal();
        if is_exact { quotient } else { f32::NAN }
    }

    #[inline(always)]
    fn refuses(total: f32, change: f32) -> bool {
        change != 1.0 && !(total.is_normal() && change.is_normal() && (total * change).is_normal())
    }

    #[inline(always)]
    unsafe fn apply<M: Machine, const V: usize>(machine: M, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's.
        unsafe { machine.multiply(to, values) }
    }

    #[inline(always)]
    unsafe fn apply_change<M: Machine, const V: usize>(machine: M, to: *mut f32, changes: [f32; V]) {
        // SAFETY: the caller's.
        unsafe { machine.multiply_quotients(to, changes) }
    }
}

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

impl Operator for Max {
    const IDENTITY: f32 = f32::NEG_INFINITY;

    #[inline(always)]
    fn combine(a: f32, b: f32) -> f32 {
        a.max(b)
    }

    #[inline(always)]
    unsafe fn apply<M: Machine, const V: usize>(machine: M, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's.
        unsafe { machine.max(to, values) }
    }
}
