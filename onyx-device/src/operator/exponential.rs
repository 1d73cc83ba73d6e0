//! Sums of exponentials relative to the greatest exponent, so that none overflows.

#[cfg(not(target_arch = "nvptx64"))]
pub(super) use crate::elementary::exp as exponential;
#[cfg(target_arch = "nvptx64")]
pub(super) use crate::nvptx::exp_flushed as exponential;

/// What has been summed relative to the exponents `a` and `b`, together: a factor for each, and the exponent that both are then relative to.
///
/// Equal infinities are no distance apart. A NaN makes a factor, and so what comes of it, NaN.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn rescaled(a: f32, b: f32) -> (f32, f32, f32) {
    let distance = chosen(a == b, 0.0, (a - b).abs());
    let lesser = exponential(-distance);
    let is_less = a < b;
    (chosen(is_less, lesser, 1.0), chosen(is_less, 1.0, lesser), chosen(is_less, b, a))
}

/// The greater of two exponents; the first where the other is no number.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn greater(a: f32, b: f32) -> f32 {
    if cfg!(target_arch = "nvptx64") { a.max(b) } else { chosen(b > a, b, a) }
}

/// `a` if the condition holds, and else `b`. On the host by their bits: of a choice the compiler makes a branch, and of a loop with a branch no vectors.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn chosen(condition: bool, a: f32, b: f32) -> f32 {
    if cfg!(target_arch = "nvptx64") {
        return if condition { a } else { b };
    }
    let mask = u32::from(condition).wrapping_neg();
    f32::from_bits(a.to_bits() & mask | b.to_bits() & !mask)
}
