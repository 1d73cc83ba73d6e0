//! What an algorithm hands to the report.

use onyx_runtime::Report;
use onyx_runtime::memory::{self, OutOfMemory};
use onyx_runtime::ndarray::ArrayView2;
use serde_json::Value;

use super::repeat::Solved;
use onyx_examples::verification::Verification;

/// The answer of one run.
#[derive(Debug)]
pub struct Solution {
    /// What the runtime says of the run.
    pub report: Report,
    /// The verification in 64-bit floats, unless it was not asked for.
    pub verification: Option<Verification>,
    /// The result for `--json`.
    pub result: Value,
    /// The result in lines of text.
    pub lines: Vec<String>,
    /// The result for `--output`.
    pub values: Values,
}

impl Solved for Solution {
    fn report(&self) -> &Report {
        &self.report
    }

    fn verification(&self) -> Option<Verification> {
        self.verification
    }
}

/// A row of values for each vertex.
#[derive(Debug)]
pub struct Values {
    /// All rows, one after the other.
    pub values: Vec<f32>,
    /// The values in a row.
    pub width: usize,
}

impl Values {
    /// A row of `rows` for each vertex.
    ///
    /// # Errors
    /// There is no memory for them.
    pub fn of(rows: ArrayView2<'_, f32>) -> Result<Self, OutOfMemory> {
        let mut values = memory::vector(rows.len(), "the values to write")?;
        values.extend(rows);
        Ok(Self { values, width: rows.ncols() })
    }

    /// The row of a vertex; panics if there is none.
    pub fn row(&self, vertex: u32) -> &[f32] {
        &self.values[vertex as usize * self.width..][..self.width]
    }

    /// The rows, vertex after vertex.
    pub fn rows(&self) -> impl Iterator<Item = &[f32]> {
        self.values.chunks_exact(self.width)
    }
}
