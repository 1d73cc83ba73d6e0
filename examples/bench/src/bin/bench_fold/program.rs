//! What the programs have in common: a store to start from, and a serial reference to agree with.

use onyx_device::Fold;
use onyx_runtime::Store;
use onyx_runtime::graph::Graph;

use crate::Result;

/// What rounding to 32 bits may change, as a part of the largest value.
const TOLERANCE: f64 = 1e-4;

/// What a program runs on.
#[derive(Clone, Copy)]
pub struct Problem<'a> {
    pub graph: &'a Graph,
    pub features: usize,
}

/// One program: the same functions in three variants, and what all of them must give.
pub trait Program {
    const NAME: &'static str;
    /// How many functions are folded.
    const FUNCTIONS: usize;

    /// The values that every variant starts from.
    fn store<F: Fold>(&self, fold: F) -> Result<Store>;

    /// Compares what a variant has left with the serial reference.
    fn check(&self, store: &Store) -> Result<()>;
}

impl Problem<'_> {
    /// The vertices.
    pub fn vertices(&self) -> std::ops::Range<u32> {
        0..self.graph.vertex_count() as u32
    }

    /// Zeros, one for each feature of each vertex.
    pub fn zeros(&self) -> Vec<f64> {
        vec![0.0; self.graph.vertex_count() * self.features]
    }

    /// The places of a vertex's features among those of all vertices.
    pub fn places(&self, vertex: u32) -> std::ops::Range<usize> {
        vertex as usize * self.features..(vertex as usize + 1) * self.features
    }

    /// Fails at the first value that is not `expected`, given the row of each vertex.
    pub fn agree<'a>(&self, row: impl Fn(u32) -> &'a [f32], expected: &[f64]) -> Result<()> {
        let scale = expected.iter().fold(1.0_f64, |scale, value| scale.max(value.abs()));
        let found = self.vertices().flat_map(row);
        for (index, (found, expected)) in found.zip(expected).enumerate() {
            let difference = (f64::from(*found) - expected).abs();
            if difference.is_nan() || difference > TOLERANCE * scale {
                return Err(format!("value {index} is {found}, expected {expected}").into());
            }
        }
        Ok(())
    }
}

/// A number between 0 and 1 that only must not be regular.
pub fn number(row: usize, column: usize) -> f64 {
    let mixed = (row as u32).wrapping_mul(2_654_435_761).wrapping_add((column as u32).wrapping_mul(40_503)) >> 8;
    f64::from(mixed % 1000 + 1) / 1000.0
}

/// Divides by the sum.
pub fn normalized(mut values: Vec<f64>) -> Vec<f64> {
    let total: f64 = values.iter().sum();
    values.iter_mut().for_each(|value| *value /= total);
    values
}
