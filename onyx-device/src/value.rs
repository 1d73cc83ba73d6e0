//! What a property has for one feature: a float, or the row of a matrix.

mod row;

use crate::block::Block;
use crate::group::Group;
use crate::machine::Machine;
use crate::operator::{Operator, Sum};
use crate::row::Row;
use crate::sealed::Sealed;
use crate::stored::Stored;
use crate::unrolled::each;

/// The value of one feature: floats alone, without padding between them.
///
/// # Safety of the memory operations
/// The pointer is to the values of `L * V` features, one after the other, aligned as [`Machine`] says. Stores need that no other group
/// writes them at the same time.
pub trait Value: Sealed + Copy + 'static {
    /// All floats zero.
    const ZERO: Self;
    /// How many floats it is.
    const FLOATS: usize;

    /// The identity of an operator.
    fn identity<O: Operator>() -> Self;

    /// Both contributions together, float by float.
    fn combine<O: Operator>(self, other: Self) -> Self;

    /// What turns a total with the contribution `before` into one with this.
    fn change<O: Operator>(self, before: Self) -> Self;

    /// Whether a change cannot be combined into this total, which must then be computed again.
    fn refuses<O: Operator>(self, change: Self) -> bool;

    /// The value that lane `lane ^ lane_mask` of the warp passed. Every lane of the warp must arrive.
    fn shuffle_xor<M: Machine>(self, machine: M, lane_mask: u32) -> Self;

    /// What is left of the lane's values in memory of type `T`. A matrix is of whole floats.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn round<T: Stored<Register = f32>, const V: usize>(_values: &mut [Self; V]) {}

    /// Loads the lane's values, of type `T` in memory, which is `f32` where they are rows of a matrix.
    ///
    /// # Safety
    /// As said at [`Value`].
    unsafe fn load<T: Stored<Register = f32>, M: Machine, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        from: *const T,
    ) -> [Self; V];

    /// Stores the lane's values.
    ///
    /// # Safety
    /// As said at [`Value`].
    unsafe fn store<T: Stored<Register = f32>, M: Machine, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        to: *mut T,
        values: [Self; V],
    );

    /// Combines the lane's values into memory atomically.
    ///
    /// # Safety
    /// As said at [`Value`].
    unsafe fn reduce<O: Operator, M: Machine, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        to: *mut f32,
        values: [Self; V],
    );

    /// Combines the lane's changes into those in memory atomically.
    ///
    /// # Safety
    /// As said at [`Value`].
    unsafe fn change_in_memory<O: Operator, M: Machine, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        to: *mut f32,
        changes: [Self; V],
    );

    /// Stores the lane's values in the block's shared memory, whose part for the group begins with float `at`.
    ///
    /// # Safety
    /// As [`Block::store_shared`].
    unsafe fn store_shared<M: Block, const L: usize, const V: usize>(group: Group<M, L, V>, at: u32, values: [Self; V]);

    /// Loads them.
    ///
    /// # Safety
    /// As [`Block::load_shared`].
    unsafe fn load_shared<M: Block, const L: usize, const V: usize>(group: Group<M, L, V>, at: u32) -> [Self; V];
}

/// Values of one type as those of another, which is the same one: nothing if it is not.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn cast<X: Value, Y: Value, const V: usize>(values: [X; V]) -> Option<[Y; V]> {
    if X::FLOATS == Y::FLOATS {
        // SAFETY: values are nothing but floats, and both have as many.
        Some(unsafe { core::mem::transmute_copy(&values) })
    } else {
        None
    }
}

impl Value for f32 {
    const ZERO: Self = 0.0;
    const FLOATS: usize = 1;

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn identity<O: Operator>() -> Self {
        O::IDENTITY
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn combine<O: Operator>(self, other: Self) -> Self {
        O::combine(self, other)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn change<O: Operator>(self, before: Self) -> Self {
        O::change(self, before)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn refuses<O: Operator>(self, change: Self) -> bool {
        O::refuses(self, change)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn shuffle_xor<M: Machine>(self, machine: M, lane_mask: u32) -> Self {
        machine.shuffle_xor(u32::MAX, self, lane_mask)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn round<T: Stored<Register = f32>, const V: usize>(values: &mut [Self; V]) {
        if const { T::NUMBER.is_half() } {
            each::<V>(|index| values[index] = T::rounded(values[index]));
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load<T: Stored<Register = f32>, M: Machine, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        from: *const T,
    ) -> [Self; V] {
        // SAFETY: the caller's.
        unsafe { group.load_row(from) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store<T: Stored<Register = f32>, M: Machine, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        to: *mut T,
        values: [Self; V],
    ) {
        // SAFETY: the caller's.
        unsafe { group.store_row(to, values) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn reduce<O: Operator, M: Machine, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        to: *mut f32,
        values: [Self; V],
    ) {
        // SAFETY: the caller's.
        unsafe { group.reduce_row::<O>(to, values) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn change_in_memory<O: Operator, M: Machine, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        to: *mut f32,
        changes: [Self; V],
    ) {
        // SAFETY: the caller's.
        unsafe { group.change_row::<O>(to, changes) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_shared<M: Block, const L: usize, const V: usize>(
        group: Group<M, L, V>,
        at: u32,
        values: [Self; V],
    ) {
        // SAFETY: the caller's.
        unsafe { group.machine().store_shared(at + group.place(), values) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_shared<M: Block, const L: usize, const V: usize>(group: Group<M, L, V>, at: u32) -> [Self; V] {
        // SAFETY: the caller's.
        unsafe { group.machine().load_shared(at + group.place()) }
    }
}

/// A value that may be reduced by an operator.
#[diagnostic::on_unimplemented(
    message = "a matrix is reduced by sums alone",
    label = "write `+=` or `-=`; an elementwise product, minimum or maximum needs a `VertexFeatures<K>` property"
)]
pub trait ReducedBy<O>: Value {}

impl<O> ReducedBy<O> for f32 {}

impl<const K: usize> ReducedBy<Sum> for Row<K> {}

/// Compiles where the value may be reduced by the operator.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn check_reduced_by<X: ReducedBy<O>, O>() {}
