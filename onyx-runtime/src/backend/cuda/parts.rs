//! Products whose few sums have many terms, such as the gradient of a layer's weights over all vertices: part by part of the terms, all parts in one launch,
//! and what they come to is added up after that.
//!
//! cuBLAS by itself gives such sums to a block for each multiprocessor, and adds up their parts by another kernel: that takes twice as long
//! (`docs/measurements/products-h200.csv`).

use std::sync::{Arc, Mutex, PoisonError};

use cudarc::cublas::result;
use cudarc::cublas::sys::cublasOperation_t::{CUBLAS_OP_N, CUBLAS_OP_T};

use super::CudaArray;
use super::blas::{Operand, Product, refused};
use super::memory::CudaMemory;
use crate::backend::memory::Memory;
use crate::error::RunError;

/// How many terms are many.
const TERMS: usize = 8192;
/// How many sums are few.
const SUMS: usize = 2048;
/// Terms of a part, as long as there are neither too few parts to keep the GPU busy, nor too many to be added up soon.
const TERMS_OF_A_PART: usize = 256;
const FEWEST: usize = 132;
const MOST: usize = 1056;

/// Memory for the sums of all parts.
pub(super) struct Parts {
    /// Locked until all launches of a product are on the stream, so that no other thread's come between.
    sums: Mutex<CudaArray>,
    /// As many ones as there may be parts, by which they are added up.
    ones: CudaArray,
}

/// How the terms are shared out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Division {
    parts: usize,
    /// The terms of each.
    terms: usize,
    /// Those that are left over.
    rest: usize,
}

impl Parts {
    /// Memory for any product that is done so; nothing if there is none.
    pub(super) fn new(memory: &CudaMemory) -> Option<Arc<Self>> {
        let ones = vec![1.0_f32; most()];
        let sums = memory.zeroed(most() * SUMS * size_of::<f32>()).ok()?;
        Some(Arc::new(Self { sums: Mutex::new(sums), ones: memory.upload(bytemuck::cast_slice(&ones)).ok()? }))
    }

    /// Whether a product of such operands and so many rows, columns and terms is done so.
    pub(super) fn suit([left, right, _]: [Operand; 3], [rows, columns, terms]: [i32; 3]) -> bool {
        let are_apart = left.operation == CUBLAS_OP_N && right.operation == CUBLAS_OP_T;
        are_apart && terms as usize >= TERMS && rows as usize * columns as usize <= SUMS
    }

    /// Does the product.
    pub(super) fn act(&self, product: &Product, memory: &CudaMemory) -> Result<(), RunError> {
        let ([rows, columns, terms], [left, right, _]) = (product.sizes, product.operands);
        let division = divide(terms as usize);
        let array = self.sums.lock().unwrap_or_else(PoisonError::into_inner);
        let sums = Operand { address: memory.address(&array).addr() as u64, stride: rows, operation: CUBLAS_OP_N };
        let sum = rows as usize * columns as usize;
        let sizes = [rows, columns, division.terms as i32];
        let steps = [left, right].map(|operand| division.terms * operand.stride as usize);
        multiply_all(product, [left, right, sums], sizes, [steps[0], steps[1], sum], 0.0, division.parts)?;
        if division.rest > 0 {
            let [left, right, sums] =
                [(left, steps[0]), (right, steps[1]), (sums, sum)].map(|(all, step)| all.after(step * division.parts));
            multiply_all(product, [left, right, sums], [rows, columns, division.rest as i32], [0; 3], 0.0, 1)?;
        }
        self.add_up(product, sums, division.parts + usize::from(division.rest > 0), memory)
    }

    /// Adds up the sums of all parts, column by column.
    fn add_up(&self, product: &Product, sums: Operand, parts: usize, memory: &CudaMemory) -> Result<(), RunError> {
        let ([rows, columns, _], [_, _, into]) = (product.sizes, product.operands);
        let ones =
            Operand { address: memory.address(&self.ones).addr() as u64, stride: parts as i32, operation: CUBLAS_OP_N };
        let sums = Operand { stride: rows * columns, ..sums };
        let steps = [rows as usize, 0, into.stride as usize];
        multiply_all(product, [sums, ones, into], [rows, 1, parts as i32], steps, product.keep, columns as usize)
    }
}

/// The most parts that there are, with what is left over.
const fn most() -> usize {
    MOST + MOST / 4 + 1
}

/// Parts of as many terms each as there are, so many parts that hardly any term is left over.
fn divide(terms: usize) -> Division {
    let fewest = (terms / TERMS_OF_A_PART).clamp(FEWEST, MOST);
    let division = |parts: usize| Division { parts, terms: terms / parts, rest: terms % parts };
    let all = (fewest..=fewest + fewest / 4).map(division);
    all.min_by_key(|division| division.rest).unwrap_or_else(|| division(fewest))
}

/// So many products in one launch, each so many floats after the one before. The result of each is added to `keep` times what is there.
fn multiply_all(
    product: &Product,
    [left, right, into]: [Operand; 3],
    [rows, columns, terms]: [i32; 3],
    steps: [usize; 3],
    keep: f32,
    count: usize,
) -> Result<(), RunError> {
    let [left_step, right_step, into_step] = steps.map(|step| step as i64);
    // SAFETY: all arrays are alive and of these sizes, and all work on them is on the handle's stream.
    let done = unsafe {
        result::sgemm_strided_batched(
            *product.handle.handle(),
            left.operation,
            right.operation,
            rows,
            columns,
            terms,
            &1.0,
            left.floats().cast_const(),
            left.stride,
            left_step,
            right.floats().cast_const(),
            right.stride,
            right_step,
            &keep,
            into.floats(),
            into.stride,
            into_step,
            count as i32,
        )
    };
    done.map_err(|source| refused(product.doing, source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_shared_out_with_few_left_over() {
        for terms in (TERMS..3 * TERMS).step_by(37).chain([94_385, 376_883, 1 << 20, i32::MAX as usize]) {
            let Division { parts, terms: each, rest } = divide(terms);
            assert_eq!(parts * each + rest, terms);
            assert!((FEWEST..most()).contains(&parts) && each > 0 && rest < 48, "{terms}: {parts} of {each}, {rest}");
        }
    }
}
