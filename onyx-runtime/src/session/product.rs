//! Products of matrices that are no fold, on resident data.

use std::ops::Range;

use ndarray::{Array2, ArrayView2};
use onyx_device::matrix::GraphMatrix;
use onyx_device::property::{Key, Tracking, VertexFeatures};
use rayon::prelude::*;

use super::any_data::{AnyData, DataPlace};
use super::{Data, Processor};
use crate::backend::cuda::blas::{Blas, Rows};
use crate::backend::cuda::{self, CudaSession};
use crate::backend::memory_plan::MemoryPlan;
use crate::backend::residency::Use;
use crate::error::RunError;

impl<D> Data<D> {
    /// Sets a matrix of the graph to the sum of x·xᵀ over the rows x of some vertices: the part of normal equations that all have in common.
    ///
    /// A GPU does so by cuBLAS, in 32-bit floats, and nothing is copied to the host. Where there is none, the host adds up 64-bit floats.
    ///
    /// # Errors
    /// As [`Data::read`]; what cuBLAS fails with. Panics if there are no such vertices.
    pub fn outer_sum<S: Tracking>(
        &mut self,
        rows: Key<D, VertexFeatures<0, S>>,
        vertices: Range<u32>,
        into: Key<D, GraphMatrix<0>>,
    ) -> Result<(), RunError> {
        let vertices = vertices.start as usize..vertices.end as usize;
        assert!(vertices.end <= self.untyped.store.shape().0, "the data has {} vertices", self.untyped.store.shape().0);
        if let Some((gpu, blas)) = with_blas(self.session().processor()) {
            return self.untyped.outer_sum_on_gpu(&gpu, &blas, rows.index, vertices, into.index);
        }
        self.untyped.check_found(rows.index)?;
        self.untyped.fetch(1 << rows.index)?;
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
        let (_, store, place) = self.parts();
        let DataPlace::Cuda(residency) = place else { return Ok(()) };
        let shape = Rows { features: store.features(), width: store.width() };
        let missing = [rows, into].into_iter().filter(|index| residency.get(*index).is_none());
        let arrays = missing.map(|index| (store.properties()[index].name.to_owned(), 4 * store.length(index) as u64));
        cuda::require(gpu, &MemoryPlan::of(arrays))?;
        residency.property(gpu.memory(), store, into, Use::default())?;
        residency.property(gpu.memory(), store, rows, Use::default())?;
        if let (Some(rows), Some(into)) = (residency.get(rows), residency.get(into)) {
            blas.outer_sum(&rows.current, vertices, shape, &into.current)?;
        }
        residency.ran(1 << into, 0);
        store.give(into);
        Ok(())
    }
}

/// The session of a GPU that has cuBLAS.
fn with_blas(processor: &Processor) -> Option<(CudaSession, Blas)> {
    let Processor::Cuda(session) = processor else { return None };
    Some((session.clone(), session.blas()?.clone()))
}

/// The same on the host, in 64-bit floats, for a side has many rows.
fn outer_sum(rows: ArrayView2<'_, f32>, of: Range<usize>) -> Array2<f32> {
    let features = rows.ncols();
    let nothing = || vec![0.0_f64; features * features];
    let add = |mut sum: Vec<f64>, vertex: usize| {
        let row = rows.row(vertex);
        for (places, value) in sum.chunks_exact_mut(features).zip(row) {
            places.iter_mut().zip(row).for_each(|(place, other)| *place += f64::from(*value) * f64::from(*other));
        }
        sum
    };
    let sums = of.into_par_iter().fold(nothing, add).reduce(nothing, |mut sum, part| {
        sum.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
        sum
    });
    Array2::from_shape_fn((features, features), |(row, column)| sums[row * features + column] as f32)
}
