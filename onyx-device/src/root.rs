//! The square root on the host.

/// The square root of `x`.
///
/// `libm` has it in assembly, without the encoding that code for vectors of 256 bits has: between the two a processor keeps and restores halves of its registers
/// (`docs/performance.md`).
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) fn sqrt(x: f32) -> f32 {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every processor of this architecture has the instruction.
    return unsafe {
        use core::arch::x86_64::{_mm_cvtss_f32, _mm_set_ss, _mm_sqrt_ss};
        _mm_cvtss_f32(_mm_sqrt_ss(_mm_set_ss(x)))
    };
    #[cfg(not(target_arch = "x86_64"))]
    libm::sqrtf(x)
}

#[cfg(test)]
mod tests {
    use super::sqrt;

    #[test]
    fn of_every_magnitude() {
        for bits in (0..=f32::INFINITY.to_bits()).step_by(10_007) {
            let x = f32::from_bits(bits);
            assert_eq!(sqrt(x), x.sqrt(), "{x}");
        }
        assert!(sqrt(-1.0).is_nan() && sqrt(f32::NAN).is_nan());
        assert_eq!(sqrt(-0.0).to_bits(), (-0.0f32).to_bits());
    }
}
