//! Systems of equations by Cholesky's factorization.

/// A pivot below this part of the greatest entry of the diagonal is zero but for rounding.
const LEAST_PIVOT: f64 = 1e-13;

/// Replaces `right` by the solution x of `matrix · x = right`; the matrix is symmetric, row after row, and its lower half becomes a factor.
///
/// Returns false if the matrix is singular or not positive definite.
#[must_use]
pub fn solve(matrix: &mut [f64], right: &mut [f64]) -> bool {
    let size = right.len();
    let least = LEAST_PIVOT * (0..size).map(|row| matrix[row * size + row].abs()).fold(0.0, f64::max);
    for row in 0..size {
        for column in 0..=row {
            let (upper, lower) = matrix.split_at_mut(row * size);
            let known = if column < row { &upper[column * size..][..column] } else { &lower[..0] };
            let done =
                if column < row { product(&lower[..column], known) } else { product(&lower[..row], &lower[..row]) };
            let rest = lower[column] - done;
            if column < row {
                lower[column] = rest / upper[column * size + column];
            } else if rest > least {
                lower[column] = rest.sqrt();
            } else {
                return false;
            }
        }
    }
    substitute(matrix, right);
    true
}

fn substitute(factor: &[f64], right: &mut [f64]) {
    let size = right.len();
    for row in 0..size {
        let known = product(&factor[row * size..][..row], &right[..row]);
        right[row] = (right[row] - known) / factor[row * size + row];
    }
    for row in (0..size).rev() {
        let known: f64 = (row + 1..size).map(|below| factor[below * size + row] * right[below]).sum();
        right[row] = (right[row] - known) / factor[row * size + row];
    }
}

fn product(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn singular_and_indefinite_matrices_are_refused() {
        for matrix in [[1.0, 2.0, 2.0, 4.0], [1.0, 2.0, 2.0, 1.0], [0.0; 4], [f64::NAN; 4]] {
            assert!(!solve(&mut matrix.clone(), &mut [1.0, 1.0]), "{matrix:?}");
        }
    }

    proptest! {
        #[test]
        fn the_solution_solves((root, right) in (1..9_usize).prop_flat_map(|size| {
            (vec(-1.0..1.0, size * size), vec(-1.0..1.0, size))
        })) {
            let size = right.len();
            let entry = |row: usize, column: usize| {
                product(&root[row * size..][..size], &root[column * size..][..size]) + f64::from(u8::from(row == column))
            };
            let matrix: Vec<f64> = (0..size * size).map(|index| entry(index / size, index % size)).collect();
            let mut found = right.clone();
            prop_assert!(solve(&mut matrix.clone(), &mut found));
            for (row, right) in matrix.chunks(size).zip(&right) {
                prop_assert!((product(row, &found) - right).abs() < 1e-10);
            }
        }
    }
}
