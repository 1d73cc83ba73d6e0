//! Sums of exponentials relative to the greatest exponent, so that none overflows.

use crate::math;

/// What has been summed relative to the exponents `a` and `b`, together: a factor for each, and the exponent that both are then relative to.
///
/// Equal infinities are no distance apart. A NaN makes a factor, and so what comes of it, NaN.
#[inline(always)]
pub(super) fn rescaled(a: f32, b: f32) -> (f32, f32, f32) {
    let distance = if a == b { 0.0 } else { (a - b).abs() };
    let lesser = math::exp(-distance);
    if a < b { (lesser, 1.0, b) } else { (1.0, lesser, a) }
}
