//! Rows that go through the caches of a pull once, and let those of neighbors stay there.

use crate::machine::Machine;
use crate::stored::{Float, Number, Stored, Whole};

/// A float of a row that no other group asks for in this stage: one of type `T`, which a cache may let go first.
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
pub struct Streamed<T>(T);

/// A row that only this group reaches.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn streamed<T: Float>(row: *mut T) -> *mut Streamed<T> {
    row.cast()
}

impl<T: Float> Stored for Streamed<T> {
    type Register = f32;
    const NUMBER: Number = T::NUMBER;

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load<M: Machine, const V: usize>(machine: M, from: *const Self) -> [f32; V] {
        // SAFETY: the caller's.
        unsafe { T::load_streamed(machine, from.cast()) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store<M: Machine, const V: usize>(machine: M, to: *mut Self, values: [f32; V]) {
        // SAFETY: the caller's.
        unsafe { T::store_streamed(machine, to.cast(), values) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn rounded(value: f32) -> f32 {
        T::rounded(value)
    }
}

impl<T: Float> Float for Streamed<T> {}

/// Nothing is reduced into a type of float that only the compiler names.
#[diagnostic::do_not_recommend]
impl<T: Float + Whole> Whole for Streamed<T> {}
