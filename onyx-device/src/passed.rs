//! Rows that a stage of a fold leaves for a later one, which lie in a block's shared memory where the block has whole graphs.

use crate::machine::Machine;
use crate::stored::{Float, Number, Stored, Whole};

/// A float of a scratch row of a vertex: one of type `T`, wherever it lies.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Passed<T>(T);

impl<T: Float> Stored for Passed<T> {
    type Register = f32;
    const NUMBER: Number = T::NUMBER;

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load<M: Machine, const V: usize>(machine: M, from: *const Self) -> [f32; V] {
        // SAFETY: the caller's.
        unsafe { T::load_anywhere(machine, from.cast()) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store<M: Machine, const V: usize>(machine: M, to: *mut Self, values: [f32; V]) {
        // SAFETY: the caller's.
        unsafe { T::store_anywhere(machine, to.cast(), values) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn rounded(value: f32) -> f32 {
        T::rounded(value)
    }
}

impl<T: Float> Float for Passed<T> {}

/// Nothing is reduced into scratch, which the fold says.
#[diagnostic::do_not_recommend]
impl<T: Float + Whole> Whole for Passed<T> {}
