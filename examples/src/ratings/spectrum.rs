//! Eigenvectors of symmetric matrices, by Jacobi's rotations of one side.
//!
//! Rows of the matrix are rotated in pairs until all are orthogonal; the same rotations make the eigenvectors of the identity. See M. R. Hestenes,
//! "Inversion of Matrices by Biorthogonalization and Related Results", 1958.

use super::factors::dot;

/// More rounds than any matrix has taken.
const ROUNDS: usize = 40;
/// The cosine of two rows that are orthogonal but for rounding.
const LEAST_COSINE: f64 = 1e-14;
/// The part of the greatest row's square below which a product of rows is rounding.
const LEAST_PRODUCT: f64 = 1e-24;

/// The eigenvalues of a matrix, and its eigenvectors as a basis.
#[derive(Clone, Debug)]
pub struct Spectrum {
    /// The eigenvalues, in no order.
    pub values: Vec<f64>,
    /// The eigenvectors, row after row.
    vectors: Vec<f64>,
}

impl Spectrum {
    /// Of a matrix of `size` rows that is symmetric and has no eigenvalue below zero, row after row.
    pub fn of(mut matrix: Vec<f64>, size: usize) -> Self {
        let mut vectors = vec![0.0; size * size];
        (0..size).for_each(|row| vectors[row * size + row] = 1.0);
        let greatest = matrix.chunks_exact(size).map(|row| dot(row, row)).fold(0.0, f64::max);
        let least = LEAST_PRODUCT * greatest;
        for _ in 0..ROUNDS {
            if !round(&mut matrix, &mut vectors, size, least) {
                break;
            }
        }
        let rows = matrix.chunks_exact(size).zip(vectors.chunks_exact(size));
        Self { values: rows.map(|(row, vector)| dot(row, vector).max(0.0)).collect(), vectors }
    }

    /// What a vector is in the basis of the eigenvectors.
    pub fn turned(&self, vector: &[f64]) -> Vec<f64> {
        self.vectors.chunks_exact(vector.len()).map(|axis| dot(axis, vector)).collect()
    }

    /// The vector that is `turned` in the basis of the eigenvectors.
    pub fn turned_back(&self, turned: &[f64]) -> Vec<f64> {
        let mut vector = vec![0.0; turned.len()];
        for (axis, part) in self.vectors.chunks_exact(turned.len()).zip(turned) {
            vector.iter_mut().zip(axis).for_each(|(value, axis)| *value += part * axis);
        }
        vector
    }
}

/// Rotates each pair of rows that is not orthogonal, and says whether there was one.
fn round(matrix: &mut [f64], vectors: &mut [f64], size: usize, least: f64) -> bool {
    let mut has_rotated = false;
    for first in 0..size {
        for second in first + 1..size {
            let (one, other) = pair(matrix, size, first, second);
            let Some((cosine, sine)) = rotation(one, other, least) else { continue };
            rotate(one, other, cosine, sine);
            let (one, other) = pair(vectors, size, first, second);
            rotate(one, other, cosine, sine);
            has_rotated = true;
        }
    }
    has_rotated
}

fn pair(rows: &mut [f64], size: usize, first: usize, second: usize) -> (&mut [f64], &mut [f64]) {
    let (upper, lower) = rows.split_at_mut(second * size);
    (&mut upper[first * size..][..size], &mut lower[..size])
}

/// The cosine and the sine that make two rows orthogonal, unless they are.
fn rotation(one: &[f64], other: &[f64], least: f64) -> Option<(f64, f64)> {
    let (a, b, product) = (dot(one, one), dot(other, other), dot(one, other));
    if product.abs() <= LEAST_COSINE * (a * b).sqrt() + least || !product.is_finite() {
        return None;
    }
    let slope = (b - a) / (2.0 * product);
    let tangent = slope.signum() / (slope.abs() + (1.0 + slope * slope).sqrt());
    let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
    Some((cosine, cosine * tangent))
}

fn rotate(one: &mut [f64], other: &mut [f64], cosine: f64, sine: f64) {
    for (a, b) in one.iter_mut().zip(other) {
        (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    /// The sum of the outer products of `rows` with themselves.
    fn gram(rows: &[f64], size: usize) -> Vec<f64> {
        let entry = |i: usize, j: usize| rows.chunks_exact(size).map(|row| row[i] * row[j]).sum();
        (0..size * size).map(|index| entry(index / size, index % size)).collect()
    }

    proptest! {
        #[test]
        fn the_matrix_is_a_diagonal_in_its_basis((size, rows) in (1..12_usize, 0..20_usize).prop_flat_map(|(size, count)| {
            vec(-1.0..1.0, size * count).prop_map(move |rows| (size, rows))
        })) {
            let matrix = gram(&rows, size);
            let spectrum = Spectrum::of(matrix.clone(), size);
            for (index, value) in spectrum.values.iter().enumerate() {
                let axis: Vec<f64> = (0..size).map(|i| f64::from(u8::from(i == index))).collect();
                let vector = spectrum.turned_back(&axis);
                for (row, vector_entry) in matrix.chunks_exact(size).zip(&vector) {
                    prop_assert!((dot(row, &vector) - value * vector_entry).abs() < 1e-9);
                }
                let again = spectrum.turned(&vector);
                prop_assert!(again.iter().zip(&axis).all(|(a, b)| (a - b).abs() < 1e-12));
            }
        }
    }
}
