//! A factor's table of potentials.

use super::error::NetworkError;

/// The potentials of two variables as logarithms: `logarithms[row * columns + column]`, the greatest of which is 0; minus infinity is the potential 0.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    rows: usize,
    columns: usize,
    logarithms: Vec<f64>,
}

impl Table {
    /// A table of `rows` x `columns` potentials, and the logarithm of what they were divided by so that the greatest is 1.
    ///
    /// # Errors
    /// The number of values is another one, one of them is no potential, or all are 0.
    pub fn new(rows: usize, columns: usize, values: &[f64]) -> Result<(Self, f64), NetworkError> {
        let expected = rows.checked_mul(columns).ok_or(NetworkError::TableSize { expected: usize::MAX, found: 0 })?;
        Self::scaled(rows, columns, logarithms(values, expected)?)
    }

    /// The same of the potentials' logarithms.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn of_logarithms(rows: usize, columns: usize, logarithms: &[f64]) -> Result<(Self, f64), NetworkError> {
        let expected = rows.checked_mul(columns).ok_or(NetworkError::TableSize { expected: usize::MAX, found: 0 })?;
        check(logarithms, expected)?;
        Self::scaled(rows, columns, logarithms.to_vec())
    }

    fn scaled(rows: usize, columns: usize, mut logarithms: Vec<f64>) -> Result<(Self, f64), NetworkError> {
        let scale = rescale(&mut logarithms).ok_or(NetworkError::AllZero)?;
        Ok((Self { rows, columns, logarithms }, scale))
    }

    /// The states of the first variable.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The states of the second variable.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The logarithm of the potential of two states.
    pub fn log(&self, row: usize, column: usize) -> f64 {
        self.logarithms[row * self.columns + column]
    }

    /// The logarithms of all potentials, row after row.
    pub fn logarithms(&self) -> &[f64] {
        &self.logarithms
    }

    /// The table with its variables exchanged.
    pub fn transposed(&self) -> Self {
        let entries = (0..self.columns).flat_map(|column| (0..self.rows).map(move |row| (row, column)));
        let logarithms = entries.map(|(row, column)| self.log(row, column)).collect();
        Self { rows: self.columns, columns: self.rows, logarithms }
    }

    /// Whether it is the same seen from either variable.
    pub fn is_symmetric(&self) -> bool {
        self.rows == self.columns && *self == self.transposed()
    }

    /// The entry-wise product, and the logarithm of what it was divided by; none if nothing is left.
    pub(super) fn multiplied(&self, other: &Self) -> Option<(Self, f64)> {
        let sums = self.logarithms.iter().zip(&other.logarithms).map(|(one, other)| one + other);
        let mut logarithms: Vec<f64> = sums.collect();
        let scale = rescale(&mut logarithms)?;
        Some((Self { logarithms, ..*self }, scale))
    }
}

/// The logarithms of `expected` potentials; refuses what are none, or allow nothing.
pub(super) fn logarithms(values: &[f64], expected: usize) -> Result<Vec<f64>, NetworkError> {
    if values.len() != expected {
        return Err(NetworkError::TableSize { expected, found: values.len() });
    }
    match values.iter().find(|value| !value.is_finite() || **value < 0.0) {
        Some(&value) => Err(NetworkError::Potential { value }),
        None if values.iter().all(|&value| value == 0.0) => Err(NetworkError::AllZero),
        // The logarithm of -0 is no less than that of 0.
        None => Ok(values.iter().map(|value| value.abs().ln()).collect()),
    }
}

/// Refuses what are no `expected` logarithms of potentials, or those of potentials that allow nothing.
pub(super) fn check(logarithms: &[f64], expected: usize) -> Result<(), NetworkError> {
    if logarithms.len() != expected {
        return Err(NetworkError::TableSize { expected, found: logarithms.len() });
    }
    match logarithms.iter().find(|value| value.is_nan() || **value == f64::INFINITY) {
        Some(&value) => Err(NetworkError::Logarithm { value }),
        None if logarithms.iter().all(|&value| value == f64::NEG_INFINITY) => Err(NetworkError::AllZero),
        None => Ok(()),
    }
}

/// Divides by the greatest potential, and returns its logarithm; none if it is 0.
pub(super) fn rescale(logarithms: &mut [f64]) -> Option<f64> {
    let greatest = logarithms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if greatest == f64::NEG_INFINITY {
        return None;
    }
    logarithms.iter_mut().for_each(|logarithm| *logarithm -= greatest);
    Some(greatest)
}
