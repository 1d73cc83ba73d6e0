//! Half precision: floats of two bytes in memory, which functions see as `f32`.
//!
//! All formats are read exactly and written rounded to nearest, ties to even. What is too great for the format becomes infinite, and a run that leaves an
//! infinity in an [`struct@f16`] property ends as diverged; a [`struct@saturating_f16`] becomes the greatest number that there is instead.

use crate::machine::Machine;
use crate::stored::{Number, Stored};
use crate::unrolled::array;

/// A float of 11 significant bits, from 2^-24 to 65,504: IEEE 754's binary16.
#[allow(non_camel_case_types)]
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct f16(pub u16);

/// An [`struct@f16`] that is written as 65,504 or -65,504 where a number is beyond, infinities as well. NaN stays NaN.
#[allow(non_camel_case_types)]
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct saturating_f16(pub u16);

/// A float of 8 significant bits and the range of `f32`.
#[allow(non_camel_case_types)]
#[repr(transparent)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct bf16(pub u16);

/// The greatest finite [`struct@f16`].
const GREATEST: f32 = 65_504.0;
/// The bits of +inf.
const INFINITY: u32 = 0x7f80_0000;
/// 2^-14, the least [`f16`] that has all of its digits.
#[cfg(not(target_arch = "nvptx64"))]
const LEAST_NORMAL: u32 = 0x3880_0000;

impl f16 {
    /// The nearest one: infinite from 65,520 on.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn from_f32(value: f32) -> Self {
        #[cfg(target_arch = "nvptx64")]
        return Self(crate::nvptx::f16_of(value));
        #[cfg(not(target_arch = "nvptx64"))]
        Self(rounded(value))
    }

    /// The same number.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn to_f32(self) -> f32 {
        #[cfg(target_arch = "nvptx64")]
        return crate::nvptx::f32_of(self.0);
        #[cfg(not(target_arch = "nvptx64"))]
        widened(self.0)
    }
}

impl saturating_f16 {
    /// The nearest one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn from_f32(value: f32) -> Self {
        Self(f16::from_f32(clamped(value)).0)
    }

    /// The same number.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn to_f32(self) -> f32 {
        f16(self.0).to_f32()
    }
}

impl bf16 {
    /// The nearest one.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn from_f32(value: f32) -> Self {
        let bits = value.to_bits();
        let nearest = bits.wrapping_add(0x7fff + (bits >> 16 & 1)) >> 16;
        // A NaN stays one, whichever of its bits are cut off.
        let quiet = bits >> 16 | 0x40;
        Self(if bits & !SIGN > INFINITY { quiet } else { nearest } as u16)
    }

    /// The same number.
    #[cfg_attr(not(debug_assertions), inline(always))]
    pub fn to_f32(self) -> f32 {
        f32::from_bits(u32::from(self.0) << 16)
    }
}

/// A number within the range of [`struct@f16`]s, or NaN, which is not clamped.
#[cfg_attr(not(debug_assertions), inline(always))]
fn clamped(value: f32) -> f32 {
    value.clamp(-GREATEST, GREATEST)
}

/// The bit of the sign.
const SIGN: u32 = 0x8000_0000;

/// The bits of the nearest [`f16`], without branches, so that the compiler makes vector instructions of a row.
#[cfg(not(target_arch = "nvptx64"))]
#[cfg_attr(not(debug_assertions), inline(always))]
fn rounded(value: f32) -> u16 {
    let (sign, magnitude) = (value.to_bits() >> 16 & 0x8000, value.to_bits() & !SIGN);
    // The exponent begins 112 lower, and 13 digits are rounded away.
    let normal = magnitude.wrapping_sub(112 << 23).wrapping_add(0xfff + (magnitude >> 13 & 1)) >> 13;
    // The last digit of 0.5 is 2^-24: to add it is to round to a multiple of that.
    let small = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0.5_f32.to_bits());
    let finite = if magnitude < LEAST_NORMAL { small } else { normal.min(0x7c00) };
    let bits = if magnitude > INFINITY { 0x7e00 } else { finite };
    (sign | bits) as u16
}

/// The value of the bits of an [`f16`], without branches.
#[cfg(not(target_arch = "nvptx64"))]
#[cfg_attr(not(debug_assertions), inline(always))]
fn widened(half: u16) -> f32 {
    let (sign, magnitude) = (u32::from(half) << 16 & SIGN, u32::from(half & 0x7fff));
    // 2^112: exact, also of numbers that have few digits.
    let finite = (f32::from_bits(magnitude << 13) * f32::from_bits(0x7780_0000)).to_bits();
    let bits = if magnitude >= 0x7c00 { INFINITY | magnitude << 13 } else { finite };
    f32::from_bits(sign | bits)
}

/// The numbers of a row of [`struct@f16`]s, one by one.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn widen<const V: usize>(halves: [u16; V]) -> [f32; V] {
    array(|index| f16(halves[index]).to_f32())
}

/// The bits of the nearest [`struct@f16`]s of a row, one by one.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn narrow<const V: usize>(values: [f32; V]) -> [u16; V] {
    array(|index| f16::from_f32(values[index]).0)
}

/// A row of a lane, there and back.
trait Row: Sized {
    fn widen<M: Machine, const V: usize>(machine: M, halves: [u16; V]) -> [f32; V];
    fn narrow<M: Machine, const V: usize>(machine: M, values: [f32; V]) -> [u16; V];
}

impl Row for f16 {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn widen<M: Machine, const V: usize>(machine: M, halves: [u16; V]) -> [f32; V] {
        machine.widen_halves(halves)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn narrow<M: Machine, const V: usize>(machine: M, values: [f32; V]) -> [u16; V] {
        machine.narrow_halves(values)
    }
}

impl Row for saturating_f16 {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn widen<M: Machine, const V: usize>(machine: M, halves: [u16; V]) -> [f32; V] {
        machine.widen_halves(halves)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn narrow<M: Machine, const V: usize>(machine: M, values: [f32; V]) -> [u16; V] {
        machine.narrow_halves(array(|index| clamped(values[index])))
    }
}

impl Row for bf16 {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn widen<M: Machine, const V: usize>(_machine: M, halves: [u16; V]) -> [f32; V] {
        array(|index| Self(halves[index]).to_f32())
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn narrow<M: Machine, const V: usize>(_machine: M, values: [f32; V]) -> [u16; V] {
        array(|index| Self::from_f32(values[index]).0)
    }
}

macro_rules! stored {
    ($($half:ident: $number:ident;)+) => {
        $(impl Stored for $half {
            type Register = f32;
            const NUMBER: Number = Number::$number;

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn load<M: Machine, const V: usize>(machine: M, from: *const Self) -> [f32; V] {
                // SAFETY: the caller's.
                Self::widen(machine, unsafe { machine.load_halves(from.cast()) })
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            unsafe fn store<M: Machine, const V: usize>(machine: M, to: *mut Self, values: [f32; V]) {
                // SAFETY: the caller's.
                unsafe { machine.store_halves::<V>(to.cast(), Self::narrow(machine, values)) }
            }

            #[cfg_attr(not(debug_assertions), inline(always))]
            fn rounded(value: f32) -> f32 {
                $half::from_f32(value).to_f32()
            }
        })+
    };
}

stored! {
    f16: F16;
    saturating_f16: SaturatingF16;
    bf16: Bf16;
}

#[cfg(test)]
mod tests {
    use super::{bf16, f16, saturating_f16};

    /// The value of a half by the definition of its format, of so many bits of an exponent.
    fn value(bits: u16, exponent_bits: u32) -> f64 {
        let digits = 15 - exponent_bits;
        let (exponent, fraction) = (u32::from(bits & 0x7fff) >> digits, f64::from(bits & ((1 << digits) - 1)));
        let (bias, digits) = ((1 << (exponent_bits - 1)) - 1, digits as i32);
        let magnitude = match exponent as i32 {
            0 => fraction * 2.0_f64.powi(1 - bias - digits),
            exponent if exponent as u32 == (1 << exponent_bits) - 1 && fraction == 0.0 => f64::INFINITY,
            exponent if exponent as u32 == (1 << exponent_bits) - 1 => f64::NAN,
            exponent => (1.0 + fraction * 2.0_f64.powi(-digits)) * 2.0_f64.powi(exponent - bias),
        };
        if bits >> 15 == 1 { -magnitude } else { magnitude }
    }

    fn is_same(a: f64, b: f64) -> bool {
        a.is_nan() && b.is_nan() || a == b && a.is_sign_positive() == b.is_sign_positive()
    }

    #[test]
    fn every_half_is_read_exactly_and_comes_back() {
        for bits in 0..=u16::MAX {
            let (half, brain) = (f16(bits).to_f32(), bf16(bits).to_f32());
            assert!(is_same(f64::from(half), value(bits, 5)), "{bits:#x}: {half}");
            assert!(is_same(f64::from(brain), value(bits, 8)), "{bits:#x}: {brain}");
            assert!(half.is_nan() && f16::from_f32(half).to_f32().is_nan() || f16::from_f32(half) == f16(bits));
            assert!(brain.is_nan() && bf16::from_f32(brain).to_f32().is_nan() || bf16::from_f32(brain) == bf16(bits));
        }
    }

    /// Floats are rounded to the nearer of two halves, and to the even one where both are as near.
    #[test]
    fn floats_are_rounded_to_the_nearest_half() {
        for bits in (0..0x7c00_u16).chain(0x8000..0xfc00) {
            between(f16(bits).to_f32(), f16(bits + 1).to_f32(), bits, |value| f16::from_f32(value).0, 65_536.0);
        }
        for bits in (0..0x7f7f_u16).step_by(7) {
            let next = bf16(bits + 1).to_f32();
            between(bf16(bits).to_f32(), next, bits, |value| bf16::from_f32(value).0, f32::INFINITY);
        }
        assert_eq!(f16::from_f32(65_519.996).to_f32(), 65_504.0);
        assert_eq!(f16::from_f32(-65_520.0).to_f32(), f32::NEG_INFINITY);
        assert_eq!(f16::from_f32(1e30).to_f32(), f32::INFINITY);
        assert_eq!(f16::from_f32(1e-30).0, 0);
        assert_eq!(bf16::from_f32(f32::MAX).to_f32(), f32::INFINITY);
    }

    /// Within the range it is an `f16`; beyond, the end of the range.
    #[test]
    fn what_is_too_great_saturates() {
        for bits in (0..=0x7bff_u16).chain(0x8000..=0xfbff) {
            assert_eq!(saturating_f16::from_f32(f16(bits).to_f32()).0, bits);
        }
        for value in [65_504.0, 65_519.0, 65_520.0, 1e30, f32::MAX, f32::INFINITY] {
            assert_eq!(saturating_f16::from_f32(value).to_f32(), 65_504.0, "{value}");
            assert_eq!(saturating_f16::from_f32(-value).to_f32(), -65_504.0, "{value}");
        }
        assert_eq!(saturating_f16::from_f32(65_487.9).to_f32(), 65_472.0);
        assert!(saturating_f16::from_f32(f32::NAN).to_f32().is_nan());
    }

    fn between(low: f32, high: f32, bits: u16, round: impl Fn(f32) -> u16, end: f32) {
        let high = if high.is_infinite() { end.copysign(high) } else { high };
        let middle = ((f64::from(low) + f64::from(high)) / 2.0) as f32;
        let even = bits + (bits & 1);
        assert_eq!(round(middle), even, "{middle}");
        let (below, above) = (f32::from_bits(middle.to_bits() - 1), f32::from_bits(middle.to_bits() + 1));
        assert_eq!((round(below), round(above)), (bits, bits + 1), "{middle}");
    }
}
