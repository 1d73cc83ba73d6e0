//! The types of numbers that a property may have in memory, and what they are in registers.
//!
//! A function sees a number as what registers hold of it. An integer is the same in both; where four bytes are only moved, they travel as a float does.

mod number;
mod register;

pub use self::number::Number;
pub use self::register::{Finished, Reduced, Register, check_finished, check_reduced, same};
use crate::half::{bf16, f16, saturating_f16};
use crate::machine::Machine;
use crate::sealed::Sealed;
use crate::unrolled::array;

/// A type of number in memory.
#[diagnostic::on_unimplemented(
    message = "a property has no values of type `{Self}`",
    label = "the values of a property are `f32`; those of a `VertexScalar` or an `EdgeScalar` may be `u32` or `u8`, and those of a `VertexFeatures` or an \
             `EdgeFeatures` `f16`, `saturating_f16` or `bf16`"
)]
pub trait Stored: Sealed + Copy + 'static {
    /// What registers hold of it, which is what a function sees.
    type Register: Register;
    /// Which one it is.
    const NUMBER: Number;

    /// Loads `V` consecutive ones.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn load<M: Machine, const V: usize>(machine: M, from: *const Self) -> [Self::Register; V];

    /// Stores `V` consecutive ones.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn store<M: Machine, const V: usize>(machine: M, to: *mut Self, values: [Self::Register; V]);

    /// Loads `V` consecutive ones as [`Machine::load_streamed`].
    ///
    /// # Safety
    /// As said at [`Machine`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_streamed<M: Machine, const V: usize>(machine: M, from: *const Self) -> [Self::Register; V] {
        // SAFETY: the caller's.
        unsafe { Self::load(machine, from) }
    }

    /// Stores `V` consecutive ones as [`Machine::store_streamed`].
    ///
    /// # Safety
    /// As said at [`Machine`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_streamed<M: Machine, const V: usize>(machine: M, to: *mut Self, values: [Self::Register; V]) {
        // SAFETY: the caller's.
        unsafe { Self::store(machine, to, values) }
    }

    /// Loads `V` consecutive ones that lie in memory or in the block's shared memory.
    ///
    /// # Safety
    /// As said at [`Machine`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_anywhere<M: Machine, const V: usize>(machine: M, from: *const Self) -> [Self::Register; V] {
        // SAFETY: the caller's; nothing but an `f32` is ever in shared memory.
        unsafe { Self::load(machine, from) }
    }

    /// Stores `V` consecutive ones there.
    ///
    /// # Safety
    /// As said at [`Machine`].
    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_anywhere<M: Machine, const V: usize>(machine: M, to: *mut Self, values: [Self::Register; V]) {
        // SAFETY: as above.
        unsafe { Self::store(machine, to, values) }
    }

    /// What is left of a value in memory.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn rounded(value: Self::Register) -> Self::Register {
        value
    }
}

/// A type of float that features have.
#[diagnostic::on_unimplemented(
    message = "features have no values of type `{Self}`",
    label = "the values of a `VertexFeatures` or an `EdgeFeatures` are `f32`, `f16`, `saturating_f16` or `bf16`"
)]
pub trait Float: Stored<Register = f32> {}

impl Float for f32 {}

impl Float for f16 {}

impl Float for saturating_f16 {}

impl Float for bf16 {}

/// A type of float that a total of features has.
#[diagnostic::on_unimplemented(
    message = "nothing is reduced into a property of `{Self}` values",
    label = "a total in half precision loses digits: reduce into an `f32` property, and store what a vertex function makes of it, `d.kept[v][f] = d.sum[v][f]`"
)]
pub trait Whole: Stored {}

impl Whole for f32 {}

/// Compiles where totals are of the type.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn check_whole<T: Whole>() {}

/// A type of number that a scalar property has: in registers what it is in memory.
#[diagnostic::on_unimplemented(
    message = "a scalar property has no values of type `{Self}`",
    label = "the values of a `VertexScalar` or an `EdgeScalar` are `f32`, `u32` or `u8`"
)]
pub trait Scalar: Stored<Register = Self> + Register {}

impl Scalar for f32 {}

impl Scalar for u32 {}

impl Scalar for u8 {}

impl Stored for f32 {
    type Register = Self;
    const NUMBER: Number = Number::F32;

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load<M: Machine, const V: usize>(machine: M, from: *const Self) -> [Self; V] {
        // SAFETY: the caller's.
        unsafe { machine.load(from) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store<M: Machine, const V: usize>(machine: M, to: *mut Self, values: [Self; V]) {
        // SAFETY: the caller's.
        unsafe { machine.store(to, values) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_streamed<M: Machine, const V: usize>(machine: M, from: *const Self) -> [Self; V] {
        // SAFETY: the caller's.
        unsafe { machine.load_streamed(from) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_streamed<M: Machine, const V: usize>(machine: M, to: *mut Self, values: [Self; V]) {
        // SAFETY: the caller's.
        unsafe { machine.store_streamed(to, values) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load_anywhere<M: Machine, const V: usize>(machine: M, from: *const Self) -> [Self; V] {
        // SAFETY: the caller's.
        unsafe { machine.load_anywhere(from) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store_anywhere<M: Machine, const V: usize>(machine: M, to: *mut Self, values: [Self; V]) {
        // SAFETY: the caller's.
        unsafe { machine.store_anywhere(to, values) }
    }
}

impl Stored for u32 {
    type Register = Self;
    const NUMBER: Number = Number::U32;

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load<M: Machine, const V: usize>(machine: M, from: *const Self) -> [Self; V] {
        // SAFETY: the caller's.
        let floats = unsafe { machine.load::<V>(from.cast()) };
        array(|index| floats[index].to_bits())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store<M: Machine, const V: usize>(machine: M, to: *mut Self, values: [Self; V]) {
        // SAFETY: the caller's.
        unsafe { machine.store(to.cast(), array::<_, V>(|index| f32::from_bits(values[index]))) }
    }
}

impl Stored for u8 {
    type Register = Self;
    const NUMBER: Number = Number::U8;

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn load<M: Machine, const V: usize>(machine: M, from: *const Self) -> [Self; V] {
        // SAFETY: the caller's.
        array(|index| unsafe { machine.load_byte(from.add(index)) })
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn store<M: Machine, const V: usize>(machine: M, to: *mut Self, values: [Self; V]) {
        // SAFETY: the caller's.
        crate::unrolled::each::<V>(|index| unsafe { machine.store_byte(to.add(index), values[index]) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Cpu;

    #[test]
    fn integers_are_stored_as_they_are() {
        let (mut words, mut bytes) = ([0_u32; 3], [0_u8; 3]);
        // SAFETY: the arrays are alive, and nobody else reaches them.
        unsafe {
            u32::store(Cpu, words.as_mut_ptr(), [0x7f80_0001, u32::MAX, 1 << 24 | 1]);
            u8::store(Cpu, bytes.as_mut_ptr().add(1), [7, 255]);
            assert_eq!(u32::load::<_, 3>(Cpu, words.as_ptr()), words);
            assert_eq!(u8::load::<_, 3>(Cpu, bytes.as_ptr()), bytes);
        }
        assert_eq!((words, bytes), ([0x7f80_0001, u32::MAX, 16_777_217], [0, 7, 255]));
    }
}
