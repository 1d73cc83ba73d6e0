//! Rows of [`struct@f16`](crate::half::f16)s by the processor's own instructions, eight at a time.

use core::arch::x86_64::{
    _MM_FROUND_TO_NEAREST_INT, _mm_loadu_si128, _mm_storeu_si128, _mm256_cvtph_ps, _mm256_cvtps_ph, _mm256_loadu_ps,
    _mm256_storeu_ps,
};

use crate::half;

/// How many are converted at once.
const LANES: usize = 8;

/// The numbers of a row: those that [`half::widen`] gives.
///
/// # Safety
/// The processor has AVX2 and F16C.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) unsafe fn widened<const V: usize>(halves: [u16; V]) -> [f32; V] {
    if !V.is_multiple_of(LANES) {
        return half::widen(halves);
    }
    let mut values = [0.0; V];
    for first in (0..V).step_by(LANES) {
        // SAFETY: the caller's; there are eight more of both.
        unsafe {
            let eight = _mm_loadu_si128(halves.as_ptr().add(first).cast());
            _mm256_storeu_ps(values.as_mut_ptr().add(first), _mm256_cvtph_ps(eight));
        }
    }
    values
}

/// The bits of the nearest halves of a row: those that [`half::narrow`] gives, but that a NaN keeps digits of its own.
///
/// # Safety
/// As [`widened`].
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) unsafe fn narrowed<const V: usize>(values: [f32; V]) -> [u16; V] {
    if !V.is_multiple_of(LANES) {
        return half::narrow(values);
    }
    let mut halves = [0; V];
    for first in (0..V).step_by(LANES) {
        // SAFETY: as there.
        unsafe {
            let eight = _mm256_loadu_ps(values.as_ptr().add(first));
            let eight = _mm256_cvtps_ph::<_MM_FROUND_TO_NEAREST_INT>(eight);
            _mm_storeu_si128(halves.as_mut_ptr().add(first).cast(), eight);
        }
    }
    halves
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::half::f16;

    #[test]
    fn eight_at_a_time_are_as_one_by_one() {
        if !(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("f16c")) {
            std::eprintln!("not run: this processor has no F16C");
            return;
        }
        for first in (0..=u16::MAX).step_by(16) {
            let halves: [u16; 16] = core::array::from_fn(|at| first + at as u16);
            // SAFETY: the processor has both.
            let values = unsafe { widened(halves) };
            let expected = half::widen(halves);
            let is_same = |at: usize| {
                values[at].to_bits() == expected[at].to_bits() || values[at].is_nan() && expected[at].is_nan()
            };
            assert!((0..16).all(is_same), "from {first:#x}");
            // Between two halves, and each of them.
            let between: [f32; 16] =
                core::array::from_fn(|at| f32::from_bits(values[at].to_bits() + 0x1000 * (at as u32 % 3)));
            // SAFETY: as before.
            let (rounded, nearest) = (unsafe { narrowed(between) }, half::narrow(between));
            let is_same = |at: usize| {
                rounded[at] == nearest[at] || f16(rounded[at]).to_f32().is_nan() && f16(nearest[at]).to_f32().is_nan()
            };
            assert!((0..16).all(is_same), "from {first:#x}: {rounded:x?}, {nearest:x?}");
        }
    }
}
