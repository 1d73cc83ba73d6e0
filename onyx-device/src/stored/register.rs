//! What registers hold of numbers in memory.

use crate::agreement::Bits;
use crate::machine::Machine;
use crate::operator::{BitAnd, BitOr, Max, Min, Operator, Product, Sum};
use crate::sealed::Sealed;

/// A number in a register.
pub trait Register: Sealed + Bits + Default + PartialOrd + 'static {
    /// The sum, modulo 2^32 of integers.
    fn plus(self, other: Self) -> Self;

    /// The difference, modulo 2^32 of integers.
    fn minus(self, other: Self) -> Self;

    /// The lesser of both; of a number and NaN the number.
    fn lesser(self, other: Self) -> Self;

    /// The greater of both; of a number and NaN the number.
    fn greater(self, other: Self) -> Self;

    /// What a destination without incoming edges gets.
    fn identity<O: Operator>() -> Self;

    /// Both contributions together.
    fn combine<O: Operator>(self, other: Self) -> Self;

    /// What turns a total with the contribution `before` into one with this.
    fn change<O: Operator>(self, before: Self) -> Self;

    /// Whether a change cannot be combined into this total, which must then be computed again.
    fn refuses<O: Operator>(self, change: Self) -> bool;

    /// Combines a value into memory atomically.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn apply<O: Operator, M: Machine>(self, machine: M, to: *mut Self);

    /// Combines a change into that in memory atomically.
    ///
    /// # Safety
    /// As said at [`Machine`].
    unsafe fn apply_change<O: Operator, M: Machine>(self, machine: M, to: *mut Self);
}

/// A number that is reduced by the operator `O`.
#[diagnostic::on_unimplemented(
    message = "a property of `{Self}` values is not reduced by `{O}`",
    label = "an `f32` is reduced by `+=`, `-=`, `*=`, `min_with` and `max_with`, a `u32` by `+=`, `-=`, `min_with`, `max_with`, `|=` and `&=`, and a `u8`, which is too \
             narrow for a total, by nothing: use one of the others"
)]
pub trait Reduced<O>: Register {}

impl Reduced<Sum> for f32 {}

impl Reduced<Product> for f32 {}

impl Reduced<Min> for f32 {}

impl Reduced<Max> for f32 {}

impl Reduced<Sum> for u32 {}

impl Reduced<Min> for u32 {}

impl Reduced<Max> for u32 {}

impl Reduced<BitOr> for u32 {}

impl Reduced<BitAnd> for u32 {}

/// Compiles where the number may be reduced by the operator.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn check_reduced<X: Reduced<O>, O>() {}

/// A number of which states are made: see [`StateOperator`](crate::operator::StateOperator).
#[diagnostic::on_unimplemented(
    message = "a property of `{Self}` values has no mean, softmax, log-sum or total of an operator of yours",
    label = "what these give is an `f32`: use an `f32` property, and write `x as f32`"
)]
pub trait Finished: Register {}

impl Finished for f32 {}

/// Compiles where states may be made of the number.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn check_finished<X: Finished>() {}

impl Register for f32 {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn plus(self, other: Self) -> Self {
        self + other
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn minus(self, other: Self) -> Self {
        self - other
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn lesser(self, other: Self) -> Self {
        self.min(other)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn greater(self, other: Self) -> Self {
        self.max(other)
    }

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
    unsafe fn apply<O: Operator, M: Machine>(self, machine: M, to: *mut Self) {
        // SAFETY: the caller's.
        unsafe { O::apply(machine, to, [self]) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    unsafe fn apply_change<O: Operator, M: Machine>(self, machine: M, to: *mut Self) {
        // SAFETY: the caller's.
        unsafe { O::apply_change(machine, to, [self]) }
    }
}

/// A `u8` is never reduced, so that all that is combined in memory are words.
macro_rules! integers {
    ($($integer:ident)+) => {
        $(impl Register for $integer {
            #[cfg_attr(not(debug_assertions), inline(always))]
            fn plus(self, other: Self) -> Self {
                self.wrapping_add(other)
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn minus(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn lesser(self, other: Self) -> Self {
                self.min(other)
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn greater(self, other: Self) -> Self {
                self.max(other)
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn identity<O: Operator>() -> Self {
                O::INTEGER_IDENTITY as $integer
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn combine<O: Operator>(self, other: Self) -> Self {
                O::combine_integers(self.into(), other.into()) as $integer
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn change<O: Operator>(self, before: Self) -> Self {
                O::change_of_integers(self.into(), before.into()) as $integer
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn refuses<O: Operator>(self, _change: Self) -> bool {
                false
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn apply<O: Operator, M: Machine>(self, machine: M, to: *mut Self) {
                // SAFETY: the caller's.
                unsafe { O::apply_to_integer(machine, to.cast(), self.into()) }
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn apply_change<O: Operator, M: Machine>(self, machine: M, to: *mut Self) {
                // SAFETY: the caller's. The change of a sum is a sum.
                unsafe { O::apply_to_integer(machine, to.cast(), self.into()) }
            }
        })+
    };
}

integers!(u32 u8);

/// The same number in a register of another type, which is the same one wherever a property is found by its number.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn same<X: Register, Y: Register>(value: X) -> Y {
    Y::from_bits(value.bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cpu::Cpu;

    #[test]
    fn integers_are_reduced_exactly() {
        let mut word = u32::identity::<Sum>();
        // SAFETY: the word is alive, and nobody else reaches it.
        unsafe {
            16_777_217_u32.apply::<Sum, _>(Cpu, &raw mut word);
            3_u32.change::<Sum>(5).apply_change::<Sum, _>(Cpu, &raw mut word);
            assert_eq!(word, 16_777_215);
            16_777_216_u32.apply::<Min, _>(Cpu, &raw mut word);
            assert_eq!(word, 16_777_215);
            u32::MAX.apply::<Max, _>(Cpu, &raw mut word);
        }
        assert_eq!(word, u32::MAX);
        assert_eq!((u32::identity::<Min>(), u32::identity::<Max>()), (u32::MAX, 0));
        assert_eq!((9_u32.combine::<Min>(7), 9_u32.combine::<Max>(7), u32::MAX.combine::<Sum>(2)), (7, 9, 1));
    }

    #[test]
    fn bits_are_set_and_cleared() {
        let (mut any, mut all) = (u32::identity::<BitOr>(), u32::identity::<BitAnd>());
        assert_eq!((any, all), (0, u32::MAX));
        // SAFETY: the words are alive, and nobody else reaches them.
        unsafe {
            for bits in [0x8000_0011_u32, 0x7f80_0001] {
                bits.apply::<BitOr, _>(Cpu, &raw mut any);
                bits.apply::<BitAnd, _>(Cpu, &raw mut all);
            }
        }
        assert_eq!((any, all), (0xff80_0011, 1));
        assert_eq!((9_u32.combine::<BitOr>(7), 9_u32.combine::<BitAnd>(7)), (15, 1));
    }
}
