//! Powers and the hyperbolic tangent, the same code on every machine.

/// The bits of the mantissa of a double, and what its exponent's bits have in addition.
const MANTISSA: u32 = 52;
const BIAS: i64 = 1023;
/// Added to a double below 2^51, it leaves the nearest integer in the low bits.
const ROUNDS: f64 = 6_755_399_441_055_744.0;
/// Beyond these a power of two is 0 or infinite as a float.
const EXPONENTS: [f64; 2] = [-160.0, 160.0];
/// The logarithm to base 2 of a number near 1, from the highest power on: t * (..) in the square of t = (m - 1) / (m + 1).
const LOG: [f64; 6] = [
    0.282_901_110_167_467_5,
    0.319_905_633_824_306_2,
    0.412_209_253_834_066_1,
    0.577_077_942_351_196,
    0.961_796_694_113_387_2,
    2.885_390_081_777_85,
];
/// The powers of 2 between -1/2 and 1/2, from the highest power on.
const EXP: [f64; 8] = [
    1.520_191_494_150_63e-5,
    1.546_929_073_756_284_7e-4,
    1.333_392_258_139_781_6e-3,
    9.618_027_255_147_515e-3,
    5.550_410_353_450_344e-2,
    0.240_226_511_981_472_38,
    0.693_147_180_728_436_1,
    0.999_999_999_961_682_4,
];
/// The hyperbolic tangent of a small number, from the highest power on: x + x^3 * (..) in the square of x.
const TANH: [f32; 5] = [-5.717_042e-3, 2.065_058_4e-2, -5.374_349_7e-2, 0.133_314_91, -0.333_332_84];
/// From here on the hyperbolic tangent comes of the exponential function.
const SMALL: f32 = 0.625;

/// `x` to an integer: as many multiplications as the integer has bits, so that the error grows with it.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn powi(x: f32, power: i32) -> f32 {
    let (mut rest, mut factor, mut product) = (power.unsigned_abs(), x, 1.0);
    while rest > 0 {
        product *= if rest & 1 == 1 { factor } else { 1.0 };
        factor *= factor;
        rest >>= 1;
    }
    if power < 0 { 1.0 / product } else { product }
}

/// `x` to a float, within 1 unit in the last place; NaN for a negative `x` to what is no integer.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn powf(x: f32, power: f32) -> f32 {
    let magnitude = exp2(f64::from(power) * log2(x.abs())) as f32;
    let is_whole = power.abs() >= 16_777_216.0 || power as i32 as f32 == power;
    let is_odd = power.abs() < 16_777_216.0 && power as i32 & 1 == 1;
    let signed = if x.is_sign_negative() && is_whole && is_odd { -magnitude } else { magnitude };
    let is_none = x < 0.0 && x > f32::NEG_INFINITY && !is_whole;
    let is_one = x == 1.0 || power == 0.0 || x == -1.0 && power.is_infinite();
    let result = if is_none { f32::NAN } else { signed };
    if is_one { 1.0 } else { result }
}

/// The logarithm to base 2 of a positive float, to about 45 bits; -inf of 0, inf of infinity.
#[cfg_attr(not(debug_assertions), inline(always))]
fn log2(x: f32) -> f64 {
    let bits = f64::from(x).to_bits();
    let mantissa = f64::from_bits(bits & ((1 << MANTISSA) - 1) | 1.0_f64.to_bits());
    let is_high = mantissa > core::f64::consts::SQRT_2;
    let mantissa = if is_high { 0.5 * mantissa } else { mantissa };
    let power = (bits >> MANTISSA) as i64 - BIAS + i64::from(is_high);
    let part = (mantissa - 1.0) / (mantissa + 1.0);
    let result = power as f64 + part * polynomial(&LOG, part * part);
    let result = if x == 0.0 { f64::NEG_INFINITY } else { result };
    if x < f32::INFINITY { result } else { f64::from(x) }
}

/// 2 to a double, as exact as a float can be; NaN stays.
#[cfg_attr(not(debug_assertions), inline(always))]
fn exp2(x: f64) -> f64 {
    let bounded = if x < EXPONENTS[0] { EXPONENTS[0] } else { x };
    let bounded = if bounded > EXPONENTS[1] { EXPONENTS[1] } else { bounded };
    let shifted = bounded + ROUNDS;
    let power = shifted.to_bits().wrapping_sub(ROUNDS.to_bits()) as i64;
    let rest = bounded - (shifted - ROUNDS);
    // NaN has any power, and none above the bias once it is cut.
    let factor = f64::from_bits(((power.clamp(-200, 200) + BIAS) as u64) << MANTISSA);
    polynomial(&EXP, rest) * factor
}

/// The hyperbolic tangent, within 3 units in the last place on the host, and 4 on a GPU.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn tanh(x: f32, exp: impl Fn(f32) -> f32) -> f32 {
    let (magnitude, square) = (x.abs(), x * x);
    let (mut sum, mut index) = (TANH[0], 1);
    while index < TANH.len() {
        sum = sum * square + TANH[index];
        index += 1;
    }
    let large = 1.0 - 2.0 / (exp(2.0 * magnitude) + 1.0);
    if magnitude < SMALL { x + x * square * sum } else { large.copysign(x) }
}

/// The coefficients stand from that of the highest power on.
#[cfg_attr(not(debug_assertions), inline(always))]
fn polynomial<const N: usize>(coefficients: &[f64; N], x: f64) -> f64 {
    let (mut sum, mut index) = (coefficients[0], 1);
    while index < N {
        sum = sum * x + coefficients[index];
        index += 1;
    }
    sum
}

#[cfg(all(test, not(target_arch = "nvptx64")))]
mod tests {
    use super::{powf, powi, tanh};
    use crate::elementary::tests::units;

    fn is_same(found: f32, expected: f32) -> bool {
        found.to_bits() == expected.to_bits() || found.is_nan() && expected.is_nan()
    }

    #[test]
    fn powers_are_within_one_unit() {
        for base in
            (1..2_000).map(|step| step as f32 * 0.013).chain([1e-30, 1e-40, 1e30, 3e38, 0.999_999_9, 1.000_000_1])
        {
            for power in (-400..400).map(|step| step as f32 * 0.07).chain([1e5, -1e5, 1e8]) {
                let expected = libm::pow(f64::from(base), f64::from(power));
                assert!(units(powf(base, power), expected) <= 1.0, "{base} ^ {power}: {}", powf(base, power));
            }
        }
    }

    #[test]
    fn powers_of_what_is_no_positive_number_are_those_of_the_standard() {
        let numbers = [0.0, 0.5, 1.0, 2.0, 3.0, 2.5, 16_777_215.0, 16_777_216.0, 1e30, f32::INFINITY, f32::NAN];
        let both = || numbers.iter().flat_map(|number| [*number, -number]);
        for (base, power) in both().flat_map(|base| both().map(move |power| (base, power))) {
            let (found, expected) = (powf(base, power), libm::powf(base, power));
            let is_near = found.is_finite() && units(found, libm::pow(f64::from(base), f64::from(power))) <= 1.0;
            assert!(is_same(found, expected) || is_near, "{base} ^ {power}: {found}, not {expected}");
        }
    }

    #[test]
    fn whole_powers_are_products() {
        assert_eq!([powi(3.0, 0), powi(3.0, 1), powi(3.0, 5), powi(2.0, -3)], [1.0, 3.0, 243.0, 0.125]);
        assert_eq!([powi(0.0, 0), powi(-2.0, 3), powi(1.0, i32::MIN), powi(0.0, -1)], [1.0, -8.0, 1.0, f32::INFINITY]);
    }

    #[test]
    fn hyperbolic_tangents_are_within_three_units() {
        for x in (-100_000..100_000).map(|step| step as f32 * 1e-4).chain([1e-30, -1e-40, 50.0, f32::INFINITY]) {
            let found = tanh(x, crate::elementary::exp);
            assert!(units(found, libm::tanh(f64::from(x))) <= 3.0, "tanh({x}): {found}");
        }
        assert!(tanh(f32::NAN, crate::elementary::exp).is_nan());
    }
}
