//! Products of matrices that are no fold, on resident data.

use std::ops::Range;

use ndarray::{Array2, ArrayView2, Axis, s};
use onyx_device::matrix::GraphMatrix;
use onyx_device::property::{Key, Tracking, VertexFeatures};
use rayon::prelude::*;

use super::any_data::{AnyData, DataPlace};
use super::{Data, Processor, part};
use crate::backend::cuda::CudaSession;
use crate::backend::cuda::blas::{Blas, Rows};
use crate::error::RunError;

/// How many rows are multiplied in 32-bit floats at once, and how many one core adds up.
const ROWS_OF_A_BLOCK: usize = 64;
const ROWS_OF_A_PART: usize = 2048;

impl<D> Data<D> {
    /// Sets a matrix of the graph to the sum of x·xᵀ over the rows x of some vertices: the part of normal equations that all have in common.
    ///
    /// A GPU does so by cuBLAS, in 32-bit floats, and nothing is copied to the host. Where there is none, the host adds up blocks of rows in 64-bit floats.
    ///
    /// # Errors
    /// As [`Data::read`]; [`RunError::Vertices`] if there are no such vertices; what cuBLAS fails with.
    pub fn outer_sum<S: Tracking>(
        &mut self,
        rows: Key<D, VertexFeatures<0, S>>,
        vertices: Range<u32>,
        into: Key<D, GraphMatrix<0>>,
    ) -> Result<(), RunError> {
        let count = self.untyped.store.shape().0;
        let Range { start, end } = vertices;
        let vertices = start as usize..end as usize;
        if start > end || vertices.end > count {
            return Err(RunError::Vertices { begin: start, end, vertices: count });
        }
        if let Some((gpu, blas)) = with_blas(self.session().processor()) {
            return self.untyped.outer_sum_on_gpu(&gpu, &blas, rows.index, vertices, into.index);
        }
        self.untyped.fetch_one(rows.index)?;
        let sum = outer_sum(self.values(rows)?, vertices);
        self.write(into, &sum)
    }
}

impl AnyData {
    fn outer_sum_on_gpu(
        &mut self,
        gpu: &CudaSession,
        blas: &Blas,
        rows: usize,
        vertices: Range<usize>,
        into: usize,
    ) -> Result<(), RunError> {
        self.check_found(rows)?;
        [into, rows].into_iter().try_for_each(|index| self.bring_to_gpu(index).map(drop))?;
        let (_, store, place) = self.parts();
        let DataPlace::Cuda(residency) = place else { return Ok(()) };
        let shape = Rows { features: store.features(), width: store.width() };
        if let (Some(rows), Some(into)) = (residency.get(rows), residency.get(into)) {
            gpu.noticing(blas.outer_sum(&rows.current, vertices, shape, &into.current))?;
        }
        self.note_written(into);
        Ok(())
    }
}

/// The session of a GPU that has cuBLAS.
fn with_blas(processor: &Processor) -> Option<(CudaSession, Blas)> {
    let Processor::Cuda(session) = processor else { return None };
    Some((session.clone(), session.blas()?.clone()))
}

/// The same on the host. A block is a product of 32-bit floats; as a side has many rows, blocks are added up in 64-bit floats, in an order that does not
/// depend on the number of cores.
fn outer_sum(rows: ArrayView2<'_, f32>, of: Range<usize>) -> Array2<f32> {
    let rows = rows.slice_move(s![of, ..]);
    let parts: Vec<_> = rows.axis_chunks_iter(Axis(0), ROWS_OF_A_PART).collect();
    let parts: Vec<Array2<f64>> = parts.into_par_iter().map(part_of_outer_sum).collect();
    let nothing = Array2::<f64>::zeros((rows.ncols(), rows.ncols()));
    parts.into_iter().fold(nothing, |sum, part| sum + part).mapv(|sum| sum as f32)
}

fn part_of_outer_sum(rows: ArrayView2<'_, f32>) -> Array2<f64> {
    let features = rows.ncols();
    let (mut sum, mut product) = (Array2::zeros((features, features)), Array2::zeros((features, features)));
    for block in rows.axis_chunks_iter(Axis(0), ROWS_OF_A_BLOCK) {
        part::multiply(block.t(), block, product.view_mut(), 0.0);
        sum.zip_mut_with(&product, |sum: &mut f64, product| *sum += f64::from(*product));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_parts_add_up_to_the_whole() {
        for (count, features) in [(0, 3), (1, 1), (63, 5), (200, 8), (2 * ROWS_OF_A_PART + 70, 3)] {
            let rows =
                Array2::from_shape_fn((count + 4, features), |(row, column)| ((row * 7 + column * 5) % 11) as f32);
            let found = outer_sum(rows.view(), 2..count + 2);
            for ((one, other), found) in found.indexed_iter() {
                let products = (2..count + 2).map(|row| f64::from(rows[(row, one)]) * f64::from(rows[(row, other)]));
                assert_eq!(*found, products.sum::<f64>() as f32, "{count} rows of {features}, {one}, {other}");
            }
        }
    }
}
