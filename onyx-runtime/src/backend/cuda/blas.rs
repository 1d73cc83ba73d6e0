//! Products of matrices on a GPU, by cuBLAS where the machine has it.

use std::ops::Range;
use std::sync::Arc;

use cudarc::cublas::sys::cublasOperation_t::{CUBLAS_OP_N, CUBLAS_OP_T};
use cudarc::cublas::{CudaBlas, result, sys};
use cudarc::driver::CudaStream;

use super::CudaArray;
use super::memory::{CudaMemory, failed};
use crate::backend::memory::Memory;
use crate::error::{CudaError, RunError};

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
        done.map_err(|source| CudaError::Blas { doing: doing.to_owned(), source }.into())
    }
}
