//! Functions of floats that `core` does not have: `x.sqrt()` in a user function is lowered to [`sqrt`]`(x)`.

/// The square root.
#[inline(always)]
pub fn sqrt(x: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return crate::nvptx::sqrt(x);
    #[cfg(not(target_arch = "nvptx64"))]
    libm::sqrtf(x)
}

/// The exponential function.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return crate::nvptx::exp(x);
    #[cfg(not(target_arch = "nvptx64"))]
    crate::elementary::exp(x)
}

/// The natural logarithm.
#[inline(always)]
pub fn ln(x: f32) -> f32 {
    #[cfg(target_arch = "nvptx64")]
    return crate::nvptx::ln(x);
    #[cfg(not(target_arch = "nvptx64"))]
    crate::elementary::ln(x)
}
