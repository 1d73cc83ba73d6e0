//! Rows of [`struct@f16`](crate::half::f16)s, where no instructions of a processor's own are known.

use crate::half;

/// The numbers of a row.
///
/// # Safety
/// None.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) unsafe fn widened<const V: usize>(halves: [u16; V]) -> [f32; V] {
    half::widen(halves)
}

/// The bits of the nearest halves of a row.
///
/// # Safety
/// None.
#[cfg_attr(not(debug_assertions), inline(always))]
pub(crate) unsafe fn narrowed<const V: usize>(values: [f32; V]) -> [u16; V] {
    half::narrow(values)
}
