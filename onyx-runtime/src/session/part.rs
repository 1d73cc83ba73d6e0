//! What one core computes of a product of matrices.

use ndarray::linalg::general_mat_mul;
use ndarray::{ArrayView2, ArrayViewMut2};

/// The least terms of a sum that `gemm` is faster for.
#[cfg(feature = "gemm")]
const FEWEST: usize = 3;
/// The most columns of a product that it is faster for without AVX-512.
#[cfg(feature = "gemm")]
const NARROW: usize = 32;

/// Sets `into` to `left` · `right` + `keep` · `into`. With a `keep` of 0 it does not matter what was there.
pub(super) fn multiply(left: ArrayView2<'_, f32>, right: ArrayView2<'_, f32>, into: ArrayViewMut2<'_, f32>, keep: f32) {
    #[cfg(feature = "gemm")]
    if gemm_is_faster(left, right) {
        return by_gemm(left, right, into, keep);
    }
    by_matrixmultiply(left, right, into, keep);
}

/// As measured: `docs/gnn.md` says of which products.
#[cfg(feature = "gemm")]
fn gemm_is_faster(left: ArrayView2<'_, f32>, right: ArrayView2<'_, f32>) -> bool {
    let is_narrow = left.strides()[1] == 1 && right.ncols() <= NARROW;
    left.ncols() >= FEWEST && (is_narrow || has_avx512())
}

#[cfg(all(feature = "gemm", target_arch = "x86_64"))]
fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
}

#[cfg(all(feature = "gemm", not(target_arch = "x86_64")))]
fn has_avx512() -> bool {
    false
}

fn by_matrixmultiply(
    left: ArrayView2<'_, f32>,
    right: ArrayView2<'_, f32>,
    mut into: ArrayViewMut2<'_, f32>,
    keep: f32,
) {
    general_mat_mul(1.0, &left, &right, keep, &mut into);
}

/// By vectors of the rows of `into` where the rows of `left` lie in one piece, else by vectors of its columns: what is multiplied with them comes one number after the other.
#[cfg(feature = "gemm")]
fn by_gemm(left: ArrayView2<'_, f32>, right: ArrayView2<'_, f32>, into: ArrayViewMut2<'_, f32>, keep: f32) {
    if left.strides()[1] == 1 {
        by_columns(right.reversed_axes(), left.reversed_axes(), into.reversed_axes(), keep);
    } else {
        by_columns(left, right, into, keep);
    }
}

/// By vectors of columns of `left` and `into`.
#[cfg(feature = "gemm")]
fn by_columns(left: ArrayView2<'_, f32>, right: ArrayView2<'_, f32>, mut into: ArrayViewMut2<'_, f32>, keep: f32) {
    let ((rows, terms), columns) = (left.dim(), right.ncols());
    assert!(right.nrows() == terms && into.dim() == (rows, columns), "the sizes of a product fit each other");
    let (place, into_strides) = (into.as_mut_ptr(), [into.strides()[1], into.strides()[0]]);
    let [left_strides, right_strides] = [left, right].map(|side| [side.strides()[1], side.strides()[0]]);
    // SAFETY: the sizes and strides are those of matrices that are borrowed until the end, and `into` by nobody else. Without `keep` it is not read.
    unsafe {
        gemm_f32::gemm::f32::get_gemm_fn()(
            rows,
            columns,
            terms,
            place,
            into_strides[0],
            into_strides[1],
            keep != 0.0,
            left.as_ptr(),
            left_strides[0],
            left_strides[1],
            right.as_ptr(),
            right_strides[0],
            right_strides[1],
            keep,
            1.0,
            false,
            false,
            false,
            gemm_common::Parallelism::None,
        );
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, ShapeBuilder, s};

    use super::*;

    /// Sets a matrix to a product and a share of what was there.
    type Way = fn(ArrayView2<'_, f32>, ArrayView2<'_, f32>, ArrayViewMut2<'_, f32>, f32);

    /// Two that compute a part, and what cuts a product into parts.
    const WAYS: &[(&str, Way)] = &[
        ("matrixmultiply", by_matrixmultiply),
        #[cfg(feature = "gemm")]
        ("gemm", by_gemm),
        ("all parts", crate::session::multiply),
    ];

    /// Small whole numbers, whose sums are exact. The matrix is a part of a larger one, of not-numbers, and lies by its columns where it is transposed.
    fn matrix(rows: usize, columns: usize, is_transposed: bool) -> Array2<f32> {
        let mut room = Array2::from_elem((rows + 1, columns + 3).set_f(is_transposed), f32::NAN);
        for ((row, column), value) in room.slice_mut(s![..rows, ..columns]).indexed_iter_mut() {
            *value = ((row * 7 + column * 5) % 11) as f32 - 5.0;
        }
        room
    }

    /// A sum by a loop.
    fn expected(left: ArrayView2<'_, f32>, right: ArrayView2<'_, f32>, row: usize, column: usize) -> f64 {
        (0..left.ncols()).map(|term| f64::from(left[(row, term)]) * f64::from(right[(term, column)])).sum()
    }

    /// Compares every number of a larger matrix, of which the product is a part.
    fn check((rows, terms, columns): (usize, usize, usize), are_transposed: [bool; 3], keep: f32) {
        let [left, right] = [(rows, terms, are_transposed[0]), (terms, columns, are_transposed[1])]
            .map(|(rows, columns, is_transposed)| matrix(rows, columns, is_transposed));
        let (left, right) = (left.slice(s![..rows, ..terms]), right.slice(s![..terms, ..columns]));
        for (name, multiply) in WAYS {
            let mut room = matrix(rows, columns, are_transposed[2]);
            let before = if keep == 0.0 { f32::NAN } else { 3.0 };
            room.slice_mut(s![..rows, ..columns]).fill(before);
            multiply(left, right, room.slice_mut(s![..rows, ..columns]), keep);
            for ((row, column), found) in room.indexed_iter() {
                let is_inside = row < rows && column < columns;
                let kept = if keep == 0.0 { 0.0 } else { f64::from(keep * before) };
                let is_right = if is_inside {
                    f64::from(*found) == expected(left, right, row, column) + kept
                } else {
                    found.is_nan()
                };
                assert!(
                    is_right,
                    "{name}, {rows} x {terms} x {columns}, {are_transposed:?}, keep {keep}: {found} at {row}, {column}"
                );
            }
        }
    }

    #[test]
    fn products_are_those_of_loops() {
        let sizes = [
            (1, 1, 1),
            (1, 33, 5),
            (5, 33, 1),
            (7, 2, 9),
            (13, 3, 7),
            (33, 65, 17),
            (70, 5, 66),
            (257, 16, 7),
            (3, 4099, 2),
        ];
        for size in sizes {
            for number in 0..8 {
                let are_transposed = [number & 1, number & 2, number & 4].map(|bit| bit != 0);
                [0.0, 0.5, 1.0].into_iter().for_each(|keep| check(size, are_transposed, keep));
            }
        }
    }

    #[test]
    fn a_product_of_no_terms_is_what_is_kept() {
        for size in [(0, 3, 2), (3, 3, 0), (5, 0, 7), (300, 0, 2)] {
            [0.0, 0.5].into_iter().for_each(|keep| check(size, [false; 3], keep));
        }
    }
}
