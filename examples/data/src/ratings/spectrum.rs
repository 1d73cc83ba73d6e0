//! Eigenvectors of symmetric matrices.

use nalgebra::{DMatrix, SymmetricEigen};

use super::factors::dot;

/// More steps than any matrix has taken.
const STEPS: usize = 100_000;

/// The eigenvalues of a matrix, and its eigenvectors as a basis.
#[derive(Clone, Debug)]
pub struct Spectrum {
    /// The eigenvalues, in no order.
    pub values: Vec<f64>,
    /// The eigenvectors, row after row.
    vectors: Vec<f64>,
}

impl Spectrum {
    /// Of a matrix of `size` rows that is symmetric and has no eigenvalue below zero, row after row. No numbers where the matrix has some.
    pub fn of(matrix: &[f64], size: usize) -> Self {
        let is_finite = matrix.iter().all(|value| value.is_finite());
        let matrix = DMatrix::from_row_slice(size, size, matrix);
        match SymmetricEigen::try_new(matrix, f64::EPSILON, STEPS).filter(|_| is_finite) {
            // Columns lie one after the other.
            Some(eigen) => Self {
                values: eigen.eigenvalues.iter().map(|value| value.max(0.0)).collect(),
                vectors: eigen.eigenvectors.as_slice().to_vec(),
            },
            None => Self { values: vec![f64::NAN; size], vectors: vec![f64::NAN; size * size] },
        }
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

#[cfg(test)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_no_matrix_has_no_numbers() {
        assert!(Spectrum::of(&[f64::NAN; 4], 2).values.iter().all(|value| value.is_nan()));
    }

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
            let spectrum = Spectrum::of(&matrix, size);
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
