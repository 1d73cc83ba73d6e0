//! Matrices of any size in a session's memory, which belong to no fold.

use std::fmt;

use ndarray::{Array2, ArrayView2, Ix2};

use super::matrix::{DeviceRows, Matrix, MatrixMut, MatrixMutPlace, MatrixPlace, view, view_mut};
use super::rows::Layout;
use super::values::Values;
use super::{Processor, Session};
use crate::backend::cuda::{self, CudaArray, CudaSession};
use crate::backend::memory::Memory;
use crate::backend::memory_plan::MemoryPlan;
use crate::error::RunError;
use crate::floats::Floats;
use crate::memory::OutOfMemory;

/// Rows begin at a multiple of 16 bytes.
const ALIGNED: usize = 4;

/// Rows of floats in a session's memory, any number of any length, such as the features that vertices come with: what is too wide for the rows of a fold.
pub struct Tensor {
    session: Session,
    layout: Layout,
    place: TensorPlace,
}

enum TensorPlace {
    Host(Floats),
    Cuda(CudaSession, CudaArray),
}

impl Session {
    /// So many rows of so many floats, all zero.
    ///
    /// # Errors
    /// There is no memory for them.
    pub fn tensor(&self, rows: usize, columns: usize) -> Result<Tensor, RunError> {
        let stride = columns.checked_next_multiple_of(ALIGNED).ok_or_else(|| too_large(rows, columns))?;
        let layout = Layout { rows, columns, stride };
        let floats = layout.floats()?;
        let place = match self.processor() {
            Processor::Cpu | Processor::Emulator => TensorPlace::Host(Floats::zeroed(floats)?),
            Processor::Cuda(gpu) => {
                let bytes = floats * size_of::<f32>();
                cuda::require(gpu, &MemoryPlan::of([(named(rows, columns), bytes as u64)].into_iter()))?;
                TensorPlace::Cuda(gpu.clone(), gpu.memory().zeroed(bytes)?)
            }
        };
        Ok(Tensor { session: self.clone(), layout, place })
    }
}

fn named(rows: usize, columns: usize) -> String {
    format!("a tensor of {rows} x {columns}")
}

/// More bytes than can be counted.
fn too_large(rows: usize, columns: usize) -> OutOfMemory {
    OutOfMemory::new(named(rows, columns), u64::MAX)
}

impl Layout {
    /// How many floats there are, whose bytes can be counted.
    fn floats(&self) -> Result<usize, OutOfMemory> {
        let bytes = self.rows.checked_mul(self.stride).and_then(|floats| floats.checked_mul(size_of::<f32>()));
        bytes.map(|bytes| bytes / size_of::<f32>()).ok_or_else(|| too_large(self.rows, self.columns))
    }
}

impl Tensor {
    /// How many rows and columns it has.
    pub fn shape(&self) -> (usize, usize) {
        (self.layout.rows, self.layout.columns)
    }

    /// Gives it so many rows, in the memory that it has if that suffices. What they have is not said: write it before anything reads it.
    ///
    /// # Errors
    /// As [`Session::tensor`].
    pub fn resize(&mut self, rows: usize) -> Result<(), RunError> {
        self.session.touch();
        let layout = Layout { rows, ..self.layout };
        let floats = layout.floats()?;
        let has_room = match &mut self.place {
            TensorPlace::Host(own) => {
                own.reserve(floats)?;
                own.resize(floats);
                true
            }
            TensorPlace::Cuda(gpu, array) => gpu.memory().resize(array, floats * size_of::<f32>()),
        };
        if !has_room {
            *self = self.session.tensor(rows, self.layout.columns)?;
        }
        self.layout = layout;
        Ok(())
    }

    /// Copies values there.
    ///
    /// # Errors
    /// [`RunError::Shape`] if they are not of its shape; what the copy fails with.
    pub fn write<'v>(&mut self, values: impl Values<'v, f32, Ix2>) -> Result<(), RunError> {
        let (values, layout): (ArrayView2<'_, f32>, _) = (values.view(), self.layout);
        if values.dim() != self.shape() {
            let (found, expected) = (values.shape().to_vec(), vec![layout.rows, layout.columns]);
            return Err(RunError::Shape { property: "a tensor", found, expected });
        }
        match &mut self.place {
            TensorPlace::Host(floats) => view_mut(layout, floats.as_mut_slice()).assign(&values),
            TensorPlace::Cuda(gpu, array) => {
                let mut floats = Floats::zeroed(layout.rows * layout.stride)?;
                view_mut(layout, floats.as_mut_slice()).assign(&values);
                if floats.len() > 0 {
                    gpu.noticing(gpu.memory().write(array, bytemuck::cast_slice(floats.as_slice())))?;
                }
            }
        }
        Ok(())
    }

    /// A copy of the values, when all is done that was asked for.
    ///
    /// # Errors
    /// What the copy fails with, or what ran before it; [`RunError::Recording`] inside of a recording.
    pub fn read(&self) -> Result<Array2<f32>, RunError> {
        self.session.check_unrecorded(|| "reading a tensor is".to_owned())?;
        match &self.place {
            TensorPlace::Host(floats) => Ok(view(self.layout, floats.as_slice()).to_owned()),
            TensorPlace::Cuda(gpu, array) => {
                let mut floats = Floats::zeroed(self.layout.rows * self.layout.stride)?;
                gpu.noticing(gpu.memory().download(array, bytemuck::cast_slice_mut(floats.as_mut_slice())))?;
                Ok(view(self.layout, floats.as_slice()).to_owned())
            }
        }
    }

    /// All of it, for a product that reads it.
    pub fn matrix(&self) -> Matrix<'_> {
        let place = match &self.place {
            TensorPlace::Host(floats) => MatrixPlace::Host(view(self.layout, floats.as_slice())),
            TensorPlace::Cuda(gpu, array) => MatrixPlace::Cuda(on_gpu(gpu, array, self.layout)),
        };
        Matrix { session: self.session.number(), place }
    }

    /// All of it, for a product that writes it.
    pub fn matrix_mut(&mut self) -> MatrixMut<'_> {
        let layout = self.layout;
        let place = match &mut self.place {
            TensorPlace::Host(floats) => MatrixMutPlace::Host(view_mut(layout, floats.as_mut_slice())),
            TensorPlace::Cuda(gpu, array) => MatrixMutPlace::Cuda(on_gpu(gpu, array, layout)),
        };
        MatrixMut { session: self.session.number(), place }
    }
}

fn on_gpu<'a>(gpu: &CudaSession, array: &'a CudaArray, layout: Layout) -> DeviceRows<'a> {
    DeviceRows::new(gpu.memory().address(array).cast(), layout)
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tensor").field("shape", &self.shape()).field("session", &self.session).finish()
    }
}
