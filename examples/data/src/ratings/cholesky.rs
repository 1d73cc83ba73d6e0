//! Systems of equations by Cholesky's factorization.

use nalgebra::{Cholesky, DMatrix, DVector};

/// The square of a pivot below this part of the greatest entry of the diagonal is zero but for rounding.
const LEAST_PIVOT: f64 = 1e-13;

/// Replaces `right` by the solution x of `matrix · x = right`; the matrix is symmetric, row after row, and only its lower half is read.
///
/// Returns false if the matrix is singular or not positive definite.
#[must_use]
pub fn solve(matrix: &[f64], right: &mut [f64]) -> bool {
    let matrix = DMatrix::from_row_slice(right.len(), right.len(), matrix);
    let least = LEAST_PIVOT * matrix.diagonal().amax();
    let Some(factor) = Cholesky::new(matrix) else { return false };
    let is_regular = factor.l_dirty().diagonal().iter().all(|pivot| pivot * pivot > least);
    if is_regular {
        right.copy_from_slice(factor.solve(&DVector::from_column_slice(right)).as_slice());
    }
    is_regular
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::solve;

    #[test]
    fn singular_and_indefinite_matrices_are_refused() {
        for matrix in [[1.0, 2.0, 2.0, 4.0], [1.0, 2.0, 2.0, 1.0], [0.0; 4], [f64::NAN; 4]] {
            assert!(!solve(&matrix, &mut [1.0, 1.0]), "{matrix:?}");
        }
    }

    proptest! {
        #[test]
        fn the_solution_solves((root, right) in (1..9_usize).prop_flat_map(|size| {
            (vec(-1.0..1.0, size * size), vec(-1.0..1.0, size))
        })) {
            let size = right.len();
            let product = |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
            let entry = |row: usize, column: usize| {
                product(&root[row * size..][..size], &root[column * size..][..size]) + f64::from(u8::from(row == column))
            };
            let matrix: Vec<f64> = (0..size * size).map(|index| entry(index / size, index % size)).collect();
            let mut found = right.clone();
            prop_assert!(solve(&matrix, &mut found));
            for (row, right) in matrix.chunks(size).zip(&right) {
                prop_assert!((product(row, &found) - right).abs() < 1e-10);
            }
        }
    }
}
