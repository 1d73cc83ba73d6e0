//! Synthetic values, the rows of data, and their differences.

use onyx_device::property::{Key, VertexRow};
use onyx_runtime::graph::Graph;
use onyx_runtime::ndarray::{Array2, Ix2};
use onyx_runtime::{Data, RunError, Shaped, Store};

/// A number above 0 and at most 1 that only must not be regular.
pub fn number(row: usize, column: usize) -> f32 {
    let mixed =
        (row as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (column as u64 + 1).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let mixed = (mixed ^ mixed >> 32).wrapping_mul(0xd6e8_feb8_6659_fd93);
    ((mixed >> 44) + 1) as f32 / (1 << 20) as f32
}

/// A number for an edge that is the same for its reverse.
pub fn number_between(source: u32, destination: u32) -> f32 {
    number(source.min(destination) as usize, source.max(destination) as usize)
}

/// What is in the rows of all vertices, one after another.
pub fn results<D, P>(data: &mut Data<D>, key: Key<D, P>) -> Result<Vec<f32>, RunError>
where
    P: Shaped<Number = f32, Dimension = Ix2>,
{
    Ok(data.read(key)?.iter().copied().collect())
}

/// Sets each feature of each of so many rows.
pub fn fill<D, P>(
    data: &mut Data<D>,
    key: Key<D, P>,
    rows: usize,
    value: impl Fn(usize, usize) -> f32,
) -> Result<(), RunError>
where
    P: Shaped<Number = f32, Dimension = Ix2>,
{
    data.write(key, &Array2::from_shape_fn((rows, data.features()), |(row, feature)| value(row, feature)))
}

/// The rows of all vertices in a store, one after another, in 64-bit floats.
pub fn wide_rows<D, P: VertexRow<Feature = f32, Stored = f32>>(
    graph: &Graph,
    store: &Store,
    key: Key<D, P>,
) -> Vec<f64> {
    let vertices = 0..graph.vertex_count() as u32;
    vertices.flat_map(|vertex| store.row(key, vertex)).copied().map(f64::from).collect()
}

/// Divides each row by its sum.
pub fn normalize(row: &mut [f64]) {
    let total: f64 = row.iter().sum();
    if total != 0.0 {
        row.iter_mut().for_each(|value| *value /= total);
    }
}

/// The greatest difference, as a part of the greatest expected value; not a number where a value is not.
pub fn difference(found: &[f32], expected: &[f64]) -> f64 {
    let greatest = expected.iter().fold(f64::MIN_POSITIVE, |most, value| most.max(value.abs()));
    let differences = found.iter().zip(expected).map(|(found, expected)| (f64::from(*found) - expected).abs());
    // Unlike f64::max, this keeps a difference that is not a number.
    differences.fold(0.0, |most: f64, next| if next > most || next.is_nan() { next } else { most }) / greatest
}
