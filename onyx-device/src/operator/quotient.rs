//! Quotients of many numbers by the same.

/// `a / b` of a `b` of at least 1, within 1 unit in the last place. On a GPU the reciprocal is taken once for all `a`.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(super) fn quotient(a: f32, b: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    {
        let reciprocal = crate::nvptx::reciprocal(b);
        let near = a * reciprocal;
        let nearer = crate::math::mul_add(crate::math::mul_add(-near, b, a), reciprocal, near);
        if nearer.is_nan() { near } else { nearer }
    }
    #[cfg(not(target_arch = "nvptx64"))]
    {
        a / b
    }
}
