//! A local variable of a user function that lives across a collaborative operation: one value for each feature of the lane.

use core::mem::MaybeUninit;

use crate::unrolled::array;

/// `V` values of a local variable, one for each of the lane's features.
///
/// The lowering splits a function into regions at its collaborative operations, and writes a local in one region before a later one reads it.
pub struct Local<T, const V: usize>([MaybeUninit<T>; V]);

impl<T: Copy, const V: usize> Local<T, V> {
    /// A local that no region has written yet.
    #[inline(always)]
    pub const fn new() -> Self {
        Self([const { MaybeUninit::uninit() }; V])
    }

    /// A local with the same value for each of the lane's features.
    #[inline(always)]
    pub const fn filled(value: T) -> Self {
        Self([MaybeUninit::new(value); V])
    }

    /// Writes the value for the lane's feature `index`.
    #[inline(always)]
    pub fn set(&mut self, index: usize, value: T) {
        self.0[index] = MaybeUninit::new(value);
    }

    /// The value for the lane's feature `index`.
    ///
    /// # Safety
    /// It has been [`set`](Local::set).
    #[inline(always)]
    pub unsafe fn get(&self, index: usize) -> T {
        // SAFETY: the caller's.
        unsafe { self.0[index].assume_init() }
    }

    /// All values.
    ///
    /// # Safety
    /// Each of them has been [`set`](Local::set).
    #[inline(always)]
    pub unsafe fn all(&self) -> [T; V] {
        // SAFETY: the caller's.
        array(|index| unsafe { self.get(index) })
    }
}

impl<T: Copy, const V: usize> Default for Local<T, V> {
    fn default() -> Self {
        Self::new()
    }
}
