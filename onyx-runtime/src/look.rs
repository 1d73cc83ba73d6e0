//! A look for values that are no numbers any more, where the values are on the host. A device has a kernel for it, `onyx_device::schedule::look`.

use std::ops::BitOr;

use onyx_device::stored::Number;
use rayon::prelude::*;

use crate::engine::Array;

/// How many rows, or matrices, a thread looks at at a time.
const ROWS: usize = 1024;

/// What a look at some values has found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    /// Whether one is NaN.
    pub(crate) nan: bool,
    /// Whether one is infinite.
    pub(crate) infinite: bool,
}

impl Found {
    /// What the values of `array` are, as they lie in memory, but for its padding.
    pub(crate) fn among(array: Array, bytes: &[u8]) -> Self {
        match exponent(array.number) {
            0 => Self::in_rows(array, bytemuck::cast_slice(bytes), |value: f32| Self::of(value)),
            exponent => Self::in_rows(array, bytemuck::cast_slice(bytes), |half: u16| Self::of_half(half, exponent)),
        }
    }

    fn in_rows<T: Copy + Sync>(array: Array, values: &[T], of: impl Fn(T) -> Self + Sync) -> Self {
        let Array { row, rows, features, .. } = array;
        let in_row = |row: &[T]| row[..features].iter().map(|value| of(*value)).fold(Self::default(), Self::bitor);
        let in_matrix =
            |matrix: &[T]| matrix.chunks_exact(row).take(features).map(in_row).fold(Self::default(), Self::bitor);
        let part = |part: &[T]| part.chunks_exact(row * rows).map(in_matrix).fold(Self::default(), Self::bitor);
        let length = ROWS * row * rows;
        if values.len() <= length {
            // Other threads would wake up for longer than this takes.
            return part(values);
        }
        values.par_chunks(length).map(part).reduce(Self::default, Self::bitor)
    }

    fn of(value: f32) -> Self {
        Self { nan: value.is_nan(), infinite: value.is_infinite() }
    }

    fn of_half(half: u16, exponent: u32) -> Self {
        let magnitude = u32::from(half & 0x7fff);
        Self { nan: magnitude > exponent, infinite: magnitude == exponent }
    }
}

/// The bits of +inf in floats of two bytes; 0 of others.
pub(crate) fn exponent(number: Number) -> u32 {
    match number {
        Number::F16 | Number::SaturatingF16 => 0x7c00,
        Number::Bf16 => 0x7f80,
        _ => 0,
    }
}

impl BitOr for Found {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self { nan: self.nan | other.nan, infinite: self.infinite | other.infinite }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn among(array: Array, floats: &[f32]) -> Found {
        Found::among(array, bytemuck::cast_slice(floats))
    }

    #[test]
    fn padding_is_left_out() {
        let rows = Array { property: 0, length: 8, row: 4, rows: 1, features: 3, number: Number::F32 };
        let mut floats = [1.0, 2.0, 3.0, f32::NAN, 1.0, 2.0, 3.0, f32::NAN];
        assert_eq!(among(rows, &floats), Found::default());
        floats[6] = f32::NEG_INFINITY;
        assert_eq!(among(rows, &floats), Found { nan: false, infinite: true });
        let matrix = Array { length: 16, rows: 4, features: 2, ..rows };
        let mut floats = [f32::NAN; 16];
        [0, 1, 4, 5].iter().for_each(|at| floats[*at] = 0.0);
        assert_eq!(among(matrix, &floats), Found::default());
        floats[5] = f32::NAN;
        assert_eq!(among(matrix, &floats), Found { nan: true, infinite: false });
        let halves = Array { number: Number::F16, ..rows };
        let found = |bits: [u16; 8]| Found::among(halves, bytemuck::cast_slice(&bits));
        assert_eq!(found([0x7bff, 0, 0, 0x7e00, 0, 0, 0, 0x7c00]), Found::default());
        assert_eq!(found([0, 0, 0, 0, 0, 0xfc00, 0, 0]), Found { nan: false, infinite: true });
        assert_eq!(found([0, 0, 0x7c01, 0, 0, 0, 0, 0]), Found { nan: true, infinite: false });
    }
}
