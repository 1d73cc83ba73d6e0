//! A factor's table of potentials.

use super::error::NetworkError;

/// The potentials of two variables: `values[row * columns + column]`, the greatest of which is 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Table {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl Table {
    /// A table of `rows` x `columns` potentials, and the logarithm of what they were divided by so that the greatest is 1.
    ///
    /// # Errors
    /// The number of values is another one, one of them is no potential, or all are 0.
    pub fn new(rows: usize, columns: usize, values: &[f64]) -> Result<(Self, f64), NetworkError> {
        let expected = rows.checked_mul(columns).ok_or(NetworkError::TableSize { expected: usize::MAX, found: 0 })?;
        check(values, expected)?;
        let mut values = values.to_vec();
        let scale = rescale(&mut values).ok_or(NetworkError::AllZero)?;
        Ok((Self { rows, columns, values }, scale))
    }

    /// The states of the first variable.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The states of the second variable.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The potential of two states.
    pub fn get(&self, row: usize, column: usize) -> f64 {
        self.values[row * self.columns + column]
    }

    /// All potentials, row after row.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// The table with its variables exchanged.
    pub fn transposed(&self) -> Self {
        let entries = (0..self.columns).flat_map(|column| (0..self.rows).map(move |row| (row, column)));
        let values = entries.map(|(row, column)| self.get(row, column)).collect();
        Self { rows: self.columns, columns: self.rows, values }
    }

    /// Whether it is the same seen from either variable.
    pub fn is_symmetric(&self) -> bool {
        self.rows == self.columns && *self == self.transposed()
    }

    /// The entry-wise product, and the logarithm of what it was divided by; none if nothing is left.
    pub(super) fn multiplied(&self, other: &Self) -> Option<(Self, f64)> {
        let mut values: Vec<f64> = self.values.iter().zip(&other.values).map(|(one, other)| one * other).collect();
        let scale = rescale(&mut values)?;
        Some((Self { values, ..*self }, scale))
    }
}

/// Refuses what are no `expected` potentials, or potentials that allow nothing.
pub(super) fn check(values: &[f64], expected: usize) -> Result<(), NetworkError> {
    if values.len() != expected {
        return Err(NetworkError::TableSize { expected, found: values.len() });
    }
    match values.iter().find(|value| !value.is_finite() || **value < 0.0) {
        Some(&value) => Err(NetworkError::Potential { value }),
        None if values.iter().all(|&value| value == 0.0) => Err(NetworkError::AllZero),
        None => Ok(()),
    }
}

/// Divides by the greatest value, so that products of many factors stay in range, and returns its logarithm; none if it is 0.
pub(super) fn rescale(values: &mut [f64]) -> Option<f64> {
    let greatest = values.iter().copied().fold(0.0, f64::max);
    if greatest == 0.0 {
        return None;
    }
    values.iter_mut().for_each(|value| *value /= greatest);
    Some(greatest.ln())
}
