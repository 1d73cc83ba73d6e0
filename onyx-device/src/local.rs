//! A local variable of a user function that lives across a collaborative operation: one value for each feature of the lane.

use core::mem::MaybeUninit;

use crate::unrolled::array;

/// Says of a type that a variable of a user function may keep a value of it across a collaborative operation: a value that is copied, and refers
/// to nothing in the function.
#[diagnostic::on_unimplemented(
    message = "a variable of type `{T}` cannot be used after a collaborative operation",
    label = "only values that are `Copy` are kept across an operation",
    note = "compute a number from it before the operation, make it again after the operation, or derive `Copy` for its type"
)]
pub trait Keeps<T> {}

/// What a function keeps across its collaborative operations.
#[derive(Clone, Copy, Debug)]
pub struct AcrossOperations;

#[diagnostic::do_not_recommend]
impl<T: Copy + 'static> Keeps<T> for AcrossOperations {}

/// The value, which a later region will use.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn kept<T>(value: T) -> T
where
    AcrossOperations: Keeps<T>,
{
    value
}

/// `V` values of a local variable, one for each of the lane's features.
///
/// The lowering splits a function into regions at its collaborative operations, and writes a local in one region before a later one reads it.
pub struct Local<T, const V: usize>([MaybeUninit<T>; V]);

impl<T, const V: usize> Local<T, V> {
    /// A local that no region has written yet.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub const fn new() -> Self {
        Self([const { MaybeUninit::uninit() }; V])
    }

    /// A local of which only the first feature's value is set.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn starting(value: T) -> Self {
        let mut local = Self::new();
        local.set(0, value);
        local
    }

    /// A local with the same value for each of the lane's features.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn filled(value: T) -> Self
    where
        T: Copy,
    {
        Self(array(|_| MaybeUninit::new(value)))
    }

    /// Writes the value for the lane's feature `index`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn set(&mut self, index: usize, value: T) {
        self.0[index] = MaybeUninit::new(value);
    }

    /// The value for the lane's feature `index`.
    ///
    /// There is no bound on `T`, so that a type that cannot be [`kept`] is reported there alone.
    ///
    /// # Safety
    /// It has been [`set`](Local::set), and `T` is `Copy`.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn get(&self, index: usize) -> T {
        // SAFETY: the caller's.
        unsafe { self.0[index].assume_init_read() }
    }
}

impl<T: Copy, const V: usize> Local<T, V> {
    /// All values.
    ///
    /// # Safety
    /// Each of them has been [`set`](Local::set).
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub unsafe fn all(&self) -> [T; V] {
        // SAFETY: the caller's.
        array(|index| unsafe { self.get(index) })
    }
}

impl<T, const V: usize> Default for Local<T, V> {
    fn default() -> Self {
        Self::new()
    }
}
