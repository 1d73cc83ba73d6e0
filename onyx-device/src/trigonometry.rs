//! Sines and cosines, the same code on every machine.
//!
//! The argument is reduced to an eighth of a turn in double precision, where two polynomials take over. What is too great for that is a whole
//! number of floats' units, and is reduced in whole numbers, with as many bits of 2 / pi as it takes.

use core::f64::consts::{FRAC_2_PI, FRAC_PI_2};

/// Below this, a number of quarter turns times the first part of a quarter turn is exact.
const SMALL: f32 = 4_194_304.0;
/// Added to a double below 2^51, it leaves the nearest integer in the low bits.
const ROUNDS: f64 = 6_755_399_441_055_744.0;
/// A quarter turn in two parts, of which the first has 25 bits.
const QUARTER: [f64; 2] = [1.570_796_310_901_641_8, 1.589_325_477_352_819_6e-8];
/// The bits of the mantissa.
const MANTISSA: u32 = 23;
/// The bits of 2 / pi from the first after the point on, after a word of zeros.
const TWO_OVER_PI: [u32; 16] = [
    0,
    0xa2f9_836e,
    0x4e44_1529,
    0xfc27_57d1,
    0xf534_ddc0,
    0xdb62_9599,
    0x3c43_9041,
    0xfe51_63ab,
    0xdebb_c561,
    0xb724_6e3a,
    0,
    0,
    0,
    0,
    0,
    0,
];
/// The polynomial of the sine, from the highest power on: r + r^3 * (..) in the square of r.
const SINE: [f32; 4] = [2.718_304e-6, -1.983_933_4e-4, 8.333_329e-3, -0.166_666_67];
/// That of the cosine: 1 - r^2 / 2 + r^4 * (..).
const COSINE: [f32; 3] = [2.443_838e-5, -1.388_736_7e-3, 4.166_664_7e-2];

/// An angle as a number of quarter turns, of which the lowest two bits count, and the rest, at most an eighth of a turn.
#[derive(Clone, Copy)]
struct Angle {
    quarters: u32,
    rest: f32,
}

impl Angle {
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of(x: f32) -> Self {
        if x.abs() < SMALL { Self::of_small(f64::from(x)) } else { Self::of_large(x) }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of_small(x: f64) -> Self {
        let shifted = x * FRAC_2_PI + ROUNDS;
        let quarters = shifted - ROUNDS;
        let rest = x - quarters * QUARTER[0] - quarters * QUARTER[1];
        Self { quarters: shifted.to_bits() as u32, rest: rest as f32 }
    }

    /// The mantissa times 128 bits of 2 / pi, of which those are left out that make whole turns.
    #[cfg_attr(not(debug_assertions), inline(always))]
    fn of_large(x: f32) -> Self {
        if !x.is_finite() {
            return Self { quarters: 0, rest: f32::NAN };
        }
        let mantissa = x.to_bits() & ((1 << MANTISSA) - 1) | 1 << MANTISSA;
        // The window's first bit, times the mantissa's last, is half a turn. The latter is a half at least, so that the window begins in the zeros.
        let first = (x.abs().to_bits() >> MANTISSA) + 30 - (127 + MANTISSA);
        let turns = bits(first).wrapping_mul(u128::from(mantissa));
        let nearest = turns.wrapping_add(1 << 125);
        let rest = (turns.wrapping_sub(nearest >> 126 << 126) as i128 >> 62) as i64;
        let rest = rest as f64 * (FRAC_PI_2 / 18_446_744_073_709_551_616.0);
        let quarters = (nearest >> 126) as u32;
        if x < 0.0 {
            Self { quarters: quarters.wrapping_neg(), rest: -(rest as f32) }
        } else {
            Self { quarters, rest: rest as f32 }
        }
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn sine(self) -> f32 {
        let square = self.rest * self.rest;
        self.rest + self.rest * square * polynomial(&SINE, square)
    }

    #[cfg_attr(not(debug_assertions), inline(always))]
    fn cosine(self) -> f32 {
        let square = self.rest * self.rest;
        1.0 - 0.5 * square + square * square * polynomial(&COSINE, square)
    }
}

/// The 128 bits of the table from bit `first` on.
#[cfg_attr(not(debug_assertions), inline(always))]
fn bits(first: u32) -> u128 {
    let (word, shift) = (first as usize / 32, first % 32);
    let part = |index: usize| {
        let both = u64::from(TWO_OVER_PI[(word + index) % 16]) << 32 | u64::from(TWO_OVER_PI[(word + index + 1) % 16]);
        u128::from((both << shift >> 32) as u32)
    };
    part(0) << 96 | part(1) << 64 | part(2) << 32 | part(3)
}

/// The coefficients stand from that of the highest power on.
#[cfg_attr(not(debug_assertions), inline(always))]
fn polynomial<const N: usize>(coefficients: &[f32; N], x: f32) -> f32 {
    let (mut sum, mut index) = (coefficients[0], 1);
    while index < N {
        sum = sum * x + coefficients[index];
        index += 1;
    }
    sum
}

/// The sine, within 2 units in the last place.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn sin(x: f32) -> f32 {
    let angle = Angle::of(x);
    let result = if angle.quarters & 1 == 0 { angle.sine() } else { angle.cosine() };
    let result = if angle.quarters & 2 == 0 { result } else { -result };
    // A zero keeps its sign.
    if x == 0.0 { x } else { result }
}

/// The cosine, within 2 units in the last place.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn cos(x: f32) -> f32 {
    let angle = Angle::of(x);
    let result = if angle.quarters & 1 == 0 { angle.cosine() } else { angle.sine() };
    if angle.quarters.wrapping_add(1) & 2 == 0 { result } else { -result }
}

/// The tangent, within 4 units in the last place.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn tan(x: f32) -> f32 {
    let angle = Angle::of(x);
    let (sine, cosine) = (angle.sine(), angle.cosine());
    let result = if angle.quarters & 1 == 0 { sine / cosine } else { -cosine / sine };
    if x == 0.0 { x } else { result }
}

#[cfg(all(test, not(target_arch = "nvptx64")))]
mod tests {
    use super::{cos, sin, tan};
    use crate::elementary::tests::units;

    /// Floats of every size and both signs.
    fn floats() -> impl Iterator<Item = f32> {
        let small = (-200_000..200_000).map(|step| step as f32 * 1e-4);
        let all = (0..u32::MAX).step_by(4_001).map(f32::from_bits).filter(|x| x.is_finite());
        let quarters = (1..100_000).flat_map(|quarters| {
            let near = (f64::from(quarters) * core::f64::consts::FRAC_PI_2) as f32;
            [near, f32::from_bits(near.to_bits() + 1), -f32::from_bits(near.to_bits() - 1)]
        });
        small.chain(all).chain(quarters)
    }

    #[test]
    fn sines_and_cosines_are_within_two_units() {
        for x in floats() {
            assert!(units(sin(x), libm::sin(f64::from(x))) <= 2.0, "sin({x}): {}", sin(x));
            assert!(units(cos(x), libm::cos(f64::from(x))) <= 2.0, "cos({x}): {}", cos(x));
        }
    }

    #[test]
    fn tangents_are_within_four_units() {
        for x in floats() {
            assert!(units(tan(x), libm::tan(f64::from(x))) <= 4.0, "tan({x}): {}", tan(x));
        }
    }

    #[test]
    fn the_ends_are_those_of_the_real_functions() {
        for x in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
            assert!(sin(x).is_nan() && cos(x).is_nan() && tan(x).is_nan(), "{x}");
        }
        assert!(sin(-0.0).is_sign_negative() && tan(-0.0).is_sign_negative() && cos(0.0) == 1.0);
    }
}
