//! Products of matrices on a GPU, by cuBLAS where the machine has it.

use std::ops::Range;
use std::ptr;
use std::sync::Arc;

use cudarc::cublas::result::CublasError;
use cudarc::cublas::sys::cublasOperation_t::{self, CUBLAS_OP_N, CUBLAS_OP_T};
use cudarc::cublas::{CudaBlas, result, sys};
use cudarc::driver::CudaStream;

use super::CudaArray;
use super::act::{COPY, Copying, MATRIX, PRODUCT};
use super::library;
use super::memory::{CudaMemory, failed};
use super::parts::Parts;
use crate::backend::device::{Act, Effects};
use crate::backend::memory::Memory;
use crate::error::{CudaError, RunError};
use crate::session::DeviceRows;

/// Rows of floats in an array: the first `features` of `width`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    pub(crate) features: usize,
    pub(crate) width: usize,
}

/// The memory that cuBLAS works in: as much as its manual recommends for large GPUs. Otherwise it may allocate some in a recording.
const WORKSPACE: usize = 32 << 20;

/// The most terms of a sum that is not cut. cuBLAS cuts sums of 16 terms, too, where there are few rows, and adds up the parts by another kernel: that takes two to three times as long
/// (`docs/measurements/products-whole-h200.csv`).
const FEW_TERMS: i32 = 128;

/// Handles of cuBLAS on one stream.
#[derive(Clone)]
pub(crate) struct Blas {
    handle: Arc<CudaBlas>,
    /// One that has no memory to work in, and so cuts no sums.
    plain: Option<Arc<CudaBlas>>,
    memory: CudaMemory,
    parts: Option<Arc<Parts>>,
    /// Dropped after the handle.
    _workspace: Option<Arc<CudaArray>>,
}

impl Blas {
    /// The handle, where the library is there and works.
    pub(super) fn new(memory: &CudaMemory, stream: &Arc<CudaStream>) -> Option<Self> {
        if !library::load() {
            return None;
        }
        let handle = Arc::new(CudaBlas::new(Arc::clone(stream)).ok()?);
        let (workspace, parts) = (workspace(memory, &handle), Parts::new(memory));
        Some(Self { handle, plain: plain(stream), memory: memory.clone(), parts, _workspace: workspace })
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
        let Rows { features, width } = shape;
        let first = self.memory.address(rows).cast::<f32>().wrapping_add(of.start * width).addr() as u64;
        let (side, terms, stride) = (size(doing, features)?, size(doing, of.len())?, size(doing, width)?);
        // A row-major array is the transposed column-major one.
        let rows = Operand { address: first, stride, operation: CUBLAS_OP_N };
        let columns = Operand { operation: CUBLAS_OP_T, ..rows };
        let into = Operand { address: self.memory.address(into).addr() as u64, ..rows };
        self.ask(self.product_of(doing, [rows, columns, into], [side, side, terms], 0.0))
    }

    /// Stores `left` · `right` + `keep` · `into` in `into`, whose sizes fit each other.
    pub(crate) fn multiply(
        &self,
        left: DeviceRows<'_>,
        right: DeviceRows<'_>,
        into: DeviceRows<'_>,
        keep: f32,
    ) -> Result<(), RunError> {
        self.product(left, right, into, keep)?.map_or(Ok(()), |product| self.ask(product))
    }

    /// Stores `left` · `right` in `into`, whose sizes fit each other, within a step of a recording, if one was entered.
    pub(super) fn multiply_within(
        &self,
        left: DeviceRows<'_>,
        right: DeviceRows<'_>,
        into: DeviceRows<'_>,
    ) -> Result<(), RunError> {
        self.product(left, right, into, 0.0)?.map_or(Ok(()), |product| self.memory.ask_within(product))
    }

    /// The product, unless nothing comes of it.
    fn product(
        &self,
        left: DeviceRows<'_>,
        right: DeviceRows<'_>,
        into: DeviceRows<'_>,
        keep: f32,
    ) -> Result<Option<Product>, RunError> {
        let doing = "multiplying matrices";
        let (rows, columns) = (into.layout.rows, into.layout.columns);
        if rows == 0 || columns == 0 {
            return Ok(None);
        }
        let terms = if left.is_transposed { left.layout.rows } else { left.layout.columns };
        let sizes = [size(doing, columns)?, size(doing, rows)?, size(doing, terms)?];
        // Rows that lie one after the other are the columns of the transposed matrix, and the transposed product is that of the transposed factors in
        // reverse order.
        let operands = [operand(doing, right)?, operand(doing, left)?, operand(doing, into)?];
        Ok(Some(self.product_of(doing, operands, sizes, keep)))
    }

    fn product_of(&self, doing: &'static str, operands: [Operand; 3], sizes: [i32; 3], keep: f32) -> Product {
        let parts = self.parts.clone().filter(|_| Parts::suit(operands, sizes));
        let plain = self.plain.as_ref().filter(|_| sizes[2] <= FEW_TERMS);
        let handle = Arc::clone(plain.unwrap_or(&self.handle));
        Product { handle, works_in_memory: plain.is_none(), parts, doing, operands, sizes, keep }
    }

    fn ask(&self, product: Product) -> Result<(), RunError> {
        let Product { operands, sizes, keep, .. } = product;
        self.memory.ask(|| key(PRODUCT, &operands, &sizes, keep), product)
    }

    /// Copies `from` to `into`, which is of the same shape.
    pub(crate) fn copy(&self, from: DeviceRows<'_>, into: DeviceRows<'_>) -> Result<(), RunError> {
        let doing = "copying a matrix";
        let (rows, columns) = (into.layout.rows, into.layout.columns);
        if rows == 0 || columns == 0 {
            return Ok(());
        }
        let sizes = [size(doing, columns)?, size(doing, rows)?];
        let operands = [operand(doing, from)?, operand(doing, into)?];
        if from.lies_as(&into) {
            // Padding between rows comes along, which nobody reads.
            let bytes = size_of::<f32>() * ((rows - 1) * into.layout.stride + columns);
            let [from, to] = operands.map(|operand| operand.address);
            return self.memory.ask(|| vec![COPY, from, to, bytes as u64], Copying { from, to, bytes });
        }
        let copy = MatrixCopy { handle: Arc::clone(&self.handle), operands, sizes };
        self.memory.ask(|| key(MATRIX, &operands, &sizes, 0.0), copy)
    }
}

/// Gives the handle memory to work in; where there is none, it makes its own.
fn workspace(memory: &CudaMemory, handle: &CudaBlas) -> Option<Arc<CudaArray>> {
    let array = memory.zeroed(WORKSPACE).ok()?;
    // SAFETY: the array is of so many bytes, and is dropped after the handle; all that the handle does is on the array's stream.
    let given = unsafe { sys::cublasSetWorkspace_v2(*handle.handle(), memory.address(&array).cast(), WORKSPACE) };
    given.result().ok()?;
    Some(Arc::new(array))
}

/// A handle without memory to work in.
fn plain(stream: &Arc<CudaStream>) -> Option<Arc<CudaBlas>> {
    let handle = Arc::new(CudaBlas::new(Arc::clone(stream)).ok()?);
    // SAFETY: there is no memory, and the handle is told so.
    let taken = unsafe { sys::cublasSetWorkspace_v2(*handle.handle(), ptr::null_mut(), 0) };
    taken.result().ok()?;
    Some(handle)
}

/// A matrix by columns, as cuBLAS takes it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub(super) address: u64,
    /// Between the beginnings of columns.
    pub(super) stride: i32,
    pub(super) operation: cublasOperation_t,
}

impl Operand {
    pub(super) fn floats(&self) -> *mut f32 {
        ptr::with_exposed_provenance_mut(self.address as usize)
    }

    /// Where it lies, of so many rows and columns as it is taken.
    fn addresses(&self, rows: i32, columns: i32) -> Range<u64> {
        let (column, columns) = if self.operation == CUBLAS_OP_T { (columns, rows) } else { (rows, columns) };
        let floats = (columns as u64 - 1) * self.stride as u64 + column as u64;
        self.address..self.address + floats * size_of::<f32>() as u64
    }

    /// The matrix that begins so many floats later.
    pub(super) fn after(self, floats: usize) -> Self {
        Self { address: self.address + (floats * size_of::<f32>()) as u64, ..self }
    }
}

/// All that a product or a copy depends on.
fn key(kind: u64, operands: &[Operand], sizes: &[i32], keep: f32) -> Vec<u64> {
    let words = |operand: &Operand| [operand.address, operand.stride as u64, operand.operation as u64];
    let numbers = sizes.iter().map(|size| *size as u64).chain([u64::from(keep.to_bits())]);
    [kind].into_iter().chain(operands.iter().flat_map(words)).chain(numbers).collect()
}

/// A product of matrices: `[left, right, into]`, of `[rows, columns, terms]` by columns.
pub(super) struct Product {
    pub(super) handle: Arc<CudaBlas>,
    /// Whether it takes the memory that the handle has for that.
    works_in_memory: bool,
    /// There where it is done part by part.
    parts: Option<Arc<Parts>>,
    pub(super) doing: &'static str,
    pub(super) operands: [Operand; 3],
    pub(super) sizes: [i32; 3],
    pub(super) keep: f32,
}

impl Act<CudaMemory> for Product {
    fn act(&self, memory: &CudaMemory) -> Result<(), RunError> {
        let Self { handle, parts, doing, operands: [left, right, into], sizes: [rows, columns, terms], keep, .. } =
            self;
        memory.stream().context().bind_to_thread().map_err(failed(*doing))?;
        if let Some(parts) = parts {
            return parts.act(self, memory);
        }
        // SAFETY: all arrays are alive and of these sizes, and all work on them is on this stream.
        let done = unsafe {
            result::sgemm(
                *handle.handle(),
                left.operation,
                right.operation,
                *rows,
                *columns,
                *terms,
                &1.0,
                left.floats().cast_const(),
                left.stride,
                right.floats().cast_const(),
                right.stride,
                keep,
                into.floats(),
                into.stride,
            )
        };
        done.map_err(|source| refused(doing, source))
    }

    fn effects(&self) -> Effects {
        let ([left, right, into], [rows, columns, terms]) = (self.operands, self.sizes);
        let read = Effects::default().reading(left.addresses(rows, terms)).reading(right.addresses(terms, columns));
        let all = read.writing(into.addresses(rows, columns));
        if self.works_in_memory { all.writing(workspace_of(&self.handle)) } else { all }
    }
}

/// A copy of a matrix: `[from, into]`, of `[rows, columns]` by columns.
struct MatrixCopy {
    handle: Arc<CudaBlas>,
    operands: [Operand; 2],
    sizes: [i32; 2],
}

impl Act<CudaMemory> for MatrixCopy {
    fn act(&self, memory: &CudaMemory) -> Result<(), RunError> {
        let (Self { handle, operands: [from, into], sizes: [rows, columns] }, doing) = (self, "copying a matrix");
        memory.stream().context().bind_to_thread().map_err(failed(doing))?;
        // SAFETY: as for products. The second operand may be the result where it counts nothing and is not transposed.
        let done = unsafe {
            sys::cublasSgeam(
                *handle.handle(),
                from.operation,
                CUBLAS_OP_N,
                *rows,
                *columns,
                &1.0,
                from.floats().cast_const(),
                from.stride,
                &0.0,
                into.floats().cast_const(),
                into.stride,
                into.floats(),
                into.stride,
            )
        };
        done.result().map_err(|source| refused(doing, source))
    }

    fn effects(&self) -> Effects {
        let ([from, into], [rows, columns]) = (self.operands, self.sizes);
        let read = Effects::default().reading(from.addresses(rows, columns));
        read.writing(into.addresses(rows, columns)).writing(workspace_of(&self.handle))
    }
}

/// What stands for all that the handle works in: its own address, where no array of the GPU is.
fn workspace_of(handle: &Arc<CudaBlas>) -> Range<u64> {
    let address = Arc::as_ptr(handle).addr() as u64;
    address..address + 1
}

fn operand(doing: &str, rows: DeviceRows<'_>) -> Result<Operand, RunError> {
    let (address, stride) = (rows.address.expose_provenance() as u64, size(doing, rows.layout.stride.max(1))?);
    Ok(Operand { address, stride, operation: operation(rows) })
}

/// How the columns that lie in memory are taken.
fn operation(rows: DeviceRows<'_>) -> cublasOperation_t {
    if rows.is_transposed { CUBLAS_OP_T } else { CUBLAS_OP_N }
}

/// cuBLAS counts by 32 bits.
fn size(doing: &str, size: usize) -> Result<i32, RunError> {
    i32::try_from(size).map_err(|_| CudaError::BlasSize { doing: doing.to_owned(), size }.into())
}

pub(super) fn refused(doing: &str, source: CublasError) -> RunError {
    CudaError::Blas { doing: doing.to_owned(), source }.into()
}
