//! A sparse matrix: compressed rows in four arrays.

use super::archive::Archive;
use crate::dataset::DatasetError;

/// A matrix by rows.
#[derive(Debug)]
pub struct Matrix {
    /// Where each row begins, and the number of entries as the last.
    offsets: Vec<u64>,
    /// The column of each entry.
    places: Vec<u64>,
    /// The value of each entry.
    pub values: Vec<f32>,
    /// The number of columns.
    pub columns: usize,
}

impl Matrix {
    /// Reads the arrays `{name}_data` and so on, which have to be of a matrix of `rows` rows.
    pub fn read(archive: &Archive<'_>, name: &'static str, rows: usize) -> Result<Self, DatasetError> {
        let [data, indices, indptr, shape] = match name {
            "adj" => ["adj_data", "adj_indices", "adj_indptr", "adj_shape"],
            _ => ["attr_data", "attr_indices", "attr_indptr", "attr_shape"],
        };
        let sizes = archive.array(shape)?.whole()?;
        let columns = match sizes[..] {
            [found, columns] if found == rows as u64 => u32::try_from(columns).ok(),
            _ => None,
        };
        let wrong = || format!("is {sizes:?}, and not the {rows} of the labels and a number of columns");
        let columns = columns.ok_or_else(|| archive.error(shape, wrong()))? as usize;
        let matrix = Self {
            offsets: archive.array(indptr)?.whole()?,
            places: archive.array(indices)?.whole()?,
            values: archive.array(data)?.floats()?,
            columns,
        };
        matrix.check(rows).map_err(|(part, reason)| archive.error([data, indices, indptr][part], reason))?;
        Ok(matrix)
    }

    /// The first array, of the values, the columns and the offsets, that breaks a rule of matrices, and which rule.
    fn check(&self, rows: usize) -> Result<(), (usize, String)> {
        let (offsets, places, entries) = (&self.offsets, &self.places, self.places.len());
        if self.values.len() != entries {
            return Err((0, format!("has {} values, and there are {entries} columns of entries", self.values.len())));
        }
        if let Some(place) = places.iter().position(|column| *column >= self.columns as u64) {
            return Err((
                1,
                format!("has the column {} at place {place} of a matrix of {}", places[place], self.columns),
            ));
        }
        let ends = (offsets.first(), offsets.last());
        if offsets.len() != rows + 1 || ends != (Some(&0), Some(&(entries as u64))) || !offsets.is_sorted() {
            return Err((2, format!("does not rise from 0 to {entries} in {} steps, one a row", rows)));
        }
        Ok(())
    }

    /// The number of rows.
    pub fn rows(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Each entry as (row, column, value).
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f32)> {
        (0..self.rows()).flat_map(move |row| {
            let entries = self.offsets[row] as usize..self.offsets[row + 1] as usize;
            entries.map(move |entry| (row, self.places[entry] as usize, self.values[entry]))
        })
    }
}
