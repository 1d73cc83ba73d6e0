//! How contributions to one destination are combined: sums, products, minima and maxima.

use crate::machine::Machine;

/// A commutative, associative operator on floats.
pub trait Operator: Copy + 'static {
    /// What a destination without incoming edges gets.
    const IDENTITY: f32;

    /// Both contributions together.
    fn combine(a: f32, b: f32) -> f32;

    /// What turns a total with the contribution `before` into one with `now`. Only sums are propagated by their changes.
    #[inline(always)]
    fn change(now: f32, _before: f32) -> f32 {
        now
    }

    /// Combines `V` values into memory, each atomically.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn apply<M: Machine, const V: usize>(machine: M, to: *mut f32, values: [f32; V]);
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

    #[inline(always)]
    unsafe fn apply<M: Machine, const V: usize>(machine: M, to: *mut f32, values: [f32; V]) {
        // SAFETY: the caller's.
        unsafe { machine.multiply(to, values) }
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
