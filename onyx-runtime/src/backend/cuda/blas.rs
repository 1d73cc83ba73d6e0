//! Products of matrices on a GPU, by cuBLAS where the machine has it.

use std::ops::Range;
use std::sync::Arc;

use cudarc::cublas::result::CublasError;
use cudarc::cublas::sys::cublasOperation_t::{self, CUBLAS_OP_N, CUBLAS_OP_T};
use cudarc::cublas::{CudaBlas, result, sys};
use cudarc::driver::CudaStream;

use super::CudaArray;
use super::memory::{CudaMemory, failed};
use crate::backend::memory::Memory;
use crate::error::{CudaError, RunError};
use crate::session::DeviceRows;

/// Rows of floats in an array: the first `features` of `width`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    pub(crate) features: usize,
    pub(crate) width: usize,
}

/// A handle of cuBLAS on one stream.
#[derive(Clone)]
pub(crate) struct Blas {
    handle: Arc<CudaBlas>,
    memory: CudaMemory,
}

impl Blas {
    /// The handle, where the library is there and works.
    pub(super) fn new(memory: &CudaMemory, stream: &Arc<CudaStream>) -> Option<Self> {
        // SAFETY: asks whether the library can be opened, which runs its constructors as every use of it does.
        if !unsafe { sys::is_culib_present() } {
            return None;
        }
        let handle = CudaBlas::new(Arc::clone(stream)).ok()?;
        Some(Self { handle: Arc::new(handle), memory: memory.clone() })
    }

    /// Stores in `into` the sum of x·xᵀ over the rows `of`, each `features` x `features` floats in rows of `width`.
    pub(crate) fn outer_sum(
        &self,
        rows: &CudaArray,
        of: Range<usize>,
        shape: Rows,
        into: &CudaArray,
    ) -> Result<(), RunError> {
        let doing = "adding up outer products of rows";
        self.memory.stream().context().bind_to_thread().map_err(failed(doing))?;
        let Rows { features, width } = shape;
        let first = self.memory.address(rows).cast::<f32>().wrapping_add(of.start * width).cast_const();
        let place = self.memory.address(into).cast::<f32>();
        let (size, count, stride) = (features as i32, of.len() as i32, width as i32);
        // SAFETY: a row-major array is the transposed column-major one: `rows` has `of.end` columns of `width` floats there, and `into` as many
        // rows as features; both are alive, and all work on them is on this stream. Numbers of vertices fit 32 bits.
        let done = unsafe {
            result::sgemm(
                *self.handle.handle(),
                CUBLAS_OP_N,
                CUBLAS_OP_T,
                size,
                size,
                count,
                &1.0,
                first,
                stride,
                first,
                stride,
                &0.0,
                place,
                stride,
            )
        };
        done.map_err(|source| refused(doing, source))
    }
    /// Stores `left` · `right` + `keep` · `into` in `into`, whose sizes fit each other.
    pub(crate) fn multiply(
        &self,
        left: DeviceRows<'_>,
        right: DeviceRows<'_>,
        into: DeviceRows<'_>,
        keep: f32,
    ) -> Result<(), RunError> {
        let doing = "multiplying matrices";
        let (rows, columns) = (into.layout.rows, into.layout.columns);
        if rows == 0 || columns == 0 {
            return Ok(());
        }
        let terms = if left.is_transposed { left.layout.rows } else { left.layout.columns };
        let [columns, rows, terms] = [size(doing, columns)?, size(doing, rows)?, size(doing, terms)?];
        let [right_stride, left_stride, stride] = strides(doing, [right, left, into])?;
        self.memory.stream().context().bind_to_thread().map_err(failed(doing))?;
        // SAFETY: rows that lie one after the other are the columns of the transposed matrix, and the transposed product is that of the
        // transposed factors in reverse order. All arrays are alive and of these sizes, and all work on them is on this stream.
        let done = unsafe {
            result::sgemm(
                *self.handle.handle(),
                operation(right),
                operation(left),
                columns,
                rows,
                terms,
                &1.0,
                right.address.cast_const(),
                right_stride,
                left.address.cast_const(),
                left_stride,
                &keep,
                into.address,
                stride,
            )
        };
        done.map_err(|source| refused(doing, source))
    }

    /// Copies `from` to `into`, which is of the same shape.
    pub(crate) fn copy(&self, from: DeviceRows<'_>, into: DeviceRows<'_>) -> Result<(), RunError> {
        let doing = "copying a matrix";
        let (rows, columns) = (into.layout.rows, into.layout.columns);
        if rows == 0 || columns == 0 {
            return Ok(());
        }
        let [columns, rows] = [size(doing, columns)?, size(doing, rows)?];
        let [from_stride, stride] = strides(doing, [from, into])?;
        self.memory.stream().context().bind_to_thread().map_err(failed(doing))?;
        // SAFETY: as above. The second operand may be the result where it counts nothing and is not transposed.
        let done = unsafe {
            sys::cublasSgeam(
                *self.handle.handle(),
                operation(from),
                CUBLAS_OP_N,
                columns,
                rows,
                &1.0,
                from.address.cast_const(),
                from_stride,
                &0.0,
                into.address.cast_const(),
                stride,
                into.address,
                stride,
            )
        };
        done.result().map_err(|source| refused(doing, source))
    }
}

/// How the columns that lie in memory are taken.
fn operation(rows: DeviceRows<'_>) -> cublasOperation_t {
    if rows.is_transposed { CUBLAS_OP_T } else { CUBLAS_OP_N }
}

fn strides<const N: usize>(doing: &str, rows: [DeviceRows<'_>; N]) -> Result<[i32; N], RunError> {
    let mut strides = [0; N];
    for (stride, rows) in strides.iter_mut().zip(rows) {
        *stride = size(doing, rows.layout.stride.max(1))?;
    }
    Ok(strides)
}

/// cuBLAS counts by 32 bits.
fn size(doing: &str, size: usize) -> Result<i32, RunError> {
    i32::try_from(size).map_err(|_| CudaError::BlasSize { doing: doing.to_owned(), size }.into())
}

fn refused(doing: &str, source: CublasError) -> RunError {
    CudaError::Blas { doing: doing.to_owned(), source }.into()
}
