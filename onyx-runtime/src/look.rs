//! A look for values that are no numbers any more, where the values are on the host. A device has a kernel for it, `onyx_device::schedule::look`.

use std::ops::BitOr;

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
    /// What the values of `array` are, but for its padding.
    pub(crate) fn among(array: Array, floats: &[f32]) -> Self {
        let Array { row, rows, features, .. } = array;
        let in_row =
            |row: &[f32]| row[..features].iter().map(|value| Self::of(*value)).fold(Self::default(), Self::bitor);
        let in_matrix =
            |matrix: &[f32]| matrix.chunks_exact(row).take(features).map(in_row).fold(Self::default(), Self::bitor);
        let part = |part: &[f32]| part.chunks_exact(row * rows).map(in_matrix).fold(Self::default(), Self::bitor);
        floats.par_chunks(ROWS * row * rows).map(part).reduce(Self::default, Self::bitor)
    }

    fn of(value: f32) -> Self {
        Self { nan: value.is_nan(), infinite: value.is_infinite() }
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
    use onyx_device::stored::Number;

    use super::*;

    #[test]
    fn padding_is_left_out() {
        let rows = Array { property: 0, length: 8, row: 4, rows: 1, features: 3, number: Number::F32 };
        let mut floats = [1.0, 2.0, 3.0, f32::NAN, 1.0, 2.0, 3.0, f32::NAN];
        assert_eq!(Found::among(rows, &floats), Found::default());
        floats[6] = f32::NEG_INFINITY;
        assert_eq!(Found::among(rows, &floats), Found { nan: false, infinite: true });
        let matrix = Array { length: 16, rows: 4, features: 2, ..rows };
        let mut floats = [f32::NAN; 16];
        [0, 1, 4, 5].iter().for_each(|at| floats[*at] = 0.0);
        assert_eq!(Found::among(matrix, &floats), Found::default());
        floats[5] = f32::NAN;
        assert_eq!(Found::among(matrix, &floats), Found { nan: true, infinite: false });
    }
}
