//! A system of equations that one lane has alone, as on the CPU: Cholesky's factorization without its roots, by rows.
//!
//! Lanes that share a system turn its rows instead (see [`crate::linear`]), which costs twelve times as many operations.

use crate::linear::reciprocal;
use crate::row::Row;

/// Rows are subtracted from a multiple of this column on, which leaves nothing but whole vectors.
const QUAD: usize = 4;

/// The solution `x` of `matrix * x = b`, of which `features` rows and columns count. NaN where the matrix is not positive definite.
///
/// Nothing left of the diagonal is read.
#[inline(always)]
pub fn solve<const K: usize, const V: usize>(mut matrix: [Row<K>; V], mut b: [f32; V], features: usize) -> [f32; V] {
    let mut pivots = [0.0; V];
    for pivot in 0..features {
        pivots[pivot] = reciprocal(matrix[pivot].values[pivot]);
        for row in pivot + 1..features {
            let factor = matrix[pivot].values[row] * pivots[pivot];
            let (above, below) = matrix.split_at_mut(row);
            subtract(&mut below[0], &above[pivot], factor, row / QUAD * QUAD);
            b[row] -= factor * b[pivot];
        }
    }
    for row in (0..features).rev() {
        let known = (row + 1..features).map(|column| matrix[row].values[column] * b[column]).sum::<f32>();
        b[row] = (b[row] - known) * pivots[row];
    }
    b
}

/// Takes a multiple of one row from another, from a column on.
#[inline(always)]
fn subtract<const K: usize>(row: &mut Row<K>, other: &Row<K>, factor: f32, first: usize) {
    let values = row.values[first..].iter_mut().zip(&other.values[first..]);
    values.for_each(|(value, other)| *value -= factor * other);
}

#[cfg(test)]
mod tests {
    use super::solve;
    use crate::row::Row;

    fn matrix(rows: [[f32; 4]; 4]) -> [Row<4>; 4] {
        rows.map(|values| Row { values })
    }

    #[test]
    fn a_system_is_solved_by_what_stands_right_of_its_diagonal() {
        let rows = [[4.0, 2.0, 1.0, 9.0], [-7.0, 5.0, 2.0, 9.0], [-7.0, -7.0, 6.0, 9.0], [9.0; 4]];
        let found = solve(matrix(rows), [11.0, 18.0, 23.0, 5.0], 3);
        let expected = [1.0, 2.0, 3.0, 5.0];
        assert!(found.iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-5), "{found:?}");
    }

    #[test]
    fn a_matrix_that_is_not_positive_definite_has_no_solution() {
        let found = solve(matrix([[1.0, 2.0, 0.0, 0.0], [2.0, 1.0, 0.0, 0.0], [0.0; 4], [0.0; 4]]), [1.0; 4], 2);
        assert!(found[0].is_nan() && found[1].is_nan());
    }
}
