//! Arrays in a GPU's memory, on one stream.

use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::ptr;
use std::sync::Arc;

use cudarc::driver::{CudaContext, CudaGraph, CudaSlice, CudaStream, DevicePtr, DriverError, sys};

use super::pointer;
use crate::backend::device::Recorder;
use crate::backend::memory::Memory;
use crate::error::{CudaError, RunError};
use crate::session::Borrowed;

/// A GPU's memory, as one stream reaches it.
#[derive(Clone, Debug)]
pub(crate) struct CudaMemory {
    stream: Arc<CudaStream>,
}

impl CudaMemory {
    /// The memory of the context's GPU, with a stream of its own.
    pub(super) fn new(context: &Arc<CudaContext>) -> Result<Self, CudaError> {
        // SAFETY: everything happens on one stream, so nothing needs to be ordered by events.
        unsafe { context.disable_event_tracking() };
        let doing = || "making a stream".to_owned();
        let stream = context.new_stream().map_err(|source| CudaError::Driver { doing: doing(), source })?;
        Ok(Self { stream })
    }

    /// The stream of the owner of borrowed memory.
    ///
    /// # Safety
    /// It exists as long as what is returned.
    unsafe fn owner(&self, memory: Borrowed) -> Arc<CudaStream> {
        let stream = ptr::with_exposed_provenance_mut(memory.stream.unwrap_or_default());
        // SAFETY: the caller's; a context of the runtime's and PyTorch's is the device's primary one, as this is.
        unsafe { self.stream.context().wrap_borrowed_stream(stream) }
    }

    /// The stream.
    pub(super) fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }
}

/// An array in a GPU's memory, freed when dropped unless someone else owns it.
pub(crate) struct CudaArray {
    slice: ManuallyDrop<CudaSlice<u8>>,
    is_borrowed: bool,
}

impl CudaArray {
    fn own(slice: CudaSlice<u8>) -> Self {
        Self { slice: ManuallyDrop::new(slice), is_borrowed: false }
    }
}

impl Deref for CudaArray {
    type Target = CudaSlice<u8>;

    fn deref(&self) -> &CudaSlice<u8> {
        &self.slice
    }
}

impl DerefMut for CudaArray {
    fn deref_mut(&mut self) -> &mut CudaSlice<u8> {
        &mut self.slice
    }
}

impl Drop for CudaArray {
    fn drop(&mut self) {
        // SAFETY: nothing uses the slice after this.
        let slice = unsafe { ManuallyDrop::take(&mut self.slice) };
        if self.is_borrowed {
            slice.leak();
        }
    }
}

/// Says what was being done when the driver refused.
pub(super) fn failed(doing: impl Into<String>) -> impl FnOnce(DriverError) -> RunError {
    move |source| CudaError::Driver { doing: doing.into(), source }.into()
}

impl Memory for CudaMemory {
    type Array = CudaArray;

    fn upload(&self, bytes: &[u8]) -> Result<CudaArray, RunError> {
        let doing = || format!("copying {} bytes to the GPU", bytes.len());
        // The driver allocates no empty array; one byte gives an address that nothing is read from.
        let bytes_or_one = if bytes.is_empty() { &[0] } else { bytes };
        self.stream.clone_htod(bytes_or_one).map(CudaArray::own).map_err(failed(doing()))
    }

    fn zeroed(&self, bytes: usize) -> Result<CudaArray, RunError> {
        let array = self.stream.alloc_zeros(bytes.max(1)).map(CudaArray::own);
        array.map_err(failed(format!("allocating {bytes} bytes on the GPU")))
    }

    unsafe fn borrow(&self, memory: Borrowed, property: &'static str) -> Result<CudaArray, RunError> {
        pointer::check(self.stream.context(), memory).map_err(|source| RunError::Borrow { property, source })?;
        let doing = || format!("waiting for the owner of the memory of `{property}`");
        // SAFETY: the caller's: the stream exists.
        let owner = unsafe { self.owner(memory) };
        self.stream.join(&owner).map_err(failed(doing()))?;
        let bytes = memory.bytes();
        // SAFETY: the caller's; whoever drops the array does not free it.
        let slice = unsafe { self.stream.upgrade_device_ptr(memory.address as u64, bytes) };
        Ok(CudaArray { slice: ManuallyDrop::new(slice), is_borrowed: true })
    }

    unsafe fn give_back(&self, memory: Borrowed) -> Result<(), RunError> {
        // SAFETY: the caller's.
        let owner = unsafe { self.owner(memory) };
        owner.join(&self.stream).map_err(failed("giving memory back to its owner"))
    }

    fn copy(&self, from: &CudaArray, to: &mut CudaArray) -> Result<(), RunError> {
        self.stream.memcpy_dtod(&**from, &mut **to).map_err(failed(format!("copying {} bytes on the GPU", from.len())))
    }

    fn download_part(&self, array: &CudaArray, first: usize, bytes: &mut [u8]) -> Result<(), RunError> {
        if bytes.is_empty() {
            return Ok(());
        }
        let doing = format!("copying {} bytes from the GPU", bytes.len());
        let mut copy = || {
            self.stream.memcpy_dtoh(&array.slice(first..first + bytes.len()), bytes)?;
            self.stream.synchronize()
        };
        copy().map_err(failed(doing))
    }

    fn write(&self, array: &mut CudaArray, bytes: &[u8]) -> Result<(), RunError> {
        let doing = format!("copying {} bytes to the GPU", bytes.len());
        self.stream.memcpy_htod(bytes, &mut **array).map_err(failed(doing))
    }

    fn clear(&self, array: &mut CudaArray) -> Result<(), RunError> {
        self.stream.memset_zeros(&mut **array).map_err(failed("clearing an array on the GPU"))
    }

    fn address(&self, array: &CudaArray) -> *mut u8 {
        array.device_ptr(&self.stream).0 as *mut u8
    }
}

/// What is recorded is a CUDA graph.
impl Recorder for CudaMemory {
    type Recorded = CudaGraph;

    fn record(&self) -> bool {
        let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
        self.stream.begin_capture(mode).is_ok()
    }

    fn recorded(&self) -> Option<CudaGraph> {
        // No flags: the default behavior.
        self.stream.end_capture(sys::CUgraphInstantiate_flags(0)).ok().flatten()
    }

    fn replay(&self, graph: &CudaGraph) -> Result<(), RunError> {
        graph.launch().map_err(failed("replaying what was recorded"))
    }
}
