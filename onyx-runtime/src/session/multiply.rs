//! Products of matrices in a session's memory, and copies of them.

use ndarray::{Array2, ArrayView2, ArrayViewMut2, Axis, s};
use rayon::prelude::*;

use super::matrix::{MatrixMutPlace, MatrixPlace};
use super::{Matrix, MatrixMut, Processor, Session, part};
use crate::backend::cuda::blas::Blas;
use crate::error::{CudaError, RunError};

/// How many rows of a product one core computes at once.
const ROWS: usize = 256;
/// How many products of a sum one core adds up at once, where the sums are long and few.
const TERMS: usize = 4096;
/// How many sums are few.
const FEW: usize = 1 << 16;

impl Session {
    /// Sets `into` to `left` · `right` + `keep` · `into`, after all that was asked for before. With a `keep` of 0 it does not matter what was there.
    ///
    /// A GPU does so by cuBLAS in 32-bit floats, without waiting and with nothing copied to the host.
    ///
    /// # Errors
    /// [`RunError::Product`] if the sizes do not fit each other; [`RunError::OtherMatrix`] for a matrix elsewhere; [`CudaError::NoBlas`] without
    /// cuBLAS, and what it fails with.
    pub fn multiply(
        &self,
        left: Matrix<'_>,
        right: Matrix<'_>,
        into: &mut MatrixMut<'_>,
        keep: f32,
    ) -> Result<(), RunError> {
        self.check_own("a product", &[left.session, right.session, into.session])?;
        let ((rows, inner), (terms, columns), expected) = (left.shape(), right.shape(), into.shape());
        if inner != terms || (rows, columns) != expected {
            return Err(RunError::Product { left: left.shape(), right: right.shape(), into: expected });
        }
        match (left.place, right.place, &mut into.place) {
            (MatrixPlace::Host(left), MatrixPlace::Host(right), MatrixMutPlace::Host(into)) => {
                multiply(left, right, into.view_mut(), keep);
                Ok(())
            }
            (MatrixPlace::Cuda(left), MatrixPlace::Cuda(right), MatrixMutPlace::Cuda(into)) => {
                self.with_blas(|blas| blas.multiply(left, right, *into, keep))
            }
            _ => unreachable!("all matrices of a session are on its processor"),
        }
    }

    /// Copies `from` to `into`, after all that was asked for before.
    ///
    /// # Errors
    /// As [`Session::multiply`].
    pub fn copy(&self, from: Matrix<'_>, into: &mut MatrixMut<'_>) -> Result<(), RunError> {
        self.check_own("a copy", &[from.session, into.session])?;
        if from.shape() != into.shape() {
            return Err(RunError::Copy { from: from.shape(), into: into.shape() });
        }
        match (from.place, &mut into.place) {
            (MatrixPlace::Host(from), MatrixMutPlace::Host(into)) => {
                into.assign(&from);
                Ok(())
            }
            (MatrixPlace::Cuda(from), MatrixMutPlace::Cuda(into)) => self.with_blas(|blas| blas.copy(from, *into)),
            _ => unreachable!("all matrices of a session are on its processor"),
        }
    }

    fn with_blas(&self, act: impl FnOnce(&Blas) -> Result<(), RunError>) -> Result<(), RunError> {
        let Processor::Cuda(gpu) = self.processor() else { return Ok(()) };
        gpu.noticing(gpu.blas().ok_or_else(|| CudaError::NoBlas.into()).and_then(act))
    }
}

/// On all cores. What a sum is added up of, and in which order, does not depend on how many there are.
pub(crate) fn multiply(
    left: ArrayView2<'_, f32>,
    right: ArrayView2<'_, f32>,
    mut into: ArrayViewMut2<'_, f32>,
    keep: f32,
) {
    if left.ncols() > TERMS && into.len() <= FEW {
        return multiply_long(left, right, into, keep);
    }
    let parts: Vec<_> = left.axis_chunks_iter(Axis(0), ROWS).zip(into.axis_chunks_iter_mut(Axis(0), ROWS)).collect();
    parts.into_par_iter().for_each(|(left, into)| part::multiply(left, right, into, keep));
}

/// Where there are few sums, such as those of weights over all vertices.
fn multiply_long(left: ArrayView2<'_, f32>, right: ArrayView2<'_, f32>, mut into: ArrayViewMut2<'_, f32>, keep: f32) {
    let count = left.ncols().div_ceil(TERMS);
    let part = |number: usize| {
        let range = number * TERMS..((number + 1) * TERMS).min(left.ncols());
        let mut part = Array2::zeros(into.raw_dim());
        part::multiply(left.slice(s![.., range.clone()]), right.slice(s![range, ..]), part.view_mut(), 0.0);
        part
    };
    let parts: Vec<Array2<f32>> = (0..count).into_par_iter().map(part).collect();
    into.map_inplace(|value| *value = if keep == 0.0 { 0.0 } else { keep * *value });
    parts.iter().for_each(|part| into += part);
}
