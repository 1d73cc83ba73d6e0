//! A system of equations that one lane has alone, as on the CPU: Cholesky's factorization without its roots, by rows.
//!
//! Lanes that share a system turn its rows instead (see [`crate::linear`]), which costs twelve times as many operations.

use core::ops::Range;

use crate::linear::reciprocal;
use crate::row::Row;
use crate::unrolled::{array, each};

/// How many rows are taken from a later one at once, which is then loaded and stored once for all of them.
const PANEL: usize = 4;
/// Columns of a step, which become whole vectors.
const STEP: usize = 8;

/// The solution `x` of `matrix * x = b`, of which `features` rows and columns count. NaN where the matrix is not positive definite.
///
/// Nothing left of the diagonal is read.
#[cfg_attr(not(debug_assertions), inline(always))]
pub fn solve<const K: usize, const V: usize>(mut matrix: [Row<K>; V], mut b: [f32; V], features: usize) -> [f32; V] {
    let mut pivots = [0.0; V];
    for first in (0..features).step_by(PANEL) {
        let end = features.min(first + PANEL);
        for pivot in first..end {
            pivots[pivot] = reciprocal(matrix[pivot].values[pivot]);
            for row in pivot + 1..end {
                take::<K, V, 1>(&mut matrix, &mut b, &pivots, pivot, row);
            }
        }
        for row in end..features {
            take::<K, V, PANEL>(&mut matrix, &mut b, &pivots, first, row);
        }
    }
    for row in (0..features).rev() {
        b[row] = (b[row] - known(&matrix[row], &b, row + 1..features)) * pivots[row];
    }
    b
}

/// Takes multiples of `N` rows, from `first` on, from a later one, so that nothing is left in their columns.
#[cfg_attr(not(debug_assertions), inline(always))]
fn take<const K: usize, const V: usize, const N: usize>(
    matrix: &mut [Row<K>; V],
    b: &mut [f32; V],
    pivots: &[f32; V],
    first: usize,
    row: usize,
) {
    let (above, below) = matrix.split_at_mut(row);
    let Some(above) = above[first..].first_chunk::<N>() else { return };
    let factors: [f32; N] = array(|index| above[index].values[row] * pivots[first + index]);
    each::<N>(|index| b[row] -= factors[index] * b[first + index]);
    let (steps, rest) = below[0].values.as_chunks_mut::<STEP>();
    let others: [_; N] = array(|index| above[index].values.as_chunks::<STEP>());
    for (step, values) in steps.iter_mut().enumerate().skip(row / STEP) {
        subtract(values, array(|index| &others[index].0[step]), &factors);
    }
    for (column, value) in rest.iter_mut().enumerate() {
        each::<N>(|index| *value -= factors[index] * others[index].1[column]);
    }
}

/// Takes multiples of other rows' columns from those of one.
#[cfg_attr(not(debug_assertions), inline(always))]
fn subtract<const N: usize>(values: &mut [f32; STEP], others: [&[f32; STEP]; N], factors: &[f32; N]) {
    let mut left = *values;
    each::<N>(|index| {
        each::<STEP>(|column| left[column] -= factors[index] * others[index][column]);
    });
    *values = left;
}

/// What the solution of `columns` makes of a row. Sums of columns that are [`STEP`] apart are added up side by side.
#[cfg_attr(not(debug_assertions), inline(always))]
fn known<const K: usize, const V: usize>(row: &Row<K>, solution: &[f32; V], columns: Range<usize>) -> f32 {
    let mut sums = [0.0; STEP];
    for first in (columns.start / STEP * STEP..columns.end).step_by(STEP) {
        each::<STEP>(|column| {
            let at = first + column;
            sums[column] += if columns.contains(&at) { row.values[at] * solution[at] } else { 0.0 };
        });
    }
    sums.iter().sum()
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
