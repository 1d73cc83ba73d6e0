//! What the session's stream is asked for: at once, or when a recording has collected all of it.

use std::ffi::{c_uchar, c_void};
use std::sync::Arc;
use std::{mem, ptr};

use cudarc::driver::{DriverError, LaunchConfig, result, sys};

use super::kernels::Kernels;
use super::memory::{CudaMemory, failed};
use crate::backend::arguments::ArgumentBytes;
use crate::backend::device::{Act, Effects};
use crate::error::RunError;
use crate::schedule::Kernel;

/// What the keys of copies begin with, so that they are those of nothing else.
pub(super) const COPY: u64 = 1 << 32;
/// The same of clearing.
pub(super) const CLEAR: u64 = 2 << 32;
/// The same of products of matrices.
pub(super) const PRODUCT: u64 = 3 << 32;
/// The same of copies of matrices.
pub(super) const MATRIX: u64 = 4 << 32;

/// What has come of an act. While the stream records, another thread may spoil that, by what it frees: then nothing comes of the recording, and what is noted after it has no
/// meaning; whoever records does all of it again.
fn unless_spoiled(done: Result<(), DriverError>) -> Result<(), DriverError> {
    match done {
        Err(DriverError(sys::cudaError_enum::CUDA_ERROR_STREAM_CAPTURE_INVALIDATED)) => Ok(()),
        done => done,
    }
}

/// Copies bytes from one array to another.
pub(super) struct Copying {
    pub(super) from: u64,
    pub(super) to: u64,
    pub(super) bytes: usize,
}

impl Act<CudaMemory> for Copying {
    fn act(&self, memory: &CudaMemory) -> Result<(), RunError> {
        let Self { from, to, bytes } = *self;
        let doing = || format!("copying {bytes} bytes on the GPU");
        memory.stream().context().bind_to_thread().map_err(failed(doing()))?;
        // SAFETY: both arrays are alive and of so many bytes: whoever asks has them, and what is dropped while a recording collects is freed after that.
        let done = unsafe { result::memcpy_dtod_async(to, from, bytes, memory.stream().cu_stream()) };
        unless_spoiled(done).map_err(failed(doing()))
    }

    fn effects(&self) -> Effects {
        let bytes = self.bytes as u64;
        Effects::default().reading(self.from..self.from + bytes).writing(self.to..self.to + bytes)
    }
}

/// Sets bytes of an array to zero.
pub(super) struct Clearing {
    pub(super) at: u64,
    pub(super) bytes: usize,
}

impl Act<CudaMemory> for Clearing {
    fn act(&self, memory: &CudaMemory) -> Result<(), RunError> {
        let doing = "clearing an array on the GPU";
        memory.stream().context().bind_to_thread().map_err(failed(doing))?;
        // SAFETY: as for copies.
        let done = unsafe { result::memset_d8_async(self.at, 0 as c_uchar, self.bytes, memory.stream().cu_stream()) };
        unless_spoiled(done).map_err(failed(doing))
    }

    fn effects(&self) -> Effects {
        Effects::default().writing(self.at..self.at + self.bytes as u64)
    }
}

/// Launches a kernel with one argument, which is passed by value.
pub(super) struct Launching {
    pub(super) kernels: Arc<Kernels>,
    pub(super) kernel: Kernel,
    /// The number of the stage.
    pub(super) stage: usize,
    pub(super) configuration: LaunchConfig,
    pub(super) arguments: ArgumentBytes,
    pub(super) effects: Effects,
    /// Whether it may begin before the launch before it has ended.
    pub(super) may_overlap: bool,
}

impl Launching {
    /// Launches a kernel that may begin before the one before it has ended: programmatic stream serialization, in the driver's words.
    ///
    /// # Safety
    /// As of any launch. The kernel waits for the one before it where it has to.
    unsafe fn launch_early(
        &self,
        function: sys::CUfunction,
        stream: sys::CUstream,
        mut arguments: [*mut c_void; 1],
    ) -> Result<(), DriverError> {
        let LaunchConfig { grid_dim, block_dim, shared_mem_bytes } = self.configuration;
        // SAFETY: both are plain numbers and pointers, for which zero is a value.
        let (mut attribute, mut launch): (sys::CUlaunchAttribute, sys::CUlaunchConfig) = unsafe { mem::zeroed() };
        attribute.id = sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
        attribute.value.programmaticStreamSerializationAllowed = 1;
        (launch.gridDimX, launch.gridDimY, launch.gridDimZ) = grid_dim;
        (launch.blockDimX, launch.blockDimY, launch.blockDimZ) = block_dim;
        (launch.sharedMemBytes, launch.hStream) = (shared_mem_bytes, stream);
        (launch.attrs, launch.numAttrs) = (&raw mut attribute, 1);
        // SAFETY: the caller's.
        unsafe { sys::cuLaunchKernelEx(&raw const launch, function, arguments.as_mut_ptr(), ptr::null_mut()) }.result()
    }
}

impl Act<CudaMemory> for Launching {
    fn act(&self, memory: &CudaMemory) -> Result<(), RunError> {
        let (name, function) = self.kernels.get(self.kernel, self.stage);
        let failed = || failed(format!("launching {name}"));
        memory.stream().context().bind_to_thread().map_err(failed())?;
        let LaunchConfig { grid_dim, block_dim, shared_mem_bytes } = self.configuration;
        let (function, stream) = (function.cu_function(), memory.stream().cu_stream());
        let argument: *mut c_void = self.arguments.address().cast_mut().cast();
        // SAFETY: the kernel was compiled for this one argument, as its fingerprint says; the driver copies its bytes before it returns. All arrays are
        // alive, as for copies.
        let launched = unsafe {
            if self.may_overlap {
                self.launch_early(function, stream, [argument])
            } else {
                result::launch_kernel(function, grid_dim, block_dim, shared_mem_bytes, stream, &mut [argument])
            }
        };
        unless_spoiled(launched).map_err(failed())
    }

    fn effects(&self) -> Effects {
        self.effects.clone()
    }
}
