//! Exponentials and logarithms of the host, without branches, so that a loop over the features of a row becomes vector instructions. A GPU has
//! instructions of its own, and takes these where they are not exact enough.
//!
//! Both reduce to a short interval by the exponent's bits, and are polynomials there (the coefficients are those of the Cephes library).

use core::f32::consts::{FRAC_1_SQRT_2, LOG2_E};

/// Added to a number below 2^22, it leaves the nearest integer in the low bits.
const ROUNDS: f32 = 12_582_912.0;
/// The natural logarithm of 2 in two parts, of which the first has few bits.
const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
/// The bits of the mantissa.
const MANTISSA: u32 = 23;
/// What the exponent's bits have in addition.
const BIAS: i32 = 127;
/// Below this the exponential is zero, and above the other infinite.
const EXPONENTS: [f32; 2] = [-104.0, 89.0];
/// The same for powers of 2.
const POWERS: [f32; 2] = [-151.0, 129.0];
const EXP: [f32; 6] = [1.987_569_1e-4, 1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5];
const LN: [f32; 9] = [
    7.037_683_6e-2,
    -1.151_461e-1,
    1.167_699_8e-1,
    -1.242_014_1e-1,
    1.424_932_3e-1,
    -1.666_805_7e-1,
    2.000_071_5e-1,
    -2.499_999_4e-1,
    3.333_333e-1,
];

/// The exponential function, within 2 units in the last place where it is a normal number.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn exp(x: f32) -> f32 {
    let x = x.clamp(EXPONENTS[0], EXPONENTS[1]);
    let shifted = x * LOG2_E + ROUNDS;
    let (whole, power) = (shifted - ROUNDS, shifted.to_bits().wrapping_sub(ROUNDS.to_bits()) as i32);
    let rest = x - whole * LN_2[0] - whole * LN_2[1];
    // In two steps, for the power alone may be too great or too small for a float.
    let half = power >> 1;
    (polynomial(&EXP, rest) * rest * rest + rest + 1.0) * power_of_2(half) * power_of_2(power - half)
}

/// 2 to a float, within 2 units in the last place where it is a normal number.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn exp2(x: f32) -> f32 {
    let x = x.clamp(POWERS[0], POWERS[1]);
    let shifted = x + ROUNDS;
    let power = shifted.to_bits().wrapping_sub(ROUNDS.to_bits()) as i32;
    let rest = (x - (shifted - ROUNDS)) * core::f32::consts::LN_2;
    let half = power >> 1;
    (polynomial(&EXP, rest) * rest * rest + rest + 1.0) * power_of_2(half) * power_of_2(power - half)
}

/// The natural logarithm, within 2 units in the last place.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn ln(x: f32) -> f32 {
    logarithm(x, |power, above, square, rest| above + power * LN_2[1] + (rest - 0.5 * square) + power * LN_2[0])
}

/// The logarithm to base 2, within 3 units in the last place.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn log2(x: f32) -> f32 {
    logarithm(x, |power, above, square, rest| power + (above + (rest - 0.5 * square)) * LOG2_E)
}

/// A logarithm: `join` gets the power of 2, and the parts of the natural logarithm of the rest, `above` - `square` / 2 + `rest`.
///
/// The rest is between the roots of 1/2 and of 2, by integers alone: a choice between two floats can become a branch, which is wrong half of the times.
#[cfg_attr(not(debug_assertions), inline(always))]
fn logarithm(x: f32, join: impl Fn(f32, f32, f32, f32) -> f32) -> f32 {
    let is_tiny = x < f32::MIN_POSITIVE;
    let (factor, less) = if is_tiny { (power_of_2(MANTISSA as i32), MANTISSA as f32) } else { (1.0, 0.0) };
    let bits = (x * factor).to_bits().wrapping_sub(FRAC_1_SQRT_2.to_bits());
    let power = (bits as i32 >> MANTISSA) as f32 - less;
    let rest = f32::from_bits((bits & ((1 << MANTISSA) - 1)).wrapping_add(FRAC_1_SQRT_2.to_bits())) - 1.0;
    let square = rest * rest;
    let result = join(power, polynomial(&LN, rest) * (rest * square), square, rest);
    // Without branches: in one of them, none of this would become a vector instruction.
    let infinite = if x > 0.0 { x } else { f32::NAN };
    let beyond = if x == 0.0 { f32::NEG_INFINITY } else { infinite };
    if (x > 0.0) & (x < f32::INFINITY) { result } else { beyond }
}

/// 2 to an integer between -126 and 127.
#[cfg_attr(not(debug_assertions), inline(always))]
fn power_of_2(power: i32) -> f32 {
    f32::from_bits(((power + BIAS) << MANTISSA) as u32)
}

/// The coefficients stand from that of the highest power on. Neighbors are added up pair by pair, since each product of a long chain would wait for the one before.
#[cfg_attr(not(debug_assertions), inline(always))]
fn polynomial<const N: usize>(coefficients: &[f32; N], x: f32) -> f32 {
    let (mut terms, mut count, mut power) = (*coefficients, N, x);
    while count > 1 {
        let alone = count % 2;
        let mut pair = 0;
        while pair < count / 2 {
            let first = alone + 2 * pair;
            terms[alone + pair] = terms[first] * power + terms[first + 1];
            pair += 1;
        }
        count = alone + count / 2;
        power *= power;
    }
    terms[0]
}

#[cfg(test)]
pub(crate) mod tests {
    use super::{exp, exp2, ln, log2};

    /// The distance in units of the last place of the expected number; none where both are infinite.
    pub(crate) fn units(found: f32, expected: f64) -> f64 {
        let nearest = (expected as f32).abs();
        if nearest.is_infinite() {
            return if f64::from(found) == f64::from(expected as f32) { 0.0 } else { f64::INFINITY };
        }
        let unit = f64::from(f32::from_bits(nearest.to_bits() + 1)) - f64::from(nearest);
        (f64::from(found) - expected).abs() / unit
    }

    #[test]
    fn powers_of_two_are_within_two_units() {
        for step in -126_000..127_990 {
            let x = step as f32 * 1e-3;
            assert!(units(exp2(x), libm::exp2(f64::from(x))) <= 2.0, "{x}: {}", exp2(x));
        }
        assert_eq!([exp2(-3.0), exp2(0.0), exp2(10.0), exp2(127.0)], [0.125, 1.0, 1024.0, 1.701_411_8e38]);
        assert_eq!(
            [exp2(f32::NEG_INFINITY), exp2(-200.0), exp2(128.0), exp2(f32::INFINITY)],
            [0.0, 0.0, f32::INFINITY, f32::INFINITY]
        );
        assert!(exp2(f32::NAN).is_nan());
    }

    #[test]
    fn logarithms_to_base_two_are_within_three_units() {
        for step in 1..200_000 {
            for x in [step as f32 * 1e-4, step as f32 * 1e30, 1.0 / step as f32, f32::from_bits(step)] {
                assert!(units(log2(x), libm::log2(f64::from(x))) <= 3.0, "{x}: {}", log2(x));
            }
        }
        assert_eq!(
            [log2(0.0), log2(0.125), log2(1.0), log2(f32::INFINITY)],
            [f32::NEG_INFINITY, -3.0, 0.0, f32::INFINITY]
        );
        assert!(log2(f32::NAN).is_nan() && log2(-1.0).is_nan());
    }

    #[test]
    fn exponentials_are_within_two_units() {
        for step in -87_000..88_700 {
            let x = step as f32 * 1e-3;
            assert!(units(exp(x), libm::exp(f64::from(x))) <= 2.0, "{x}: {}", exp(x));
        }
        assert!((exp(-100.0) - 3.8e-44).abs() < 2e-45);
    }

    #[test]
    fn logarithms_are_within_two_units() {
        for step in 1..200_000 {
            for x in [step as f32 * 1e-4, step as f32 * 1e30, 1.0 / step as f32, f32::from_bits(step)] {
                assert!(units(ln(x), libm::log(f64::from(x))) <= 2.0, "{x}: {}", ln(x));
            }
        }
    }

    #[test]
    fn the_ends_are_those_of_the_real_functions() {
        assert_eq!(
            [exp(f32::NEG_INFINITY), exp(0.0), exp(f32::INFINITY), exp(90.0)],
            [0.0, 1.0, f32::INFINITY, f32::INFINITY]
        );
        assert_eq!(
            [ln(0.0), ln(-0.0), ln(1.0), ln(f32::INFINITY)],
            [f32::NEG_INFINITY, f32::NEG_INFINITY, 0.0, f32::INFINITY]
        );
        assert!(exp(f32::NAN).is_nan() && ln(f32::NAN).is_nan() && ln(-1.0).is_nan());
    }
}
