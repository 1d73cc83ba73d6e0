//! Functions of floats that `core` does not have: `x.sqrt()` in a user function is lowered to [`sqrt`]`(x)`, and a plain function that is called
//! there calls it by that name.
//!
//! What is said of exactness is in units in the last place of a result that is a normal number. Roots, roundings and [`mul_add`] are exact
//! everywhere; sines, powers and their like are the same code on every machine; exponentials and logarithms are polynomials on the host, and
//! the GPU's own instructions there.

use crate::{power, trigonometry};

macro_rules! of_machine {
    ($($(#[$documentation:meta])* $name:ident($($argument:ident),+) = $host:path;)+) => {
        $(
            $(#[$documentation])*
            #[cfg_attr(not(debug_assertions), inline(always))]
            pub fn $name($($argument: f32),+) -> f32 {
                #[cfg(target_arch = "nvptx64")]
                return crate::nvptx::$name($($argument),+);
                #[cfg(not(target_arch = "nvptx64"))]
                $host($($argument),+)
            }
        )+
    };
}

of_machine! {
    /// The square root.
    sqrt(x) = crate::root::sqrt;
    /// The exponential function: within 2 units on the host, and near 0 on a GPU, where the error grows with `x`.
    exp(x) = crate::elementary::exp;
    /// 2 to a float: within 2 units on the host and on a GPU.
    exp2(x) = crate::elementary::exp2;
    /// The natural logarithm: within 2 units on the host; on a GPU to 2^-21 near 1, where it is small, and within 3 units elsewhere.
    ln(x) = crate::elementary::ln;
    /// The logarithm to base 2: within 3 units on the host; on a GPU to 2^-22 near 1, where it is small, and within 2 units elsewhere.
    log2(x) = crate::elementary::log2;
    /// The greatest integer that is not greater.
    floor(x) = libm::floorf;
    /// The least integer that is not less.
    ceil(x) = libm::ceilf;
    /// The nearest integer, away from 0 if there are two.
    round(x) = libm::roundf;
    /// The integer part.
    trunc(x) = libm::truncf;
    /// `a * b + c`, rounded once.
    mul_add(a, b, c) = libm::fmaf;
}

/// What is left of the integer part, with the sign of `x`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn fract(x: f32) -> f32 {
    x - trunc(x)
}

/// `x` to an integer: as many multiplications as the integer has bits, so that the error grows with it.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn powi(x: f32, power: i32) -> f32 {
    power::powi(x, power)
}

/// `x` to a float, within 1 unit; NaN for a negative `x` to what is no integer.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn powf(x: f32, power: f32) -> f32 {
    power::powf(x, power)
}

/// The sine, within 2 units, however great the angle.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn sin(x: f32) -> f32 {
    trigonometry::sin(x)
}

/// The cosine, within 2 units, however great the angle.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn cos(x: f32) -> f32 {
    trigonometry::cos(x)
}

/// The sine and the cosine.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn sin_cos(x: f32) -> (f32, f32) {
    (sin(x), cos(x))
}

/// The tangent, within 4 units.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn tan(x: f32) -> f32 {
    trigonometry::tan(x)
}

/// The hyperbolic tangent, within 3 units on the host, and 4 on a GPU.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn tanh(x: f32) -> f32 {
    power::tanh(x, exp)
}

/// `x` itself. A derived gradient takes it for a constant: what depends on something through it alone adds nothing to its gradient.
#[cfg_attr(not(debug_assertions), inline(always))]
pub const fn constant(x: f32) -> f32 {
    x
}
