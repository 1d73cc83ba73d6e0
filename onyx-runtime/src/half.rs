//! Rows of half precision on the host: what people write and read is `f32`, what lies in memory has two bytes.

use onyx_device::half::{bf16, f16, saturating_f16};
use onyx_device::stored::Number;
use rayon::prelude::*;

/// How many floats a thread converts at a time.
const PIECE: usize = 1 << 14;

/// The floats that halves stand for.
pub(crate) fn widen(number: Number, halves: &[u16], floats: &mut [f32]) {
    match number {
        Number::Bf16 => each(halves, floats, |half| bf16(half).to_f32()),
        _ => each(halves, floats, |half| f16(half).to_f32()),
    }
}

/// The halves nearest to floats.
pub(crate) fn narrow(number: Number, floats: &[f32], halves: &mut [u16]) {
    match number {
        Number::Bf16 => each(floats, halves, |float| bf16::from_f32(float).0),
        Number::SaturatingF16 => each(floats, halves, |float| saturating_f16::from_f32(float).0),
        _ => each(floats, halves, |float| f16::from_f32(float).0),
    }
}

/// The number of the first float that is finite and whose half is not; none where what is too great saturates.
pub(crate) fn first_too_great(number: Number, floats: &[f32]) -> Option<usize> {
    let is_too_great = |float: &f32| match number {
        Number::SaturatingF16 => false,
        Number::Bf16 => float.is_finite() && !bf16::from_f32(*float).to_f32().is_finite(),
        _ => float.is_finite() && !f16::from_f32(*float).to_f32().is_finite(),
    };
    floats.par_iter().position_first(is_too_great)
}

/// Converts each number by itself, in vectors on all cores.
fn each<A: Copy + Sync, B: Copy + Send>(from: &[A], to: &mut [B], convert: impl Fn(A) -> B + Sync) {
    let pieces = from.par_chunks(PIECE).zip(to.par_chunks_mut(PIECE));
    pieces.for_each(|(from, to)| from.iter().zip(to).for_each(|(from, to)| *to = convert(*from)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_floats_are_there_and_back() {
        for number in [Number::F16, Number::SaturatingF16, Number::Bf16] {
            let floats: Vec<f32> = (0..3 * PIECE + 5).map(|at| (at % 500) as f32 - 250.0).collect();
            let (mut halves, mut back) = (vec![0; floats.len()], vec![f32::NAN; floats.len()]);
            narrow(number, &floats, &mut halves);
            widen(number, &halves, &mut back);
            let furthest = floats.iter().zip(&back).map(|(from, to)| (from - to).abs()).fold(0.0, f32::max);
            assert!(furthest <= if number == Number::Bf16 { 0.5 } else { 0.0 }, "{number:?}: {furthest}");
            assert_eq!(first_too_great(number, &floats), None);
        }
    }

    #[test]
    fn the_first_float_that_is_too_great_is_found() {
        let floats = [1.0, f32::INFINITY, f32::NAN, -65_519.0, 65_520.0, 1e9];
        assert_eq!(first_too_great(Number::F16, &floats), Some(4));
        assert_eq!(first_too_great(Number::Bf16, &floats), None);
        assert_eq!(first_too_great(Number::Bf16, &[f32::MAX]), Some(0));
        assert_eq!(first_too_great(Number::SaturatingF16, &floats), None);
    }
}
